"""All pages and plots of the benchmarks, written anew from what is kept in git.

    python -m bench.pages

It needs no data and runs nothing: whoever changes words, a table or a plot calls it.
"""

from pathlib import Path

from bench import publish
from bench.assessment import publish as assessment
from bench.cases import ROOT
from bench.celeba import publish as celeba
from bench.deep import publish as deep
from bench.twins import publish as twins
from bench.vetting import publish as vetting

PARTS = (publish, twins, assessment, vetting, celeba, deep)


def texts(docs: Path) -> dict[str, str]:
    """Every page by its name in the folder of documents."""
    return {name: text for part in PARTS for name, text in part.pages(docs).items()}


def main(docs: Path = ROOT / "docs") -> None:
    """Write pages and plots."""
    for part in PARTS:
        part.write(docs)


if __name__ == "__main__":
    main()
