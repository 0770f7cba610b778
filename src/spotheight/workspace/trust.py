"""Trust in attribute models: how far guessed attributes can be believed."""

from collections.abc import Callable

from spotheight.campaign import Campaign
from spotheight.errors import InputError
from spotheight.registry import describe
from spotheight.report.trust import FEWEST, build_trust
from spotheight.workspace.values import AttributeTrust


def trust_of(
    campaign: Campaign, progress: Callable[[int, int], None] | None = None
) -> AttributeTrust:
    """Each attribute model against the true levels told; raise where there are none to hold."""
    if not any(attribute.is_guessed for attribute in campaign.pool.layout.attributes):
        raise InputError(
            "No attribute of this campaign is only guessed; "
            "init names such ones with --attribute-probabilities NAME=COL or --guessed NAME."
        )
    told = len(campaign.ledger.gold)
    if told < FEWEST:
        raise InputError(
            f"The true levels of {told} items were told, and at least {FEWEST} are needed; fill "
            f"the columns true:NAME of `spotheight ask` in and tell them."
        )
    by = campaign.spec.calibration
    return AttributeTrust(describe(by), by.uses(told), build_trust(campaign, progress))
