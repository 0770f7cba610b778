"""Campaign: the loop of ask, tell, and reading the surface."""

from spotheight.campaign.campaign import Campaign
from spotheight.campaign.fitting import fitted

__all__ = ["Campaign", "fitted"]
