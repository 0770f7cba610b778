"""Report builder: from a campaign to the numbers of its report."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from platform import python_version

import numpy as np

from spotheight.beliefs import are_apart, variance_shares
from spotheight.beliefs.surface import INSUFFICIENT
from spotheight.campaign import Campaign
from spotheight.numerics.threads import one_thread
from spotheight.questions import Task
from spotheight.questions.certainty import CERTAINTY
from spotheight.questions.listanswer import require_pool
from spotheight.questions.systems import lists_of
from spotheight.registry import describe, write_spec
from spotheight.report.answers import build_answers
from spotheight.report.basis import in_words
from spotheight.report.history import build_history
from spotheight.report.listing import build_list_report
from spotheight.report.notes import build_notes
from spotheight.report.nothing import surface_now
from spotheight.report.overview import MAP_ATTRIBUTES, MAP_LEVELS, SHARES, Overview, Pair, mapped
from spotheight.report.services import build_services
from spotheight.report.standing import build_standing, spread
from spotheight.report.trust import build_trust
from spotheight.report.values import ArmRow, HeatMap, Report, thinned

MOST_ARMS = 5000
MOST_WORST = 25
MOST_LACKING = 50


@one_thread()
def build_report(
    campaign: Campaign,
    *,
    title: str,
    estimand: str = "pool",
    provenance: Mapping[str, str],
    notes: Sequence[str] = (),
    questions: Sequence[Task] = (),
) -> Report:
    """Everything there is to say about a campaign's service, from the labels so far.

    Args:
        campaign: May have any number of labels, also none.
        title: What stands above it all.
        estimand: ``pool`` for these items, ``rate`` for such inputs at large.
        provenance: Where it comes from, as far as the campaign itself does not know.
        notes: Sentences to be shown before those that the numbers give rise to.
        questions: What else is to be answered: identify, compare, rank, calibration and the like.
    """
    spec, is_about_lists = campaign.spec, lists_of(campaign.spec.task) is not None
    if is_about_lists:
        require_pool(estimand)
        found = build_list_report(campaign, title, questions)
    else:
        found = _surface_report(campaign, title, estimand, questions)
    return replace(
        found,
        notes=(*notes, *found.notes),
        provenance={**provenance, **_provenance(campaign)},
        estimator_words=in_words(spec.item_estimator if is_about_lists else spec.estimator),
        policy_words=in_words(spec.policy),
    )


def _surface_report(
    campaign: Campaign, title: str, estimand: str, questions: Sequence[Task]
) -> Report:
    """All that is read off a surface."""
    spec = campaign.spec
    records = campaign.records()
    evidence, surface = records.evidence(), surface_now(campaign, estimand)
    overview = Overview.of(replace(surface, is_error=spec.metric.is_error), spec.level)
    is_bare = overview.arms.n_labelled <= 0
    standing = build_standing(campaign, overview)
    return Report(
        title=title,
        service=spec.service,
        metric=str(spec.metric),
        estimand=estimand,
        estimator=describe(spec.estimator),
        policy=describe(spec.policy),
        level=spec.level,
        n_pool=evidence.cells.size,
        n_labelled=round(float(evidence.labelled.sum())),
        n_arms=evidence.cells.arms,
        overall=overview.overall,
        quantiles=tuple(zip(SHARES, overview.quantiles, strict=True)),
        arms=_arms(overview),
        worst=_worst(overview, not spec.metric.is_error),
        lacking=_lacking(overview),
        arms_without_labels=int(is_bare.sum()),
        items_in_arms_without_labels=float(overview.arms.n_pool[is_bare].sum()),
        margins=_margins(overview),
        heat_maps=tuple(_heat_map(overview, pair) for pair in _telling_first(overview)),
        history=build_history(campaign, estimand, overview.overall),
        services=build_services(campaign, estimand, overview.overall),
        notes=(*build_notes(campaign, evidence), *standing.notes, *_left_out(overview)),
        provenance={},
        n_lacking=int((overview.arms.status == INSUFFICIENT).sum()),
        is_better_high=not spec.metric.is_error,
        has_differences=are_apart(overview.surface, CERTAINTY),
        shares=variance_shares(overview.surface, spec.level),
        trust=build_trust(campaign),
        calibration=standing.calibration,
        confusion=standing.confusion,
        ranking=standing.ranking,
        answers=build_answers(campaign, questions, estimand, tuple(standing.tasks(spec.level))),
    )


def _arms(overview: Overview) -> tuple[ArmRow, ...]:
    """From the lowest to the highest, evenly thinned where they are many; unknown ones last."""
    mean = overview.arms.mean
    order = np.lexsort((-overview.arms.n_pool, mean))
    is_known = ~np.isnan(mean[order])
    chosen = [*thinned(order[is_known].tolist(), MOST_ARMS), *order[~is_known].tolist()]
    return overview.rows(chosen[:MOST_ARMS])


def _worst(overview: Overview, is_better_high: bool) -> tuple[ArmRow, ...]:
    mean, items = overview.arms.mean, overview.arms.n_pool
    order = np.lexsort((-items, mean if is_better_high else -mean))
    # A guessed attribute makes arms that hold a hundredth of an item: no place to look at.
    fit = order[(items[order] > 1 - 1e-9) & ~np.isnan(mean[order])]
    return overview.rows(fit[:MOST_WORST])


def _lacking(overview: Overview) -> tuple[ArmRow, ...]:
    """The largest first: that is where labels would help most."""
    thin = np.flatnonzero(overview.arms.status == INSUFFICIENT)
    order = np.argsort(-overview.arms.n_pool[thin], kind="stable")
    return overview.rows(thin[order][:MOST_LACKING])


def _margins(overview: Overview) -> dict[str, tuple[ArmRow, ...]]:
    """The levels of each attribute that occur, all else lumped together."""
    return {
        attribute.name: tuple(
            readings.row(code, level, (level,))
            for code, level in enumerate(attribute.levels)
            if readings.n_pool[code] > 0
        )
        for attribute, readings in zip(overview.attributes, overview.levels, strict=True)
    }


def _telling_first(overview: Overview) -> list[Pair]:
    """Pairs of attributes, those whose levels differ most at the front."""
    between = [spread(readings) for readings in overview.levels]
    return sorted(overview.pairs, key=lambda pair: -between[pair[0]] - between[pair[1]])


def _heat_map(overview: Overview, pair: Pair) -> HeatMap:
    """Two attributes against each other; levels and combinations that do not occur are absent."""
    rows, columns = (overview.attributes[place] for place in pair)
    readings = overview.pairs[pair]
    cells = {}
    for group in map(int, np.flatnonzero(readings.n_pool > 0)):
        row, column = divmod(group, len(columns.levels))
        levels = (rows.levels[row], columns.levels[column])
        name = f"{rows.name}={levels[0]}, {columns.name}={levels[1]}"
        cells[levels] = readings.row(group, name, levels)
    in_rows, in_columns = ({levels[side] for levels in cells} for side in (0, 1))
    return HeatMap(
        rows.name,
        columns.name,
        tuple(level for level in rows.levels if level in in_rows),
        tuple(level for level in columns.levels if level in in_columns),
        cells,
    )


def _left_out(overview: Overview) -> list[str]:
    kept = mapped(overview.attributes)
    left = [
        a.name for k, a in enumerate(overview.attributes) if k not in kept and len(a.levels) > 1
    ]
    if not left:
        return []
    return [
        f"Pairs of attributes are shown for at most {MAP_ATTRIBUTES} attributes of at most "
        f"{MAP_LEVELS} levels each; left out there: {', '.join(left)}."
    ]


def _provenance(campaign: Campaign) -> dict[str, str]:
    """What it takes to compute the same report again."""
    versions = [f"{name} {version(name)}" for name in ("spotheight", "numpy", "scipy")]
    return {
        "pool fingerprint": campaign.pool.fingerprint,
        "log length": f"{len(campaign.log):,} event{'' if len(campaign.log) == 1 else 's'}",
        "versions": ", ".join([*versions, f"Python {python_version()}"]),
        "spec": write_spec(campaign.spec),
    }
