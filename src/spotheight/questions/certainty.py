"""Certainty threshold: how sure a verdict has to be."""

from spotheight.errors import InputError

CERTAINTY = 0.95
"""Something is said to be so from this probability on; below it nothing is decided."""

NOT_DECIDED = "not decided"


def require_certainty(certainty: float) -> None:
    """Raise unless a verdict can be so sure, and has to be likelier than not."""
    if not 0.5 <= certainty <= 1:
        raise InputError(f"A verdict's certainty lies between .5 and 1, got {certainty:g}.")
