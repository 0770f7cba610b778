"""Asking: a question as people put it, checked against its campaign, and its complete answer."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from spotheight.arms import CATEGORY, PREDICTION, SCORE, Recipe, parse_slice
from spotheight.campaign import Campaign
from spotheight.errors import InputError, did_you_mean
from spotheight.models.beta import Beta
from spotheight.models.dirichlet import Dirichlet
from spotheight.policies.passive import Random
from spotheight.questions import Basis, Task
from spotheight.questions.averageprecision import AveragePrecision
from spotheight.questions.compare import Compare, CompareServices
from spotheight.questions.confusion import Confusion
from spotheight.questions.detection import Detection
from spotheight.questions.estimate import Estimate
from spotheight.questions.identify import Identified
from spotheight.questions.listanswer import ListAnswer, require_pool
from spotheight.questions.lists import ListTask
from spotheight.questions.precision import PrecisionAt
from spotheight.questions.quantities import (
    CalibrationError,
    Costs,
    ExpectedCost,
    HitRate,
    Quantity,
)
from spotheight.questions.quantities.groups import arms_of
from spotheight.questions.rank import Ranked
from spotheight.questions.systems import lists_of
from spotheight.registry import (
    CLASS_ESTIMATORS,
    ESTIMATORS,
    ITEM_ESTIMATORS,
    TASKS,
    describe,
    parse,
)
from spotheight.workspace.subject import own_lists, require_surface

COSTS_NEEDED = (
    "Costs need a cost matrix: --costs FILE.csv, whose first column names the true classes and "
    "whose other columns name the answers."
)


def answered(
    campaign: Campaign,
    question: Task | str,
    *,
    estimand: str = "pool",
    service: str | None = None,
    estimator: object = None,
) -> Any:
    """The complete answer to a question, or a sentence why there is none.

    Args:
        campaign: Whose labels are read.
        question: A question, or its short form, such as ``identify:worst=3``.
        estimand: ``pool`` for these items, ``rate`` for such inputs at large.
        service: Whose answers, where not those that the question names.
        estimator: Another estimator than the campaign's, or its short form.
    """
    task = parse(question, TASKS) if isinstance(question, str) else question
    task = _of_service(task, service) if service else task
    _require_subject(campaign, task, estimand)
    reader = _reader(campaign, task, estimator)
    _require_two_sides(reader, task)
    found = reader.answer(task, estimand)
    _require_something_to_tell_apart(found)
    if not isinstance(getattr(found, "basis", None), Basis):
        return found
    cautions = tuple(_cautions(reader, task))
    return replace(found, basis=replace(found.basis, cautions=cautions))


def surface_basis(campaign: Campaign, estimand: str, level: float, service: str | None) -> Basis:
    """What numbers of the surface rest on; ``estimand`` may name both."""
    spec = campaign.spec
    task = Estimate(service=service or "")
    metric, own = str(spec.metric), service or spec.service
    unit, told = HitRate().unit(spec.metric), len(campaign.ledger.told)
    using = (spec.estimator,)
    return Basis(
        task, repr(spec.estimator), estimand, level, unit, metric, own, told, using,
        tuple(_of_other_service(campaign, own)),
    )  # fmt: skip


def _of_service(task: Any, service: str) -> Task:
    """The same question about another service, or about the lists of that one alone."""
    changed: Task
    for name, value in (("services", (service,)), ("service", service)):
        if hasattr(task, name):
            changed = replace(task, **{name: value})
            return changed
    for name in ("of", "by"):
        if hasattr(inner := getattr(task, name, None), "cut"):
            changed = replace(task, **{name: _of_service(inner, service)})
            return changed
    raise InputError("This question names its services itself; leave the service away.")


def _is_about_classes(task: Task) -> bool:
    return isinstance(task, Confusion) or isinstance(getattr(task, "of", None), ExpectedCost)


def _reader(campaign: Campaign, task: Task, estimator: object) -> Campaign:
    """The same labels, read by the estimator that was asked for."""
    if not estimator:
        return campaign
    field, family = "estimator", ESTIMATORS
    if lists_of(task) is not None:
        field, family = "item_estimator", ITEM_ESTIMATORS
    elif _is_about_classes(task):
        field, family = "class_estimator", CLASS_ESTIMATORS
    by = parse(estimator, family) if isinstance(estimator, str) else estimator
    return campaign.using(**{field: by})


# What a campaign must have.


def require_lists(campaign: Campaign) -> None:
    """Raise where nothing is listed."""
    if campaign.pool.roles.category is None and campaign.pool.scenes is None:
        raise InputError(
            "Ranked lists are made by category, and this campaign has none; start one with "
            "init --category COL."
        )


def _require_subject(campaign: Campaign, task: Task, estimand: str) -> None:
    lists = lists_of(task)
    if lists is None:
        require_surface(campaign)
        if task.cut.service:
            campaign.pool.roles.service(task.cut.service)
        if _is_about_classes(task):
            _require_classes(campaign, "Confusions" if isinstance(task, Confusion) else "Costs")
        return
    require_lists(campaign)
    require_pool(estimand)
    for name in getattr(lists, "services", ()):
        if campaign.pool.roles.service(name).score is None and campaign.pool.scenes is None:
            raise InputError(f"The service {name!r} has no scores, so it has no ranked list.")


def _require_classes(campaign: Campaign, what: str) -> None:
    """Raise unless labels name the true class."""
    if campaign.spec.metric.reads != "class":
        raise InputError(
            f"{what} need labels that name the true class; those of this campaign are read as "
            f"{campaign.spec.metric}."
        )


def _require_two_sides(campaign: Campaign, task: Task) -> None:
    """Raise where two slices, or two services, are one."""
    if isinstance(task, CompareServices):
        for name in (task.first, task.second):
            campaign.pool.roles.service(name)
        if task.first == task.second:
            raise InputError(f"Both services are {task.first!r}; name two that differ.")
    elif isinstance(task, Compare):
        cells = campaign.records().cells(task.cut)
        first, second = (arms_of(each, cells.partition) for each in (task.first, task.second))
        if np.array_equal(first, second):
            raise InputError(
                f"The slices {task.first!r} and {task.second!r} hold the same items; name two "
                f"that differ."
            )


def _require_something_to_tell_apart(found: object) -> None:
    if isinstance(found, (Identified, Ranked)) and len(found.values) < 2:
        raise InputError(
            "There is only one group; name attributes that tell items apart, such as "
            "--by @prediction."
        )
    if isinstance(found, ListAnswer) and found.ranks_services and len(found.services) < 2:
        raise InputError(
            f"Only {found.services[0]} has scores; there is nothing to rank it against."
        )


# What a reader must know.


def _cautions(campaign: Campaign, task: Task) -> Iterator[str]:
    if lists_of(task) is not None:
        return
    yield from _of_other_service(campaign, task.cut.service or campaign.spec.service)
    if _is_about_classes(task):
        yield from _of_chosen(campaign, task)
    if isinstance(task, Confusion) and not _has_probabilities(campaign, task.service):
        yield (
            "The service gives no class probabilities (init --probability), so that every true "
            "class is assumed alike at the start."
        )


def _of_other_service(campaign: Campaign, service: str) -> Iterator[str]:
    """Where labels were chosen by the scores and answers of one service, and another is read.

    Inside an arm the labelled items are then no random sample of the other service's.
    """
    own, policy = campaign.spec.service, campaign.spec.policy
    campaign.pool.roles.service(service)
    if service != own and campaign.ledger.told and not isinstance(policy, Random):
        yield (
            f"Take care: {describe(policy)} chose these labels for {own}, perhaps its hardest "
            f"items, and this number takes them for typical ones of {service}. `spotheight "
            f"compare --services {own} {service}` is free of that doubt."
        )


def _of_chosen(campaign: Campaign, task: Task) -> Iterator[str]:
    """Where a policy chose the labels of one answer with another question in mind.

    A class estimator that asks no surface takes them for a random sample of the answer's items.
    """
    spec = campaign.spec
    is_fair = isinstance(spec.policy, Random) or spec.task.cut.partition == task.cut.partition
    if campaign.ledger.told and not (is_fair or spec.class_estimator.needs_surface):
        yield (
            f"Take care: {describe(spec.policy)} chose these labels for another question, "
            f"perhaps the hardest items of each answer, and this number takes them for typical "
            f"ones. A campaign with --policy random, or with this question as --task, is free of "
            f"that doubt."
        )


def _has_probabilities(campaign: Campaign, service: str) -> bool:
    return bool(campaign.pool.roles.service(service or campaign.spec.service).probabilities)


# What people name.


def attributes_of(campaign: Campaign, texts: Sequence[str]) -> tuple[str, ...]:
    """Attributes as questions read them; a bare name is cut as the campaign cuts it."""
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


def quantity_of(
    campaign: Campaign,
    kind: str,
    by: Sequence[str] = (),
    *,
    bins: int = 10,
    costs: Callable[[], Costs] | None = None,
    service: str = "",
) -> Quantity:
    """The number that a question is about, by group: ``metric``, ``ece`` or ``cost``.

    Args:
        campaign: Whose attributes make the groups where none is named.
        kind: Its name.
        by: What makes the groups.
        bins: For ECE: so many bins of the score.
        costs: For costs: reads the matrix, where it is not that of the campaign's own question.
        service: Whose answers; empty means the campaign's.
    """
    require_surface(campaign)
    by = attributes_of(campaign, by)
    if costs is not None and kind != "cost":
        raise InputError("--costs is used with --of cost only; add that, or leave it away.")
    if kind == "cost":
        return ExpectedCost(costs_of(campaign, costs), by or (PREDICTION,), service)
    if kind == "ece":
        own = tuple(str(recipe) for recipe in campaign.pool.roles.attributes)
        return CalibrationError(by or own, bins, service=service)
    return HitRate(by, service)


def costs_of(campaign: Campaign, read: Callable[[], Costs] | None) -> Costs:
    """The cost matrix that was named, or else the one of the campaign's own question."""
    require_surface(campaign)
    _require_classes(campaign, "Costs")
    if read is not None:
        return read()
    task = campaign.spec.task
    own = getattr(task, "costs", None) or getattr(getattr(task, "of", None), "costs", None)
    if own is None:
        raise InputError(COSTS_NEEDED)
    assert isinstance(own, Costs)
    return own


