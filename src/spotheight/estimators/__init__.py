"""Estimators: from evidence to a belief."""

from spotheight.estimators.additive import Additive
from spotheight.estimators.beta import Beta
from spotheight.estimators.counts import Frequencies
from spotheight.estimators.dirichlet import Dirichlet
from spotheight.estimators.empirical import EmpiricalBeta
from spotheight.estimators.noisy import Naive, NoisyCounts
from spotheight.estimators.pooled import Pooled
from spotheight.estimators.protocol import ClassEstimator, Estimator, ItemEstimator

__all__ = [
    "Additive",
    "Beta",
    "ClassEstimator",
    "Dirichlet",
    "EmpiricalBeta",
    "Estimator",
    "Frequencies",
    "ItemEstimator",
    "Naive",
    "NoisyCounts",
    "Pooled",
]
