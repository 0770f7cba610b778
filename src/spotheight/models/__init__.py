"""Estimators: from evidence to a belief; a file or a folder for each."""

from spotheight.models.protocol import ClassEstimator, Estimator, ItemEstimator

__all__ = ["ClassEstimator", "Estimator", "ItemEstimator"]
