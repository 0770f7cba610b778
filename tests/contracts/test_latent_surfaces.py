"""What surfaces of the BetaGP family obey, whatever their form."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from numpy.random import default_rng
from scipy import stats

import worlds
from spotheight import registry as codec
from spotheight.arms import MISSING, Attribute, Partition
from spotheight.errors import InputError
from spotheight.models.betagp import estimator as betagp
from spotheight.models.betagp import latent
from spotheight.models.betagp.estimator import BetaGP
from spotheight.models.betagp.inputs import Inputs
from spotheight.policies.gain import Gain
from spotheight.policies.thompson import Thompson
from spotheight.policies.variance import Variance
from spotheight.questions.estimate import Estimate
from spotheight.questions.identify import Identify

NAMES = ("berngp", "betagp", "betagp-sl", "betagp-slp", "betagp-ab")
HITS, TRIALS, SIZES = (4, 0, 5, 2, 0, 6), (5, 2, 5, 6, 0, 6), (9, 9, 9, 9, 9, 6)


@pytest.fixture(params=[*NAMES, "betagp-sl:scale_supervision=dirichlet"], scope="module")
def estimator(request):
    return codec.parse(request.param, codec.ESTIMATORS)


@pytest.fixture(scope="module")
def surface(estimator):
    """Six arms, one without labels, one complete."""
    return estimator.fit(worlds.evidence(HITS, TRIALS, SIZES))


@pytest.fixture(scope="module")
def on_grid(estimator):
    return estimator.fit(grid())


def numbers(surface, level=0.9):
    both = [surface.of("pool"), surface.of("rate")]
    return np.array(
        [part for read in both for part in (read.mean, read.belief.variance, *read.interval(level))]
    )


def grid(rows=4, columns=3):
    """Two attributes, of which the first decides: arms, hits, trials."""
    names = [
        tuple(f"{letter}{i}" for i in range(size)) for letter, size in (("a", rows), ("b", columns))
    ]
    attributes = [Attribute(n[0][0], n[0][0], n) for n in names]
    codes = np.stack(np.unravel_index(np.arange(rows * columns), (rows, columns)), axis=1)
    partition = Partition.of(attributes, codes)
    evidence = worlds.evidence(
        [8 if row in (0, 1) else 2 for row in codes[:, 0]], [10] * len(codes), [40] * len(codes)
    )
    return replace(evidence, cells=replace(evidence.cells, partition=partition))


def test_numbers_are_in_order(surface):
    for read in (surface.of("pool"), surface.of("rate")):
        (low, high), (wide_low, wide_high) = read.interval(0.5), read.interval(0.99)
        assert (wide_low >= 0).all()
        assert (wide_low <= low).all()
        assert (low <= high).all()
        assert (high <= wide_high).all()
        assert (wide_high <= 1).all()
        assert (read.belief.variance >= 0).all()
    assert surface.status()[5] == "complete"
    assert surface.mean[5] == 1


def test_the_same_labels_give_the_same_surface(estimator, surface):
    again = estimator.fit(worlds.evidence(HITS, TRIALS, SIZES))
    np.testing.assert_array_equal(numbers(again), numbers(surface))


def test_a_warm_start_gives_what_a_cold_one_gives(estimator, on_grid):
    """From itself, and from a fit to fewer labels; within the tolerance of the climb."""
    fewer = replace(grid(), rows=replace(grid().rows, weight=0.5 * grid().rows.weight))
    for start in (on_grid, estimator.fit(fewer)):
        warm = estimator.fit(grid(), start=start)
        np.testing.assert_allclose(numbers(warm), numbers(on_grid), atol=2e-3)


def test_renaming_arms_renames_the_answer(estimator, surface):
    """Arms are levels of one attribute, none of them nearer to another."""
    names = np.array([3, 0, 5, 1, 4, 2])
    back = np.argsort(names)
    renamed = worlds.evidence(*(np.array(part)[back] for part in (HITS, TRIALS, SIZES)))
    np.testing.assert_allclose(
        numbers(estimator.fit(renamed))[:, names], numbers(surface), atol=2e-3
    )


def test_two_halves_of_a_label_are_one(estimator, surface):
    evidence = worlds.evidence(HITS, TRIALS, SIZES)
    rows = evidence.rows
    twice = {name: np.repeat(getattr(rows, name), 2) for name in ("item", "arm", "cell", "chance")}
    halves = replace(rows, weight=np.repeat(rows.weight / 2, 2), **twice)
    split = replace(
        evidence, rows=halves, hit=np.repeat(evidence.hit, 2), counted=np.ones(len(halves.arm))
    )
    np.testing.assert_allclose(numbers(estimator.fit(split)), numbers(surface), atol=1e-9)


def test_without_a_label_nothing_is_known(estimator):
    surface = estimator.fit(worlds.evidence([0] * 3, [0] * 3, [4] * 3))
    np.testing.assert_allclose(surface.rate.mean, 0.5, atol=1e-6)
    assert (surface.rate.variance > 0.01).all()


def test_draws_have_the_moments_that_are_shown(surface):
    """Six arms, both numbers: 5 standard errors, a false alarm in a million and a half."""
    draws = surface.rate.draw(20_000, default_rng(4))
    error = np.sqrt(surface.rate.variance / len(draws))
    assert (np.abs(draws.mean(axis=0) - surface.rate.mean) < 5 * error).all()
    kurtosis = stats.kurtosis(draws, fisher=False)
    error = surface.rate.variance * np.sqrt((kurtosis - 1) / len(draws))
    assert (np.abs(draws.var(axis=0) - surface.rate.variance) < 5 * error + 1e-3).all()


def test_alike_arms_are_drawn_together(on_grid):
    """The first attribute decides, so latents of arms that share it move together."""
    rate = on_grid.rate
    columns = rate.model.inputs.columns(np.arange(12))
    weight, rest = rate.model.latents.reach(0, columns)
    prior = weight @ weight.T + np.diag(rest)
    assert prior[0, 1] > prior[0, 3]
    assert rate.mean[:6].min() > rate.mean[6:].max()


def test_every_question_and_policy_works(on_grid):
    assert 0 < on_grid.slice(a="a0").low < on_grid.slice(a="a0").high < 1
    assert on_grid.difference({"a": "a0"}, {"a": "a3"}).low > 0
    assert Identify(worst=6).answer(on_grid, default_rng(0)).names
    view = worlds.view(on_grid.cells, on_grid, Estimate())
    for policy in (Gain(), Thompson(), Variance()):
        assert len(policy.choose(view, 5, default_rng(0))) == 5


def test_blocks_make_no_difference(monkeypatch):
    whole = BetaGP().fit(grid())
    monkeypatch.setattr(latent, "BLOCK", 7)
    parts = BetaGP().fit(grid())
    np.testing.assert_allclose(numbers(parts), numbers(whole), rtol=1e-9)
    assert parts.rate.draw(3, default_rng(0)).shape == (3, 12)
    np.testing.assert_array_equal(
        parts.rate.draw(3, default_rng(0), np.array([4, 2])).shape, (3, 2)
    )


def test_labels_of_an_arm_move_it_away_from_the_others():
    """As a prior the Beta is updated; as a belief it only follows the surface."""
    hits, trials = [9] * 9 + [0], [10] * 9 + [40]
    evidence = worlds.evidence(hits, trials, [50] * 10)
    prior, belief = (
        BetaGP(beta=role, pooling="none").fit(evidence) for role in ("prior", "belief")
    )
    assert prior.rate.mean[9] < belief.rate.mean[9]
    assert prior.rate.variance[9] < belief.rate.variance[9]


def test_fewer_inducing_points_than_arms_still_tell_arms_apart():
    surface = BetaGP(inducing=6).fit(grid())
    assert surface.rate.mean[:6].min() > surface.rate.mean[6:].max()
    assert len(surface.rate.model.latents.points) == 6


@pytest.mark.parametrize("embedding", [(3,), (6, 2)])
def test_an_embedding_is_learned_and_the_same_each_time(embedding):
    one, two = (BetaGP(embedding=embedding, inputs="integer").fit(grid()) for _ in range(2))
    np.testing.assert_array_equal(numbers(one), numbers(two))
    assert one.rate.mean[:6].min() > one.rate.mean[6:].max()


class TestInputs:
    SIZE = Attribute("size", "size", ("S", "M", "L", MISSING), is_ordered=True)
    KIND = Attribute("kind", "kind", ("x", "y", "z"))
    CODES = np.array([[0, 0], [2, 1], [3, 2]])

    def columns(self, form):
        inputs = Inputs(Partition.of((self.SIZE, self.KIND), self.CODES), form)
        return inputs, inputs.columns(np.arange(3))

    def test_one_hot(self):
        inputs, columns = self.columns("one-hot")
        root = np.sqrt(2)
        np.testing.assert_allclose(
            columns, [[0, 0, 1, 0, 0], [root, 0, 0, 1, 0], [root / 2, root, 0, 0, 1]]
        )
        assert inputs.group.tolist() == [0, 0, 1, 1, 1]

    def test_the_raw_forms(self):
        np.testing.assert_array_equal(self.columns("integer")[1], self.CODES)
        np.testing.assert_array_equal(self.columns("index")[1], [[0], [1], [2]])


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"parameters": "normal"}, "parameters is one of bernoulli, mean-scale"),
        ({"pooling": "some"}, "pooling is one of none, kernel, equal, not 'some'"),
        ({"pseudo_count": -1}, "must not be negative, got -1"),
        ({"pseudo_count": float("nan")}, "must not be negative, got nan"),
        ({"inducing": 0}, "At least 1 inducing point"),
        ({"embedding": (0,)}, "at least 1 wide"),
        ({"seed": -1}, "from 0 on, got -1"),
        ({"scale_supervision": "gamma"}, "must not count twice; say beta=belief"),
        ({"parameters": "bernoulli", "scale_supervision": "gamma"}, "bernoulli has none"),
    ],
)
def test_settings_that_make_no_sense_are_refused(fields, complaint):
    with pytest.raises(InputError, match=complaint):
        BetaGP(**fields)


def test_a_device_that_is_not_there_is_refused():
    with pytest.raises(InputError, match="cannot use the device 'toaster'"):
        BetaGP(device="toaster").fit(grid())


def test_a_missing_extra_says_how_to_get_it(monkeypatch):
    def absent(name):
        raise ModuleNotFoundError("No module named 'torch'", name="torch")

    monkeypatch.setattr(betagp, "import_module", absent)
    with pytest.raises(InputError, match=r"pip install 'spotheight\[deep\]'"):
        BetaGP().fit(grid())


def test_torch_loads_only_for_a_fit():
    code = (
        "import sys, spotheight, spotheight.registry as c; from spotheight.cli import main;"
        "c.parse('betagp-slp', c.ESTIMATORS); spotheight.BetaGP();"
        "sys.exit('torch' in sys.modules or 'gpytorch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
