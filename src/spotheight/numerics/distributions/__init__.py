"""Distributions, many at a time: beta, beta-binomial, Dirichlet, their mixtures and intervals."""
