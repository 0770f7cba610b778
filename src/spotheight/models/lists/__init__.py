"""Estimators for listed items: what a noisy label that nobody has vetted is worth."""

from spotheight.models.lists.kernel import KernelVectors
from spotheight.models.lists.noisy import Counted, Learned, Naive, VettedOnly

__all__ = ["Counted", "KernelVectors", "Learned", "Naive", "VettedOnly"]
