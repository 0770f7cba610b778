"""Calibration of guessed attributes: gradients, likelihoods, and what little evidence may do."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from numpy.random import default_rng
from scipy.optimize import approx_fprime
from scipy.special import log_softmax, logsumexp

from spotheight.numerics.joint import chances as joints
from spotheight.numerics.joint import fit as jointfit
from spotheight.numerics.joint.chances import log_chances
from spotheight.numerics.joint.fit import Learner, Plan, fit_joint
from spotheight.numerics.joint.levels import Levels
from spotheight.numerics.joint.model import Model, Sampler
from spotheight.numerics.joint.parameters import Scales, Values
from spotheight.numerics.joint.rows import Known

COUNTS = (2, 3, 2)
LEVELS = Levels(COUNTS)
SCALES = Scales(-0.1, 0.5, 0.7, 0.9)


def data(rng, rows, counts=COUNTS):
    """Chances of a model, and levels that follow them."""
    chances = tuple(rng.dirichlet(np.ones(count), size=rows) for count in counts)
    draws = [(rng.random((rows, 1)) > part.cumsum(axis=1)).sum(axis=1) for part in chances]
    return chances, np.minimum(np.stack(draws, axis=1), np.array(counts) - 1)


@pytest.fixture(scope="module")
def model():
    rng = default_rng(11)
    chances, codes = data(rng, 20)
    codes[::3, 1] = codes[1, :2] = codes[2] = -1
    known = Known(log_chances(chances), codes, rng.uniform(0.5, 1.5, 20))
    return Model(LEVELS, known, log_chances(data(rng, 30)[0]), SCALES)


@pytest.fixture(scope="module")
def point():
    rng, total = default_rng(12), LEVELS.total
    pair = np.where(LEVELS.above, rng.normal(size=(total, total)), 0)
    return Values(rng.normal(size=3) * 0.3, rng.normal(size=total), pair)


WAYS = {
    "gold": {},
    "signals": {"pool_weight": 17.0},
    "dropped": {"dropped": 0.5},
    "sampled": {"sampler": Sampler(np.zeros(3), 5)},
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_gradients_are_finite_differences(model, point, way):
    model, at = replace(model, **way), point.vector(LEVELS)
    slope = model.density(point)[1].vector(LEVELS)
    # Steps of 1e-6 in a density of about 100: rounding leaves 1e-8, bending 1e-4 of the slope.
    numeric = approx_fprime(at, lambda z: model.density(Values.read(z, LEVELS))[0], 1e-6)
    np.testing.assert_allclose(slope, numeric, rtol=1e-4, atol=2e-3)


def enumerated(model, values, weight):
    """The log posterior by sums over listed combinations, with the formulas of the docstring."""
    power, slices = np.exp(values.log_temperature), LEVELS.slices
    theta, arms = model.theta(values), list(product(*map(range, COUNTS)))

    def tempered(row):
        return [log_softmax(power[k] * row[place]) for k, place in enumerate(slices)]

    def psi(arm):
        at = [place.start + code for place, code in zip(slices, arm, strict=True)]
        return sum(theta[at[k], at[m]] for m in range(3) for k in range(m))

    def log_sum(unary, codes=(-1, -1, -1)):
        fits = [a for a in arms if all(c in (-1, x) for c, x in zip(codes, a, strict=True))]
        tilt = [values.tilt[place] for place in slices]
        each = [sum(unary[k][a[k]] + tilt[k][a[k]] for k in range(3)) + psi(a) for a in fits]
        return logsumexp(each)

    known = zip(model.known.log, model.known.codes, model.known.weight, strict=True)
    total = sum(w * (log_sum(tempered(row), c) - log_sum(tempered(row))) for row, c, w in known)
    pool = [tempered(row) for row in model.pool]
    rho = [logsumexp([row[k] for row in pool], axis=0) - np.log(len(pool)) for k in range(3)]
    total += weight * (np.mean([log_sum(row) for row in pool]) - log_sum(rho))
    parts = (values.log_temperature - SCALES.centre, values.tilt, values.pair)
    spreads = (SCALES.temperature, SCALES.tilt, SCALES.pair)
    return total - sum(np.sum((p / s) ** 2) / 2 for p, s in zip(parts, spreads, strict=True))


@pytest.mark.parametrize("weight", [0.0, 17.0])
def test_the_density_is_that_of_an_enumeration(model, point, weight):
    found = replace(model, pool_weight=weight).density(point)[0]
    assert found == pytest.approx(enumerated(model, point, weight), rel=1e-10)


def test_signals_say_nothing_without_tilts_and_pairs(model, point):
    plain = replace(point, tilt=point.tilt * 0, pair=point.pair * 0)
    without, beside = (replace(model, pool_weight=w).density(plain)[0] for w in (0.0, 1000.0))
    assert beside == pytest.approx(without, rel=1e-12)


def test_a_row_that_knows_nothing_counts_nothing(model, point):
    known = model.known
    some = np.flatnonzero((known.codes >= 0).any(axis=1))
    assert len(some) < len(known.log)
    less = replace(model, known=known.take(some))
    assert less.density(point)[0] == pytest.approx(model.density(point)[0], rel=1e-12)


def fit(chances, codes, mode="full", **options):
    return fit_joint(chances, codes, chances, mode=mode, rng=default_rng(0), **options)


@pytest.mark.parametrize("pool", ["expected", "predicted", "none"])
def test_the_same_evidence_gives_the_same_chances(pool):
    chances, codes = data(default_rng(1), 20)
    one, two = (fit(chances, codes, pool=pool) for _ in range(2))
    assert one.temperature.tolist() == two.temperature.tolist()
    np.testing.assert_array_equal(one.potential.theta, two.potential.theta)


def test_temperatures_alone_leave_levels_independent():
    chances, codes = data(default_rng(2), 60)
    found = fit(chances, codes, "temp")
    assert found.pairs == () and not np.concatenate(found.tilt).any()


@pytest.mark.parametrize("mode", ["temp", "full"])
@pytest.mark.parametrize("rows", [1, 30])
def test_little_and_lopsided_evidence_leaves_sane_chances(mode, rows):
    chances, codes = data(default_rng(3), rows)
    codes[:, 0], codes[:, 2] = 1, -1
    found = fit(chances, codes, mode)
    assert np.isfinite(found.temperature).all() and (found.temperature > 0).all()
    for part in found.marginals(chances):
        np.testing.assert_allclose(part.sum(axis=1), 1)
        assert (part > 0).all()


def test_no_known_level_at_all_leaves_models_at_their_word():
    chances, codes = data(default_rng(4), 20)
    found = fit(chances, np.full_like(codes, -1), "temp")
    # The prior of the centre, N(0, 1), is cut off unevenly: at -3 and 1.5.
    assert abs(np.log(found.temperature)).max() < 0.25


def test_one_attribute_alone_can_be_calibrated():
    chances, codes = data(default_rng(5), 80, (4,))
    found = fit(chances, codes)
    assert found.pairs == ()
    np.testing.assert_allclose(found.marginals(chances)[0].sum(axis=1), 1)


def test_many_levels_can_be_calibrated():
    chances, codes = data(default_rng(6), 16, (50, 50, 3))
    found = fit(chances, codes)
    assert np.isfinite(found.log_chance(chances, codes)).all()


def test_more_combinations_than_can_be_listed_are_sampled():
    rng = default_rng(7)
    chances, codes = data(rng, 40, (2,) * 21)
    codes[:, 1] = codes[:, 0]
    found = fit(chances, codes)
    assert not joints.exact(found.levels)
    pair = dict(found.pairs)[0, 1]
    assert pair[0, 0] + pair[1, 1] > pair[0, 1] + pair[1, 0] + 0.5
    row = found.spread(tuple(part[:2] for part in chances), 0.01, 8)
    np.testing.assert_allclose(np.bincount(row.row, row.weight), 1)


def test_guesses_of_the_pool_count_as_much_as_gold():
    chances, codes = data(default_rng(8), 30)
    learner = Learner(
        LEVELS,
        Known(log_chances(chances), codes, np.ones(30)),
        log_chances(data(default_rng(9), 50)[0]),
        "predicted",
        0,
    )
    model = learner.model(Plan(0.3, 1.0))
    assert model.known.weight[:30].sum() == pytest.approx(model.known.weight[30:].sum())
    assert model.dropped == jointfit.HALF and model.pool_weight == 0
