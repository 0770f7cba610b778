"""Make the exact posteriors that tests hold the additive surface against.

The whole prior of the model is a function of independent standard normals: those behind the
weights, those behind the scales, and those behind the level that the scales have in common. So
elliptical slice sampling (Murray, Adams & MacKay 2010), which needs no tuning and no density but
that of the labels, draws from the posterior itself. Of the package only the columns are used, which
say what the model is; none of its fits is. Many chains start from the prior and give the standard
errors.

Example: python scripts/make_additive_reference.py --out tests/statistical/data/additive.json
"""

import argparse
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from spotheight.arms import Attribute, Partition
from spotheight.evidence import Evidence, Rows
from spotheight.models.additive.terms import Terms
from spotheight.numerics.regression.multilevel import FIXED_VARIANCE, FREEDOM
from spotheight.pool.cells import Cells

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
Case = Mapping[str, Any]
Likelihood = Callable[[FloatArray], FloatArray]

HOME = Path(__file__).resolve().parents[1] / "tests" / "statistical" / "data"
TAILS = (0.05, 0.95)
CHAINS, WARM_UP, SWEEPS, EVERY = 200, 1000, 10_000, 4


def worlds() -> dict[str, Case]:
    """Three small pools with labels: two attributes; with a score; three, almost all hits."""
    return {
        "two attributes": _world(1, levels=(3, 4), bins=1, labels=45, centre=0.6),
        "with a score": _world(2, levels=(2, 3), bins=6, labels=60, centre=0.8, ordered=1),
        "three attributes": _world(3, levels=(2, 2, 3), bins=1, labels=50, centre=2.2),
    }


def _world(
    seed: int,
    *,
    levels: tuple[int, ...],
    bins: int,
    labels: int,
    centre: float,
    ordered: int | None = None,
) -> Case:
    rng = np.random.default_rng(seed)
    codes = np.argwhere(np.ones(levels))
    size = np.rint(np.exp(rng.normal(3.5, 0.8, len(codes)))).astype(int) + 6
    effect = [rng.normal(0, 0.8, count) for count in levels]
    own = rng.normal(0, 0.4, len(codes)) + sum(e[codes[:, i]] for i, e in enumerate(effect))
    score = (np.arange(bins) + 0.5) / bins
    arm = np.repeat(np.arange(len(codes)), size)
    bin_ = rng.integers(0, bins, size.sum())
    chance = expit(centre + own[arm] + 1.5 * (score[bin_] - 0.5))
    # The last arm has no label: what is believed of it comes from the others alone.
    drawn = rng.choice(int(size[:-1].sum()), labels, replace=False)
    hit = rng.random(labels) < chance[drawn]
    count, trials, hits = (
        np.bincount(arm[rows] * bins + bin_[rows], weight, len(codes) * bins).astype(int).tolist()
        for rows, weight in ((slice(None), None), (drawn, None), (drawn, hit))
    )
    return {
        "levels": list(levels), "ordered": ordered, "score": score.tolist() if bins > 1 else [],
        "count": count, "trials": trials, "hits": hits,
    }  # fmt: skip


def cells_of(case: Case) -> Cells:
    """The pool of a case: all arms by all score cells, those without items left out."""
    levels, bins = case["levels"], max(len(case["score"]), 1)
    attributes = tuple(
        Attribute(f"a{i}", f"a{i}", tuple(map(str, range(n))), is_ordered=case["ordered"] == i)
        for i, n in enumerate(levels)
    )
    partition = Partition.of(attributes, np.argwhere(np.ones(levels)))
    arm, bin_ = np.divmod(np.flatnonzero(case["count"]), bins)
    count = np.array(case["count"])[arm * bins + bin_]
    score = np.array(case["score"] or [np.nan])[bin_]
    # Without a score every item's is missing, as in a pool that was read from a table.
    names = tuple(f"s{i}" for i in range(bins)) if case["score"] else ("any", "(missing)")
    cut = Attribute("@score", "@score", names, is_number=True)
    mass = np.bincount(arm, count, len(partition)).astype(float)
    one, shift = np.ones(len(arm)), 0 if case["score"] else 1
    return Cells(partition, "service", cut, arm, bin_ + shift, count, score, one, count * one, mass)


def evidence_of(case: Case) -> Evidence:
    """The labels of a case, a row a label."""
    cells = cells_of(case)
    kept = np.flatnonzero(case["count"])
    trials, hits = np.array(case["trials"])[kept], np.array(case["hits"])[kept]
    cell = np.repeat(np.arange(len(cells)), trials)
    hit = np.concatenate([np.arange(t) < h for t, h in zip(trials, hits, strict=True)])
    one = np.ones(len(cell))
    rows = Rows(np.arange(len(cell)), cells.arm[cell], cell, one, one / cells.size)
    return Evidence(cells, rows, hit.astype(float), one)


