"""Parser of questions in their short form, such as ``identify:worst=3``, and of their costs."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from spotheight import registry as codec
from spotheight.campaign import Campaign
from spotheight.errors import InputError
from spotheight.exchange.costs import read_cost_file
from spotheight.questions import Task
from spotheight.questions.quantities import Costs
from spotheight.workspace.asking import COSTS_NEEDED, costs_of

_PIECE = re.compile(r"(?:\((?:[^()]|\([^()]*\))*\)|[^,()])+")
"""Up to a comma outside parentheses."""


def read_task(text: str, costs: Path | None) -> Task:
    """A task by its short form; a cost matrix, which no short form holds, comes from a file."""
    data = _spelled(text)
    if text:
        codec.TASKS.of(data["name"])
    if costs is not None and not _about_costs(data):
        raise InputError(
            "--costs is used with a task about costs, such as --task cost or "
            "--task identify:of=cost; name one, or leave it away."
        )

    def read() -> Costs:
        if costs is None:
            raise InputError(COSTS_NEEDED)
        return read_cost_file(costs)

    return _with_costs(text, data, read)


def _with_costs(text: str, data: dict[str, Any], costs: Callable[[], Costs]) -> Task:
    """The task of a short form that was taken apart, with its costs where it needs some."""
    places = _about_costs(data)
    if not places:
        return codec.parse(text, codec.TASKS)
    for piece in places:
        piece["costs"] = codec.encode(costs())
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


def _about_costs(data: dict[str, Any]) -> list[dict[str, Any]]:
    """The parts of a short form that are about costs and bring none."""
    pieces = [piece for piece in (data, data.get("of")) if isinstance(piece, dict)]
    return [piece for piece in pieces if piece["name"] == "cost" and "costs" not in piece]


def task_of(campaign: Campaign, question: str | Task) -> Task:
    """A question as a task; one in its short form has the campaign's level and costs."""
    if not isinstance(question, str):
        return question
    data = _spelled(question)
    task = _with_costs(question, data, lambda: costs_of(campaign, None))
    if "level" in data or not hasattr(task, "level"):
        return task
    return replace(task, level=campaign.spec.level)  # type: ignore[type-var]
