"""Ranked lists of a campaign, as answers and as a table."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pyarrow as pa

from spotheight.campaign import Campaign
from spotheight.questions import ListAnswer, ListTask

DIGITS = 12
"""Behind the point: the rest is noise of adding up."""


def answered_lists(campaign: Campaign, task: ListTask, level: float | None = None) -> ListAnswer:
    """The answer to a question about lists, with intervals of the campaign's level by default."""
    level = campaign.spec.level if level is None else level
    return campaign.answer(replace(task, level=level))  # type: ignore[type-var]


def list_frame(answer: ListAnswer) -> pa.Table:
    """A row a service with its mean over categories, then a row a list."""
    rows = [*_mean_rows(answer), *_list_rows(answer)]
    left_out = () if answer.is_about_positives else ("positives",)
    return pa.Table.from_pylist([_tidy(row, left_out) for row in rows])


def _tidy(row: dict[str, Any], left_out: tuple[str, ...]) -> dict[str, Any]:
    """Numbers without the last digits of their sums."""
    kept = {name: value for name, value in row.items() if name not in left_out}
    return {
        name: round(value, DIGITS) if isinstance(value, float) else value
        for name, value in kept.items()
    }


def _mean_rows(answer: ListAnswer) -> Iterator[dict[str, Any]]:
    for place, overall in enumerate(answer.overall):
        yield {
            "service": answer.services[place],
            "category": None,
            "mean": overall.mean,
            "low": overall.low,
            "high": overall.high,
            "n_items": int(answer.n_items[place].sum()),
            "n_vetted": int(answer.n_vetted[place].sum()),
            "positives": float(answer.positives.sum()),
            "status": answer.overall_status[place],
        }


def _list_rows(answer: ListAnswer) -> Iterator[dict[str, Any]]:
    for row, word in zip(answer.frame().to_pylist(), answer.status.ravel(), strict=True):
        row.pop("is_enough")
        yield {**row, "status": str(word)}
