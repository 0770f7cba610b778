"""Pages of the benchmarks follow from what was measured: no figure is typed, no page is stale."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

from bench import pages
from bench.cases import ROOT

DOCS = ROOT / "docs"
BENCH = sorted((ROOT / "bench").rglob("*.py"))

DECIMAL = re.compile(r"(?<![\w.#])(?:\d*\.\d+|\d+e-?\d+)")
"""A number with a point or an exponent, not a part of a name, a file or a colour."""

ALLOWED = {"gemini-1.5-pro-002"}  # the name of a model


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    return pages.texts(DOCS)


def typed(source: str) -> Iterator[str]:
    """Strings with a decimal in them, in docstrings, format specifications or replacements none."""
    tree = ast.parse(source)
    nodes = list(ast.walk(tree))
    left_out = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    left_out |= {
        id(part)
        for node in nodes
        if isinstance(node, ast.FormattedValue) and node.format_spec is not None
        for part in ast.walk(node.format_spec)
    }
    for node in nodes:
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_text and id(node) not in left_out and node.value not in ALLOWED:
            yield from [node.value] if DECIMAL.search(literal(node.value)) else []


def literal(template: str) -> str:
    """What stands in a template beside its fields; all of what is none."""
    try:
        return " ".join(text for text, *_ in Formatter().parse(template))
    except ValueError:
        return template


@pytest.mark.parametrize("path", BENCH, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_figure_is_typed_into_a_sentence(path):
    """It comes from a summary, from a named constant, or stands in docs/decisions."""
    assert list(typed(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    ("source", "is_typed"),
    [
        ('NOTE = "off by 5.1 points"', True),
        ('NOTE = "above .99 of it"', True),
        ('NOTE = "a jitter of 1e-6"', True),
        ('NOTE = f"{mean} against 4.7"', True),
        ('NOTE = "{error:.2f} of {own:5.1%}"', False),
        ('NOTE = f"{error:.2f} of {own:5.1%}"', False),
        ('NOTE = "docs/a.md, Table 8, version 3.txt, #009e73"', False),
        ('"""Of 0.5."""', False),
    ],
)
def test_typed_figures_are_seen(source, is_typed):
    assert bool(list(typed(source))) == is_typed


@pytest.mark.parametrize(
    "name",
    ["benchmarks.md", "benchmarks/tables.md", "twins.md", "assessment.md", "vetting.md",
     "celeba.md", "deep.md"],
)  # fmt: skip
def test_pages_are_what_their_summaries_say(name, texts):
    assert (DOCS / name).read_text(encoding="utf-8") == texts[name], "python -m bench.pages"


def test_every_page_is_looked_at(texts):
    written = {*DOCS.glob("*.md"), *DOCS.glob("benchmarks/*.md")}
    generated = {path for path in written if "This page is written by" in flat(path)}
    generated |= {path for path in written if "Written by `" in flat(path)}
    assert generated == {DOCS / name for name in texts}


def flat(path: Path) -> str:
    return " ".join(path.read_text(encoding="utf-8").split())


@pytest.mark.parametrize(
    "path", sorted({ROOT / "README.md", *DOCS.rglob("*.md")}), ids=lambda path: path.name
)
def test_links_of_pages_lead_somewhere(path):
    links = re.findall(r"\]\(([^)#\s]+)\)", path.read_text(encoding="utf-8"))
    gone = [link for link in links if "://" not in link and not (path.parent / link).exists()]
    assert gone == []


def test_the_front_page_is_short_and_has_three_plots(texts):
    text = texts["benchmarks.md"]
    assert len(text) < 10_000
    assert len(re.findall(r"!\[[^]]*\]\(", text)) == 3
