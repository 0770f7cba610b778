"""``spotheight surface``."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import numpy as np

from spotheight.beliefs import Mix, Reading, Surface
from spotheight.cli import notice
from spotheight.cli.options import campaign_argument, estimand_option
from spotheight.exchange.files import write_csv
from spotheight.render.text import count, interval, percent, table_text
from spotheight.space import parse_slice
from spotheight.workspace import Workspace


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
    "--mix",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="One number for another population: a table with the attributes' columns, "
    "a row an item, or with a column `share`.",
)
@click.option("--service", help="Whose answers. [default: the campaign's service]")
@click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Of the intervals. [default: the campaign's, .9]",
)
@click.option("--most", default=25, show_default=True, help="Show so many arms, the worst first.")
@click.option("--json", "is_json", is_flag=True, help="Print all arms as JSON.")
@click.option("--csv", "is_csv", is_flag=True, help="Print all arms as CSV.")
def command(path: Path, estimand: str, service: str | None, **options: Any) -> None:
    """Print the accuracy surface, slices of it, or another population's number.

    Example: spotheight surface calls.db --slice accent=german --slice gender=f,age=<18
    """
    with Workspace.open(path) as work:
        level = options["level"] or work.campaign.spec.level
        metric = str(work.campaign.spec.metric)
        surface = work.campaign.surface(estimand, service=service)
        readings = _readings(surface, options["slices"], options["mix"], level)
    if options["is_csv"] and not readings:
        write_csv(Path("-"), surface.frame(level))
    elif options["is_json"]:
        click.echo(json.dumps(_json(surface, readings, level), ensure_ascii=False, indent=1))
    elif readings:
        click.echo(_reading_table(readings, is_csv=options["is_csv"]))
    else:
        click.echo(_arm_table(surface, level, options["most"]))
        notice(f"{metric}, estimand: {estimand}, {level:.0%} intervals.")


def _readings(
    surface: Surface, slices: tuple[str, ...], mix: Path | None, level: float
) -> dict[str, Reading]:
    readings = {text: surface.slice(*parse_slice(text), level=level) for text in slices}
    if mix is not None:
        population = Mix.read(mix, surface.partition.attributes)
        readings[f"mix of {mix.name}"] = surface.under(population, level=level)
    return readings


def _json(surface: Surface, readings: dict[str, Reading], level: float) -> Any:
    if readings:
        return {name: _finite(asdict(reading)) for name, reading in readings.items()}
    rows = [_finite(row) for row in surface.frame(level).to_pylist()]
    overall = _finite(asdict(surface.overall(level)))
    return {"estimand": surface.estimand, "level": level, "overall": overall, "arms": rows}


def _finite(row: dict[str, Any]) -> dict[str, Any]:
    return {k: None if isinstance(v, float) and v != v else v for k, v in row.items()}


def _reading_table(readings: dict[str, Reading], *, is_csv: bool) -> str:
    if is_csv:
        lines = ["slice,estimand,n_pool,n_labelled,mean,low,high"]
        for name, r in readings.items():
            quoted = '"' + name.replace('"', '""') + '"'
            sizes = [f"{value:g}" if value == value else "" for value in (r.n_pool, r.n_labelled)]
            lines.append(
                f"{quoted},{r.estimand},{','.join(sizes)},{r.mean:.6f},{r.low:.6f},{r.high:.6f}"
            )
        return "\n".join(lines)
    rows = []
    for name, r in readings.items():
        sizes = [count(value) if value == value else "-" for value in (r.n_pool, r.n_labelled)]
        covered = "" if r.covered == 1 else f"{percent(r.covered)} of the mix"
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
    rows.append(
        ["all items", count(surface.cells.size), count(overall.n_labelled), percent(overall.mean),
         interval(overall.low, overall.high), ""]
    )  # fmt: skip
    hidden = surface.cells.arms - len(order)
    table = table_text(["arm", "items", "labelled", "mean", "interval", "status"], rows)
    return table + (
        f"\n({hidden:,} more arms: --most {surface.cells.arms}, or --csv)" if hidden else ""
    )
