"""Twins of the surface cases, in which the model is right: what coverage can be asked of it."""
