"""Calibration question and answer: how far are scores from accuracies?"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.random import Generator
from scipy import sparse

from spotheight.beliefs import Reading, Surface
from spotheight.numerics.calibration import calibration_gap
from spotheight.numerics.distributions import beta
from spotheight.numerics.regression.design import Sparse
from spotheight.questions.about import AboutQuantity
from spotheight.questions.basis import Basis
from spotheight.questions.density import Density
from spotheight.questions.quantities import CalibrationError, Groups
from spotheight.questions.quantities.calibration import CutBy, Diagram, has_score
from spotheight.questions.values import (
    MOST_KEPT,
    GroupRow,
    GroupValues,
    draws_for,
    require_level,
)
from spotheight.questions.words import interval, percent
from spotheight.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class ScoreBin:
    """The items whose scores lie between two values.

    Args:
        start: The lowest score of the bin.
        end: Where the next bin starts.
        score: The mean score of its items.
        plain: The frequency of hits among its labels, NaN where there is none.
    """

    start: float
    end: float
    n_pool: float
    n_labelled: float
    score: float
    mean: float
    low: float
    high: float
    plain: float


@dataclass(frozen=True, slots=True)
class CalibrationRow:
    """The calibration error of one group.

    Args:
        error: The expected calibration error (ECE).
        accuracy: The accuracy.
        score: The mean score.
        plain: The ECE of plain frequencies among the labels, NaN where there is none.
    """

    error: GroupRow
    accuracy: GroupRow
    score: float
    plain: float


@dataclass(frozen=True, eq=False)
class Calibrated:
    """Calibration errors by group, and the reliability diagram behind them.

    Args:
        basis: What it rests on.
        errors: ECE of every group.
        accuracy: The accuracy of every group.
        score: The mean score of every group.
        plain_errors: The ECE of plain frequencies among the labels, NaN where there is none.
        bins: The accuracy of every (group, score bin) that holds items.
        bin_group: Their groups.
        bin_ends: Where each starts and ends, (bins, 2).
        bin_score: Their mean scores.
        bin_plain: The plain frequency of hits among their labels, NaN where there is none.
        draws: Draws of the errors, (draws, groups).
        all_items: The answer for all items together, where a report shows it beside the groups.
    """

    basis: Basis = field(repr=False)
    errors: GroupValues
    accuracy: GroupValues
    score: FloatArray = field(repr=False)
    plain_errors: FloatArray = field(repr=False)
    bins: GroupValues = field(repr=False)
    bin_group: IntArray = field(repr=False)
    bin_ends: FloatArray = field(repr=False)
    bin_score: FloatArray = field(repr=False)
    bin_plain: FloatArray = field(repr=False)
    draws: FloatArray = field(repr=False)
    all_items: "Calibrated | None" = field(default=None, repr=False)

    @property
    def by(self) -> tuple[str, ...]:
        """What makes the groups; empty where there are none."""
        by: tuple[str, ...] = self.basis.question.by
        return by

    def told_by(self, overall: Reading) -> "Calibrated":
        """The same with the accuracy of all items as the campaign's surface has it.

        Arms that are cut by the score as well tell it a little differently. Left as it is where
        some items have no score, for then the accuracy here is that of the others.
        """
        own = self.accuracy
        if len(own) != 1 or abs(own.n_pool[0] - overall.n_pool) > 1e-6:
            return self
        mean, low, high = np.array([[overall.mean], [overall.low], [overall.high]])
        return replace(self, accuracy=replace(own, mean=mean, low=low, high=high))

    def table(self) -> pa.Table:
        """A row a group; of all items together a row a score bin."""
        return self.frame() if self.by else self.diagram()

    def frame(self) -> pa.Table:
        """A row a group: ECE, accuracy, mean score, and the plain estimate."""
        table = self.errors.frame().rename_columns(
            ["group", "n_pool", "n_labelled", "ece", "ece_low", "ece_high"]
        )
        accuracy = self.accuracy
        more = {
            "accuracy": accuracy.mean,
            "accuracy_low": accuracy.low,
            "accuracy_high": accuracy.high,
            "score": self.score,
            "ece_plain": self.plain_errors,
        }
        for name, numbers in more.items():
            table = table.append_column(name, pa.array(numbers))
        return table

    def diagram(self) -> pa.Table:
        """A row a (group, score bin): its mean score, accuracy with interval, plain frequency."""
        table = self.bins.frame().rename_columns(
            ["bin", "n_pool", "n_labelled", "accuracy", "low", "high"]
        )
        groups = [self.errors.groups.name(int(group)) for group in self.bin_group]
        table = table.add_column(0, "group", pa.array(groups))
        table = table.append_column("score", pa.array(self.bin_score))
        return table.append_column("accuracy_plain", pa.array(self.bin_plain))

    def content(self) -> dict[str, Any]:
        """All groups, and the bins behind them."""
        return {"groups": self.frame().to_pylist(), "bins": self.diagram().to_pylist()}

    # Rows, as people read them.

    @property
    def whole(self) -> CalibrationRow:
        """All items together, or the first group where nobody asked for these."""
        return (self.all_items or self).row(0)

    def row(self, group: int) -> CalibrationRow:
        """One group."""
        plain = float(self.plain_errors[group])
        rows = self.errors.row(group), self.accuracy.row(group)
        return CalibrationRow(*rows, float(self.score[group]), plain)

    @cached_property
    def groups(self) -> tuple[CalibrationRow, ...]:
        """Groups, the lowest accuracy first; one without any score has no calibration error."""
        if not self.by:
            return ()
        known = np.flatnonzero(~np.isnan(self.score))
        order = known[np.argsort(self.accuracy.mean[known], kind="stable")]
        return tuple(self.row(int(group)) for group in order)

    @cached_property
    def score_bins(self) -> tuple[ScoreBin, ...]:
        """The reliability diagram of all items, from the lowest scores to the highest."""
        if self.all_items is not None:
            return self.all_items.score_bins
        bins = self.bins
        sizes, numbers = (bins.n_pool, bins.n_labelled), (bins.mean, bins.low, bins.high)
        columns = (*self.bin_ends.T, *sizes, self.bin_score, *numbers, self.bin_plain)
        return tuple(ScoreBin(*row) for row in np.column_stack(columns).tolist())

    @cached_property
    def density(self) -> Density:
        """Where the ECE of all items lies."""
        return Density.of((self.all_items or self).draws[:, 0], 0.0, 1.0)

    def record(self) -> dict[str, Any]:
        """What a report's JSON holds."""
        return {
            "by": self.by,
            "whole": self.whole,
            "bins": self.score_bins,
            "error": self.density,
            "groups": self.groups,
        }

    def plain(self) -> str:
        """How far scores can be trusted."""
        whole = self.whole
        error, right = whole.error, whole.accuracy
        said = (
            f"On average the service says that it is {percent(whole.score)} sure, and it is right "
            f"on {percent(right.mean)}"
        )
        if right.low <= whole.score <= right.high:
            lean = ", which agree as far as can be told."
        else:
            lean = f": it is too {'sure' if whole.score > right.mean else 'modest'}."
        return (
            f"{said}{lean} Score bin by score bin the two are {percent(error.mean, 1)} apart: that "
            f"is the expected calibration error (ECE), {100 * self.basis.level:g}% interval "
            f"{interval(error.low, error.high)}."
        )


