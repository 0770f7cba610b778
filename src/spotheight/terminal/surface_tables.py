"""A surface in a terminal: its arms, its slices, and slices against each other."""

from collections.abc import Iterable, Mapping

import numpy as np

from spotheight.beliefs import Reading, Surface
from spotheight.beliefs.contrasts import Contrast
from spotheight.terminal.text import (
    count,
    counted,
    interval,
    percent,
    points,
    table_text,
    times,
)


def contrast_table(contrasts: Iterable[Contrast]) -> str:
    """A row a pair: its difference and its ratio."""
    rows = [
        [
            contrast.slice,
            contrast.against,
            f"{points(contrast.difference.mean)} points",
            f"{points(contrast.difference.low)} to {points(contrast.difference.high)}",
            times(contrast.ratio.mean),
            f"{times(contrast.ratio.low)} to {times(contrast.ratio.high)}",
        ]
        for contrast in contrasts
    ]
    columns = ["slice", "against", "difference", "interval", "ratio", "interval"]
    return table_text(columns, rows)


def reading_table(readings: Mapping[str, Reading]) -> str:
    """A row a slice."""
    rows = []
    for name, r in readings.items():
        sizes = [count(value) if value == value else "-" for value in (r.n_pool, r.n_labelled)]
        covered = (
            "" if r.covered == 1 else f"for {percent(r.covered)} of the mix: the rest is in no arm"
        )
        rows.append([name, r.estimand, *sizes, percent(r.mean), interval(r.low, r.high), covered])
    columns = ["slice", "estimand", "items", "labelled", "mean", "interval", ""]
    return table_text(columns, rows)


def arm_table(surface: Surface, level: float, most: int) -> str:
    """A row an arm, the worst first and at most so many, then all items together."""
    low, high = surface.interval(level)
    status, mean = surface.status(level), surface.mean
    order = np.argsort(np.where(np.isnan(mean), 2.0, mean), kind="stable")[:most]
    rows = [
        [
            surface.partition.name(int(arm)),
            count(surface.cells.mass[arm]),
            count(surface.labelled[arm]),
            percent(mean[arm]),
            interval(low[arm], high[arm]),
            str(status[arm]),
        ]
        for arm in order
    ]
    overall = surface.overall(level)
    if surface.partition.attributes:
        rows.append(
            ["all items", count(surface.cells.size), count(overall.n_labelled),
             percent(overall.mean), interval(overall.low, overall.high), ""]
        )  # fmt: skip
    hidden = surface.cells.arms - len(order)
    table = table_text(["arm", "items", "labelled", "mean", "interval", "status"], rows)
    return table + (
        f"\n({counted(hidden, 'more arm')}: --most {surface.cells.arms}, or --csv)"
        if hidden
        else ""
    )
