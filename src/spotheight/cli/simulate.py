"""``spotheight simulate``."""

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import click

from spotheight import registry as codec
from spotheight.cli import notice
from spotheight.cli.costs import TASK_HELP, task_costs_option
from spotheight.cli.names import NamesOption
from spotheight.cli.options import coco_options, role_options, written_roles
from spotheight.cli.progress import progress_bar
from spotheight.pool.memory import ColumnPool
from spotheight.pool.reading.files import PoolFiles
from spotheight.pool.reading.read import open_pool
from spotheight.questions.systems import lists_of
from spotheight.simulate import Simulation, simulate
from spotheight.terminal.text import table_text
from spotheight.workspace.simulating import read_simulation
from spotheight.workspace.starting import read_source

SHOWN = ("list_error", "mean_error", "macro_mse", "micro_mse", "worst50_mse",
         "infrequent50_mse", "rmse", "overall_error",
         "coverage90", "width90", "coverage_overall90", "mrr", "identified_at",
         "rank_correlation", "gap_error", "misranked", "misranked_lists", "coverage_mean90",
         "ece_error", "confusion_rmse", "cost_rmse", "fit_seconds", "ask_seconds")  # fmt: skip


@click.command()
@click.argument("table", metavar="[TABLE]", type=click.Path(path_type=Path), required=False)
@role_options
@coco_options
@click.option(
    "--estimator",
    "estimators",
    multiple=True,
    cls=NamesOption,
    help="NAME or NAME:field=value; repeatable: {estimator}. For ranked lists: {item estimator}. "
    "[default: additive; learned for lists]",
)
@click.option(
    "--policy",
    "policies",
    multiple=True,
    cls=NamesOption,
    help="NAME or NAME:field=value; repeatable: {policy}. [default: gain]",
)
@click.option(
    "--budget",
    "budgets",
    type=click.IntRange(min=1),
    multiple=True,
    help="Read the surface after so many labels; repeatable. [default: 500]",
)
@click.option(
    "--seeds",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="Repeat with so many seeds, the same for all.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="The first of them."
)
@click.option(
    "--task",
    cls=NamesOption,
    help=f"The question the policy serves: {TASK_HELP} [default: "
    "estimate; average-precision for categories with a noisy label and scores]",
)
@task_costs_option
@click.option("--metric", help="What a hit is. [default: accuracy]")
@click.option("--service", default="", help="Whose answers. [default: the first service]")
@click.option(
    "--batch",
    type=click.IntRange(min=1),
    default=12,
    show_default=True,
    help="Labels between two fits.",
)
@click.option(
    "--warm",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Draw so many labels at random before the policy starts.",
)
@click.option(
    "--told",
    type=click.IntRange(min=0),
    help="True levels of guessed attributes come with the first so many labels. [default: all]",
)
@click.option(
    "--holdout",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Take the truth from this share of each arm, which the campaign never sees.",
)
@click.option(
    "--calibration",
    help=f"What is made of guessed attributes: {', '.join(codec.CALIBRATIONS.members)}. "
    "[default: full]",
)
@click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Of the intervals whose coverage is measured. [default: the task's, .9]",
)
@click.option(
    "--workers", type=click.IntRange(min=1), default=2, show_default=True, help="Processes."
)
@click.option(
    "--same-law",
    is_flag=True,
    help="Let campaigns with a Beta for every arm share random numbers: the same law, other luck, "
    "in a fraction of the time.",
)
@click.option(
    "--json",
    "is_json",
    is_flag=True,
    help="Print a JSON row per estimator, policy, budget and seed.",
)
def command(table: Path | None, is_json: bool, workers: int, **options: Any) -> None:
    """Replay a fully labelled table with any estimators and policies.

    Shows what labels would have bought: the error and the honesty of every method on your own data,
    all with the same draws. Errors are squared, times 100, over arms with at least 5 items; those
    of ranked lists are absolute, in points. Coverage is the share of intervals that hold the truth:
    those of arms, and with _overall or _mean those of the overall number or of a service's mean.

    Example: spotheight simulate past.csv --label truth --prediction pred --attribute accent
    """
    truth, results = options.pop("coco_truth"), options.pop("coco_results")
    files = PoolFiles(table) if table else None
    source, roles = read_source(files, written_roles(options), truth, results)
    simulation = read_simulation(roles, options)
    pool = open_pool(source, roles, in_memory=True)
    assert isinstance(pool, ColumnPool)
    rows: list[dict[str, Any]] = []
    try:
        with progress_bar("simulating") as progress:
            for row in simulate(pool, simulation, workers=workers, progress=progress):
                rows.append(row)
                if is_json:
                    click.echo(json.dumps(row))
    except KeyboardInterrupt:
        notice(f"Stopped; {_campaigns(rows)} of {_planned(simulation)} campaigns were finished.")
        if rows and not is_json:
            _show(rows, simulation)
        raise
    if not is_json:
        _show(rows, simulation)


def _campaigns(rows: Sequence[dict[str, Any]]) -> int:
    return len({(row["estimator"], row["policy"], row["seed"]) for row in rows})


def _planned(simulation: Simulation) -> int:
    return len(simulation.estimators) * len(simulation.policies) * len(simulation.seeds)


def _show(rows: Sequence[dict[str, Any]], simulation: Simulation) -> None:
    level = getattr(lists_of(simulation.task), "level", simulation.level)
    click.echo(_summary(rows, f"{100 * level:g}"))
    seeds = len({row["seed"] for row in rows})
    if seeds > 1:
        notice(f"Means over {seeds} seeds, standard errors behind +-.")


def _summary(rows: Sequence[dict[str, Any]], level: str) -> str:
    """Means and standard errors over seeds, a line for each estimator, policy and budget."""
    groups = defaultdict(list)
    for row in rows:
        groups[row["estimator"], row["policy"], row["labels"]].append(row)
    names = [name.replace("90", level) for name in SHOWN]
    shown = [name for name in names if any(row.get(name) is not None for row in rows)]
    lines = [
        [*map(str, key), *(_mean([row.get(name) for row in group]) for name in shown)]
        for key, group in groups.items()
    ]
    return table_text(["estimator", "policy", "labels", *shown], lines)


def _mean(values: Sequence[Any]) -> str:
    known = [float(value) for value in values if value is not None]
    if not known:
        return "-"
    if len(known) == 1:
        return f"{known[0]:.3f}"
    return f"{mean(known):.3f} +-{stdev(known) / len(known) ** 0.5:.3f}"
