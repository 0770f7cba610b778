"""Specification: all decisions of a campaign as one value."""

from collections.abc import Iterable
from dataclasses import MISSING, dataclass, field, fields

from spotheight.errors import InputError
from spotheight.guesses import CalFull, Calibrator
from spotheight.metrics import Accuracy, Metric
from spotheight.models import ClassEstimator, Estimator, ItemEstimator
from spotheight.models.additive.estimator import Additive
from spotheight.models.dirichlet import Dirichlet
from spotheight.models.lists.noisy import Learned
from spotheight.policies import Policy
from spotheight.policies.gain import Gain
from spotheight.pool.roles import Roles
from spotheight.questions import Task, is_about_items
from spotheight.questions.estimate import Estimate


@dataclass(frozen=True, kw_only=True)
class Spec:
    """Everything that decides a campaign, except the pool and the labels.

    Args:
        estimator: Draws the surface.
        class_estimator: For questions about outcomes, such as the confusion matrix.
        item_estimator: For questions about items one by one, such as Precision@K.
        policy: Chooses what to label.
        task: The question the policy serves.
        metric: What a hit is.
        calibration: What is made of attributes that are only guessed, once the true levels of some
            items are told.
        service: Whose answers are judged first; empty means the first service.
        seed: Of every random choice.
        budget: How many labels there is money for; ``None`` for no limit.
        level: Of all intervals.
    """

    estimator: Estimator = field(default_factory=Additive)
    class_estimator: ClassEstimator = field(default_factory=Dirichlet)
    item_estimator: ItemEstimator = field(default_factory=Learned)
    policy: Policy = field(default_factory=Gain)
    task: Task = field(default_factory=Estimate)
    metric: Metric = field(default_factory=Accuracy)
    calibration: Calibrator = field(default_factory=CalFull)
    service: str = ""
    seed: int = 0
    budget: int | None = None
    level: float = 0.9

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, str) and each.default_factory is not MISSING:
                raise InputError(
                    f"Spec needs an object for {each.name}, such as "
                    f"{type(each.default_factory()).__name__}(), not the text {value!r}."
                )
        if self.budget is not None and self.budget < 1:
            raise InputError(f"The budget must be at least 1 label, got {self.budget}.")
        if not isinstance(self.seed, int) or isinstance(self.seed, bool) or self.seed < 0:
            raise InputError(f"The seed must be a whole number from 0 on, got {self.seed!r}.")
        if not 0 < self.level < 1:
            raise InputError(f"The level of intervals lies between 0 and 1, got {self.level!r}.")


def require_answers(roles: Roles, services: Iterable[str], metric: Metric, task: Task) -> None:
    """Raise where every item would be a miss, for want of answers; lists are judged by scores."""
    if metric.reads != "class" or is_about_items(task):
        return
    silent = [name for name in services if not roles.service(name).answers]
    if silent:
        raise InputError(
            f"The service {silent[0]!r} has no answers that could be judged; "
            f"name their column with --prediction, or read them off its score with --threshold."
        )
