"""Lazy table of names: every algorithm and public name, and the module it is imported from.

This is the one place that knows modules by their names: campaign files, options, the names of
``import spotheight`` and its stub all read this table, and nothing is imported until a name is
used. A new estimator, policy or question is its own file and one line here; then
``python scripts/make_stub.py`` writes the stub anew.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

MEMBERS: Mapping[str, Mapping[str, str]] = {
    "estimator": {
        "additive": "spotheight.models.additive.estimator:Additive",
        "pooled": "spotheight.models.pooled:Pooled",
        "beta": "spotheight.models.beta:Beta",
        "eb-beta": "spotheight.models.empirical:EmpiricalBeta",
        "counts": "spotheight.models.counts:Frequencies",
        "berngp": "spotheight.models.betagp.estimator:BetaGP",
        "betagp-ab": "spotheight.models.betagp.estimator:BetaGP",
        "betagp": "spotheight.models.betagp.estimator:BetaGP",
        "betagp-sl": "spotheight.models.betagp.estimator:BetaGP",
        "betagp-slp": "spotheight.models.betagp.estimator:BetaGP",
    },
    "class estimator": {
        "dirichlet": "spotheight.models.dirichlet:Dirichlet",
    },
    "item estimator": {
        "learned": "spotheight.models.lists.noisy:Learned",
        "naive": "spotheight.models.lists.noisy:Naive",
        "counted": "spotheight.models.lists.noisy:Counted",
        "vetted-only": "spotheight.models.lists.noisy:VettedOnly",
        "kernel": "spotheight.models.lists.kernel:KernelVectors",
    },
    "policy": {
        "gain": "spotheight.policies.gain:Gain",
        "random": "spotheight.policies.passive:Random",
        "uniform": "spotheight.policies.passive:Uniform",
        "proportional": "spotheight.policies.passive:Proportional",
        "thompson": "spotheight.policies.thompson:Thompson",
        "top-two": "spotheight.policies.thompson:TopTwo",
        "multiple-play": "spotheight.policies.thompson:MultiplePlay",
        "epsilon-greedy": "spotheight.policies.optimist:EpsilonGreedy",
        "bayes-ucb": "spotheight.policies.optimist:BayesUCB",
        "variance": "spotheight.policies.variance:Variance",
        "expected-lambda": "spotheight.policies.sureness:ExpectedLambda",
        "mix": "spotheight.policies.mix:Mix",
        "expected-change": "spotheight.policies.change:ExpectedChange",
        "confident-mistake": "spotheight.policies.change:ConfidentMistake",
        "random-images": "spotheight.policies.change:RandomImages",
    },
    "task": {
        "estimate": "spotheight.questions.estimate:Estimate",
        "identify": "spotheight.questions.identify:Identify",
        "compare": "spotheight.questions.compare:Compare",
        "compare-services": "spotheight.questions.compare:CompareServices",
        "rank": "spotheight.questions.rank:Rank",
        "calibration": "spotheight.questions.calibration:Calibration",
        "confusion": "spotheight.questions.confusion:Confusion",
        "cost": "spotheight.questions.cost:Cost",
        "precision": "spotheight.questions.precision:PrecisionAt",
        "average-precision": "spotheight.questions.averageprecision:AveragePrecision",
        "rank-systems": "spotheight.questions.systems:RankSystems",
        "detection": "spotheight.questions.detection:Detection",
    },
    "quantity": {
        "metric": "spotheight.questions.quantities.hits:HitRate",
        "ece": "spotheight.questions.quantities.calibration:CalibrationError",
        "cost": "spotheight.questions.quantities.cost:ExpectedCost",
    },
    "metric": {
        "accuracy": "spotheight.metrics:Accuracy",
        "agreement": "spotheight.metrics:Agreement",
        "recall": "spotheight.metrics:Recall",
        "precision": "spotheight.metrics:Precision",
        "false-positive-rate": "spotheight.metrics:FalsePositiveRate",
        "closeness": "spotheight.metrics:Closeness",
        "number": "spotheight.metrics:Number",
        "verdict": "spotheight.metrics:Verdict",
    },
    "calibration": {
        "raw": "spotheight.guesses.calibration:CalRaw",
        "temp": "spotheight.guesses.calibration:CalTemp",
        "full": "spotheight.guesses.calibration:CalFull",
    },
    "event": {
        "asked": "spotheight.history.events:Asked",
        "told": "spotheight.history.events:Told",
        "corrected": "spotheight.history.events:Corrected",
        "attributed": "spotheight.history.events:Attributed",
        "skipped": "spotheight.history.events:Skipped",
        "released": "spotheight.history.events:Released",
        "relinked": "spotheight.history.events:Relinked",
    },
}
"""What each noun's names stand for; several names may share a type."""

PRESETS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "estimator": {
        "berngp": {"parameters": "bernoulli"},
        "betagp-ab": {"parameters": "alpha-beta"},
        "betagp-sl": {"scale_supervision": "gamma", "beta": "belief"},
        "betagp-slp": {"scale_supervision": "gamma", "pooling": "kernel", "beta": "belief"},
    },
}
"""Fields with another default under some names, where a type has several."""

HINTS: Mapping[str, str] = {
    "spotheight.models.protocol:Estimator": "estimator",
    "spotheight.models.protocol:ClassEstimator": "class estimator",
    "spotheight.models.protocol:ItemEstimator": "item estimator",
    "spotheight.policies.view:Policy": "policy",
    "spotheight.policies.turns:TurnPolicy": "policy",
    "spotheight.questions.protocol:Task": "task",
    "spotheight.questions.lists:ListTask": "task",
    "spotheight.questions.quantities.protocol:Quantity": "quantity",
    "spotheight.metrics:Metric": "metric",
    "spotheight.guesses.calibration:Calibrator": "calibration",
}
"""Protocols, as fields are annotated with them, and the noun whose names may stand there."""

SPEC = "spotheight.campaign.spec:Spec"

OTHERS = (
    SPEC,
    "spotheight.beliefs.reading:Reading",
    "spotheight.beliefs.surface:Surface",
    "spotheight.campaign.campaign:Campaign",
    "spotheight.errors:InputError",
    "spotheight.errors:SpotheightError",
    "spotheight.history.events:Query",
    "spotheight.history.receipt:Receipt",
    "spotheight.pool.engine:TablePool",
    "spotheight.pool.memory:ColumnPool",
    "spotheight.pool.protocol:Pool",
    "spotheight.pool.reading.files:PoolFiles",
    "spotheight.pool.reading.models:AttributeModel",
    "spotheight.pool.reading.read:read_pool",
    "spotheight.pool.roles:Threshold",
    "spotheight.questions.quantities.cost:Costs",
    "spotheight.workspace.workspace:Workspace",
    "spotheight.workspace:open",
)
"""What else ``import spotheight`` offers: members of all nouns but events are public too."""


def load(place: str) -> Any:
    """Import what stands at ``module:Name``; only ever called with a place of this table."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


@cache
def public() -> Mapping[str, str]:
    """The names of ``import spotheight``, in order, and their places."""
    members = (p for noun, places in MEMBERS.items() if noun != "event" for p in places.values())
    return {place.partition(":")[2]: place for place in sorted({*members, *OTHERS}, key=_name)}


def _name(place: str) -> str:
    return place.partition(":")[2]
