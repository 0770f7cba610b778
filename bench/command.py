"""``python -m bench``."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from bench.cases import CASES, ROOT, Case, data_folder
from bench.choosing import fitting, run_for
from bench.earlier import AGAIN, Earlier, forgetting
from bench.plan import Plan, chosen_methods, waves_up_to
from bench.publish import SUMMARY, publish
from bench.run import Runner
from bench.store import Store, code_fingerprint
from bench.summary import Summary
from spotheight.cli import notice
from spotheight.errors import SpotheightError, listed

RAW = ROOT / ".bench"
DOCS = ROOT / "docs"


class _Refusal(click.ClickException):
    """One clear sentence and exit code 2; 1 means that a method met a bug."""

    exit_code = 2


@click.command()
@click.option("--minutes", type=click.FloatRange(min=0), help="Start nothing after so many.")
@click.option("--case", "cases", multiple=True, help="A name or a pattern; repeatable.")
@click.option("--estimator", "estimators", multiple=True, help="NAME or NAME:field=value.")
@click.option("--policy", "policies", multiple=True, help="NAME or NAME:field=value.")
@click.option("--seeds", type=click.IntRange(min=1), default=20, show_default=True, help="At most.")
@click.option(
    "--workers", type=click.IntRange(min=1), default=2, show_default=True, help="Processes."
)
@click.option("--again", multiple=True, help=AGAIN)
@click.pass_context
def main(context: click.Context, /, minutes: float | None, **options: Any) -> None:
    """Replay real tables with every method, and write docs/benchmarks.md.

    Goes over everything with few seeds first, then with more. Stop it whenever you like: what is
    done is kept, and the next run goes on from there, on another machine from the summary. At the
    end it prints what moved since the last summary by more than two standard errors.

    Example: python -m bench --minutes 30 --case 'imagenet*'
    """
    data = data_folder()
    if data is None:
        notice("The data are not here, so nothing is run; say where they lie with SPOTHEIGHT_DATA.")
        return
    try:
        runner = _runner(data, options)
        run_for(runner, minutes)
        changes = publish(runner.earlier, DOCS)
    except SpotheightError as error:
        raise _Refusal(str(error)) from error
    for line in changes.lines():
        click.echo(line)
    context.exit(1 if runner.failures else 0)


def _runner(data: Path, options: dict[str, Any]) -> Runner:
    """Everything that is to be run, after forgetting what is to be run again."""
    cases = _present(fitting(CASES, options["cases"]), data)
    methods = chosen_methods(options["estimators"], options["policies"])
    plan = Plan(cases=cases, methods=methods, waves=waves_up_to(options["seeds"]))
    earlier = Earlier(Store(RAW), DOCS / SUMMARY, Summary)
    for name in options["again"]:
        earlier = forgetting(earlier, name, [case.name for case in cases])
    _warn_of_other_code(earlier.store)
    return Runner(plan, earlier, data, options["workers"], say=notice)


def _present(cases: Sequence[Case], data: Path) -> tuple[Case, ...]:
    """The cases whose file is there."""
    absent = sorted({case.file for case in cases if not (data / case.file).is_file()})
    if absent:
        notice(f"The folder of data has no {listed(absent)}; those cases are skipped.")
    return tuple(case for case in cases if case.file not in absent)


def _warn_of_other_code(store: Store) -> None:
    """Rows do not know that a method has changed since; whoever changed it does."""
    code = code_fingerprint()
    campaigns = [one for study in store.studies() for one in store.campaigns(study)]
    others = sum(one.code != code for one in campaigns)
    if others:
        notice(
            f"{others} of {len(campaigns)} campaigns were run by other code than this; "
            f"--again NAME runs those of a method or a case anew."
        )
