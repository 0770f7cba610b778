"""Caveats: what a reader must know before trusting the numbers, a sentence each."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from spotheight.arms import MISSING
from spotheight.campaign import Campaign
from spotheight.evidence import Evidence
from spotheight.history.events import Label
from spotheight.history.ledger import Ledger
from spotheight.metrics import Accuracy, Agreement, Closeness, Number, Precision, Recall
from spotheight.pool.roles import SOLE


def build_notes(campaign: Campaign, evidence: Evidence) -> tuple[str, ...]:
    """All sentences that apply."""
    return (
        *_of_labels(campaign, evidence),
        *_of_metric(campaign, evidence),
        *_of_answers(campaign),
        *_of_attributes(campaign, evidence),
        *_of_log(campaign.ledger, evidence),
    )


def _of_labels(campaign: Campaign, evidence: Evidence) -> Iterator[str]:
    told = len(campaign.ledger.told)
    if not told:
        yield "No item is labelled yet: only the sizes of arms are known."
    elif not evidence.counts.trials.sum():
        yield (
            f"None of the {told:,} labelled items counts for the {campaign.spec.metric} of "
            f"{_who(campaign)} yet: only the sizes of arms are known."
        )


def _of_metric(campaign: Campaign, evidence: Evidence) -> Iterator[str]:
    metric, cells = campaign.spec.metric, evidence.cells
    match metric:
        case Precision():
            yield (
                f"The {metric} is about the {_items(cells.size)} that {_who(campaign)} calls "
                f"{metric.cls}; all others are left out of this report."
            )
        case Number():
            yield f"Numbers are scaled: {metric.low:g} reads as 0%, {metric.high:g} as 100%."
        case Closeness():
            yield (
                f"An answer that equals the label reads as 100%, one that is {metric.scale:g} or "
                f"more away as 0%, evenly between."
            )
        case Agreement():
            yield "An answer counts by the words that it shares with the label (their F1)."
    trials = float(evidence.counts.trials.sum())
    if not evidence.always_counts and trials:
        share = float(evidence.counting.sum() / cells.mass.sum())
        yield (
            f"Which items count for the {metric} shows only when they are labelled: {trials:g} of "
            f"{evidence.labelled.sum():g} did. Of all items about {share:.0%} do, by an estimate "
            f"whose own uncertainty is not in the intervals."
        )


def _of_answers(campaign: Campaign) -> Iterator[str]:
    silences = campaign.pool.silences(campaign.spec.service)
    if silences:
        is_miss = isinstance(campaign.spec.metric, (Accuracy, Agreement, Closeness, Recall))
        rule = "; an empty answer counts as a miss" if is_miss else ""
        have = "has" if silences == 1 else "have"
        yield f"{_items(silences)} {have} no answer from {_who(campaign)}{rule}."


def _of_attributes(campaign: Campaign, evidence: Evidence) -> Iterator[str]:
    cells = evidence.cells
    placement = campaign.records().placement(cells.partition.attributes)
    for place, attribute in enumerate(cells.partition.attributes):
        if attribute.is_guessed:
            is_believed = placement.is_certain((attribute,))
            rest = (
                "an item lies where the guess puts it, until more true levels are told."
                if is_believed
                else "an item belongs to several arms, to each by its chance."
            )
            yield f"The attribute {attribute.name} is only guessed: {rest}"
        if attribute.levels[-1] == MISSING:
            inside = cells.partition.codes[:, place] == len(attribute.levels) - 1
            missing = float(cells.mass[inside].sum())
            if missing:
                yield (
                    f"The attribute {attribute.name} is missing for {_items(missing)}; they form "
                    f"a level of their own, {MISSING}."
                )
        if len(np.unique(cells.partition.codes[:, place])) == 1:
            only = attribute.levels[cells.partition.codes[0, place]]
            yield f"The attribute {attribute.name} is {only} everywhere; it tells no arms apart."


def _of_log(ledger: Ledger, evidence: Evidence) -> Iterator[str]:
    skipped = len(ledger.skipped)
    if skipped:
        yield (
            f"{_items(skipped)} {'was' if skipped == 1 else 'were'} skipped by annotators and "
            f"{'counts' if skipped == 1 else 'count'} as not labelled."
        )
    bare = sum(ledger.chance(item) is None for item in ledger.told)
    if bare and evidence.rest.any():
        yield (
            f"{bare:,} of {len(ledger.told):,} labelled items came without a draw: told unasked, "
            f"or picked by a rule. The numbers here take each for a typical item of its arm."
        )
    yield from _of_annotators(ledger)


def _of_annotators(ledger: Ledger) -> Iterator[str]:
    shared = [list(by.values()) for by in ledger.told.values() if len(by) > 1]
    if shared:
        split = sum(_is_split(labels) for labels in shared)
        is_text = all(isinstance(label, str) for labels in shared for label in labels)
        rule = "the majority counts, a tie by halves" if is_text else "the median counts"
        have = "has" if len(shared) == 1 else "have"
        yield (
            f"{_items(len(shared))} {have} several annotators, who disagree on {split:,}; {rule}."
        )


def _is_split(labels: Sequence[Label]) -> bool:
    """Whether annotators differ on anything that more than one of them judged."""
    first: dict[str, str | float] = {}
    parts = [label if isinstance(label, Mapping) else {"": label} for label in labels]
    return any(first.setdefault(key, said) != said for part in parts for key, said in part.items())


def _who(campaign: Campaign) -> str:
    """The service by its name, if anybody gave it one."""
    return "the service" if campaign.spec.service == SOLE else campaign.spec.service


def _items(number: float) -> str:
    shown = f"{number:,.0f}" if float(number).is_integer() else f"about {number:,.1f}"
    return f"{shown} item{'' if number == 1 else 's'}"
