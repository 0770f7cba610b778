"""``spotheight compare``."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click
import numpy as np
import pyarrow as pa
from numpy.random import Generator

from spotheight.arms import parse_slice
from spotheight.beliefs import DirichletBelief, Reading, Surface
from spotheight.campaign import Campaign
from spotheight.cli.basis import Basis, show
from spotheight.cli.options import Share, campaign_argument
from spotheight.cli.questions import (
    Question,
    level_of,
    quantity_options,
    question_options,
)
from spotheight.errors import InputError
from spotheight.questions import CERTAINTY, Compare, Compared, CompareServices
from spotheight.questions.compare import DRAWS
from spotheight.questions.quantities import HitRate
from spotheight.questions.quantities.groups import arms_of
from spotheight.questions.values import draws_for
from spotheight.terminal.tables import Unit, compared_text, pairs_text
from spotheight.workspace import Workspace
from spotheight.workspace.subject import require_surface

Sides = tuple[Reading, Reading]


@click.command()
@campaign_argument
@click.argument("slices", metavar="[A B]", nargs=-1)
@click.option(
    "--services",
    metavar="NAME NAME",
    nargs=2,
    help="Compare two services on the same labels instead.",
)
@click.option(
    "--rope",
    type=float,
    help="Call a difference of no more than this practically none: .05 is 5 points, or .05 of a "
    "cost. [default: .05; 0 for services]",
)
@click.option(
    "--certainty",
    type=Share(0.5, 1),
    default=CERTAINTY,
    show_default=True,
    help="How probable a verdict has to be; below that it is not decided.",
)
@click.option(
    "--by",
    metavar="ATTRIBUTE",
    multiple=True,
    help="Cut the slices by this attribute, where the campaign does not, as in @score:edges=.5; "
    "repeatable. [default: the attributes that the slices name]",
)
@quantity_options
@question_options
def command(
    path: Path, slices: tuple[str, ...], services: tuple[str, str] | None, **options: Any
) -> None:
    """Compare two slices, or two services on the same labels.

    A slice reads accent=german,gender=f; by default the campaign's metric is compared. Services are
    compared in pairs on each labelled item, so that what both find hard cancels.

    Example: spotheight compare calls.db accent=german accent=english --rope .05
    """
    if services:
        _require_plain(slices, options)
    elif len(slices) != 2:
        raise InputError(
            "Name two slices, such as accent=german accent=english, or two services with "
            "--services."
        )
    with Workspace.open(path) as work:
        if services:
            _compare_services(work.campaign, services, options)
        else:
            _compare_slices(work.campaign, (slices[0], slices[1]), options)


def _compare_slices(campaign: Campaign, slices: tuple[str, str], options: dict[str, Any]) -> None:
    if set(slices) <= {service.name for service in campaign.pool.roles.services}:
        raise InputError(
            f"{slices[0]!r} and {slices[1]!r} are services; compare them with --services."
        )
    options["by"] = options["by"] or _attributes(campaign, slices, options["of"])
    question = Question.read(campaign, options)
    rope = 0.05 if options["rope"] is None else options["rope"]
    task = Compare(*slices, rope=rope, of=question.of, level=question.level)
    task = replace(task, certainty=options["certainty"])
    _require_different(question.campaign, task)
    answer, sides = question.answer(task), _sides(question, task)
    text = compared_text(answer, slices, sides, question.unit)
    content = _content(answer, slices, sides)
    show(options, question.basis, text, lambda: _frame(content), lambda: content)


def _attributes(campaign: Campaign, slices: Sequence[str], of: str) -> tuple[str, ...]:
    """What the slices are cut by; nothing where the campaign's own arms will do."""
    named = [name for text in slices for part in parse_slice(text) for name in part]
    own = {recipe.column for recipe in campaign.pool.roles.attributes}
    return () if of == "metric" and set(named) <= own else tuple(dict.fromkeys(named))


def _require_different(campaign: Campaign, task: Compare) -> None:
    cells = campaign.records().strata(task.cut).cells
    first, second = (arms_of(text, cells.partition) for text in (task.first, task.second))
    if np.array_equal(first, second):
        raise InputError(
            f"The slices {task.first!r} and {task.second!r} hold the same items; name two that "
            f"differ."
        )


