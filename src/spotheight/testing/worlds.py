"""Small worlds to try algorithms in: a table with every role, and evidence without a pool.

``evidence(hits, trials, sizes)`` builds evidence over one attribute: an arm for each entry.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.random import Generator, default_rng

from spotheight.arms import Attribute, Partition
from spotheight.evidence import Evidence, Rows
from spotheight.policies import View
from spotheight.pool.cells import Cells
from spotheight.pool.layout import NO_SCORE
from spotheight.questions import Task
from spotheight.questions.estimate import Estimate
from spotheight.types import FloatArray

CLASSES = ("cat", "dog", "owl")

ROLES: dict[str, Any] = {
    "id": "id",
    "prediction": "prediction",
    "score": "score",
    "attributes": ["accent", "gender", "age:bins=3"],
}
"""Roles for ``table``: one service, two text attributes and a cut number."""

TWO: dict[str, Any] = {
    "id": "id",
    "prediction": {"plain": "prediction", "other": "other"},
    "score": {"plain": "score", "other": "sure"},
}
"""Roles for ``table``: two services."""


def table(rows: int = 48, seed: int = 0) -> pa.Table:
    """A pool with every role: answers with gaps, scores with gaps and ties, labels, prices.

    ``prediction`` and ``score`` are one service's, ``other`` and ``sure`` a second one's, which is
    right more often. ``verdict`` and ``number`` are truths for metrics that read no class.
    """
    rng = default_rng(seed)
    truth = rng.choice(CLASSES, size=rows)
    accent = rng.choice(["welsh", "irish", "scots"], size=rows, p=[0.6, 0.3, 0.1])
    return pa.table(
        {
            "id": [f"item-{i:03d}" for i in rng.permutation(rows)],
            "prediction": _gaps(_mistaken(truth, 0.35, rng), 0.08, rng),
            "score": _gaps(rng.random(rows).round(1), 0.1, rng),
            "other": _gaps(_mistaken(truth, 0.15, rng), 0.02, rng),
            "sure": _gaps(rng.random(rows), 0.1, rng),
            "accent": _gaps(accent, 0.1, rng),
            "gender": rng.choice(["f", "m"], size=rows),
            "age": _gaps(rng.integers(16, 80, size=rows).astype(float), 0.1, rng),
            "label": truth,
            "verdict": rng.choice([0.0, 0.5, 1.0], size=rows),
            "number": rng.integers(1, 6, size=rows).astype(float),
            "weight": rng.choice([0.5, 1.0, 2.0], size=rows),
            "price": rng.choice([1.0, 3.0], size=rows),
        }
    )


def _mistaken(truth: np.ndarray, share: float, rng: Generator) -> np.ndarray:
    return np.where(rng.random(len(truth)) < share, rng.choice(CLASSES, size=len(truth)), truth)


def _gaps(values: np.ndarray, share: float, rng: Generator) -> pa.Array:
    """The values with some of them missing."""
    return pa.array(values.tolist(), mask=rng.random(len(values)) < share)


def labels(source: pa.Table, column: str = "label") -> dict[str, Any]:
    """What a person who knows the truth would say of each item."""
    return dict(zip(source["id"].to_pylist(), source[column].to_pylist(), strict=True))


def cells(sizes: Sequence[int]) -> Cells:
    """Arms of these sizes over one attribute ``arm``, without scores."""
    levels = tuple(f"arm{place}" for place in range(len(sizes)))
    partition = Partition.of((Attribute("arm", "arm", levels),), np.arange(len(sizes))[:, None])
    count = np.array(sizes, dtype=np.int64)
    arms = np.arange(len(sizes))
    nothing = np.full(len(sizes), np.nan)
    one = np.ones(len(sizes))
    return Cells(
        partition,
        "service",
        NO_SCORE,
        arms,
        arms * 0 + 1,
        count,
        nothing,
        one,
        count * one,
        one * count,
    )


def evidence(hits: Sequence[int], trials: Sequence[int], sizes: Sequence[int]) -> Evidence:
    """So many hits in so many labels of each arm, every label with the chance of a random draw."""
    held = cells(sizes)
    arm = np.repeat(np.arange(held.arms), trials)
    each = [np.arange(t) < h for h, t in zip(hits, trials, strict=True)]
    hit = np.concatenate([*each, np.zeros(0, dtype=bool)])
    one = np.ones(len(arm))
    rows = Rows(np.arange(len(arm)), arm, arm, one, one / held.size)
    return Evidence(held, rows, hit.astype(float), one)


def view(
    cells: Cells,
    belief: Any = None,
    task: Task | None = None,
    *,
    left: Any = None,
    taken: Collection[str] = (),
) -> View:
    """What a policy sees; ``belief`` is what it would be given on asking for it."""
    free = np.asarray(cells.count if left is None else left, dtype=np.int64)
    return View(cells, free, task or Estimate(), lambda: belief, taken)


def scored(evidence: Evidence) -> Evidence:
    """The same evidence with a score in each arm, for priors that lean on one."""
    score = np.linspace(0.2, 0.9, evidence.cells.arms)
    return replace(evidence, cells=replace(evidence.cells, score=score))


def evidences(n: int = 25) -> Iterator[Evidence]:
    """Up to five arms with hits, misses and halves: none labelled, all, one arm, then at random."""
    yield evidence_of([1], [[]])
    yield evidence_of([3, 4], [[], []])
    yield evidence_of([3, 1, 2], [[1, 0.5, 0], [1], [0, 0]])
    yield evidence_of([9, 9], [[0.5] * 4, []])
    for seed in range(n - 4):
        rng = default_rng(seed)
        sizes = rng.integers(1, 10, size=rng.integers(1, 6))
        labels = [rng.choice([0, 0.5, 1], size=rng.integers(0, size + 1)) for size in sizes]
        yield evidence_of(sizes.tolist(), labels)


def evidence_of(sizes: Sequence[int], labels: Sequence[Any]) -> Evidence:
    """Labels of each arm, from 0 to 1, each with no chance on record; arms have scores."""
    arm = np.repeat(np.arange(len(sizes)), [len(said) for said in labels])
    hit = np.concatenate([np.asarray(said, dtype=float) for said in labels])
    one: FloatArray = np.ones(len(arm))
    rows = Rows(np.arange(len(arm)), arm, arm, one, np.full(len(arm), np.nan))
    return scored(Evidence(cells(sizes), rows, hit, one))
