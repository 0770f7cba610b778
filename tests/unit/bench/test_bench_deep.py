"""The benchmark of the BetaGP family: its plan, its summary, its likelihood."""

import json
from dataclasses import dataclass, field

import numpy as np
import pytest
import torch
from scipy import stats
from scipy.special import comb

from bench.deep.devices import problem
from bench.deep.peer import beta_binomial
from bench.deep.plan import USUAL, VARIANTS, Plan, Study
from bench.deep.publish import summary
from bench.deep.work import work_off
from bench.deep.worlds import World
from spotheight import registry as codec


@dataclass(frozen=True)
class Numbers(Plan):
    """Five studies that say their number, and which of them ran."""

    ran: list = field(default_factory=list)

    def studies(self):
        for number in range(5):
            yield Study("cases", str(number), lambda n=number: self.ran.append(n) or {"n": n})


def test_work_goes_on_where_it_was_stopped(tmp_path):
    plan = Numbers((), 1, None)
    work_off(plan, tmp_path, 1, lambda: len(plan.ran) >= 2)
    assert plan.ran == [0, 1]
    work_off(plan, tmp_path, 1, lambda: False)
    assert plan.ran == [0, 1, 2, 3, 4]
    assert json.loads((tmp_path / "cases" / "3.json").read_text()) == {"n": 3}


def test_every_variant_differs_from_the_usual_by_one_field():
    for variant in VARIANTS:
        one, usual = (codec.parse(text, codec.ESTIMATORS) for text in (variant, USUAL[variant]))
        differing = [name for name in vars(one) if vars(one)[name] != vars(usual)[name]]
        assert len(differing) == 1, variant


def test_changes_are_taken_on_seeds_that_both_have(tmp_path):
    errors = {("betagp", 0): 2.0, ("betagp", 1): 3.0, ("betagp:inputs=integer", 1): 3.5}
    (tmp_path / "cases").mkdir()
    for (estimator, seed), error in errors.items():
        row = {"case": "c", "estimator": estimator, "seed": seed, "macro_mse": error}
        row |= {"worst50_mse": 2 * error, "coverage90": 0.9, "width90": 0.3}
        (tmp_path / "cases" / f"{estimator[-3:]}{seed}.json").write_text(json.dumps(row))
    (change,) = summary(tmp_path)["changes"]
    assert (change["estimator"], change["usual"], change["seeds"]) == (
        "betagp:inputs=integer", "betagp", 1,
    )  # fmt: skip
    assert change["macro_mse"]["mean"] == pytest.approx(0.5)
    assert change["worst50_mse"]["mean"] == pytest.approx(1.0)


def test_the_peer_has_the_likelihood_of_the_textbook():
    hits, trials = np.array([0.0, 3, 7]), np.array([1.0, 3, 20])
    rate, scale = np.array([0.2, 0.9, 0.4]), np.array([1.5, 8.0, 30.0])
    ours = beta_binomial(*(torch.tensor(part) for part in (rate, scale, hits, trials))).numpy()
    theirs = stats.betabinom.logpmf(hits, trials, rate * scale, (1 - rate) * scale)
    np.testing.assert_allclose(ours, theirs - np.log(comb(trials, hits)), atol=1e-10)


def test_devices_are_timed_on_the_arms_of_the_race():
    world = World.of(320)
    counts, inputs = problem(320)
    for arm in (0, 7, 319):
        row = inputs.columns(np.array([arm])).ravel() > 0
        (there,) = np.flatnonzero(((world.inputs > 0) == row).all(axis=1))
        assert counts.trials[arm] == world.trials[there]
        assert counts.hits[arm] == world.hits[there]


def test_a_processor_alone_is_not_timed_beside_itself():
    assert not list(Plan(("devices",), 1, None).studies())
    studies = Plan(("devices",), 1, None, "cuda").studies()
    assert [study.name for study in studies] == ["320+cuda", "4096+cuda"]
