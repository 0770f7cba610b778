"""Evidence: what the labels say, against what the pool holds; all that an estimator gets to see."""

from spotheight.evidence.classes import ClassEvidence, PairedEvidence
from spotheight.evidence.hits import DIGITS, Counts, Evidence, Rows
from spotheight.evidence.items import ItemEvidence
from spotheight.evidence.source import Cut, Source

__all__ = [
    "DIGITS",
    "ClassEvidence",
    "Counts",
    "Cut",
    "Evidence",
    "ItemEvidence",
    "PairedEvidence",
    "Rows",
    "Source",
]
