"""Hits over the arms of a question, where labels may have been chosen by others."""

from spotheight.beliefs import Surface
from spotheight.beliefs.lumped import lump
from spotheight.evidence import Cut, Evidence
from spotheight.evidence.gather import EvidenceBuilder
from spotheight.models.protocol import Estimator


def fit_chosen(evidence: Evidence, by: Estimator, records: EvidenceBuilder, *cuts: Cut) -> Surface:
    """A surface over the arms of the evidence; ``cuts`` are the question's and the campaign's.

    Labels chosen by some groups are no random sample of others, so a question is read off arms that
    are cut both ways. Only where arms share what they know: others would each fall back on their
    prior.
    """
    finer = records.finer(*cuts) if getattr(by, "joins_arms", False) else None
    return by.fit(evidence) if finer is None else lump(by.fit(finer), evidence)
