"""Fitting: the one way from labels to a belief, and which estimator reads which evidence.

What a belief rests on (``seen``, ``estimator``, ``is_error``) is written down here.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import cast

from spotheight.beliefs import PairedBelief, Surface
from spotheight.beliefs.lumped import lump
from spotheight.campaign.spec import Spec
from spotheight.evidence import ClassEvidence, Evidence, PairedEvidence
from spotheight.evidence.gather import EvidenceBuilder
from spotheight.models import Estimator
from spotheight.questions import Belief, Task


def fitted(
    task: Task,
    records: EvidenceBuilder,
    spec: Spec,
    earlier: Callable[[], Belief | None] = lambda: None,
) -> Belief:
    """What is believed about a task after the labels of one moment.

    Args:
        task: Names its evidence.
        records: Make the evidence.
        spec: Names the estimators.
        earlier: Finds an earlier belief about the same task, at which a slow estimator begins.
    """
    evidence = task.evidence(records)
    if isinstance(evidence, Evidence):
        by = spec.estimator
        # A belief about hits is always a surface.
        start = cast(Surface | None, earlier()) if by.is_slow else None
        surface = _cold(task, evidence, records, spec) if start is None else by.fit(evidence, start)
        return sourced(surface, evidence, spec)
    if isinstance(evidence, PairedEvidence):
        return replace(fitted_pair(evidence, spec.estimator), estimator=repr(spec.estimator))
    if isinstance(evidence, ClassEvidence):
        return _fitted_classes(evidence, spec)
    return replace(spec.item_estimator.fit(evidence), estimator=repr(spec.item_estimator))


def sourced(surface: Surface, evidence: Evidence, spec: Spec) -> Surface:
    """The surface with what it rests on."""
    names, is_error = repr(spec.estimator), spec.metric.is_error
    return replace(surface, seen=evidence.counts, estimator=names, is_error=is_error)


def _cold(task: Task, evidence: Evidence, records: EvidenceBuilder, spec: Spec) -> Surface:
    """A cold fit over arms cut both by task and campaign, aggregated to the task's.

    Labels chosen by some groups are no random sample of others. Only where arms share what they
    know: others would each fall back on their prior.
    """
    by = spec.estimator
    finer = records.finer(task.cut, spec.task.cut) if by.joins_arms else None
    return by.fit(evidence) if finer is None else lump(by.fit(finer), evidence)


def fitted_pair(evidence: PairedEvidence, by: Estimator) -> PairedBelief:
    """Who of two services is right, from surfaces, which allow for labels that were chosen."""
    one, first, both = (by.fit(question) for question in evidence.questions)
    return PairedBelief(
        evidence.cells,
        evidence.counts,
        evidence.counts,
        evidence.rest,
        evidence.outcomes,
        surfaces=(one, first, both),
    )


def _fitted_classes(evidence: ClassEvidence, spec: Spec) -> Belief:
    """Outcomes of each arm; the surface says how often an answer is right, where it is asked."""
    by, names = spec.class_estimator, repr(spec.class_estimator)
    if evidence.hits is None or not by.needs_surface:
        return replace(by.fit(evidence), estimator=names)
    surface = spec.estimator.fit(evidence.hits)
    return replace(by.fit(evidence, surface), estimator=f"{names} on {spec.estimator!r}")
