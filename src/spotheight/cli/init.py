"""``spotheight init``."""

from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import Any

import click

from spotheight import registry as codec
from spotheight.cli import notice
from spotheight.cli.costs import TASK_HELP, task_costs_option
from spotheight.cli.names import NamesOption
from spotheight.cli.options import coco_options, glob_option, role_options, written_roles
from spotheight.exchange.sheet import Sheet
from spotheight.pool.reading.files import PoolFiles
from spotheight.questions.estimate import Estimate
from spotheight.terminal.text import look_text
from spotheight.workspace import Workspace
from spotheight.workspace.starting import default_path, look_at, read_source, read_spec


@click.command()
@click.argument("pool", metavar="[POOL]", type=click.Path(path_type=Path), required=False)
@glob_option
@role_options
@coco_options
@click.option(
    "-o",
    "--output",
    "path",
    metavar="NAME.db",
    type=click.Path(path_type=Path),
    help="The campaign's file. [default: the pool's name with .db]",
)
@click.option(
    "--metric",
    help="accuracy, agreement, recall:cls=X, precision:cls=X, "
    "false-positive-rate:cls=X, closeness:scale=1, number:low=1,high=5.",
)
@click.option(
    "--estimator",
    cls=NamesOption,
    help="How the surface is drawn, as NAME or NAME:field=value: {estimator}. [default: additive] "
    "With a task about ranked lists what is made of labels that nobody has vetted: "
    "{item estimator}. [default: learned]",
)
@click.option(
    "--policy",
    cls=NamesOption,
    help="How items are chosen, as NAME or NAME:field=value: {policy}. [default: gain]",
)
@click.option(
    "--task",
    cls=NamesOption,
    help=f"The question the policy serves: {TASK_HELP} [default: "
    "estimate; average-precision for categories with a noisy label and scores]",
)
@task_costs_option
@click.option(
    "--calibration",
    help=f"What is made of attributes that are only guessed, once the true levels of some items "
    f"are told: {', '.join(codec.CALIBRATIONS.members)}. [default: full]",
)
@click.option("--service", default="", help="The service that the campaign judges first.")
@click.option("--budget", type=int, help="How many labels there is money for.")
@click.option("--seed", type=int, help="Of every random choice. [default: 0]")
@click.option(
    "--spec",
    "spec_file",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="A TOML file with any of these settings; options given here win.",
)
@click.option("--dry-run", is_flag=True, help="Look at the pool and write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the first look as JSON.")
def command(
    pool: Path | None, path: Path | None, dry_run: bool, as_json: bool, **options: Any
) -> None:
    """Start a campaign on a table of predictions.

    POOL is CSV, Parquet, JSON lines, Arrow or Excel, with a row an item. Prints a first look: arms
    and their sizes, missing values, one-valued columns, answers that are nearly a class. For
    detectors give COCO files instead; objects and detections are then kept in NAME.parquet.

    Example: spotheight init calls.csv --id id --prediction pred --attribute accent -o calls.db
    """
    is_pattern, truth, results = (
        options.pop(name) for name in ("pool_glob", "coco_truth", "coco_results")
    )
    table = PoolFiles(pool, is_pattern) if pool else None
    source, roles = read_source(table, written_roles(options), truth, results)
    file, costs = options.pop("spec_file"), options.pop("costs")
    spec = read_spec(roles, options, file, costs)
    if dry_run:
        look = look_at(source, roles, spec)
    else:
        path = path or default_path(pool or truth, is_pattern=is_pattern)
        _, look = Workspace.create(path, source, roles, spec)
    click.echo(codec.dumps(asdict(look)) if as_json else look_text(look))
    for column, shown in Sheet.of(roles, spec.metric).renamed(roles).items():
        notice(f"Note: `ask` has a column {column!r} of its own; yours stands there as {shown!r}.")
    if dry_run:
        notice("Nothing was written (--dry-run).")
    else:
        if spec.task != Estimate():
            notice(f"The question that items are chosen for: {codec.describe(spec.task)}.")
        notice(f"Started {path}. Next: spotheight ask {quote(str(path))} -n 12 > todo.csv")
