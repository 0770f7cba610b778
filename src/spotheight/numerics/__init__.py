"""Formulas without a noun of ours: distributions, regression, joint distributions, ranking."""
