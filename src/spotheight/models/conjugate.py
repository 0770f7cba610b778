"""Surface of a conjugate model: Beta rates, and the pool's unlabelled items at these rates."""

from spotheight.beliefs import BetaRate, FinitePool, Surface
from spotheight.evidence import Evidence


def conjugate_surface(evidence: Evidence, rate: BetaRate) -> Surface:
    """The surface whose unlabelled items are hits at this rate."""
    pool = FinitePool(rate, evidence.settled.counts, evidence.rest)
    counting = None if evidence.always_counts else evidence.counting
    return Surface(evidence.cells, evidence.labelled, rate, pool, counting=counting)