@dataclass(frozen=True, eq=False)
class Model:
    """The additive model written out: all columns of every cell, the arms' own terms last.

    Args:
        columns: (cells, weights).
        family: Of each weight, -1 for those with a fixed variance.
        spread: Of each weight, in units of its family's scale.
        prior_scale: Of each family.
    """

    columns: FloatArray
    family: IntArray
    spread: FloatArray
    prior_scale: FloatArray

    @classmethod
    def of(cls, cells: Cells) -> "Model":
        """The columns that the package gives the cells of a pool."""
        terms = Terms.of(cells)
        slopes = terms.position[cells.bin][:, None] * terms.slopes.toarray()[cells.arm]
        parts = [terms.arms.toarray()[cells.arm], terms.curve[cells.bin], slopes]
        parts.append(np.eye(cells.arms)[cells.arm])
        family = np.append(terms.family, np.full(cells.arms, len(terms.prior_scale) - 1))
        spread = np.append(np.ones(len(terms.family)), terms.spread)
        return cls(np.hstack(parts), family, spread, terms.prior_scale)

    @property
    def size(self) -> int:
        """How many standard normals the prior has: weights, scales, level."""
        return self.columns.shape[1] + len(self.prior_scale) + int(FREEDOM)

    def scales(self, normal: FloatArray) -> FloatArray:
        """(chains, families): a multivariate half-t, from the normals behind it."""
        behind = normal[:, self.columns.shape[1] :]
        own, level = np.split(behind, [len(self.prior_scale)], axis=1)
        return self.prior_scale * np.abs(own) / np.sqrt(np.mean(level**2, axis=1, keepdims=True))

    def predictor(self, normal: FloatArray) -> FloatArray:
        """(chains, cells): the linear predictor, from the normals behind it."""
        weights = self.columns.shape[1]
        learned = self.scales(normal)[:, self.family]
        deviation = np.where(self.family >= 0, learned, np.sqrt(FIXED_VARIANCE)) * self.spread
        return (deviation * normal[:, :weights]) @ self.columns.T

    def prior_variance(self) -> FloatArray:
        """Of every cell's predictor, families told apart: by this a changed model is noticed."""
        scale = self.prior_scale * (1 + np.arange(len(self.prior_scale)))
        learned = np.where(self.family >= 0, scale[self.family], np.sqrt(FIXED_VARIANCE))
        return (self.columns * learned * self.spread) ** 2 @ np.ones(self.columns.shape[1])


def log_likelihood(model: Model, trials: FloatArray, hits: FloatArray) -> Likelihood:
    """Of the labels, given the normals behind the prior."""
    seen = np.flatnonzero(trials)
    told = Model(model.columns[seen], model.family, model.spread, model.prior_scale)

    def value(normal: FloatArray) -> FloatArray:
        eta = told.predictor(normal)
        return eta @ hits[seen] - np.logaddexp(0, eta) @ trials[seen]

    return value


def elliptical_step(
    normal: FloatArray, block: BoolArray, value: Likelihood, rng: np.random.Generator
) -> FloatArray:
    """Move some coordinates of every chain along an ellipse, to a place that is likely enough."""
    other = rng.standard_normal(normal.shape)
    threshold = value(normal) - rng.exponential(size=len(normal))
    angle = rng.uniform(0, 2 * np.pi, len(normal))
    low, high = angle - 2 * np.pi, angle.copy()
    moved, pending = normal.copy(), np.arange(len(normal))
    while len(pending):
        turn = angle[pending, None]
        ellipse = np.cos(turn) * normal[pending] + np.sin(turn) * other[pending]
        proposed = np.where(block, ellipse, normal[pending])
        refused = value(proposed) < threshold[pending]
        moved[pending[~refused]] = proposed[~refused]
        pending = pending[refused]
        is_below = angle[pending] < 0
        low[pending] = np.where(is_below, angle[pending], low[pending])
        high[pending] = np.where(is_below, high[pending], angle[pending])
        angle[pending] = rng.uniform(low[pending], high[pending])
    return moved


def posterior_rates(case: Case, rng: np.random.Generator) -> FloatArray:
    """Draws of every arm's rate and of the overall one, (chains, draws, arms + 1)."""
    evidence = evidence_of(case)
    cells = evidence.cells
    model = Model.of(cells)
    trials = np.bincount(evidence.rows.cell, minlength=len(cells)).astype(float)
    hits = np.bincount(evidence.rows.cell, evidence.hit, len(cells)).astype(float)
    value = log_likelihood(model, trials, hits)
    is_weight = np.arange(model.size) < model.columns.shape[1]
    blocks = (is_weight, ~is_weight, np.ones(model.size, dtype=bool))
    share = np.zeros((len(cells), cells.arms + 1))
    share[np.arange(len(cells)), cells.arm] = cells.count / cells.mass[cells.arm]
    share[:, -1] = cells.count / cells.size
    normal, kept = rng.standard_normal((CHAINS, model.size)), []
    for sweep in range(WARM_UP + SWEEPS):
        for block in blocks:
            normal = elliptical_step(normal, block, value, rng)
        if sweep >= WARM_UP and sweep % EVERY == 0:
            kept.append(expit(model.predictor(normal)) @ share)
    return np.stack(kept, axis=1)


def summary(rates: FloatArray) -> dict[str, Any]:
    """Means, ends of 90% intervals, and the largest standard error of each, from chains apart."""
    found: dict[str, Any] = {}
    for name, of in (
        ("mean", lambda each: each.mean(axis=-2)),
        ("low", lambda each: np.quantile(each, TAILS[0], axis=-2)),
        ("high", lambda each: np.quantile(each, TAILS[1], axis=-2)),
    ):
        found[name] = of(rates.reshape(-1, rates.shape[-1])).round(5).tolist()
        error = of(rates).std(axis=0, ddof=1) / np.sqrt(len(rates))
        found[f"{name}_error"] = float(error.max().round(5))
    return found


def main() -> None:
    """Write the cases and their posteriors."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=HOME / "additive.json")
    made = {}
    arguments = parser.parse_args()
    for name, case in worlds().items():
        prior = Model.of(cells_of(case)).prior_variance().round(6).tolist()
        found = summary(posterior_rates(case, np.random.default_rng(20250101)))
        made[name] = {"case": case, "prior_variance": prior, "posterior": found}
        print(name, {key: value for key, value in found.items() if key.endswith("error")})
    text = ",\n".join(f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in made.items())
    arguments.out.write_text(f"{{\n{text}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
