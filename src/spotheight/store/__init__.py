"""The SQLite file of a campaign, and how files get written so that a failure harms nothing."""

from spotheight.store.campaign_file import Store
from spotheight.store.database import APPLICATION_ID, is_campaign
from spotheight.store.drafts import drafting, sweep
from spotheight.store.faults import DamagedError

__all__ = ["APPLICATION_ID", "DamagedError", "Store", "drafting", "is_campaign", "sweep"]