def _sides(question: Question, task: Compare) -> Sides:
    """What is believed of each slice."""
    belief = question.campaign.believe(task)
    assert isinstance(belief, (Surface, DirichletBelief))
    belief = belief.of(question.estimand)
    inside = [arms_of(text, belief.partition) for text in (task.first, task.second)]
    if isinstance(belief, Surface) and isinstance(task.of, HitRate):
        first, second = (belief.over(arms, level=task.level) for arms in inside)
        return first, second
    sizes = [(float(belief.cells.mass[arms].sum()), float(belief.labelled[arms].sum()))
             for arms in inside]  # fmt: skip
    draws = draws_for(belief, DRAWS)
    values = task.values(belief, task.draw(belief, draws, question.campaign.answers))
    first, second = (
        Reading.of(side, task.level, belief.estimand, size)
        for side, size in zip(values.T, sizes, strict=True)
    )
    return first, second


def _compare_services(
    campaign: Campaign, services: tuple[str, str], options: dict[str, Any]
) -> None:
    require_surface(campaign)
    for name in services:
        campaign.pool.roles.service(name)
    if services[0] == services[1]:
        raise InputError(f"Both services are {services[0]!r}; name two that differ.")
    level, rope = level_of(campaign, options), options["rope"] or 0.0
    task = CompareServices(*services, rope=rope, level=level, certainty=options["certainty"])
    if not 0 <= rope < np.inf:
        raise InputError(f"The region of practical equivalence is from 0 on, got {rope}.")
    answer = campaign.answer(task, options["estimand"])
    belief = campaign.believe(task)
    assert isinstance(belief, DirichletBelief)
    belief = belief.of(options["estimand"])
    sides = _paired_sides(belief, level, campaign.answers)
    unit = Unit(str(campaign.spec.metric))
    outcomes = dict(zip(belief.outcomes, map(float, belief.seen.sum(axis=0)), strict=True))
    text = compared_text(answer, services, sides, unit)
    text += "\n\n" + pairs_text(outcomes, services)
    basis = Basis.of_campaign(
        campaign,
        unit.name,
        (options["estimand"], level),
        service=" and ".join(services),
    )
    content = _content(answer, services, sides)
    show(options, basis, text, lambda: _frame(content), lambda: {**content, "outcomes": outcomes})


def _paired_sides(belief: DirichletBelief, level: float, rng: Generator) -> Sides:
    """How often each service is right: alone or together with the other."""
    both, first, second, _ = belief.draw_total(DRAWS, rng).T
    sizes = (float(belief.cells.mass.sum()), float(belief.labelled.sum()))
    return (
        Reading.of(both + first, level, belief.estimand, sizes),
        Reading.of(both + second, level, belief.estimand, sizes),
    )


def _require_plain(slices: Sequence[str], options: dict[str, Any]) -> None:
    """Two services are compared by the campaign's metric over all items."""
    if slices:
        raise InputError(
            "--services compares services over all items; leave the slices away, or name one "
            "service with --service and compare its slices."
        )
    for name in ("by", "costs", "estimator", "service"):
        if options[name]:
            raise InputError(f"--{name} is not used with --services; leave it away.")
    if options["of"] != "metric":
        raise InputError("--services compares by the campaign's metric; leave --of away.")


def _content(answer: Compared, names: tuple[str, str], sides: Sides) -> dict[str, Any]:
    shown = ("mean", "low", "high", "n_pool", "n_labelled")
    first, second = (
        {"name": name, **{key: asdict(side)[key] for key in shown}}
        for name, side in zip(names, sides, strict=True)
    )
    difference = {key: asdict(answer.difference)[key] for key in shown[:3]}
    return {
        "first": first,
        "second": second,
        "difference": difference,
        "rope": answer.rope,
        "first_better": answer.first_better,
        "equivalent": answer.equivalent,
        "second_better": answer.second_better,
        "decision": answer.decision,
        "likeliest": answer.likeliest,
        "sureness": answer.sureness,
    }


def _frame(content: dict[str, Any]) -> pa.Table:
    """One row: both sides, the difference, the verdicts."""
    row: dict[str, Any] = {}
    for key, value in content.items():
        pairs = value.items() if isinstance(value, dict) else [("", value)]
        row |= {f"{key}_{part}" if part else key: number for part, number in pairs}
    return pa.Table.from_pylist([row])
