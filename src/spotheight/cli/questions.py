"""What the commands that answer questions share: options, quantities, groups."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import click

from spotheight import registry as codec
from spotheight.arms import CATEGORY, PREDICTION, SCORE, Recipe
from spotheight.campaign import Campaign
from spotheight.cli.basis import Basis, warn_of_chosen, warn_of_other_service
from spotheight.cli.costs import costs_option
from spotheight.cli.options import csv_option, estimand_option, json_option, level_option
from spotheight.cli.progress import working
from spotheight.errors import InputError, did_you_mean
from spotheight.questions import Task
from spotheight.questions.quantities import CalibrationError, ExpectedCost, HitRate, Quantity
from spotheight.terminal.tables import COST, Unit
from spotheight.workspace.subject import read_level, require_surface
from spotheight.workspace.tasks import costs_of

Command = TypeVar("Command", bound=Callable[..., Any])

estimator_option = click.option(
    "--estimator",
    help="Read the labels by another estimator, such as eb-beta or beta:prior=jeffreys; for costs "
    "dirichlet:prior=even,strength=2. [default: the campaign's]",
)
by_option = click.option(
    "--by",
    metavar="ATTRIBUTE",
    multiple=True,
    help="Group items by this attribute: one of the campaign's, @prediction, @score:bins=4; "
    "repeatable. [default: all of the campaign's; @prediction for costs]",
)
bins_option = click.option(
    "--bins", type=int, default=10, show_default=True, help="For ECE: so many bins of the score."
)
most_option = click.option(
    "--most",
    type=click.IntRange(min=0),
    default=25,
    show_default=True,
    help="Show so many rows; JSON and CSV have all.",
)
_ALL = [
    estimand_option,
    level_option,
    click.option("--service", default="", help="Whose answers. [default: the campaign's service]"),
    json_option,
    csv_option,
]
_QUANTITY = [
    click.option(
        "--of",
        "of",
        type=click.Choice(list(codec.QUANTITIES.members)),
        default="metric",
        show_default=True,
        help="metric: the campaign's, such as the accuracy. ece: how far scores are from "
        "accuracies. cost: what mistakes cost.",
    ),
    costs_option,
    bins_option,
    estimator_option,
]


def question_options(command: Command) -> Command:
    """What every question can be asked with."""
    return _with(command, _ALL)


def quantity_options(command: Command) -> Command:
    """Which number a question is about, and for which groups."""
    return _with(command, _QUANTITY)


def _with(command: Command, options: Sequence[Any]) -> Command:
    for option in reversed(options):
        command = option(command)
    return command


@dataclass(frozen=True, eq=False)
class Question:
    """A number of a campaign's groups, and how answers about it are read.

    Args:
        campaign: With the estimator that was asked for.
        of: The quantity.
        unit: How its numbers are written.
        estimand: Which estimand is read.
        level: Of the intervals.
    """

    campaign: Campaign
    of: Quantity
    unit: Unit
    estimand: str
    level: float

    @classmethod
    def read(cls, campaign: Campaign, options: Mapping[str, Any]) -> "Question":
        """The question that options of ``quantity_options`` and ``question_options`` ask."""
        require_surface(campaign)
        of = _quantity(campaign, options)
        level = level_of(campaign, options)
        reader = reread(campaign, options["estimator"], isinstance(of, ExpectedCost))
        return cls(reader, of, _unit(campaign, of), options["estimand"], level)

    @property
    def is_bad_high(self) -> bool:
        """Whether a high number is bad news."""
        return not isinstance(self.of, HitRate) or self.campaign.spec.metric.is_error

    def answer(self, task: Task) -> Any:
        """The answer to a task about this number."""
        if isinstance(self.of, ExpectedCost):
            warn_of_chosen(self.campaign, task)
        with working("answering"):
            return self.campaign.answer(task, self.estimand)

    @property
    def basis(self) -> Basis:
        """What answers rest on."""
        return Basis.of_campaign(
            self.campaign,
            self.unit.name,
            (self.estimand, self.level),
            service=self.of.cut.service,
            is_about_classes=isinstance(self.of, ExpectedCost),
        )


def require_groups(groups: int) -> None:
    """Raise where there is nothing to tell apart."""
    if groups < 2:
        raise InputError(
            "There is only one group; name attributes that tell items apart, such as "
            "--by @prediction."
        )


def _quantity(campaign: Campaign, options: Mapping[str, Any]) -> Quantity:
    kind, service = options["of"], service_of(campaign, options)
    by = attributes_of(campaign, options["by"])
    if options["costs"] and kind != "cost":
        raise InputError("--costs is used with --of cost only; add that, or leave it away.")
    if kind == "cost":
        return ExpectedCost(costs_of(campaign, options["costs"]), by or (PREDICTION,), service)
    if kind == "ece":
        own = tuple(str(recipe) for recipe in campaign.pool.roles.attributes)
        return CalibrationError(by or own, options["bins"], service=service)
    return HitRate(by, service)


def _unit(campaign: Campaign, of: Quantity) -> Unit:
    if isinstance(of, ExpectedCost):
        return COST
    return Unit("ECE") if isinstance(of, CalibrationError) else Unit(str(campaign.spec.metric))


def service_of(campaign: Campaign, options: Mapping[str, Any]) -> str:
    """The service that was asked for, empty for the campaign's; raise where there is none such."""
    service: str = options["service"]
    if not service:
        return ""
    warn_of_other_service(campaign, service)
    return campaign.pool.roles.service(service).name


def level_of(campaign: Campaign, options: Mapping[str, Any]) -> float:
    """The level of the intervals."""
    return read_level(campaign, options["level"])


def attributes_of(campaign: Campaign, texts: Sequence[str]) -> tuple[str, ...]:
    """Attributes as tasks read them; a bare name is cut as the campaign cuts it."""
    own = {recipe.column: str(recipe) for recipe in campaign.pool.roles.attributes}
    known = [*own, *(name for name in (PREDICTION, SCORE) if name not in own)]
    found = []
    for text in texts:
        recipe = Recipe.parse(text)
        if recipe.column not in [*known, CATEGORY]:
            hint = did_you_mean(recipe.column, known)
            raise InputError(f"The campaign has no attribute {recipe.column!r}; {hint}")
        found.append(own.get(text, text))
    doubled = sorted({text for text in found if found.count(text) > 1})
    if doubled:
        raise InputError(f"The attribute {doubled[0]!r} is named twice; name it once.")
    return tuple(found)


def reread(campaign: Campaign, estimator: str | None, is_about_classes: bool) -> Campaign:
    """The same labels, read by the estimator that was asked for."""
    if not estimator:
        return campaign
    if is_about_classes:
        return campaign.using(class_estimator=codec.parse(estimator, codec.CLASS_ESTIMATORS))
    return campaign.using(estimator=codec.parse(estimator, codec.ESTIMATORS))
