"""``spotheight init``."""

from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from shlex import quote
from typing import Any

import click

from spotheight import registry as codec
from spotheight.campaign import Campaign
from spotheight.campaign.spec import Spec, require_answers
from spotheight.cli import notice
from spotheight.cli.coco import coco_options, keep_beside, read_source
from spotheight.cli.costs import TASK_HELP, read_task, task_costs_option
from spotheight.cli.names import NamesOption
from spotheight.cli.options import glob_option, now, role_options
from spotheight.cli.subject import default_task
from spotheight.errors import InputError
from spotheight.exchange.sheet import Sheet
from spotheight.metrics import Verdict
from spotheight.pool.look import FirstLook, first_look
from spotheight.pool.reading.files import PoolFiles
from spotheight.pool.reading.read import open_pool
from spotheight.pool.roles import Roles, require_guesses
from spotheight.questions import Estimate, lists_of
from spotheight.terminal.text import look_text
from spotheight.workspace import Workspace


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
    named, is_pattern = pool or options["coco_truth"], options.pop("pool_glob")
    source, roles = read_source(pool, options)
    if is_pattern and isinstance(source, Path):
        source = PoolFiles(source, is_pattern=True)
    if roles.id is None:
        raise InputError("Say which column names the items, with --id COL.")
    spec = read_spec(roles, options)
    judged = roles.service(spec.service or None).name
    require_answers(roles, [judged], spec.metric, spec.task)
    if path is None and is_pattern:
        raise InputError("Say what the campaign's file is called, with -o NAME.db.")
    path = path or Path(f"{named.parent / named.stem}.db")
    if spec.task != Estimate():
        _try_out(source, roles, spec)
    look = first_look(open_pool(source, roles)) if dry_run else _start(path, source, roles, spec)
    click.echo(codec.dumps(asdict(look)) if as_json else look_text(look))
    for column, shown in Sheet.of(roles, spec.metric).renamed(roles).items():
        notice(f"Note: `ask` has a column {column!r} of its own; yours stands there as {shown!r}.")
    if dry_run:
        notice("Nothing was written (--dry-run).")
    else:
        if spec.task != Estimate():
            notice(f"The question that items are chosen for: {codec.describe(spec.task)}.")
        notice(f"Started {path}. Next: spotheight ask {quote(str(path))} -n 12 > todo.csv")


def _start(path: Path, source: Any, roles: Roles, spec: Spec) -> FirstLook:
    """Write the campaign, and the pool too where it is not a file yet; both or neither."""
    is_file = isinstance(source, (Path, PoolFiles))
    pool, is_new = (source, False) if is_file else keep_beside(source, path)
    try:
        work, look = Workspace.create(path, pool, roles, spec, at=now())
    except BaseException:
        if is_new:
            with suppress(OSError):
                pool.unlink()
        raise
    work.store.close()
    return look


def _try_out(source: Any, roles: Roles, spec: Spec) -> None:
    """Raise now where the task does not fit the pool or the policy, not at the first ask."""
    campaign = Campaign(open_pool(source, roles), spec)
    campaign.answer(spec.task)
    campaign.plan_ask(1)


def read_spec(roles: Roles, options: dict[str, Any]) -> Spec:
    """The spec from a file, from options, and from the roles where they imply a part."""
    file = options.pop("spec_file", None)
    spec = codec.read_spec(file.read_text(encoding="utf-8")) if file else Spec()
    costs: Path | None = options.pop("costs", None)
    given = {name: value for name, value in options.items() if value not in (None, "")}
    if "task" in given or costs:
        given["task"] = read_task(given.get("task", ""), costs)
    elif spec.task == Estimate():
        given["task"] = default_task(roles) or spec.task
    _read_names(given, is_about_lists=lists_of(given.get("task", spec.task)) is not None)
    if "calibration" in given:
        require_guesses(roles, "Calibration")
    if roles.judge and "metric" not in given:
        given["metric"] = Verdict()
    return replace(spec, **given)


def _read_names(given: dict[str, Any], *, is_about_lists: bool) -> None:
    """Parse what is given by name; lists have estimators of their own."""
    if is_about_lists and "estimator" in given:
        given["item_estimator"] = given.pop("estimator")
    families = {
        "metric": codec.METRICS,
        "estimator": codec.ESTIMATORS,
        "item_estimator": codec.ITEM_ESTIMATORS,
        "policy": codec.POLICIES,
        "calibration": codec.CALIBRATIONS,
    }
    for name in families.keys() & given.keys():
        given[name] = codec.parse(given[name], families[name])
