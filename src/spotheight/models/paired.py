"""Two services on the same labels, over the surfaces of any estimator."""

from spotheight.beliefs.paired import PairedBelief
from spotheight.evidence import PairedEvidence
from spotheight.models.protocol import Estimator


def fit_paired(evidence: PairedEvidence, by: Estimator) -> PairedBelief:
    """Who is right, from surfaces that reckon with labels that were chosen."""
    one, first, both = (by.fit(question) for question in evidence.questions)
    return PairedBelief(
        evidence.cells,
        evidence.counts,
        evidence.counts,
        evidence.rest,
        evidence.outcomes,
        estimator=repr(by),
        surfaces=(one, first, both),
    )
