"""What every estimator of a surface promises."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import default_rng

from spotheight.beliefs import Surface
from spotheight.evidence import Evidence, Rows
from spotheight.questions.estimate import Estimate
from spotheight.testing import worlds
from spotheight.testing.kept import KeptContract
from spotheight.types import FloatArray

RENAMED, HALVED = 1e-6, 1e-9
"""Sums over arms, and over halves of labels, may come out in another order."""


class EstimatorContract(KeptContract):
    """Subclass it and give ``make``; every test fits small worlds, some without a label.

    Args:
        tolerance: How far numbers may differ, absolutely, that are equal in truth: 0 for formulas,
            more for fits that stop somewhere.
    """

    field = "estimator"
    tolerance = 1e-6

    def fit(self, evidence: Evidence) -> Surface:
        """The surface by the estimator to be tried."""
        surface: Surface = self.make().fit(evidence)
        return surface

    def require_same(self, ours: Surface, theirs: Surface, rtol: float = 0.0) -> None:
        """Raise where two surfaces do not say the same of every arm."""
        np.testing.assert_allclose(spoken(ours), spoken(theirs), rtol=rtol, atol=self.tolerance)

    def test_renaming_arms_renames_the_answer(self) -> None:
        for seed, evidence in enumerate(worlds.evidences()):
            names = default_rng(seed).permutation(evidence.cells.arms)
            before, after = (spoken(self.fit(e)) for e in (evidence, renamed(evidence, names)))
            slack = max(self.tolerance, 1e-8)
            np.testing.assert_allclose(after[:, names], before, rtol=RENAMED, atol=slack)

    def test_the_order_of_labels_does_not_matter(self) -> None:
        for seed, evidence in enumerate(worlds.evidences()):
            order = default_rng(seed).permutation(len(evidence.hit))
            rows = evidence.rows
            arm, cell = rows.arm[order], rows.cell[order]
            moved = Rows(order, arm, cell, rows.weight[order], rows.chance[order])
            other = replace(evidence, rows=moved, hit=evidence.hit[order])
            self.require_same(self.fit(other), self.fit(evidence))

    def test_two_halves_of_a_label_are_one(self) -> None:
        for evidence in worlds.evidences():
            rows = evidence.rows
            item, arm, cell = (np.repeat(part, 2) for part in (rows.item, rows.arm, rows.cell))
            weight, chance = np.repeat([rows.weight / 2, rows.chance], 2, axis=1)
            hit, counted = np.repeat([evidence.hit, evidence.counted], 2, axis=1)
            halves = Rows(item, arm, cell, weight, chance)
            twice = Evidence(evidence.cells, halves, hit, counted)
            self.require_same(self.fit(twice), self.fit(evidence), rtol=HALVED)

    def test_intervals_lie_in_order_and_grow_with_the_level(self) -> None:
        for evidence in worlds.evidences():
            surface = self.fit(evidence)
            for read in (surface.of("pool"), surface.of("rate")):
                (low, high), (lowest, highest) = read.interval(0.5), read.interval(0.99)
                assert (lowest >= 0).all()
                assert (lowest <= low).all()
                assert (low <= high).all()
                assert (high <= highest).all()
                assert (highest <= 1).all()
                mean = read.mean[~np.isnan(read.mean)]  # a frequency without labels is no number
                assert ((mean >= 0) & (mean <= 1)).all()
                assert (read.belief.variance >= 0).all()

    def test_a_warm_start_gives_what_a_cold_one_gives(self) -> None:
        for evidence in worlds.evidences():
            cold = self.fit(evidence)
            self.require_same(self.make().fit(evidence, start=cold), cold)

    def test_evidence_is_left_as_it_was(self) -> None:
        for evidence in worlds.evidences():
            before = evidence.hit.copy(), evidence.rows.weight.copy(), evidence.cells.count.copy()
            self.fit(evidence)
            after = evidence.hit, evidence.rows.weight, evidence.cells.count
            for one, other in zip(before, after, strict=True):
                np.testing.assert_array_equal(one, other)

    def test_the_surface_can_be_drawn_and_says_what_a_label_is_worth(self) -> None:
        for evidence in worlds.evidences():
            surface = self.fit(evidence).of("rate")
            drawn = surface.draw(3, default_rng(1))
            np.testing.assert_array_equal(drawn, surface.draw(3, default_rng(1)))
            worth = Estimate().worth(surface, drawn)
            assert worth.shape == (3, evidence.cells.arms)
            assert np.isfinite(worth).all()

    def test_when_all_is_labelled_the_pool_is_known(self) -> None:
        surface = self.fit(worlds.scored(worlds.evidence([2, 0, 3], [3, 4, 3], [3, 4, 3])))
        expected = [2 / 3, 0, 1]
        np.testing.assert_allclose([surface.mean, *surface.interval()], [expected] * 3)
        np.testing.assert_allclose(surface.belief.variance, 0, atol=1e-18)
        np.testing.assert_allclose(surface.draw(5, default_rng(0)), [expected] * 5)
        assert surface.status().tolist() == ["complete"] * 3
        assert "complete" not in surface.of("rate").status().tolist()


def spoken(surface: Surface, level: float = 0.9) -> FloatArray:
    """All that a surface says of its arms, for both estimands, (numbers, arms)."""
    both = [surface.of("pool"), surface.of("rate")]
    return np.array(
        [part for read in both for part in (read.mean, read.belief.variance, *read.interval(level))]
    )


def renamed(evidence: Evidence, names: Any) -> Evidence:
    """The same evidence, arm ``a`` now being arm ``names[a]``."""
    back = np.argsort(names)
    parts = ("count", "weight", "mass", "score")
    cells = replace(evidence.cells, **{name: getattr(evidence.cells, name)[back] for name in parts})
    arm = np.asarray(names)[evidence.rows.arm]
    return replace(evidence, cells=cells, rows=replace(evidence.rows, arm=arm, cell=arm))
