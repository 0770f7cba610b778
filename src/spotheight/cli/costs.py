"""Options of cost matrices, and questions that need one."""

import re
from pathlib import Path
from typing import Any, TypeGuard

import click

from spotheight import registry as codec
from spotheight.errors import InputError
from spotheight.exchange.costs import read_cost_file
from spotheight.questions import Task
from spotheight.workspace.asking import COSTS_NEEDED

__all__ = ["COSTS_NEEDED", "TASK_HELP", "costs_option", "read_task", "task_costs_option"]

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
    "rank-systems:by=(precision:k=48)."
)

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