def cut_by(campaign: Campaign, slices: Collection[str], kind: str) -> tuple[str, ...]:
    """What two slices are cut by; nothing where the campaign's own arms will do."""
    if set(slices) <= {service.name for service in campaign.pool.roles.services}:
        first, second = slices
        raise InputError(f"{first!r} and {second!r} are services; compare them with --services.")
    named = [name for text in slices for part in parse_slice(text) for name in part]
    own = {recipe.column for recipe in campaign.pool.roles.attributes}
    return () if kind == "metric" and set(named) <= own else tuple(dict.fromkeys(named))


def informed(strength: float) -> Beta:
    """The estimator that believes scores as much as so many labels in each bin."""
    if not strength > 0:
        raise InputError(f"--strength must be a positive number of labels, got {strength:g}.")
    return Beta("informed", strength)


def of_classes(campaign: Campaign, service: str, **given: Any) -> Dirichlet | None:
    """The campaign's class estimator with the settings that were asked for, if there are any."""
    given = {name: value for name, value in given.items() if value is not None}
    if given.get("prior") == "scores" and not _has_probabilities(campaign, service):
        raise InputError(
            "--prior scores needs the service's class probabilities; name their columns in init "
            "with --probability CLASS=COL."
        )
    own = campaign.spec.class_estimator
    own = own if isinstance(own, Dirichlet) else Dirichlet()
    return replace(own, **given) if given else None


def precision_of(campaign: Campaign, k: int | None) -> PrecisionAt:
    """Precision@K with the K that was asked for, or the one that the campaign was started for."""
    require_lists(campaign)
    own = own_lists(campaign)
    if k is None and isinstance(own, PrecisionAt):
        return PrecisionAt(own.k)
    if k is None:
        raise InputError("Say how many items of each list to look at, such as -k 48.")
    return PrecisionAt(k)


def average_precision_of(
    campaign: Campaign, positives: dict[str, float] | None = None
) -> AveragePrecision | Detection:
    """The average precision of lists, or of detections where the campaign has images."""
    own = campaign.spec.task
    if campaign.pool.scenes is not None:
        if positives:
            raise InputError("The objects of each category are known; leave --positives away.")
        return Detection()
    if positives is None and isinstance(own, AveragePrecision):
        return replace(own, services=(), level=0.9)
    return AveragePrecision(positives or {})


def measure_of_lists(campaign: Campaign, k: int | None) -> ListTask:
    """What services are ranked by: Precision@K, or the campaign's own measure of lists."""
    if k is not None:
        return PrecisionAt(k)
    usual = AveragePrecision() if campaign.pool.scenes is None else Detection()
    return own_lists(campaign) or usual
