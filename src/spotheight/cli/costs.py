"""Cost matrices from files, and tasks that need one."""

import csv
import io
import re
from pathlib import Path
from typing import Any, TypeGuard

import click

from spotheight import registry as codec
from spotheight.campaign import Campaign
from spotheight.cli.subject import require_surface
from spotheight.errors import InputError
from spotheight.pool.reading.delimited import DELIMITERS, delimiter_of
from spotheight.pool.reading.embedded import reading
from spotheight.pool.reading.fetch import fetched
from spotheight.pool.reading.source import open_source
from spotheight.questions import Task
from spotheight.questions.quantities import Costs
from spotheight.questions.quantities.cost import read_costs

costs_option = click.option(
    "--costs",
    metavar="FILE.csv",
    type=click.Path(path_type=Path),
    help="A cost matrix: the first column names the true class, the other columns the answers. "
    "[default: the one that the campaign was started with]",
)

task_costs_option = click.option(
    "--costs",
    metavar="FILE.csv",
    type=click.Path(path_type=Path),
    help="The cost matrix of a task about costs: the first column names the true class, the other "
    "columns the answers.",
)
TASK_HELP = (
    "estimate, identify:worst=3, identify:of=(ece:by=@prediction), rank, calibration, confusion, "
    "cost, compare:first=(accent=german),second=(accent=english), "
    "compare-services:first=A,second=B; for ranked lists precision:k=48, average-precision, "
    "rank-systems:by=(precision:k=48).{+task}"
)

COSTS_NEEDED = (
    "Costs need a cost matrix: --costs FILE.csv, whose first column names the true classes and "
    "whose other columns name the answers."
)


def costs_of(campaign: Campaign, path: Path | None) -> Costs:
    """The cost matrix from a file, or else the one that the campaign's own task has."""
    require_classes(campaign, "Costs")
    if path is not None:
        return read_cost_file(path)
    task = campaign.spec.task
    own = getattr(task, "costs", None) or getattr(getattr(task, "of", None), "costs", None)
    if own is None:
        raise InputError(COSTS_NEEDED)
    assert isinstance(own, Costs)
    return own


def require_classes(campaign: Campaign, what: str) -> None:
    """Raise unless labels name the true class."""
    require_surface(campaign)
    if campaign.spec.metric.reads != "class":
        raise InputError(
            f"{what} need labels that name the true class; those of this campaign are read as "
            f"{campaign.spec.metric}."
        )


def read_cost_file(path: Path) -> Costs:
    """A cost matrix from a table."""
    _require_even_rows(path)
    with reading(repr(str(path))):  # a file may be readable up to some row only
        table = fetched(open_source(path))
    columns = [["" if cell is None else cell for cell in c.to_pylist()] for c in table.columns]
    names = _written_names(path, table.column_names)
    return read_costs(names, list(zip(*columns, strict=True)), str(path))


def _require_even_rows(path: Path) -> None:
    """Raise where a row of a text file has more or fewer cells than its head."""
    if path.suffix.lower() not in (".csv", ".tsv") or not path.is_file():
        return
    text = path.read_text(encoding="utf-8-sig", errors="replace")
    delimiter = delimiter_of(io.StringIO(text))
    rows = [row for row in csv.reader(text.splitlines(True), delimiter=delimiter) if row]
    head = rows[0] if rows else []
    for row in rows:
        if len(row) != len(head):
            raise InputError(
                f"The cost matrix {str(path)!r} has {len(row) - 1} costs for the true class "
                f"{row[0]!r} and {len(head) - 1} answers; each row needs one cost for each answer."
            )


def _written_names(path: Path, names: list[str]) -> list[str]:
    """Answers as they are written: engines rename columns that differ in nothing but case."""
    if path.suffix.lower() in (".csv", ".tsv"):
        line = path.read_text(encoding="utf-8-sig").splitlines()[:1]
        for delimiter in DELIMITERS:
            header = [name.strip() for name in next(csv.reader(line, delimiter=delimiter))]
            if len(header) == len(names):
                return header
    return names


_PIECE = re.compile(r"(?:\((?:[^()]|\([^()]*\))*\)|[^,()])+")
"""Up to a comma outside parentheses."""


def read_task(text: str, costs: Path | None) -> Task:
    """A task by its short form; a cost matrix, which no short form holds, comes from a file."""
    data = _spelled(text)
    if text:
        codec.TASKS.of(data["name"])
    places = [piece for piece in (data, data.get("of")) if _is_about_costs(piece)]
    if costs is not None and not places:
        raise InputError(
            "--costs is used with a task about costs, such as --task cost or "
            "--task identify:of=cost; name one, or leave it away."
        )
    if not places:
        return codec.parse(text, codec.TASKS)
    if costs is None:
        raise InputError(COSTS_NEEDED)
    for piece in places:
        piece["costs"] = codec.encode(read_cost_file(costs))
    try:
        return codec.decode(data, Task)
    except InputError as error:
        raise InputError(f"In {text!r}: {error}") from None


def _spelled(text: str) -> dict[str, Any]:
    """``NAME:field=value`` as a mapping, what stands in the field ``of`` likewise."""
    name, _, rest = text.partition(":")
    data: dict[str, Any] = {"name": name.strip()}
    for piece in _PIECE.findall(rest):
        key, _, value = piece.partition("=")
        value = value.strip()
        value = value[1:-1] if value[:1] + value[-1:] == "()" else value
        data[key.strip()] = _spelled(value) if key.strip() == "of" else value
    return data


def _is_about_costs(piece: Any) -> TypeGuard[dict[str, Any]]:
    return isinstance(piece, dict) and piece["name"] == "cost" and "costs" not in piece
