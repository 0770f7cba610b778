"""The names of algorithms, and the types behind them."""

from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any

from spotheight import guesses as attributes
from spotheight import metrics, policies
from spotheight import models as estimators
from spotheight import questions as tasks
from spotheight.errors import InputError, did_you_mean
from spotheight.history import events as log
from spotheight.questions import quantities


@dataclass(frozen=True)
class Family:
    """Values that can stand in one place, by their names.

    Args:
        noun: What they are called together.
        members: The type behind each name.
        presets: Fields with another default under some names, where a type has several.
    """

    noun: str
    members: Mapping[str, type]
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def of(self, name: str) -> type:
        """The member of this name."""
        if name not in self.members:
            # No other place lists the names, so none is left out. What is at home in another family
            # is no slip of the pen, and a name like it would mislead.
            is_elsewhere = any(name in other.members for other in KINDS_OF_ESTIMATORS)
            hint = (
                f"there is {', '.join(self.members)}."
                if is_elsewhere
                else did_you_mean(name, self.members, most=len(self.members))
            )
            raise InputError(f"There is no {self.noun} {name!r}; {hint}")
        return self.members[name]

    def name(self, value: object) -> str:
        """What a member is called: where names share a type, by what leaves least to be said.

        Of names that leave as much, the last.
        """
        names = [name for name, member in self.members.items() if type(value) is member]
        if not names:
            what = type(value).__name__
            raise InputError(f"{what} is no {self.noun} that can be written to a file.")
        return min(reversed(names), key=lambda name: len(self.unsaid(name, value)))

    def unsaid(self, name: str, value: Any) -> dict[str, Any]:
        """The fields of a member that its name does not tell."""
        preset = self.presets.get(name, {})
        defaults = {f.name: preset.get(f.name, default_of(f)) for f in fields(value)}
        told = {key: getattr(value, key) for key in defaults}
        return {key: content for key, content in told.items() if content != defaults[key]}


def default_of(of: Field[Any]) -> Any:
    """What a field is when nobody says."""
    return of.default if of.default_factory is MISSING else of.default_factory()


ESTIMATORS = Family(
    "estimator",
    {
        "additive": estimators.Additive,
        "pooled": estimators.Pooled,
        "beta": estimators.Beta,
        "eb-beta": estimators.EmpiricalBeta,
        "counts": estimators.Frequencies,
        "berngp": estimators.BetaGP,
        "betagp-ab": estimators.BetaGP,
        "betagp": estimators.BetaGP,
        "betagp-sl": estimators.BetaGP,
        "betagp-slp": estimators.BetaGP,
    },
    {
        "berngp": {"parameters": "bernoulli"},
        "betagp-ab": {"parameters": "alpha-beta"},
        "betagp-sl": {"scale_supervision": "gamma", "beta": "belief"},
        "betagp-slp": {"scale_supervision": "gamma", "pooling": "kernel", "beta": "belief"},
    },
)
CLASS_ESTIMATORS = Family("class estimator", {"dirichlet": estimators.Dirichlet})
ITEM_ESTIMATORS = Family(
    "item estimator",
    {
        "learned": estimators.Learned,
        "naive": estimators.Naive,
        "counted": estimators.Counted,
        "vetted-only": estimators.VettedOnly,
        "kernel": estimators.KernelVectors,
    },
)
KINDS_OF_ESTIMATORS = (ESTIMATORS, CLASS_ESTIMATORS, ITEM_ESTIMATORS)
POLICIES = Family(
    "policy",
    {
        "gain": policies.Gain,
        "random": policies.Random,
        "uniform": policies.Uniform,
        "proportional": policies.Proportional,
        "thompson": policies.Thompson,
        "top-two": policies.TopTwo,
        "multiple-play": policies.MultiplePlay,
        "epsilon-greedy": policies.EpsilonGreedy,
        "bayes-ucb": policies.BayesUCB,
        "variance": policies.Variance,
        "expected-lambda": policies.ExpectedLambda,
        "mix": policies.Mix,
        "expected-change": policies.ExpectedChange,
        "confident-mistake": policies.ConfidentMistake,
        "random-images": policies.RandomImages,
    },
)
TASKS = Family(
    "task",
    {
        "estimate": tasks.Estimate,
        "identify": tasks.Identify,
        "compare": tasks.Compare,
        "compare-services": tasks.CompareServices,
        "rank": tasks.Rank,
        "calibration": tasks.Calibration,
        "confusion": tasks.Confusion,
        "cost": tasks.Cost,
        "precision": tasks.PrecisionAt,
        "average-precision": tasks.AveragePrecision,
        "rank-systems": tasks.RankSystems,
        "detection": tasks.Detection,
    },
)
QUANTITIES = Family(
    "quantity",
    {
        "metric": quantities.HitRate,
        "ece": quantities.CalibrationError,
        "cost": quantities.ExpectedCost,
    },
)
METRICS = Family(
    "metric",
    {
        "accuracy": metrics.Accuracy,
        "agreement": metrics.Agreement,
        "recall": metrics.Recall,
        "precision": metrics.Precision,
        "false-positive-rate": metrics.FalsePositiveRate,
        "closeness": metrics.Closeness,
        "number": metrics.Number,
        "verdict": metrics.Verdict,
    },
)
CALIBRATIONS = Family(
    "calibration",
    {
        "raw": attributes.CalRaw,
        "temp": attributes.CalTemp,
        "full": attributes.CalFull,
    },
)
EVENTS = Family(
    "event",
    {
        "asked": log.Asked,
        "told": log.Told,
        "corrected": log.Corrected,
        "attributed": log.Attributed,
        "skipped": log.Skipped,
        "released": log.Released,
        "relinked": log.Relinked,
    },
)

BY_HINT: dict[object, Family] = {
    estimators.Estimator: ESTIMATORS,
    estimators.ClassEstimator: CLASS_ESTIMATORS,
    estimators.ItemEstimator: ITEM_ESTIMATORS,
    policies.Policy: POLICIES,
    policies.TurnPolicy: POLICIES,
    tasks.Task: TASKS,
    tasks.ListTask: TASKS,
    quantities.Quantity: QUANTITIES,
    metrics.Metric: METRICS,
    attributes.Calibrator: CALIBRATIONS,
    log.Event: EVENTS,
}
FAMILIES = tuple({id(family): family for family in BY_HINT.values()}.values())
