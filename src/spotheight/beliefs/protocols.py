"""Protocols for what is asked of any belief, whatever model it comes from."""

from typing import Protocol

from spotheight.numerics.regression.design import Sparse
from spotheight.types import FloatArray


class Gains(Protocol):
    """Expected drop of a loss by one more label: the summed variance of some targets.

    A batch takes one cell after another.
    """

    def drop(self) -> FloatArray:
        """By how much a label in each cell would lower the loss, on average."""
        ...

    def took(self, cell: int) -> None:
        """Reckon with a label in this cell from now on, whatever it will be."""
        ...


class Foresight(Protocol):
    """What labels to come would tell, by a model in which arms teach about each other."""

    def gains(self, targets: Sparse) -> Gains:
        """What one more label is worth; ``targets`` is (targets, arms): weighted sums of arms."""
        ...

    def doubts(self, targets: Sparse) -> FloatArray:
        """The deviation of one item's outcome in each cell: 1/2 where it is anyone's guess.

        What is not known of the chance is part of it.
        """
        ...
