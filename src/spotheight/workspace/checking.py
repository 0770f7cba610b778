"""Quality gate: a campaign's numbers held against a bar."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from spotheight.beliefs import Reading
from spotheight.campaign import Campaign
from spotheight.errors import InputError
from spotheight.questions.listanswer import require_pool
from spotheight.terminal.text import percent
from spotheight.workspace.lists import answered_lists
from spotheight.workspace.subject import Parts, own_lists, slices_of
from spotheight.workspace.values import Checked, CheckedSlice


@dataclass(frozen=True)
class Bar:
    """What a number has to reach.

    Args:
        value: The bar.
        is_highest: Whether the number has to stay below it.
        is_sure: Whether the whole interval has to.
        has_labels: Whether there is a label that counts; nothing passes by what is assumed.
    """

    value: float
    is_highest: bool
    is_sure: bool
    has_labels: bool

    @classmethod
    def of(
        cls, campaign: Campaign, least: float | None, most: float | None, *, is_sure: bool
    ) -> "Bar":
        """The bar that was named; raise where it is not the one that the metric needs."""
        is_list = own_lists(campaign) is not None
        is_error = campaign.spec.metric.is_error and not is_list
        named, other = (most, least) if is_error else (least, most)
        if named is None or other is not None:
            side, option = ("Less", "--max 0.1") if is_error else ("More", "--min 0.8")
            raise InputError(f"{side} is better here: name one bar, as in {option}.")
        if not 0 <= named <= 1:
            raise InputError(f"The bar lies between 0 and 1, got {named:g}.")
        seen = None if is_list else campaign.surface().seen
        return cls(named, is_error, is_sure, seen is None or bool(seen.trials.sum() > 0))

    def is_reached(self, reading: Reading) -> bool:
        """Whether a number is sure to reach it, or its mean does."""
        if self.is_highest:
            end = reading.high if self.is_sure else reading.mean
            return self.has_labels and end <= self.value
        end = reading.low if self.is_sure else reading.mean
        return self.has_labels and end >= self.value

    @property
    def failure(self) -> str:
        """What is said of a number that does not reach it."""
        if not self.has_labels:
            return "no label that counts"
        side = "above" if self.is_highest else "below"
        return f"{'perhaps ' * self.is_sure}{side} {percent(self.value)}"


def checked(readings: Mapping[str, Reading], bar: Bar) -> Checked:
    """Every number against the bar."""
    rows = (
        CheckedSlice(name, one.mean, one.low, one.high, one.estimand, bar.is_reached(one))
        for name, one in readings.items()
    )
    return Checked(tuple(rows), bar.failure)


def slices_to_check(campaign: Campaign, texts: Sequence[str]) -> dict[str, Parts]:
    """The slices that were named."""
    if own_lists(campaign) is None:
        return slices_of(campaign, texts)
    if texts:
        raise InputError("Ranked lists are checked by service, not by slice; leave --slice away.")
    return {}


def readings_of(
    campaign: Campaign, slices: Mapping[str, Parts], estimand: str
) -> dict[str, Reading]:
    """Slices of the surface, or all of it; of ranked lists the mean of every service."""
    task, level = own_lists(campaign), campaign.spec.level
    if task is None:
        surface = campaign.surface(estimand)
        found = {text: surface.slice(*parts, level=level) for text, parts in slices.items()}
        return found or {"all items": surface.overall(level)}
    require_pool(estimand)
    answer = answered_lists(campaign, task)
    names = (f"{answer.metric} of {name}" for name in answer.services)
    return dict(zip(names, answer.overall, strict=True))