@dataclass(frozen=True)
class Calibration(AboutQuantity):
    """Estimate the calibration error (ECE), overall or by group, with a reliability diagram.

    The strength of the prior is the estimator's: ``Beta("informed", strength)`` believes so many
    labels' worth that scores are right, as Ji et al. 2021 do.

    Args:
        by: Attributes as in ``init`` that make the groups; empty means all items together.
        bins: How many bins the score is cut into.
        cut_by: Bins of equal ``width``, or of equal ``weight`` in items.
        service: Whose answers; empty means the campaign's service.
        level: Of the intervals.
    """

    by: tuple[str, ...] = ()
    bins: int = 10
    cut_by: CutBy = "width"
    service: str = ""
    level: float = 0.9
    plays = 1

    def __post_init__(self) -> None:
        self.of.__post_init__()
        require_level(self.level)

    @property
    def of(self) -> CalibrationError:
        """The quantity."""
        return CalibrationError(self.by, self.bins, self.cut_by, self.service)

    def answer(self, belief: Surface, rng: Generator) -> Calibrated:
        groups = self.of.groups(belief)
        diagram = Diagram.of(belief, groups)
        parts = belief.draw(draws_for(belief, most=MOST_KEPT), rng)
        errors = diagram.errors(parts)
        accuracy = groups.mean(parts, belief.weight)
        hits, trials = _seen(belief, diagram.pieces)
        frequency = np.divide(hits, trials, out=np.full(len(hits), np.nan), where=trials > 0)
        return Calibrated(
            Basis.of(self, belief),
            GroupValues.of(belief, groups, errors, self.level),
            GroupValues.of(belief, groups, accuracy, self.level),
            _mean_score(belief, groups),
            _plain_errors(diagram, frequency, trials),
            GroupValues.of(belief, diagram.named(belief), diagram.accuracy(parts), self.level),
            diagram.group,
            diagram.ends(belief),
            diagram.score,
            frequency,
            errors,
        )

    # For policies: ECE is learned by learning the accuracy of its bins (Ji et al. 2021).

    def groups(self, belief: Surface) -> Groups:
        return Groups.each(belief.partition)

    def worth(
        self, belief: Surface, values: FloatArray, more: FloatArray | float = 0.0
    ) -> FloatArray:
        """Share of the bin's items times the drop of its variance (Ji et al. 2021, Table 1)."""
        drop = beta.foreseen_drop(belief.belief.mean, belief.belief.variance, values, more)
        return _share(belief) * drop

    def expected(self, belief: Surface, rng: Generator) -> FloatArray:
        return self.worth(belief, belief.belief.mean[None])[0]

    def targets(self, surface: Surface) -> Sparse:
        """Bins by their share of the items, as they enter the error."""
        return sparse.diags(_share(surface)).tocsr()


def _share(surface: Surface) -> FloatArray:
    """How much each bin counts in the error; what has no score does not."""
    held = np.where(has_score(surface), surface.cells.mass, 0.0)
    return held / max(held.sum(), 1e-300)


def _seen(belief: Surface, pieces: Groups) -> tuple[FloatArray, FloatArray]:
    """Labelled hits and trials of each piece."""
    if belief.seen is None:
        nothing = np.zeros(len(pieces))
        return nothing, nothing
    return pieces.total(belief.seen.hits), pieces.total(belief.seen.trials)


def _mean_score(belief: Surface, groups: Groups) -> FloatArray:
    scores = belief.cells.arm_score
    known = np.where(np.isnan(scores), 0.0, belief.weight)
    mean = groups.mean(np.nan_to_num(scores), known)
    return np.where(groups.total(known) > 0, mean, np.nan)


def _plain_errors(diagram: Diagram, frequency: FloatArray, trials: FloatArray) -> FloatArray:
    """ECE by plain frequencies, each bin with the weight of its labels."""
    held = diagram.by_group.total(trials)
    share = np.divide(trials, held[diagram.group], out=np.zeros(len(trials)), where=trials > 0)
    gap = calibration_gap(np.nan_to_num(frequency), diagram.score, share)
    return np.where(held > 0, diagram.by_group.total(gap), np.nan)
