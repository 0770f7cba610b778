"""Calibration finds temperatures, error rates and pairs that are known, within standard errors.

Every test raises a false alarm with probability ``FALSE_ALARM`` at most; seeds are fixed. Standard
errors are those of Fisher's information at the truth, by finite differences of a likelihood that is
written out here. A prior moves an estimate by at most its own precision times the squared standard
error times the distance; that is allowed for beside.
"""

import numpy as np
from numpy.random import default_rng
from scipy import stats
from scipy.special import log_softmax, softmax

from spotheight.numerics.joint.chances import FLOOR, Joint, log_chances
from spotheight.numerics.joint.fit import Learner, Plan, fit_joint
from spotheight.numerics.joint.levels import Levels, combinations
from spotheight.numerics.joint.rows import Known
from spotheight.numerics.joint.temper import SPREADS

FALSE_ALARM = 1e-6


def drawn(chance, rng):
    """A level of each row, (rows, levels) being their chances."""
    code = (rng.random((len(chance), 1)) > chance.cumsum(axis=1)).sum(axis=1)
    return np.minimum(code, chance.shape[1] - 1)


def test_known_temperatures_are_found():
    """Levels follow tempered chances; a wrong power by a tenth is found at 2000 rows: SE .035."""
    rng, rows, truth = default_rng(20250301), 2000, np.array([0.4, 0.8, 1.0, 1.7])
    chances = tuple(rng.dirichlet(np.full(3, 0.7), size=rows) for _ in truth)
    logs = [np.log(np.maximum(part, FLOOR)) for part in chances]
    tempered = [softmax(power * log, axis=1) for power, log in zip(truth, logs, strict=True)]
    codes = np.stack([drawn(part, rng) for part in tempered], axis=1)
    found = fit_joint(chances, codes, chances, mode="temp", rng=rng)
    for k, power in enumerate(truth):
        mean = (tempered[k] * logs[k]).sum(axis=1, keepdims=True)
        information = power**2 * np.sum(tempered[k] * (logs[k] - mean) ** 2)
        moved = abs(np.log(truth) - np.log(truth).mean()).max() / (information * 0.4**2)
        z = stats.norm.isf(FALSE_ALARM / 2 / len(truth))
        assert 0.4 in SPREADS  # the truths are .6 apart, so a spread below this is out
        error = np.log(found.temperature[k] / power)
        assert abs(error) < z / np.sqrt(information) + moved


def test_a_bare_guess_learns_its_rate_of_errors():
    rng, rows, rate = default_rng(20250302), 1000, 0.15
    truth = rng.integers(2, size=(rows, 2))
    wrong = rng.random((rows, 2)) < rate
    chances = tuple(np.eye(2)[part] for part in np.where(wrong, 1 - truth, truth).T)
    found = fit_joint(chances, truth, chances, mode="temp", rng=rng).marginals(chances)
    for k in range(2):
        said = 1 - found[k].max(axis=1).mean()
        # A prior spread of 1.6 in the log power is .02 in the log odds here, per squared SE.
        assert abs(said - wrong[:, k].mean()) < 0.01
        z = stats.norm.isf(FALSE_ALARM / 4)
        assert abs(said - rate) < z * np.sqrt(rate * (1 - rate) / rows) + 0.01


def log_likelihood(at, logs, codes):
    """Two attributes of two levels: log temperatures, tilts of level 1, log odds ratio."""
    power, tilt, pair = np.exp(at[:2]), at[2:4], at[4]
    arms = combinations((2, 2))
    score = sum(power[k] * logs[k][:, arms[:, k]] + tilt[k] * arms[:, k] for k in range(2))
    score = log_softmax(score + pair * arms.prod(axis=1), axis=1)
    return score[np.arange(len(codes)), codes @ [2, 1]].sum()


def information(at, logs, codes, step=1e-3):
    """Minus the second differences of the log likelihood."""
    unit = np.eye(len(at)) * step
    value = lambda move: log_likelihood(at + move, logs, codes)  # noqa: E731
    rows = [
        [value(a + b) - value(a - b) - value(b - a) + value(-a - b) for b in unit] for a in unit
    ]
    return -np.array(rows) / (4 * step**2)


