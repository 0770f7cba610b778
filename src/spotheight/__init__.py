"""Draw a black-box service's accuracy as a surface over attributes, from few labels."""

from importlib import import_module
from typing import Any

_HOME = {
    "spotheight.guesses": ("CalFull", "CalRaw", "CalTemp"),
    "spotheight.beliefs": ("Reading", "Surface"),
    "spotheight.campaign": ("Campaign",),
    "spotheight.errors": ("InputError", "SpotheightError"),
    "spotheight.models": (
        "Additive",
        "Beta",
        "BetaGP",
        "Counted",
        "Dirichlet",
        "EmpiricalBeta",
        "Frequencies",
        "KernelVectors",
        "Learned",
        "Naive",
        "Pooled",
        "VettedOnly",
    ),
    "spotheight.history.events": ("Query",),
    "spotheight.metrics": (
        "Accuracy",
        "Agreement",
        "Closeness",
        "FalsePositiveRate",
        "Number",
        "Precision",
        "Recall",
        "Verdict",
    ),
    "spotheight.policies": (
        "BayesUCB",
        "ConfidentMistake",
        "EpsilonGreedy",
        "ExpectedChange",
        "ExpectedLambda",
        "Gain",
        "Mix",
        "MultiplePlay",
        "Proportional",
        "Random",
        "RandomImages",
        "Thompson",
        "TopTwo",
        "Uniform",
        "Variance",
    ),
    "spotheight.pool": (
        "AttributeModel",
        "ColumnPool",
        "Pool",
        "PoolFiles",
        "TablePool",
        "Threshold",
        "read_pool",
    ),
    "spotheight.questions.quantities": ("CalibrationError", "Costs", "ExpectedCost", "HitRate"),
    "spotheight.history.receipt": ("Receipt",),
    "spotheight.campaign.spec": ("Spec",),
    "spotheight.questions": (
        "AveragePrecision",
        "Calibration",
        "Compare",
        "CompareServices",
        "Confusion",
        "Cost",
        "Detection",
        "Estimate",
        "Identify",
        "PrecisionAt",
        "Rank",
        "RankSystems",
    ),
    "spotheight.workspace": ("Workspace", "open"),
}
# __init__.pyi says the same to type checkers; a test keeps the two alike.
_MODULE = {name: module for module, names in _HOME.items() for name in names}

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used, so that ``spotheight --help`` is instant."""
    if name not in _MODULE:
        raise AttributeError(f"module 'spotheight' has no attribute {name!r}")
    return getattr(import_module(_MODULE[name]), name)


def __dir__() -> list[str]:
    return sorted(_MODULE)
