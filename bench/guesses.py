"""What guessed attributes cost an arm's number, in worlds whose truth is known.

    python -m bench.guesses --worlds 6

Three models guess attributes of 4000 items; 1000 random ones are labelled, and of some of these the
true levels are told. Printed are, over arms and worlds: the slope of estimated on true accuracies
(below 100%, arms are drawn together), the squared error times 100, the share of truths inside 90%
intervals and their width; then by how much the overall number differs from the labels' own mean,
and the width of its interval; and the seconds of a fit. All in percent.
"""

from collections.abc import Iterator
from time import process_time
from typing import Any

import click
import numpy as np
import pyarrow as pa
from numpy.random import Generator, default_rng
from scipy.special import expit, log_softmax, softmax

import spotheight as sh
from spotheight import registry as codec
from spotheight.types import FloatArray, IntArray

LEVELS = (2, 2, 3)
NAMES = ("smiling", "hat", "hair")
ITEMS = 4000
ESTIMATORS = ("additive", "eb-beta", "beta:doubt=mixture", "beta", "betagp:doubt=mixture", "betagp")
LEVEL = 0.9


def truths(rng: Generator) -> tuple[IntArray, FloatArray]:
    """Levels of all items, which go together, and the chance of a hit in every arm."""
    shape = tuple(LEVELS)
    common = softmax(rng.normal(size=LEVELS).ravel() * 0.8)
    arm = rng.choice(common.size, ITEMS, p=common)
    mains = [rng.normal(size=count) * 0.8 for count in LEVELS]
    eta = 0.8 + rng.normal(size=shape) * 0.4
    for place, main in enumerate(mains):
        eta = eta + np.expand_dims(main, [at for at in range(len(LEVELS)) if at != place])
    return np.column_stack(np.unravel_index(arm, shape)), expit(eta)


def guesses(codes: IntArray, levels: int, noise: float, rng: Generator) -> FloatArray:
    """What a model says that sees the truth through noise and knows how common each level is."""
    seen = np.eye(levels)[codes] + noise * rng.normal(size=(len(codes), levels))
    common = np.log(np.bincount(codes, minlength=levels) + 1.0)
    return np.exp(log_softmax(seen / noise**2 + common, axis=1))


def world(seed: int, noise: float) -> tuple[pa.Table, FloatArray]:
    """A table and the pool's accuracy in every arm, NaN where it has no item."""
    rng = default_rng([seed, round(100 * noise)])
    codes, chance = truths(rng)
    hit = rng.random(ITEMS) < chance[tuple(codes.T)]
    columns: dict[str, object] = {
        "id": [f"{row:05d}" for row in range(ITEMS)],
        "said": np.where(hit, "right", "wrong").tolist(),
    }
    for name, levels, own in zip(NAMES, LEVELS, codes.T, strict=True):
        columns[name] = own.astype(str).tolist()
        for level, share in enumerate(guesses(own, levels, noise, rng).T):
            columns[f"{name}_{level}"] = share
    arm = np.ravel_multi_index(tuple(codes.T), LEVELS)
    with np.errstate(invalid="ignore"):
        accuracy = np.bincount(arm, hit, chance.size) / np.bincount(arm, minlength=chance.size)
    return pa.table(columns), accuracy


def campaign(table: pa.Table, seed: int, labels: int, told: int) -> sh.Campaign:
    """Random labels, the first ones with true levels."""
    guessed = {
        name: {str(level): f"{name}_{level}" for level in range(levels)}
        for name, levels in zip(NAMES, LEVELS, strict=True)
    }
    pool = sh.read_pool(table, id="id", prediction="said", guessed=guessed)
    made = sh.Campaign(pool, sh.Spec(seed=seed))
    chosen = default_rng([seed, 1]).choice(ITEMS, labels, replace=False)
    rows = {row["id"]: row for row in table.take(pa.array(chosen)).to_pylist()}
    levels = {item: {name: rows[item][name] for name in NAMES} for item in list(rows)[:told]}
    made.tell(dict.fromkeys(rows, "right"), levels=levels)
    return made


def judged(surface: sh.Surface, truth: FloatArray, seconds: float) -> dict[str, float]:
    """The numbers of one surface."""
    codes = [surface.partition.levels(arm) for arm in range(surface.cells.arms)]
    true = truth[np.ravel_multi_index(np.array(codes, dtype=int).T, LEVELS)]
    known = ~np.isnan(true) & (surface.cells.mass >= 5)
    (low, high), overall = surface.interval(LEVEL), surface.overall(LEVEL)
    assert surface.seen is not None
    mean, all_items = surface.mean, float(surface.seen.hits.sum() / surface.seen.trials.sum())
    slope = np.polyfit(true[known], mean[known], 1)[0]
    inside = (low <= true + 1e-9) & (true - 1e-9 <= high)
    return {
        "slope": 100 * slope,
        "macro": 100 * float(np.mean((mean - true)[known] ** 2)),
        "inside": 100 * float(inside[known].mean()),
        "width": 100 * float((high - low)[known].mean()),
        "overall": 100 * abs(overall.mean - all_items),
        "overall width": 100 * (overall.high - overall.low),
        "seconds": seconds,
    }


def results(
    estimator: str, noise: float, told: int, worlds: int, calibration: str
) -> Iterator[dict[str, float]]:
    """The numbers of every world."""
    for seed in range(worlds):
        table, truth = world(seed, noise)
        made = campaign(table, seed, 1000, told).using(
            estimator=codec.parse(estimator, codec.ESTIMATORS),
            calibration=codec.parse(calibration, codec.CALIBRATIONS),
        )
        made.records().evidence()
        start = process_time()
        surface = made.surface()
        surface.interval()
        yield judged(surface, truth, process_time() - start)


@click.command()
@click.option("--worlds", default=6, show_default=True, help="For each line.")
@click.option("--estimator", "estimators", multiple=True, default=ESTIMATORS)
@click.option("--noise", "noises", type=float, multiple=True, default=(0.5, 0.8))
@click.option("--told", "tolds", type=int, multiple=True, default=(60, 1000))
@click.option("--calibration", default="full", show_default=True)
def main(worlds: int, estimators: tuple[str, ...], calibration: str, **options: Any) -> None:
    """Print a line for each estimator, noise of the attribute models, and told levels."""
    for noise in options["noises"]:
        for told in options["tolds"]:
            for name in estimators:
                rows = list(results(name, noise, told, worlds, calibration))
                means = {key: np.mean([row[key] for row in rows]) for key in rows[0]}
                shown = "  ".join(f"{key} {value:.2f}" for key, value in means.items())
                click.echo(f"{name:20s} noise {noise:g}  told {told:4d}  {shown}")


if __name__ == "__main__":
    main()
