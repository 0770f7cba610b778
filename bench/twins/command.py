"""``python -m bench.twins``."""

from typing import Any

import click

from bench.cases import CASES, ROOT, data_folder
from bench.choosing import fitting, run_for
from bench.earlier import AGAIN, Earlier, forgetting
from bench.plan import Plan, Wave
from bench.run import Runner
from bench.store import Store
from bench.summary import Summary
from bench.twins.cases import TWINS, Twin
from bench.twins.page import COLUMNS
from bench.twins.publish import SUMMARY, publish
from spotheight.cli import notice
from spotheight.errors import SpotheightError

RAW = ROOT / ".bench" / "twins"
DOCS = ROOT / "docs"


@click.command()
@click.option("--minutes", type=click.FloatRange(min=0), help="Start nothing after so many.")
@click.option("--case", "cases", multiple=True, help="A name or a pattern; repeatable.")
@click.option("--seeds", type=click.IntRange(min=1), default=2, show_default=True, help="Of each.")
@click.option("--again", multiple=True, help=AGAIN)
@click.pass_context
def main(context: click.Context, /, minutes: float | None, **options: Any) -> None:
    """Replay tables whose labels the model drew, and write docs/twins.md.

    Stop it whenever you like: what is done is kept, and the next run goes on from there, on another
    machine from the summary.

    Example: python -m bench.twins --minutes 30 --case 'command*'
    """
    data = data_folder()
    if data is None:
        notice("The data are not here, so nothing is run; say where they lie with SPOTHEIGHT_DATA.")
        return
    try:
        cases = [case for case in fitting(CASES, options["cases"]) if (data / case.file).is_file()]
        twins = tuple(Twin.of(case, number) for case in cases for number in range(TWINS))
        earlier = Earlier(Store(RAW), DOCS / SUMMARY, Summary)
        for name in options["again"]:
            earlier = forgetting(earlier, name, [twin.name for twin in twins])
        runner = Runner(_plan(twins, options["seeds"]), earlier, data, say=notice)
        run_for(runner, minutes)
        publish(earlier, DOCS)
    except SpotheightError as error:
        raise click.UsageError(str(error)) from error
    context.exit(1 if runner.failures else 0)


def _plan(twins: tuple[Twin, ...], seeds: int) -> Plan:
    """All that the page shows; a twin at a time, for each is drawn from a fit of its own case."""
    budgets = {
        policy: tuple(budget for method, budget in COLUMNS if method.policy == policy)
        for policy in ("random", "gain")
    }
    return Plan(
        cases=twins,
        methods=tuple(dict.fromkeys(method for method, _ in COLUMNS)),
        waves=(Wave(seeds),),
        passive_budgets=budgets["random"],
        active_budgets=budgets["gain"],
    )
