"""``python -m bench.house``."""

from pathlib import Path
from tempfile import TemporaryDirectory

import click

import spotheight
from bench.house.figures import as_json, markdown
from bench.house.layers import pointing_up
from bench.house.shape import nouns, shape
from bench.house.touched import touched
from bench.house.tree import Tree

ROOT = Path(__file__).resolve().parents[2]


@click.command()
@click.option("--json", "is_json", is_flag=True, help="Print the figures as JSON.")
@click.option("--no-run", is_flag=True, help="Only read files: one second, without a profiler.")
def main(*, is_json: bool, no_run: bool) -> None:
    """Count what a newcomer has to read, beside what was aimed at.

    Example: python -m bench.house --no-run
    """
    package = Path(spotheight.__file__).resolve().parent
    figures = shape(Tree.read(package))
    figures.append(pointing_up(ROOT / "tests" / "unit" / "test_architecture.py"))
    figures.append(nouns((ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")))
    if not no_run:
        with TemporaryDirectory() as folder:
            figures = [*touched(package, Path(folder)), *figures]
    click.echo(as_json(figures) if is_json else markdown(figures), nl=is_json)
