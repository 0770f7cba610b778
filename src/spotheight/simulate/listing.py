"""How far ranked lists are from what they would be if every item were vetted."""

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from spotheight.questions.listanswer import ListAnswer
from spotheight.questions.lists import mean_known
from spotheight.simulate.scores import SAME, Score
from spotheight.types import FloatArray

CLEAR = 0.005
"""Two lists that differ by less are as good as each other."""


@dataclass(frozen=True, eq=False)
class ListTarget:
    """The answer of a campaign that was told everything."""

    truth: ListAnswer = field(repr=False)

    def scores(self, ours: ListAnswer) -> dict[str, Score]:
        """Errors x100, averaged over services and categories; coverage; misranked pairs.

        ``list_error`` is the absolute error of each list, ``mean_error`` that of each service's
        mean over categories, ``gap_error`` that of the gaps between these means. ``misranked`` is
        the share of pairs of services in the wrong order, ``misranked_lists`` likewise for single
        categories whose true gap is more than half a point. Lists of which nothing can be said are
        left out of errors and of means, and rank nothing right.
        """
        true, guess = self.truth.mean, ours.mean
        means = (mean_known(guess), mean_known(true))
        name = f"{100 * ours.basis.level:g}"
        return {
            "list_error": _points(guess - true),
            "mean_error": _points(means[0] - means[1]),
            **_gaps(guess, true),
            f"coverage{name}": _coverage(ours.low, ours.high, true),
            f"coverage_mean{name}": _mean_coverage(ours, means[1]),
            f"width{name}": _width(ours),
            **_gap_intervals(ours, self.truth, name),
        }


def _points(error: FloatArray) -> Score:
    """The mean size of errors that are known, x100."""
    known = np.abs(error[~np.isnan(error)])
    return 100 * float(known.mean()) if len(known) else None


def _gaps(guess: FloatArray, true: FloatArray) -> dict[str, Score]:
    pairs = list(combinations(range(len(true)), 2))
    if not pairs:
        return {"gap_error": None, "misranked": None, "misranked_lists": None}
    by_list = [(guess[a] - guess[b], true[a] - true[b]) for a, b in pairs]
    means = (mean_known(guess), mean_known(true))
    by_mean = [(means[0][a] - means[0][b], means[1][a] - means[1][b]) for a, b in pairs]
    wrong = [not g * t > 0 for g, t in by_mean if abs(t) > SAME]
    clear = [(g[np.abs(t) > CLEAR], t[np.abs(t) > CLEAR]) for g, t in by_list]
    lists = np.concatenate([~(g * t > 0) for g, t in clear])
    return {
        "gap_error": _points(np.array([g - t for g, t in by_mean])),
        "misranked": float(np.mean(wrong)) if wrong else None,
        "misranked_lists": float(lists.mean()) if len(lists) else None,
    }


def _coverage(low: FloatArray, high: FloatArray, true: FloatArray) -> Score:
    """Of lists that are not vetted to their end."""
    is_open = high - low > SAME
    if not is_open.any():
        return None
    inside = (true >= low - SAME) & (true <= high + SAME)
    return float(inside[is_open].mean())


def _mean_coverage(ours: ListAnswer, true: FloatArray) -> Score:
    ends = np.array([(one.low, one.high) for one in ours.overall])
    return None if np.isnan(ends).any() else _coverage(ends[:, 0], ends[:, 1], true)


def _gap_intervals(ours: ListAnswer, truth: ListAnswer, name: str) -> dict[str, Score]:
    """Whether the intervals of the gaps between services hold the truth, and their width."""
    ends = np.array([(gap.difference.low, gap.difference.high) for gap in ours.gaps])
    if not len(ends) or np.isnan(ends).any():
        return {f"coverage_gap{name}": None, f"width_gap{name}": None}
    low, high = ends.T
    true = np.array([gap.difference.mean for gap in truth.gaps])
    return {
        f"coverage_gap{name}": _coverage(low, high, true),
        f"width_gap{name}": float(np.mean(high - low)),
    }


def _width(ours: ListAnswer) -> Score:
    width = float(np.mean(ours.high - ours.low))
    return None if np.isnan(width) else width
