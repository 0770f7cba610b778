"""``python -m bench.vetting``."""

from pathlib import Path
from typing import Any

import click

from bench.cases import ROOT, data_folder
from bench.choosing import fitting, run_for
from bench.earlier import AGAIN, Earlier, forgetting
from bench.store import Store
from bench.vetting.cases import CASES, Case
from bench.vetting.plan import MOST, Plan
from bench.vetting.publish import SUMMARY, publish
from bench.vetting.run import Runner
from bench.vetting.summary import Summary
from spotheight.cli import notice
from spotheight.errors import SpotheightError, listed

RAW = ROOT / ".bench" / "vetting"
DOCS = ROOT / "docs"


@click.command()
@click.option("--minutes", type=click.FloatRange(min=0), help="Start nothing after so many.")
@click.option("--case", "cases", multiple=True, help="A name or a pattern; repeatable.")
@click.option(
    "--runs", type=click.IntRange(min=1), default=MOST, show_default=True, help="At most."
)
@click.option("--again", multiple=True, help=AGAIN)
@click.pass_context
def main(context: click.Context, /, minutes: float | None, **options: Any) -> None:
    """Replay ranked lists with noisy labels, and write docs/vetting.md.

    Goes over everything with few runs first, then with more. Stop it whenever you like: what is
    done is kept, and the next call goes on from there, on another machine from the summary; what
    an earlier model made is run again.

    Example: python -m bench.vetting --minutes 30 --case 'imagenet*'
    """
    data = data_folder()
    if data is None:
        notice("The data are not here, so nothing is run; say where they lie with SPOTHEIGHT_DATA.")
        return
    try:
        plan = Plan(_present(fitting(CASES, options["cases"]), data), runs=options["runs"])
        earlier = Earlier(Store(RAW), DOCS / SUMMARY, Summary)
        for name in options["again"]:
            earlier = forgetting(earlier, name, [case.name for case in plan.cases])
        runner = Runner(plan, earlier, data, say=notice)
        run_for(runner, minutes)
        publish(earlier, DOCS)
    except SpotheightError as error:
        raise click.UsageError(str(error)) from error
    context.exit(1 if runner.failures else 0)


def _present(cases: tuple[Case, ...], data: Path) -> tuple[Case, ...]:
    """The cases whose files are there."""
    absent = [case.title for case in cases if not case.is_present(data)]
    if absent:
        notice(f"The folder of data lacks files of {listed(absent)}; these cases are skipped.")
    return tuple(case for case in cases if case.is_present(data))
