"""Policies: what to label next."""

from spotheight.policies.change import ConfidentMistake, ExpectedChange, RandomImages
from spotheight.policies.gain import Gain
from spotheight.policies.mix import Mix
from spotheight.policies.optimist import BayesUCB, EpsilonGreedy
from spotheight.policies.passive import Proportional, Random, Uniform
from spotheight.policies.sureness import ExpectedLambda
from spotheight.policies.thompson import MultiplePlay, Thompson, TopTwo
from spotheight.policies.turns import TurnPolicy
from spotheight.policies.variance import Variance
from spotheight.policies.view import Choice, Policy, View

__all__ = [
    "BayesUCB",
    "Choice",
    "ConfidentMistake",
    "EpsilonGreedy",
    "ExpectedChange",
    "ExpectedLambda",
    "Gain",
    "Mix",
    "MultiplePlay",
    "Policy",
    "Proportional",
    "Random",
    "RandomImages",
    "Thompson",
    "TopTwo",
    "TurnPolicy",
    "Uniform",
    "Variance",
    "View",
]
