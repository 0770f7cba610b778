"""The one way from labels to a belief: which estimator reads which evidence."""

from dataclasses import replace

from spotheight.beliefs import Surface
from spotheight.campaign.spec import Spec
from spotheight.evidence import ClassEvidence, Evidence, PairedEvidence
from spotheight.evidence.gather import EvidenceBuilder
from spotheight.models.chosen import fit_chosen
from spotheight.models.paired import fit_paired
from spotheight.questions import Belief, Task


def fitted(
    task: Task, records: EvidenceBuilder, spec: Spec, start: Surface | None = None
) -> Belief:
    """What is believed about a task after the labels of one moment.

    Args:
        task: Names its evidence.
        records: Make the evidence.
        spec: Names the estimators.
        start: An earlier belief, from which a slow estimator goes on.
    """
    evidence = task.evidence(records)
    if isinstance(evidence, Evidence):
        if start is None:
            cuts = task.cut, spec.task.cut
            surface = fit_chosen(evidence, spec.estimator, records, *cuts)
        else:
            surface = spec.estimator.fit(evidence, start)
        names, is_error = repr(spec.estimator), spec.metric.is_error
        return replace(surface, seen=evidence.counts, estimator=names, is_error=is_error)
    if isinstance(evidence, PairedEvidence):
        return fit_paired(evidence, spec.estimator)
    if isinstance(evidence, ClassEvidence):
        return _fitted_classes(evidence, spec)
    return replace(spec.item_estimator.fit(evidence), estimator=repr(spec.item_estimator))


def _fitted_classes(evidence: ClassEvidence, spec: Spec) -> Belief:
    """Outcomes of each arm; the surface says how often an answer is right, where it is asked."""
    by, names = spec.class_estimator, repr(spec.class_estimator)
    if evidence.hits is None or not by.needs_surface:
        return replace(by.fit(evidence), estimator=names)
    surface = spec.estimator.fit(evidence.hits)
    return replace(by.fit(evidence, surface), estimator=f"{names} on {spec.estimator!r}")
