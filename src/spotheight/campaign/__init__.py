"""The loop: ask, tell, and read the surface."""

from spotheight.campaign.campaign import Campaign
from spotheight.campaign.fitting import fitted

__all__ = ["Campaign", "fitted"]
