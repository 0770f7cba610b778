"""Pages about the code name rooms, files and nouns that are there."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "spotheight"
PAGES = ("docs/architecture.md", "CONTRIBUTING.md", "docs/plugins.md")
ROOMS = {path.name for path in SOURCE.iterdir() if path.is_dir() and path.name[0] != "_"}

PATH = re.compile(r"`([a-z_]+(?:/[a-z_*]+)*/?(?:\.py|\.md)?)`")
"""Words of ours in backticks that may be a place: ``pool/cells``, ``workspace/``, ``tests/old``."""


def places(page: str) -> set[str]:
    """Every path in backticks; a lone word counts where it says that it is a folder."""
    found = set(PATH.findall((ROOT / page).read_text(encoding="utf-8")))
    return {each for each in found if "/" in each}


def is_there(place: str) -> bool:
    """Whether a path leads somewhere, from the root of the repository or of the package."""
    stem = place.rstrip("/")
    return any(
        any(home.glob(name))
        for home in (ROOT, SOURCE.parent, SOURCE)
        for name in (stem, f"{stem}.py")
        if name
    )


@pytest.mark.parametrize("page", PAGES)
def test_every_path_leads_somewhere(page):
    found = places(page)
    assert len(found) > 3 or page == "docs/plugins.md"
    assert sorted(place for place in found if not is_there(place)) == []


def nouns() -> list[tuple[list[str], str]]:
    """The rows of the table of nouns: names, and where they are."""
    section = (ROOT / PAGES[0]).read_text(encoding="utf-8").partition("## Nouns")[2]
    rows = [row.split("|") for row in section.splitlines() if row.startswith("| `")]
    return [(re.findall("`([^`]+)`", row[1]), row[2].strip()) for row in rows]


def defined(place: Path) -> set[str]:
    """Classes, and names that are given to something, at the top of the files of a place."""
    files = sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]
    body = [node for file in files for node in ast.parse(file.read_text(encoding="utf-8")).body]
    classes = {node.name for node in body if isinstance(node, ast.ClassDef)}
    targets = (node.targets[0] for node in body if isinstance(node, ast.Assign))
    return classes | {target.id for target in targets if isinstance(target, ast.Name)}


def test_every_noun_is_where_the_page_says():
    rows = nouns()
    assert len(rows) > 20
    lost = [
        (name, where)
        for names, where in rows
        for name in names
        if not any(name in defined(SOURCE / part.strip()) for part in where.split(","))
    ]
    assert lost == []
    assert sum(len(names) for names, _ in rows) <= 35


def test_every_room_has_a_line_in_the_tree():
    tree = (ROOT / PAGES[0]).read_text(encoding="utf-8").partition("## Rooms")[2].split("```")[1]
    assert set(re.findall(r"([a-z]+)/", tree)) >= ROOMS
