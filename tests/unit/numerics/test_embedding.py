"""Where an embedding begins: as far from each other as arms are without one."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from numpy.random import default_rng

from spotheight.numerics.deep import embedding
from spotheight.numerics.deep.embedding import distance_keeping
from spotheight.numerics.deep.kernel import Kernel, packed
from spotheight.numerics.deep.latent import square_distances
from spotheight.numerics.deep.learn import Ascent, learned, learned_over
from spotheight.numerics.deep.likelihood import Likelihood


def one_hot(*levels):
    """Every combination: columns, and the attribute of each."""
    codes = np.stack(np.unravel_index(np.arange(np.prod(levels)), levels), axis=1)
    columns = [np.eye(size)[column] for size, column in zip(levels, codes.T, strict=True)]
    return np.hstack(columns), np.repeat(np.arange(len(levels)), levels)


def placed(start, columns):
    """By hand, rectified between layers."""
    layers = sum(name.startswith("layer") for name in start.values)
    for number in range(layers):
        columns = columns @ start.values[f"layer{number}"]
        if number + 1 < layers:
            columns = np.maximum(columns + start.values[f"bias{number}"], 0)
    return columns


@pytest.mark.parametrize("layers", [(64, 20), (20,), (64, 30, 20), (10, 20)])
@pytest.mark.parametrize("levels", [(4, 4, 4), (2,) * 10])
def test_distances_are_kept(layers, levels, monkeypatch):
    """Through narrow layers too, where contrasts that may be negative are handed on."""
    monkeypatch.setattr(embedding, "HINT", 0.0)
    columns, group = one_hot(*levels)
    start = distance_keeping(columns, group, layers, default_rng(0))
    places = placed(start, columns[:200])
    np.testing.assert_allclose(
        square_distances(places, places),
        square_distances(columns[:200], columns[:200]) / len(levels),
        atol=1e-9,
    )
    assert start.values.keys() == start.deviations.keys()


def test_numbers_and_more_dimensions_than_there_is_room_for():
    """Nine dimensions in five: distances are right on average."""
    columns, group = one_hot(4, 4, 4)
    places = placed(distance_keeping(columns, group, (5,), default_rng(0)), columns)
    ratio = square_distances(places, places).mean() / square_distances(columns, columns).mean()
    assert ratio == pytest.approx(1 / 3, rel=0.25)
    line = np.arange(6.0)[:, None] - 2
    places = placed(distance_keeping(line, np.zeros(1, int), (8, 4), default_rng(0)), line)
    np.testing.assert_allclose(
        square_distances(places, places), square_distances(line, line), rtol=0.2
    )


@pytest.fixture
def ascent():
    """Nine arms, of which some are better."""
    columns, group = one_hot(3, 3)
    start = distance_keeping(columns, group, (12, 4), default_rng(0))
    hits, trials = np.array([9.0, 8, 9, 5, 6, 5, 1, 2, 1]), np.full(9, 10.0)
    counts = [torch.tensor(part) for part in (hits, trials, trials)]
    first = {"length": np.zeros((2, 4)), "scale": np.zeros(2), "centre": np.array([0.0, 3.0])}
    prior = {name: (value, 1.0) for name, value in first.items()}
    prior |= {name: (start.values[name], spread) for name, spread in start.deviations.items()}
    inputs = torch.tensor(columns)
    kernel = Kernel(inputs, torch.arange(4), (12, 4), inputs[:5])
    return Ascent(Likelihood(*counts), kernel, first | dict(start.values), prior)


def test_a_kernel_over_an_embedding_is_the_kernel_with_it(ascent):
    values = {name: torch.tensor(value) for name, value in ascent.first.items()}
    whole, over = ascent.kernel.reach(values), ascent.kernel.over(values).reach(values)
    for part in ("weight", "noise", "centre"):
        np.testing.assert_array_equal(getattr(whole, part), getattr(over, part))


def test_an_embedding_may_stay_where_it_is(ascent):
    values, _ = learned_over(ascent, 10, 1e-6)
    assert values.keys() == ascent.first.keys()
    for name in values:
        is_same = np.array_equal(values[name], ascent.first[name])
        assert is_same == name.startswith(("layer", "bias")), name
    both, _ = learned(replace(ascent, first=values), 10, 1e-6)
    fallen = [ascent(packed(there))[0] for there in (ascent.first, values, both)]
    assert fallen[0] > fallen[1] > fallen[2]
