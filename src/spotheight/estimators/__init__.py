"""Estimators: from evidence to a belief."""

from spotheight.estimators.additive import Additive
from spotheight.estimators.beta import Beta
from spotheight.estimators.betagp import BetaGP
from spotheight.estimators.counts import Frequencies
from spotheight.estimators.dirichlet import Dirichlet
from spotheight.estimators.empirical import EmpiricalBeta
from spotheight.estimators.kernel import KernelVectors
from spotheight.estimators.noisy import Counted, Learned, Naive, VettedOnly
from spotheight.estimators.pooled import Pooled
from spotheight.estimators.protocol import ClassEstimator, Estimator, ItemEstimator

__all__ = [
    "Additive",
    "Beta",
    "BetaGP",
    "ClassEstimator",
    "Counted",
    "Dirichlet",
    "EmpiricalBeta",
    "Estimator",
    "Frequencies",
    "ItemEstimator",
    "KernelVectors",
    "Learned",
    "Naive",
    "Pooled",
    "VettedOnly",
]
