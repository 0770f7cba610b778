"""``spotheight surface``."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import product
from math import isfinite
from pathlib import Path
from typing import Any

import click
import numpy as np
import pyarrow as pa

from spotheight.beliefs import Reading, Surface
from spotheight.cli import notice
from spotheight.cli.options import (
    campaign_argument,
    csv_option,
    estimand_option,
    json_option,
    level_option,
)
from spotheight.cli.progress import working
from spotheight.cli.subject import Parts, require_surface, slices_of
from spotheight.errors import InputError
from spotheight.exchange.output import STDOUT
from spotheight.questions.numbers import tidy_json, tidy_table
from spotheight.terminal.answers import basis_text
from spotheight.terminal.text import (
    ARM,
    STATUS,
    count,
    counted,
    interval,
    percent,
    points,
    table_text,
    times,
)
from spotheight.workspace import Workspace
from spotheight.workspace.asking import level_of, surface_basis

SIZES = ("n_pool", "n_labelled")


@click.command()
@campaign_argument
@estimand_option
@click.option(
    "--slice",
    "slices",
    metavar="A=X,B=Y",
    multiple=True,
    help="One number for a slice; | between levels, ' or ' between slices; repeatable.",
)
@click.option(
    "--against",
    metavar="A=X,B=Y",
    multiple=True,
    help="Compare each --slice with this one, by difference and ratio; repeatable.",
)
@click.option(
    "--mix",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="One number for another population: a table with the attributes' columns, "
    "a row an item, or with a column `share`.",
)
@click.option("--service", help="Whose answers. [default: the campaign's service]")
@level_option
@click.option(
    "--most",
    type=click.IntRange(min=0),
    default=25,
    show_default=True,
    help="Show so many arms, the worst first.",
)
@json_option
@csv_option
def command(path: Path, estimand: str, service: str | None, **options: Any) -> None:
    """Print the accuracy surface, slices of it, or another population's number.

    Example: spotheight surface calls.db --slice accent=german --against accent=english
    """
    if options["against"] and not options["slices"]:
        raise InputError("--against compares slices with another one; name them with --slice.")
    with Workspace.open(path) as work:
        require_surface(work.campaign)
        level = level_of(work.campaign, options["level"])
        slices = slices_of(work.campaign, (*options["slices"], *options["against"]), service)
        with working("fitting the surface"):
            surface = work.campaign.surface(estimand, service=service)
        readings = _readings(surface, slices, options["mix"], level)
        pairs = product(options["slices"], options["against"])
        contrasts = [_contrast(surface, slices, pair, level) for pair in pairs]
        both = _estimands(readings) or estimand
        basis = surface_basis(work.campaign, both, level, service)
    for caution in basis.cautions:
        notice(caution)
    if options["is_csv"]:
        table = _reading_frame(readings, contrasts) if readings else surface.frame(level)
        STDOUT.csv(tidy_table(table))
    elif options["is_json"]:
        found = _reading_json(readings, contrasts) if readings else _arm_json(surface, level)
        click.echo(json.dumps(tidy_json(found), ensure_ascii=False, indent=1))
    elif readings:
        click.echo(_reading_table(readings))
        if contrasts:
            click.echo("\n" + _contrast_table(contrasts))
    else:
        click.echo(_arm_table(surface, level, options["most"]))
        notice(f"{ARM} {STATUS}")
    notice(basis_text(basis))


@dataclass(frozen=True)
class Contrast:
    """One slice against another, both as the user wrote them."""

    slice: str
    against: str
    difference: Reading
    ratio: Reading


def _estimands(readings: Mapping[str, Reading]) -> str:
    """Which estimands were read: another population's number is a rate whatever was asked for."""
    return " and ".join(dict.fromkeys(reading.estimand for reading in readings.values()))


def _readings(
    surface: Surface, slices: Mapping[str, Parts], mix: Path | None, level: float
) -> dict[str, Reading]:
    """Every slice that is named, and the other population."""
    readings = {text: surface.slice(*parts, level=level) for text, parts in slices.items()}
    if mix is not None:
        readings[f"mix of {mix.name}"] = surface.under(mix, level=level)
    return readings


def _contrast(
    surface: Surface, slices: Mapping[str, Parts], pair: tuple[str, str], level: float
) -> Contrast:
    first, second = (slices[text] for text in pair)
    difference = surface.difference(first, second, level=level)
    return Contrast(*pair, difference, surface.ratio(first, second, level=level))


def _reading_json(readings: dict[str, Reading], contrasts: list[Contrast]) -> dict[str, Any]:
    found: dict[str, Any] = {name: asdict(reading) for name, reading in readings.items()}
    if contrasts:
        found["contrasts"] = [
            {
                "slice": contrast.slice,
                "against": contrast.against,
                "difference": asdict(contrast.difference),
                "ratio": asdict(contrast.ratio),
            }
            for contrast in contrasts
        ]
    return found


def _arm_json(surface: Surface, level: float) -> dict[str, Any]:
    rows = surface.frame(level).to_pylist()
    overall = asdict(surface.overall(level))
    return {"estimand": surface.estimand, "level": level, "overall": overall, "arms": rows}


def _reading_frame(readings: dict[str, Reading], contrasts: list[Contrast]) -> pa.Table:
    """A row a number; for a difference and a ratio ``against`` names the second slice."""
    rows = [_frame_row(name, "", "mean", reading) for name, reading in readings.items()]
    for contrast in contrasts:
        pair = (contrast.slice, contrast.against)
        rows.append(_frame_row(*pair, "difference", contrast.difference))
        rows.append(_frame_row(*pair, "ratio", contrast.ratio))
    return pa.Table.from_pylist(rows)


def _frame_row(name: str, against: str, number: str, reading: Reading) -> dict[str, Any]:
    values = asdict(reading)
    sizes = {key: values[key] if isfinite(values[key]) else None for key in SIZES}
    ends = {key: values[key] for key in ("mean", "low", "high")}
    named = {"slice": name, "against": against, "number": number, "estimand": reading.estimand}
    return {**named, **sizes, **ends}


def _contrast_table(contrasts: list[Contrast]) -> str:
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


def _reading_table(readings: dict[str, Reading]) -> str:
    rows = []
    for name, r in readings.items():
        sizes = [count(value) if value == value else "-" for value in (r.n_pool, r.n_labelled)]
        covered = (
            "" if r.covered == 1 else f"for {percent(r.covered)} of the mix: the rest is in no arm"
        )
        rows.append([name, r.estimand, *sizes, percent(r.mean), interval(r.low, r.high), covered])
    columns = ["slice", "estimand", "items", "labelled", "mean", "interval", ""]
    return table_text(columns, rows)


def _arm_table(surface: Surface, level: float, most: int) -> str:
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
