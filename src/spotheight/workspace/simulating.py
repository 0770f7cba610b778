"""Simulation settings, from texts as people write them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from spotheight import registry as codec
from spotheight.errors import InputError
from spotheight.metrics import Accuracy, Verdict
from spotheight.pool.roles import Roles, require_guesses
from spotheight.questions import Task
from spotheight.questions.estimate import Estimate
from spotheight.questions.systems import RankSystems, lists_of
from spotheight.simulate import Simulation
from spotheight.workspace.subject import default_task
from spotheight.workspace.tasks import read_task


def read_simulation(roles: Roles, options: Mapping[str, Any]) -> Simulation:
    """A simulation from the options of ``spotheight simulate``, by their names."""
    if roles.label is None and not roles.judge:
        raise InputError("Say which column holds the truth, with --label COL.")
    for option, said in (("calibration", "Calibration"), ("told", "--told")):
        if options[option] is not None:
            require_guesses(roles, said)
    default = Verdict() if roles.judge else Accuracy()
    metric, first, task = options["metric"], options["seed"], _task(roles, options)
    inner, level = lists_of(task), options["level"]
    if level and inner is not None:
        read = replace(inner, level=level)  # type: ignore[type-var]
        task = RankSystems(by=read) if isinstance(task, RankSystems) else read
    family, usual = (
        (codec.ESTIMATORS, "additive") if inner is None else (codec.ITEM_ESTIMATORS, "learned")
    )
    return Simulation(
        estimators=tuple(_parsed(options["estimators"], family, usual)),
        policies=tuple(_parsed(options["policies"], codec.POLICIES, "gain")),
        budgets=tuple(sorted(set(options["budgets"] or (500,)))),
        seeds=tuple(range(first, first + options["seeds"])),
        task=task,
        metric=codec.parse(metric, codec.METRICS) if metric else default,
        service=options["service"],
        batch=options["batch"],
        warm=options["warm"],
        told=options["told"],
        holdout=options["holdout"],
        calibration=codec.parse(options["calibration"] or "full", codec.CALIBRATIONS),
        level=level or Simulation.level,
        is_exact=not options.get("same_law", False),
    )


def _task(roles: Roles, options: Mapping[str, Any]) -> Task:
    text, costs = options["task"], options["costs"]
    if text or costs:
        return read_task(text or "", costs)
    return default_task(roles) or Estimate()


def _parsed(texts: Sequence[str], family: codec.Family, default: str) -> list[Any]:
    return [codec.parse(text, family) for text in texts or (default,)]
