"""``python -m bench.celeba``."""

from typing import Any

import click
import pandas as pd

from bench.cases import ROOT, data_folder
from bench.celeba.plan import SEEDS, SETTINGS, Plan, chosen_methods
from bench.celeba.publish import SUMMARY, publish
from bench.celeba.replica import FILE, read_replica
from bench.celeba.run import Runner
from bench.celeba.surface import Statistics
from bench.choosing import fitting, run_for
from bench.earlier import AGAIN, Earlier, forgetting
from bench.store import Store
from bench.summary import Summary
from spotheight.cli import notice
from spotheight.errors import SpotheightError

RAW = ROOT / ".bench" / "celeba"
DOCS = ROOT / "docs"


@click.command()
@click.option("--minutes", type=click.FloatRange(min=0), help="Start nothing after so many.")
@click.option("--case", "settings", multiple=True, help="A name or a pattern; repeatable.")
@click.option("--estimator", "estimators", multiple=True, help="Only these; repeatable.")
@click.option(
    "--seeds", type=click.IntRange(min=1), default=SEEDS, show_default=True, help="At most."
)
@click.option(
    "--device", default="cpu", show_default=True, help="Where the BetaGP family is fitted."
)
@click.option("--again", multiple=True, help=AGAIN)
@click.pass_context
def main(context: click.Context, /, minutes: float | None, **options: Any) -> None:
    """Replay the replica of CelebA with every method, and write docs/celeba.md.

    Goes over everything with one seed first, then with more. Stop it whenever you like: what is
    done is kept, and the next call goes on from there, on another machine too.

    Example: python -m bench.celeba --minutes 30 --case 'strong-*'
    """
    data = data_folder()
    if data is None or not (data / FILE).is_file():
        notice(f"{FILE} is not here, so nothing is run; say where it lies with SPOTHEIGHT_DATA.")
        return
    table = read_replica(data, RAW / "replica.parquet")
    try:
        settings = fitting(SETTINGS, options["settings"])
        methods = chosen_methods(options["estimators"])
        plan, device = Plan(settings, methods, options["seeds"]), options["device"]
        earlier = Earlier(Store(RAW), DOCS / SUMMARY, Summary)
        for name in options["again"]:
            earlier = forgetting(earlier, name, [one.name for one in settings])
        runner = Runner(plan, earlier, table, say=notice, device=device)
        run_for(runner, minutes)
        publish(earlier, Statistics.of(pd.read_parquet(table)), DOCS)
    except SpotheightError as error:
        raise click.UsageError(str(error)) from error
    context.exit(1 if runner.failures else 0)
