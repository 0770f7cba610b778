"""What every policy promises: nothing twice, nothing that is not there, chances that are true."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng

from spotheight.models.beta import Beta
from spotheight.policies import Choice, View
from spotheight.policies.turns import Turns, draw_turns
from spotheight.testing import worlds
from spotheight.testing.kept import KeptContract
from spotheight.types import FloatArray, IntArray

SIZES, HITS, TRIALS = (5, 3, 1, 4), (2, 0, 0, 1), (2, 1, 0, 1)
LEFT = (3, 2, 1, 3)
"""Four arms, one of them without a label."""

MANY = 400
"""Streams over which chances are held against what comes: twice too small shows in each cell."""


def view_of(left: Sequence[int] = LEFT, **changes: Any) -> View:
    """What a policy sees of the four arms, so many items being left in each."""
    evidence = worlds.evidence(HITS, TRIALS, SIZES)
    surface = changes.get("estimator", Beta()).fit(evidence)
    return worlds.view(evidence.cells, surface, changes.get("task"), left=left)


def cells_of(choices: Sequence[Choice]) -> IntArray:
    """The cell of each choice."""
    return np.array([choice.cell for choice in choices], dtype=np.int64)


class PolicyContract(KeptContract):
    """Subclass it and give ``make``, and ``view`` where the policy serves some tasks only."""

    field = "policy"

    def view(self, left: Sequence[int] = LEFT) -> View:
        """Four arms of which so many items are left, and what is believed about them."""
        return view_of(left)

    def choose(self, view: View, n: int, seed: int = 0) -> tuple[Choice, ...]:
        """What the policy to be tried chooses."""
        choices: tuple[Choice, ...] = self.make().choose(view, n, default_rng(seed))
        return choices

    def test_as_many_as_asked_for(self) -> None:
        assert len(self.choose(self.view(), 5)) == 5

    def test_never_more_than_is_left(self) -> None:
        view = self.view()
        choices = self.choose(view, int(view.left.sum()) + 3)
        np.testing.assert_array_equal(np.bincount(cells_of(choices)), view.left)

    def test_an_exhausted_arm_is_passed_over(self) -> None:
        for empty in range(4):
            left = np.array(LEFT)
            left[empty] = 0
            choices = self.choose(self.view(left.tolist()), 6, empty)
            assert len(choices) == 6
            assert empty not in cells_of(choices)

    def test_an_exhausted_pool_gives_nothing(self) -> None:
        assert self.choose(self.view((0, 0, 0, 0)), 3) == ()

    def test_the_last_item_is_certain(self) -> None:
        (choice,) = self.choose(self.view((0, 0, 0, 1)), 3)
        assert choice.cell == 3
        assert choice.chance is None or abs(choice.chance - 1) < 1e-6

    def test_the_same_stream_gives_the_same_choices(self) -> None:
        first, second = (self.choose(self.view(), 6, 11) for _ in range(2))
        assert first == second

    def test_the_view_is_left_as_it_was(self) -> None:
        view = self.view()
        before = view.left.copy()
        self.choose(view, 6)
        np.testing.assert_array_equal(view.left, before)

    def test_every_choice_says_why(self) -> None:
        assert all(choice.why for choice in self.choose(self.view(), 6))

    def test_all_choices_have_a_chance_or_none_has(self) -> None:
        chances = [choice.chance for choice in self.choose(self.view(), 6)]
        assert len({chance is None for chance in chances}) == 1
        assert all(chance is None or 0 < chance <= 1 + 1e-9 for chance in chances)

    def test_items_come_as_often_as_their_chances_say(self) -> None:
        """Weighed by one over its chance no cell counts for more items than are left in it.

        Five standard errors over ``MANY`` streams: a false alarm in three million.
        """
        view = self.view()
        chosen = [self.choose(view, 1, seed)[0] for seed in range(MANY)]
        weight = np.array([1 / choice.chance if choice.chance else 0.0 for choice in chosen])
        for cell, left in enumerate(view.left):
            counted = np.where(cells_of(chosen) == cell, weight, 0.0)
            error = counted.std() / np.sqrt(MANY)
            assert counted.mean() <= left + 5 * error + 1e-9


class TurnPolicyContract(PolicyContract):
    """For policies that say every cell's chance before each turn too, as ``mix`` needs."""

    def turns(self, view: View, rng: Generator) -> Turns:
        """A batch by the policy to be tried."""
        turns: Turns = self.make().turns(view, rng)
        return turns

    def test_chances_of_a_turn_add_up_to_one_over_the_items_left(self) -> None:
        """And an item whose cell is empty has none."""
        view = self.view()
        turns, left = self.turns(view, default_rng(3)), view.left.copy()
        for cell in (0, 2, 0, 0, 1, 1, 3):
            weight = turns.weights(left)
            assert abs(weight.sum() - 1) < 1e-6
            assert (weight >= 0).all()
            assert not weight[left == 0].any()
            turns.took(cell)
            left[cell] -= 1

    def test_the_recorded_chance_is_that_of_its_turn(self) -> None:
        """Each choice carries the chance of its cell divided by the items left there."""
        view, rng = self.view(), default_rng(5)
        watched = _Watched(self.turns(view, rng))
        choices = draw_turns(watched, view.left, 8, rng)
        assert choices == self.choose(view, 8, 5)
        for choice, (weight, left) in zip(choices, watched.said, strict=True):
            expected = weight[choice.cell] / left[choice.cell]
            assert choice.chance is None or abs(choice.chance - expected) < 1e-6 * expected

    def test_looking_at_a_turn_again_does_not_change_it(self) -> None:
        view = self.view()
        turns = self.turns(view, default_rng(5))
        np.testing.assert_array_equal(turns.weights(view.left), turns.weights(view.left))


@dataclass
class _Watched:
    """Turns that remember what they said before each choice."""

    turns: Turns
    said: list[tuple[FloatArray, IntArray]] = field(default_factory=list)

    @property
    def has_chances(self) -> bool:
        return self.turns.has_chances

    def weights(self, left: IntArray) -> FloatArray:
        self.said.append((self.turns.weights(left), left.copy()))
        return self.said[-1][0]

    def reason(self, cell: int, rng: Generator) -> str:
        return self.turns.reason(cell, rng)

    def took(self, cell: int) -> None:
        self.turns.took(cell)
