"""The loop: run what is missing by the command line, and keep each campaign when it is done."""

import json
from collections.abc import Callable, Collection
from contextlib import redirect_stdout
from dataclasses import dataclass, field, replace
from io import StringIO
from pathlib import Path

import click

from bench.celeba.plan import Plan, Setting, arguments, budgets
from bench.earlier import Earlier, done
from bench.plan import Method, Study
from bench.run import Progress, Say
from bench.store import Row
from bench.summary import Summary
from spotheight import registry as codec
from spotheight.cli.simulate import command
from spotheight.errors import InputError
from spotheight.models.betagp.estimator import BetaGP


def refusal(table: Path, setting: Setting, method: Method) -> str | None:
    """Why the package cannot run a method in a setting, found by trying; ``None`` if it can."""
    try:
        codec.parse(method.estimator, codec.ESTIMATORS)
        codec.parse(method.policy, codec.POLICIES)
        command.make_context("simulate", arguments(table, setting, method, seed=0))
    except InputError as error:
        return str(error)
    except click.UsageError as error:
        return error.format_message()
    return None


def campaign_rows(table: Path, setting: Setting, method: Method, seed: int) -> list[Row]:
    """The rows that ``spotheight simulate`` prints for one campaign."""
    printed = StringIO()
    with redirect_stdout(printed):
        command.main(arguments(table, setting, method, seed), standalone_mode=False)
    return [json.loads(line) for line in printed.getvalue().splitlines()]


def on_device(method: Method, device: str) -> Method:
    """The same method, fitted there where its estimator can say so."""
    if device == "cpu" or not isinstance(codec.parse(method.estimator, codec.ESTIMATORS), BetaGP):
        return method
    mark = "," if ":" in method.estimator else ":"
    return replace(method, estimator=f"{method.estimator}{mark}device={device}")


@dataclass(frozen=True)
class Runner:
    """Runs a plan and keeps its rows.

    Args:
        plan: What is to be run.
        earlier: What was reached before; it knows where rows are kept.
        table: The replica.
        say: Takes a sentence for the user.
        device: Where estimators are fitted that can choose.
        given_up: Studies that do not work, with what they said; filled on the way.
    """

    plan: Plan
    earlier: Earlier[Summary]
    table: Path
    say: Say = field(default=lambda text: None, repr=False)
    device: str = "cpu"
    given_up: dict[Study, Exception] = field(default_factory=dict, repr=False)

    def run(self, is_over: Callable[[], bool], progress: Progress) -> None:
        """Run what is missing until nothing is, or until no more is to be started."""
        waiting = self._waiting()
        left = [
            one
            for one in self.plan.missing(self._done)
            if Study(one[0].name, one[1]) not in waiting
        ]
        progress(0, len(left))
        for count, (setting, method, seed) in enumerate(left, start=1):
            if is_over():
                return
            if Study(setting.name, method) not in self.given_up:
                self._attempt(setting, method, seed)
            progress(count, len(left))

    @property
    def failures(self) -> list[Study]:
        """Studies that met a bug; one that refuses its setting is none."""
        return [s for s, error in self.given_up.items() if not isinstance(error, InputError)]

    def _waiting(self) -> set[Study]:
        """Studies for which the package lacks a name or an option, told once for each reason."""
        reasons: dict[str, list[Study]] = {}
        for setting, method in self.plan.pairs():
            reason = refusal(self.table, setting, method)
            if reason is not None:
                reasons.setdefault(reason, []).append(Study(setting.name, method))
        for reason, studies in reasons.items():
            self.say(f"{len(studies)} studies have to wait: {reason}")
        return {study for studies in reasons.values() for study in studies}

    def _done(self, study: Study) -> Collection[int]:
        read_at = budgets(study.method)
        here = self.earlier.store.done(study, read_at)
        return done(here, self.earlier.summary.seeds(study, read_at))

    def _attempt(self, setting: Setting, method: Method, seed: int) -> None:
        study = Study(setting.name, method)
        try:
            rows = campaign_rows(self.table, setting, on_device(method, self.device), seed)
            self.earlier.append(study, seed, rows)
        except Exception as error:  # noqa: BLE001 - a bug in one method must not cost the night
            self.given_up[study] = error
            said = f"{type(error).__name__}: {error}"
            self.say(f"{setting.name}, {method}, is left out: {said}")
