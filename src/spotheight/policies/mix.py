"""Mixture of two policies."""

from dataclasses import dataclass, field

from numpy.random import Generator

from spotheight.errors import InputError
from spotheight.policies.passive import Random
from spotheight.policies.thompson import Thompson
from spotheight.policies.turns import TurnPolicy, Turns
from spotheight.policies.view import View
from spotheight.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Mixed:
    """Turns of two policies: chances add up, so they are positive wherever one's are."""

    share: float
    first: Turns = field(repr=False)
    second: Turns = field(repr=False)
    _now: list[FloatArray] = field(default_factory=list, repr=False)
    """At this turn the part of the first, and both; whoever asks for a reason has just seen it."""

    @property
    def has_chances(self) -> bool:
        is_first = self.first.has_chances and self.share > 0
        is_second = self.second.has_chances and self.share < 1
        return is_first or is_second

    def weights(self, left: IntArray) -> FloatArray:
        ours = self.share * self.first.weights(left)
        self._now[:] = [ours, ours + (1 - self.share) * self.second.weights(left)]
        return self._now[1]

    def took(self, cell: int) -> None:
        self._now.clear()
        self.first.took(cell)
        self.second.took(cell)

    def reason(self, cell: int, rng: Generator) -> str:
        """Tell one policy's reason, as often as the item came from it."""
        ours, both = (part[cell] for part in self._now)
        is_first = rng.random() * both < ours
        return (self.first if is_first else self.second).reason(cell, rng)


@dataclass(frozen=True)
class Mix(TurnPolicy):
    """Follow the first policy for a ``share`` of the turns and the second for the rest.

    A share of random draws keeps every item's chance positive, so that unbiased estimates stay
    possible beside the surface.
    """

    share: float = 0.2
    first: TurnPolicy = field(default_factory=Random)
    second: TurnPolicy = field(default_factory=Thompson)

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise InputError(f"The share of a mix is from 0 to 1, got {self.share:g}.")

    def turns(self, view: View, rng: Generator) -> Turns:
        return Mixed(self.share, self.first.turns(view, rng), self.second.turns(view, rng))
