"""Storage: the SQLite file of a campaign, and writes that harm nothing when they fail."""

from spotheight.store.campaign_file import Store, require_free
from spotheight.store.database import APPLICATION_ID, SIDES, is_campaign
from spotheight.store.drafts import drafting, publish, sweep
from spotheight.store.faults import SALVAGE, DamagedError

__all__ = [
    "APPLICATION_ID",
    "SALVAGE",
    "SIDES",
    "DamagedError",
    "Store",
    "drafting",
    "is_campaign",
    "publish",
    "require_free",
    "sweep",
]
