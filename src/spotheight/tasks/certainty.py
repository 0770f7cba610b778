"""How sure a verdict has to be."""

CERTAINTY = 0.95
"""Something is said to be so from this probability on; below it nothing is decided."""