def paired_world(rng, rows, truth):
    """Rows whose combinations follow a joint with a known log odds ratio."""
    chances = tuple(np.stack([1 - p, p], axis=1) for p in rng.beta(1, 1, size=(2, rows)))
    joint = Joint(
        np.exp(truth[:2]),
        tuple(np.array([0.0, tilt]) for tilt in truth[2:4]),
        (((0, 1), np.array([[0, 0], [0, truth[4]]])),),
    )
    everything = joint.spread(chances, 0.0, 4)
    arm = drawn(everything.weight.reshape(rows, 4), rng)
    return chances, combinations((2, 2))[arm]


def test_a_known_pair_is_found():
    """The log odds ratio and the temperatures, all at once; 2 is found as 2, and 0 as 0."""
    rng, rows, plan = default_rng(20250303), 1500, Plan(1.2)
    z = stats.norm.isf(FALSE_ALARM / 2 / 6)
    for ratio in (2.0, 0.0):
        truth = np.array([np.log(0.7), np.log(1.3), 0.3, -0.4, ratio])
        chances, codes = paired_world(rng, rows, truth)
        known = Known(log_chances(chances), codes, np.ones(rows))
        found = Learner(Levels((2, 2)), known, known.log, "none", 0).joint(plan)
        logs = [known.log[:, :2], known.log[:, 2:]]
        error = np.sqrt(np.diag(np.linalg.inv(information(truth, logs, codes))))
        pair = dict(found.pairs)[0, 1]
        seen = pair[0, 0] + pair[1, 1] - pair[0, 1] - pair[1, 0]
        moved = error[4] ** 2 * ratio / (4 * plan.pair**2)
        assert abs(seen - ratio) < z * error[4] + moved
        prior = error[:2] ** 2 * abs(truth[:2]).max() / min(SPREADS[SPREADS >= 0.2]) ** 2
        assert (abs(np.log(found.temperature) - truth[:2]) < z * error[:2] + prior).all()


def test_partly_known_rows_find_the_same_pair():
    """Half of the rows know one attribute only: wider, and not biased."""
    rng, rows, plan = default_rng(20250304), 3000, Plan(1.2)
    truth = np.array([0.0, 0.0, 0.3, -0.4, 1.5])
    chances, codes = paired_world(rng, rows, truth)
    half = rng.random(rows) < 0.5
    partly = codes.copy()
    partly[half, rng.integers(2, size=half.sum())] = -1
    known = Known(log_chances(chances), partly, np.ones(rows))
    found = Learner(Levels((2, 2)), known, known.log, "none", 0).joint(plan)
    logs = [part[~half] for part in (known.log[:, :2], known.log[:, 2:])]
    # Rows that know both alone already allow this error; the others can only help.
    error = np.sqrt(np.linalg.inv(information(truth, logs, codes[~half]))[4, 4])
    pair = dict(found.pairs)[0, 1]
    seen = pair[0, 0] + pair[1, 1] - pair[0, 1] - pair[1, 0]
    moved = error**2 * truth[4] / (4 * plan.pair**2)
    assert abs(seen - truth[4]) < stats.norm.isf(FALSE_ALARM / 2) * error + moved


def test_pairs_help_where_there_are_some_and_do_no_harm_where_there_are_none():
    """Held-out log chance of 4000 rows: a paired z test each, alarm at 1e-6."""
    rng, z = default_rng(20250305), stats.norm.isf(FALSE_ALARM)
    gains = []
    for ratio in (3.0, 0.0):
        truth = np.array([0.0, 0.0, -1.0, -1.0, ratio])
        chances, codes = paired_world(rng, 4300, truth)
        gold, rest = (
            tuple(part[rows] for part in chances) for rows in (slice(300), slice(300, None))
        )
        full, temp = (
            fit_joint(gold, codes[:300], rest, mode=mode, rng=rng) for mode in ("full", "temp")
        )
        gains.append(full.log_chance(rest, codes[300:]) - temp.log_chance(rest, codes[300:]))
    assert gains[0].mean() > z * gains[0].std() / np.sqrt(4000)
    # Tilts help in both; five parameters of 300 rows cost 5 / 600 nats a row on average.
    assert gains[1].mean() > -5 / 600 - z * gains[1].std() / np.sqrt(4000)
