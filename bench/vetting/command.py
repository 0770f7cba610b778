"""``python -m bench.vetting``."""

from fnmatch import fnmatchcase
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any

import click

from bench.cases import ROOT, data_folder
from bench.store import Store
from bench.vetting.cases import CASES, Case
from bench.vetting.plan import MOST, Plan
from bench.vetting.publish import publish
from bench.vetting.run import Runner
from spotheight.cli import notice
from spotheight.cli.progress import progress_bar
from spotheight.errors import InputError, SpotheightError, did_you_mean, listed

RAW = ROOT / ".bench" / "vetting"
DOCS = ROOT / "docs"


@click.command()
@click.option("--minutes", type=click.FloatRange(min=0), help="Start nothing after so many.")
@click.option("--case", "cases", multiple=True, help="A name or a pattern; repeatable.")
@click.option(
    "--runs", type=click.IntRange(min=1), default=MOST, show_default=True, help="At most."
)
@click.pass_context
def main(context: click.Context, /, minutes: float | None, **options: Any) -> None:
    """Replay ranked lists with noisy labels, and write docs/vetting.md.

    Goes over everything with few runs first, then with more. Stop it whenever you like: what is
    done is kept, and the next call goes on from there. Delete .bench/vetting to begin anew.

    Example: python -m bench.vetting --minutes 30 --case 'imagenet*'
    """
    data = data_folder()
    if data is None:
        notice("The data are not here, so nothing is run; say where they lie with SPOTHEIGHT_DATA.")
        return
    try:
        plan = Plan(_present(chosen_cases(options["cases"]), data), runs=options["runs"])
        runner = Runner(plan, Store(RAW), data, say=notice)
        _run(runner, minutes)
        publish(runner.store, DOCS)
    except SpotheightError as error:
        raise click.UsageError(str(error)) from error
    context.exit(1 if runner.failures else 0)


def _run(runner: Runner, minutes: float | None) -> None:
    end = inf if minutes is None else monotonic() + 60 * minutes
    try:
        with progress_bar("campaigns") as progress:
            runner.run(lambda: monotonic() >= end, progress)
    except KeyboardInterrupt:
        notice("Stopped; what was done is kept.")


def chosen_cases(patterns: tuple[str, ...]) -> tuple[Case, ...]:
    """The cases whose names fit one of the patterns; all without any."""
    names = [case.name for case in CASES]
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise InputError(f"There is no case {pattern!r}; {did_you_mean(pattern, names)}")
    wanted = patterns or ("*",)
    return tuple(c for c in CASES if any(fnmatchcase(c.name, pattern) for pattern in wanted))


def _present(cases: tuple[Case, ...], data: Path) -> tuple[Case, ...]:
    """The cases whose files are there."""
    absent = [case.title for case in cases if not case.is_present(data)]
    if absent:
        notice(f"The folder of data lacks files of {listed(absent)}; these cases are skipped.")
    return tuple(case for case in cases if case.is_present(data))
