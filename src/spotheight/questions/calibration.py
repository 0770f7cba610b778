"""How far are scores from accuracies?"""

from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
from numpy.random import Generator
from scipy import sparse

from spotheight.beliefs import Reading, Surface
from spotheight.evidence import Cut, Evidence, Source
from spotheight.numerics.calibration import calibration_gap
from spotheight.numerics.distributions import beta
from spotheight.numerics.regression.design import Sparse
from spotheight.questions.quantities import CalibrationError, Groups
from spotheight.questions.quantities.calibration import CutBy, Diagram, has_score
from spotheight.questions.values import MOST_KEPT, GroupValues, draws_for, require_level
from spotheight.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Calibrated:
    """Calibration errors by group, and the reliability diagram behind them.

    Args:
        errors: ECE of every group.
        accuracy: The accuracy of every group.
        score: The mean score of every group.
        plain: The ECE of plain frequencies among the labels, NaN where there is none.
        bins: The accuracy of every (group, score bin) that holds items.
        bin_group: Their groups.
        bin_score: Their mean scores.
        bin_plain: The plain frequency of hits among their labels, NaN where there is none.
        draws: Draws of the errors, (draws, groups).
    """

    errors: GroupValues
    accuracy: GroupValues
    score: FloatArray = field(repr=False)
    plain: FloatArray = field(repr=False)
    bins: GroupValues = field(repr=False)
    bin_group: IntArray = field(repr=False)
    bin_score: FloatArray = field(repr=False)
    bin_plain: FloatArray = field(repr=False)
    draws: FloatArray = field(repr=False)

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
            "ece_plain": self.plain,
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


@dataclass(frozen=True)
class Calibration:
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

    @property
    def cut(self) -> Cut:
        return self.of.cut

    def evidence(self, source: Source) -> Evidence:
        return self.of.evidence(source)

    def answer(self, belief: Surface, rng: Generator) -> Calibrated:
        groups = self.of.groups(belief)
        diagram = Diagram.of(belief, groups)
        parts = belief.draw(draws_for(belief, most=MOST_KEPT), rng)
        errors = diagram.errors(parts)
        accuracy = groups.mean(parts, belief.weight)
        hits, trials = _seen(belief, diagram.pieces)
        frequency = np.divide(hits, trials, out=np.full(len(hits), np.nan), where=trials > 0)
        return Calibrated(
            GroupValues.of(belief, groups, errors, self.level),
            GroupValues.of(belief, groups, accuracy, self.level),
            _mean_score(belief, groups),
            _plain_errors(diagram, frequency, trials),
            GroupValues.of(belief, diagram.named(belief), diagram.accuracy(parts), self.level),
            diagram.group,
            diagram.score,
            frequency,
            errors,
        )

    # For policies: ECE is learned by learning the accuracy of its bins (Ji et al. 2021).

    def groups(self, belief: Surface) -> Groups:
        return Groups.each(belief.partition)

    def draw(self, belief: Surface, n: int, rng: Generator) -> FloatArray:
        return belief.draw(n, rng)

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
