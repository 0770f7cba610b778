"""Whether Table 8 could come from counts of neighbours that are added up, not averaged.

    python -m bench.deep.pooling --tables 10

Prints, for both, the scales of ``betagp-slp``: over all seeds; at either end over seeds whose three
labels there differ, and over those where they do not; and by how much the scales of a table of 20
seeds are off at most. A minute on a quiet machine.
"""

import click
import numpy as np

from bench.deep.reference import stepped
from bench.deep.simple import MANY, SEEDS, counts
from bench.published import SCALES
from spotheight.types import BoolArray, FloatArray

KIND = "betagp-slp"
ENDS = {"left": [0, 1, 2], "right": [7, 8, 9]}

NEIGHBOURS = 3
"""So many arms are pooled, the arm itself among them."""


def scales(tables: int, *, is_sum: bool) -> tuple[FloatArray, FloatArray]:
    """The scales of every seed, (seeds, arms), and its hits before pooling."""
    seeds = np.arange(SEEDS * tables)
    hits, _ = counts("betagp-sl", seeds)
    times = np.where(MANY, 1, NEIGHBOURS if is_sum else 1)
    pooled_hits, pooled_trials = counts(KIND, seeds)
    return stepped(KIND, pooled_hits * times, pooled_trials * times)[1], hits


def _shown(values: FloatArray) -> str:
    return " ".join(f"{value:.2f}" for value in values)


def _differ(hits: FloatArray, end: list[int]) -> BoolArray:
    return np.ptp(hits[:, end], axis=1) > 0


@click.command()
@click.option("--tables", type=click.IntRange(min=1), default=10, show_default=True)
def main(tables: int) -> None:
    """Print what both ways to pool make of the scales."""
    published = np.array(SCALES[KIND][0])
    click.echo(f"published: {_shown(published)}")
    for is_sum in (False, True):
        found, hits = scales(tables, is_sum=is_sum)
        each = found.reshape(tables, SEEDS, -1).mean(axis=1)
        off = 100 * np.abs(each / published - 1).max(axis=1)
        click.echo(f"{'added up' if is_sum else 'averaged'}: {_shown(found.mean(axis=0))}")
        click.echo(f"  a table is off by {off.min():.1f}% to {off.max():.1f}%")
        for name, end in ENDS.items():
            differ = _differ(hits, end)
            for word, kept in (("differ", differ), ("agree", ~differ)):
                mean = found[kept][:, end].mean(axis=0)
                click.echo(f"  {name} labels {word}, {kept.sum()} seeds: {_shown(mean)}")


if __name__ == "__main__":
    main()
