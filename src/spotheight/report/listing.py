"""The report of a campaign about ranked lists: it has no surface, and nothing read off one."""

from collections.abc import Iterator, Sequence

from spotheight.beliefs import Reading
from spotheight.campaign import Campaign
from spotheight.models.lists.noisy import Naive, VettedOnly
from spotheight.questions import Task
from spotheight.questions.listanswer import ListAnswer
from spotheight.questions.precision import PrecisionAt
from spotheight.questions.systems import lists_of
from spotheight.registry import describe
from spotheight.report.answers import build_answers
from spotheight.report.values import Report
from spotheight.report.vetting import build_vetting

NAMED = 3
"""So many lists are named in a note."""


def build_list_report(campaign: Campaign, title: str, questions: Sequence[Task]) -> Report:
    """Everything there is to say about the lists of all services, from the labels so far."""
    spec, task = campaign.spec, lists_of(campaign.spec.task)
    assert task is not None
    lists: ListAnswer = campaign.answer(spec.task)
    best, level = lists.rows[0].overall, lists.basis.level
    return Report(
        title=title,
        service=best.name,
        metric=lists.metric,
        estimand="pool",
        estimator=describe(spec.item_estimator),
        policy=describe(spec.policy),
        level=level,
        n_pool=lists.n_listed,
        n_labelled=lists.n_seen,
        n_arms=0,
        overall=Reading(best.mean, best.low, best.high, level, "pool"),
        quantiles=(),
        arms=(),
        worst=(),
        lacking=(),
        arms_without_labels=0,
        items_in_arms_without_labels=0.0,
        margins={},
        heat_maps=(),
        history=(),
        services=(),
        notes=tuple(_notes(campaign, lists)),
        provenance={},
        answers=build_answers(campaign, questions, "pool", (spec.task,)),
        lists=lists,
        vetting=build_vetting(campaign, task),
    )


def _notes(campaign: Campaign, lists: ListAnswer) -> Iterator[str]:
    """What a reader must know before trusting the numbers."""
    ledger, estimator = campaign.ledger, campaign.spec.item_estimator
    if not ledger.told:
        yield "No item is vetted yet: the numbers are what noisy labels and scores suggest."
    elsewhere = len(ledger.told) - lists.n_seen
    if elsewhere:
        yield f"{elsewhere:,} labelled items are in none of the lists and are left out here."
    skipped = len(ledger.skipped)
    if skipped:
        yield f"{skipped:,} items were skipped by annotators and count as not vetted."
    if isinstance(estimator, Naive):
        yield "The naive estimator doubts no noisy label, so its intervals have no width."
    if isinstance(estimator, VettedOnly):
        yield "Items that nobody has vetted are left out, so there are no intervals."
    yield from _of_lengths(campaign, lists)


def _of_lengths(campaign: Campaign, lists: ListAnswer) -> Iterator[str]:
    """Lists that are empty, or shorter than K."""
    rows = [(each.overall.name, row) for each in lists.rows for row in each.categories]
    empty = [f"{service} for {row.name}" for service, row in rows if not row.n_items]
    if empty:
        more = f" and {len(empty) - NAMED} more" if len(empty) > NAMED else ""
        yield f"There is no list, which counts as 0, of {', '.join(empty[:NAMED])}{more}."
    task = lists_of(campaign.spec.task)
    if isinstance(task, PrecisionAt):
        short = sum(0 < row.n_items < task.k for _, row in rows)
        if short:
            yield (
                f"{short:,} of {len(rows):,} lists {'is' if short == 1 else 'are'} shorter than "
                f"{task.k} and read at {'its' if short == 1 else 'their'} own length."
            )
