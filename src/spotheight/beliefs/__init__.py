"""Beliefs after some labels: surfaces, outcomes per arm, items one by one."""

from spotheight.beliefs.apart import are_apart
from spotheight.beliefs.categorical import DirichletBelief
from spotheight.beliefs.items import ItemBelief
from spotheight.beliefs.objects import SceneBelief
from spotheight.beliefs.paired import PairedBelief
from spotheight.beliefs.population import Population
from spotheight.beliefs.posterior import BetaRate, FinitePool, Posterior
from spotheight.beliefs.reading import Reading
from spotheight.beliefs.shares import VarianceShares, variance_shares
from spotheight.beliefs.surface import Surface

__all__ = [
    "BetaRate",
    "DirichletBelief",
    "FinitePool",
    "ItemBelief",
    "PairedBelief",
    "Population",
    "Posterior",
    "Reading",
    "SceneBelief",
    "Surface",
    "VarianceShares",
    "are_apart",
    "variance_shares",
]
