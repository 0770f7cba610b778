"""What is to be replayed."""

from dataclasses import dataclass, field

from spotheight.beliefs.reading import Estimand
from spotheight.errors import InputError
from spotheight.guesses import CalFull, Calibrator
from spotheight.metrics import Accuracy, Metric
from spotheight.models import Estimator, ItemEstimator
from spotheight.policies import Policy
from spotheight.questions import Task, is_about_items
from spotheight.questions.compare import CompareServices
from spotheight.questions.estimate import Estimate


@dataclass(frozen=True, kw_only=True)
class Simulation:
    """A replay of a fully labelled table: every estimator with every policy, on the same seeds.

    Args:
        estimators: To be compared; item estimators for tasks about ranked lists.
        policies: To be compared; one that looks at the belief looks at the estimator under test.
        budgets: After how many labels to read the surface.
        seeds: One campaign each.
        task: The question that the policy serves.
        metric: What a hit is.
        service: Whose answers are judged; empty means the first service.
        batch: How many labels are asked for at a time; fewer where a budget is to be met.
        warm: How many labels are drawn at random before the policy starts.
        told: Of how many labels, the first ones, true levels of guessed attributes are told too;
            ``None`` means of all.
        holdout: The share of every arm's items that is never asked for and gives the truth;
            ``None`` takes the truth from all items.
        level: Of the intervals whose coverage is measured.
        calibration: What is made of attributes that are only guessed.
        is_exact: Whether every campaign draws the random numbers that ``ask`` would draw. Without
            that, campaigns of ``Beta`` that are run together (see ``simulate``) may share them:
            the same law in a fraction of the time, but a seed alone no longer tells a campaign.
    """

    estimators: tuple[Estimator | ItemEstimator, ...]
    policies: tuple[Policy, ...]
    budgets: tuple[int, ...]
    seeds: tuple[int, ...]
    task: Task = field(default_factory=Estimate)
    metric: Metric = field(default_factory=Accuracy)
    service: str = ""
    batch: int = 12
    warm: int = 0
    told: int | None = None
    holdout: float | None = None
    level: float = 0.9
    calibration: Calibrator = field(default_factory=CalFull)
    is_exact: bool = True

    def __post_init__(self) -> None:
        for noun in ("estimators", "policies", "budgets", "seeds"):
            if not getattr(self, noun):
                raise InputError(f"A simulation without {noun} has nothing to do; name one.")
        _at_least(1, "A budget", min(self.budgets))
        _at_least(0, "A seed", min(self.seeds))
        _at_least(1, "The batch", self.batch)
        _at_least(0, "The number of warm labels", self.warm)
        _at_least(0, "The number of labels with told levels", self.told or 0)
        for noun, share in (("holdout", self.holdout), ("level", self.level)):
            if share is not None and not 0 < share < 1:
                raise InputError(f"The {noun} of a simulation lies between 0 and 1, got {share}.")
        if self.holdout is not None and is_about_items(self.task):
            raise InputError(
                f"The lists of {type(self.task).__name__} are about these items alone; "
                f"leave the holdout of {self.holdout} away."
            )

    @property
    def estimand(self) -> Estimand:
        """What is held against the truth: these items, or the service on items never asked for."""
        return "pool" if self.holdout is None else "rate"

    @property
    def surface_task(self) -> Estimate:
        """The surface that is scored: the task's own, or the campaign's where the task has none."""
        return self.task if isinstance(self.task, Estimate) else Estimate()

    @property
    def judged(self) -> tuple[str, ...]:
        """The services whose truth is needed; the one whose surface is scored comes first."""
        names = [self.surface_task.service or self.service, self.service]
        if isinstance(self.task, CompareServices):
            names += [self.task.first, self.task.second]
        return tuple(dict.fromkeys(names))


def _at_least(least: int, noun: str, number: int) -> None:
    if number < least:
        raise InputError(f"{noun} of a simulation must be at least {least}, got {number}.")
