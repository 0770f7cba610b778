"""The additive surface: multilevel logistic regression over arms and score cells."""

from spotheight.models.additive.estimator import Additive

__all__ = ["Additive"]
