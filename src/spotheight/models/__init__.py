"""Estimators: from evidence to a belief; a file or a folder for each."""

from spotheight.models.additive import Additive
from spotheight.models.beta import Beta
from spotheight.models.betagp import BetaGP
from spotheight.models.counts import Frequencies
from spotheight.models.dirichlet import Dirichlet
from spotheight.models.empirical import EmpiricalBeta
from spotheight.models.lists import Counted, KernelVectors, Learned, Naive, VettedOnly
from spotheight.models.pooled import Pooled
from spotheight.models.protocol import ClassEstimator, Estimator, ItemEstimator

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
