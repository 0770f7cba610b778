"""Intake of label files: what they say is kept, what looks odd is said."""

from collections.abc import Iterator

from spotheight.campaign import Campaign
from spotheight.errors import InputError, ItemError, listed
from spotheight.exchange.answers import Answers, read_answers
from spotheight.exchange.sheet import level_column
from spotheight.pool.look import (
    FEW_ANSWERS,
    answers_of,
    near_answers,
    read_like_blanks,
    unanswered_blanks,
)
from spotheight.workspace.kept import KeptCampaign
from spotheight.workspace.values import FileReceipt


def taken_in(
    kept: KeptCampaign, text: str, name: str, who: str, at: str, *, is_correction: bool
) -> FileReceipt:
    """Keep the labels of a file; one bad row changes nothing, and is named."""
    campaign = kept.campaign
    answers = read_answers(text, name, campaign.pool.roles, campaign.spec.metric, who)
    try:
        receipt = kept.tell_all(answers.labels, answers.levels, is_correction=is_correction, at=at)
    except ItemError as error:
        row = answers.row_of.get(error.item)
        raise InputError(f"{name}, row {row}: {error} Nothing was taken in.") from None
    hints = tuple(hints_of(campaign, answers))
    return FileReceipt(receipt, answers.empty, len(campaign.ledger.told), hints)


def hints_of(campaign: Campaign, answers: Answers) -> Iterator[str]:
    """Columns that say nothing, and labels that probably mean another word: they are misses."""
    for attribute in sorted(answers.unread):
        wanted = level_column(attribute)
        yield f"Column {attribute!r} was not read; true levels stand in {wanted!r}."
    roles = campaign.pool.roles
    if campaign.spec.metric.reads != "class" or roles.classes or roles.category or roles.scene:
        return
    here = {item for by in answers.labels.values() for item in by}
    told = campaign.ledger.told
    labels = {str(label) for item in here for label in told[item].values()}
    near = near_answers(campaign.pool, labels)
    if near:
        pairs = listed([f"{label!r} for {answer!r}" for label, answer in near.items()])
        yield (
            f"Take care: some labels are no answer but look like one ({pairs}) and are misses; "
            f"where the same is meant, spell it alike and tell it again with --correct."
        )
    before = {str(label) for item in told.keys() - here for label in told[item].values()}
    unseen = sorted(_unseen(campaign, labels - before) - near.keys())
    if unseen:
        words = listed(map(repr, unseen))
        yield (
            f"Take care: no service answers {words}, and it was not told before; where that is a "
            f"slip of the pen, mend it with --correct. `init --classes` refuses such words."
        )
    if blanks := unanswered_blanks(campaign.pool, labels):
        yield (
            f"Take care: {listed(map(repr, blanks))} was taken for a label like any other, and is "
            f"a miss; an item that nobody can label has an empty cell or is skipped."
        )


def _unseen(campaign: Campaign, labels: set[str]) -> set[str]:
    """Labels that no service answers, where services choose between few words."""
    answered = answers_of(campaign.pool)
    if not 1 < len(answered) <= FEW_ANSWERS:
        return set()
    return {word for word in labels - {*answered} if not read_like_blanks([word])}
