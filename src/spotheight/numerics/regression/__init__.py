"""Regressions: logistic models with learned scales, their modes and draws."""
