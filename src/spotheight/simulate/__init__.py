"""Replaying a fully labelled table: how a method earns its place."""

from spotheight.simulate.plan import Simulation
from spotheight.simulate.run import simulate

__all__ = ["Simulation", "simulate"]
