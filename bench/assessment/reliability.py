"""Reliability diagrams under priors that trust the scores more or less (the paper's figure 17)."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure
from numpy.random import default_rng
from scipy.special import betaincinv

from bench.assessment.data import LOADERS, Groups
from bench.drawing import SETTINGS, svg
from bench.markdown import table
from spotheight.types import FloatArray

Row = Mapping[str, Any]

CASES = ("20news", "cifar10", "mnist", "imdb", "expw-microsoft")
STRENGTHS = (2, 5, 10, 100)
DRAWN = {10: "#d55e00", 100: "#0072b2"}
"""The strengths that the paper draws, and their colours."""

LABELS = (100, 200, 500)
RUNS = 1000
LEVEL = 0.95


def reliability(folder: Path) -> list[dict[str, Any]]:
    """For every case, strength and number of labels: how far off, and the bins of one run."""
    rows = []
    for case in CASES:
        items = LOADERS[case](folder).items
        assert items is not None
        for labels in LABELS:
            found = _sampled(items.by_score(), labels)
            for strength in STRENGTHS:
                row = _read(items.by_score(), found, strength)
                if strength not in DRAWN:
                    del row["bins"]
                rows.append({"case": case, "labels": labels, "strength": strength, **row})
    return rows


def _sampled(groups: Groups, labels: int) -> FloatArray:
    """Hits and misses among labels at random, (runs, bins, 2); the same for every strength."""
    rng = default_rng(labels)
    drawn = rng.multivariate_hypergeometric(groups.items.ravel(), labels, RUNS, method="marginals")
    return drawn.reshape(RUNS, -1, 2).astype(float)


def _read(groups: Groups, found: FloatArray, strength: int) -> dict[str, Any]:
    """What is believed of each bin: on average over runs, and in the first one."""
    alpha = found + strength * np.clip(groups.centre, 1e-3 / 2, 1.0)
    mean, score = alpha[..., 0] / alpha.sum(axis=-1), groups.centre[:, 0]
    low, high = (betaincinv(alpha[..., 0], alpha[..., 1], (1 + s * LEVEL) / 2) for s in (-1, 1))
    share, rate = groups.size / groups.size.sum(), groups.rate
    errors = np.abs(mean - score) @ share
    bins = np.column_stack([score, rate, mean[0], low[0], high[0]])
    return {
        "ece": float(errors.mean()),
        "true": float(np.abs(rate - score) @ share),
        "covered": float(((low <= rate) & (rate <= high)).mean()),
        "width": float((high - low).mean()),
        "runs": RUNS,
        "bins": bins.round(4).tolist(),
    }


def section(rows: Sequence[Row], names: Mapping[str, str], path: str) -> Iterator[str]:
    """Figure 17 on the page."""
    yield "## Figure 17: Reliability diagrams, strengths of the prior\n"
    yield f"![Accuracy by score bin with intervals, priors worth 10 and 100 labels]({path})\n"
    yield (
        "Ten bins of equal size by score, labels drawn at random; drawn is one run, with 95%\n"
        "intervals; black dots are the accuracy of all items. The table has means over runs: the\n"
        "calibration error by posterior means beside that of all items in these bins, in percent,\n"
        "and how often intervals hold a bin's accuracy.\n"
    )
    head = ["case", "labels", "prior", "error", "of all items", "intervals hold", "width", "runs"]
    yield from table(
        head,
        [
            [
                names[row["case"]], str(row["labels"]), str(row["strength"]),
                f"{100 * row['ece']:.1f}", f"{100 * row['true']:.1f}",
                f"{100 * row['covered']:.0f}%", f"{row['width']:.2f}", str(row["runs"]),
            ]
            for row in rows
        ],
    )  # fmt: skip


def diagram(rows: Sequence[Row], names: Mapping[str, str]) -> str:
    """A panel for every case and number of labels, as SVG."""
    cases, amounts = (list(dict.fromkeys(row[key] for row in rows)) for key in ("case", "labels"))
    with rc_context(SETTINGS):
        drawing = Figure(figsize=(2.2 * len(cases), 2.2 * len(amounts)), layout="constrained")
        axes = drawing.subplots(len(amounts), len(cases), sharex=True, sharey=True, squeeze=False)
        for row in rows:
            place = axes[amounts.index(row["labels"])][cases.index(row["case"])]
            if row["strength"] in DRAWN:
                _draw(place, row)
            place.set_title(f"{names[row['case']]}, {row['labels']}", loc="left", fontsize=7)
        axes[0][0].legend(frameon=False, fontsize=6)
        return svg(drawing, "Reliability")


def _draw(place: Any, row: Row) -> None:
    score, rate, mean, low, high = np.array(row["bins"]).T
    place.plot([0, 1], [0, 1], color="#cccccc", linewidth=0.8)
    aside = score + (0.008 if row["strength"] == max(DRAWN) else -0.008)
    place.errorbar(
        aside, mean, np.abs([mean - low, high - mean]), fmt="o", markersize=2.5, linewidth=0.9,
        color=DRAWN[row["strength"]], label=f"prior {row['strength']}",
    )  # fmt: skip
    place.plot(score, rate, ".", color="black", markersize=2)
    place.set_ylim(0, 1.03)
