"""Reliability of guessed attributes, by the true levels told so far."""

from collections.abc import Callable

from spotheight.campaign import Campaign
from spotheight.evidence.moment import SAMPLE
from spotheight.guesses import Trust, reliability

FEWEST = 6
"""True levels of fewer items say nothing about an attribute model."""


def build_trust(
    campaign: Campaign, progress: Callable[[int, int], None] | None = None
) -> tuple[Trust, ...]:
    """A row a guessed attribute; none where hardly any true level was told."""
    gold = campaign.records().told_levels()
    if gold is None or len(gold) < FEWEST:
        return ()
    sample = campaign.pool.sample(SAMPLE)
    return reliability(gold, campaign.spec.calibration, sample, progress)
