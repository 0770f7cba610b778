"""Policies: what to label next."""

from spotheight.policies.turns import TurnPolicy
from spotheight.policies.view import Choice, Policy, View

__all__ = ["Choice", "Policy", "TurnPolicy", "View"]
