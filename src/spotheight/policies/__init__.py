"""Policies: what to label next."""

from spotheight.policies.change import ExpectedChange
from spotheight.policies.gain import Gain
from spotheight.policies.mix import Mix
from spotheight.policies.passive import Proportional, Random, Uniform
from spotheight.policies.thompson import Thompson
from spotheight.policies.turns import TurnPolicy
from spotheight.policies.view import Choice, Policy, View

__all__ = [
    "Choice",
    "ExpectedChange",
    "Gain",
    "Mix",
    "Policy",
    "Proportional",
    "Random",
    "Thompson",
    "TurnPolicy",
    "Uniform",
    "View",
]
