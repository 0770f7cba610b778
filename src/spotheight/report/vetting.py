"""Vetting summary: how far noisy labels can be trusted, and how estimates moved."""

from collections.abc import Iterator

import numpy as np
from numpy.random import Generator

from spotheight.beliefs import ItemBelief, SceneBelief
from spotheight.campaign import Campaign
from spotheight.campaign.streams import for_vetting
from spotheight.evidence import ItemEvidence
from spotheight.evidence.objects import SceneEvidence
from spotheight.models.lists.noisy import Naive
from spotheight.questions.lists import ListTask, expected_lists, list_numbers, mean_known
from spotheight.report.history import moments_of
from spotheight.report.values import ListMoment, NoisyRow, Vetting
from spotheight.types import FloatArray

MOMENTS = 12
"""Enough for a line; each costs a fit."""

DRAWN = 4_000_000
"""So many labels are drawn at each moment, a fraction of a second."""

MOST_DRAWS, FEWEST_DRAWS = 200, 50


def build_vetting(campaign: Campaign, task: ListTask) -> Vetting:
    """Read off the campaign's log, moment by moment."""
    rng = for_vetting(campaign.spec.seed, len(campaign.log))
    past = _past(campaign, task, rng)
    belief = _believed(campaign, task, len(campaign.log))
    if isinstance(belief, SceneBelief):  # its noisy annotations are boxes, not labels
        return Vetting((), past)
    names = campaign.pool.roles.noisy_label
    sources = zip(names, belief.evidence.noisy.T, strict=True)
    rows = [row for name, said in sources for row in _noisy(belief, (name, said), task.level, rng)]
    return Vetting(tuple(rows), past)


# Noisy labels.


def _noisy(
    belief: ItemBelief, source: tuple[str, FloatArray], level: float, rng: Generator
) -> Iterator[NoisyRow]:
    """Four shares of one source, with intervals from draws of the labels that are not known."""
    if not belief.is_in.all():  # nothing is said of items that are not vetted
        return
    name, said = source
    evidence, known = belief.evidence, ~np.isnan(source[1])
    yes = said[known]
    seen = evidence.is_vetted[known]
    counted = _shares(evidence.truth[known][seen][None], yes[seen])
    drawn = _shares(belief.draw(_draws(evidence), rng)[:, known], yes)
    mean = _shares(belief.chance[known][None], yes)
    vetted = _sizes(evidence.truth[known][seen], yes[seen])
    tail = (1 - level) / 2
    for kind, share in mean.items():
        if np.isnan(share[0]):
            continue
        low, high = np.nanquantile(drawn[kind], [tail, 1 - tail])
        numbers = (counted[kind][0], share[0], low, high)
        yield NoisyRow(name, kind, vetted[kind], *map(float, numbers))


def _shares(truth: FloatArray, yes: FloatArray) -> dict[str, FloatArray]:
    """The four shares for some sets of labels, (sets, items)."""
    both, true = truth @ yes, truth.sum(axis=1)
    total, size = np.full(len(truth), yes.sum()), truth.shape[1]
    return {
        "yes": _ratio(both, total),
        "no": _ratio(true - both, size - total),
        "true": _ratio(both, true),
        "false": _ratio(total - both, size - true),
    }


def _ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    return np.divide(part, whole, out=np.full(len(part), np.nan), where=whole > 1e-9)


def _sizes(truth: FloatArray, yes: FloatArray) -> dict[str, float]:
    numbers = (yes.sum(), (1 - yes).sum(), truth.sum(), (1 - truth).sum())
    return dict(zip(("yes", "no", "true", "false"), map(float, numbers), strict=True))


# History.


def _past(campaign: Campaign, task: ListTask, rng: Generator) -> dict[str, tuple[ListMoment, ...]]:
    """Every service at some moments; the first is before anything was vetted."""
    seen = [0, *moments_of(campaign.log, MOMENTS)]
    naive = campaign.using(item_estimator=Naive())
    moments = [_moment((campaign, naive), task, events, rng) for events in seen]
    names = _believed(campaign, task, 0).evidence.services
    return {name: tuple(each[k] for each in moments) for k, name in enumerate(names)}


def _moment(
    readers: tuple[Campaign, Campaign], task: ListTask, seen: int, rng: Generator
) -> list[ListMoment]:
    """All services after the first ``seen`` events, by the campaign and by the naive estimator."""
    belief, naively = (_believed(each, task, seen) for each in readers)
    evidence = belief.evidence
    vetted = int(evidence.is_vetted.sum())
    now = list_numbers(task, belief, rng, _draws(evidence))
    low, high = np.array([(one.low, one.high) for one in now.overall(task.level)]).T
    naive = expected_lists(task, naively, rng)
    numbers = zip(mean_known(now.expected), low, high, mean_known(naive), strict=True)
    share = vetted / max(len(evidence), 1)
    return [ListMoment(vetted, share, *map(float, each)) for each in numbers]


def _believed(campaign: Campaign, task: ListTask, seen: int) -> ItemBelief | SceneBelief:
    belief = campaign.believe(task, seen)
    assert isinstance(belief, (ItemBelief, SceneBelief))
    return belief


def _draws(evidence: ItemEvidence | SceneEvidence) -> int:
    return int(np.clip(DRAWN // max(len(evidence), 1), FEWEST_DRAWS, MOST_DRAWS))
