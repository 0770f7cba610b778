"""Campaigns that are run together label the very items, and give the very rows, of the loop."""

import numpy as np
import pandas as pd
import pytest
from numpy.random import default_rng
from scipy.stats import ks_2samp

import spotheight as sh
from spotheight.models.beta import Beta
from spotheight.models.pooled import Pooled
from spotheight.policies.optimist import BayesUCB, EpsilonGreedy
from spotheight.policies.passive import Random
from spotheight.policies.thompson import MultiplePlay, Thompson, TopTwo
from spotheight.questions.compare import Compare
from spotheight.questions.estimate import Estimate
from spotheight.questions.identify import Identify
from spotheight.simulate import Simulation, simulate
from spotheight.simulate.replay import Replay

FALSE_ALARM = 1e-6


@pytest.fixture(scope="module")
def pool():
    """Eight groups in score cells; ids in an order that has nothing to do with anything."""
    rng, items = default_rng(4), 900
    group = rng.integers(0, 8, items)
    is_right = rng.random(items) < rng.beta(6, 2, 8)[group]
    table = pd.DataFrame(
        {
            "id": [f"i{number:04d}" for number in rng.permutation(items)],
            "group": [f"g{number}" for number in group],
            "said": "yes",
            "score": rng.random(items),
            "truth": np.where(is_right, "yes", "no"),
        }
    )
    roles = {"prediction": "said", "score": "score", "attributes": ["group"], "label": "truth"}
    return sh.read_pool(table, id="id", **roles)


def plan(**changes):
    base = {"estimators": (Beta(),), "budgets": (12, 48), "seeds": (0, 3, 7), "batch": 1}
    return Simulation(**(base | changes))


def rows(pool, simulation):
    """All but the seconds."""
    found = list(simulate(pool, simulation, workers=1))
    return [{k: v for k, v in row.items() if not k.endswith("_seconds")} for row in found]


def count_batches(monkeypatch):
    """How many campaigns were run together."""
    seen = []
    plain = Replay.rows
    monkeypatch.setattr(
        Replay, "rows", lambda self: (seen.append(self.picked is not None), plain(self))[1]
    )
    return seen


SERVED = [
    {"policies": (Random(),)},
    {"policies": (Thompson(draws=1),)},
    {"policies": (Thompson(draws=1),), "task": Identify()},
    {"policies": (Thompson(draws=1),), "task": Identify(best=1), "holdout": 0.5},
    {"policies": (TopTwo(draws=1),), "task": Identify(), "estimators": (Beta("informed"),)},
    {"policies": (MultiplePlay(),), "task": Identify(3), "batch": 3},
    {"policies": (EpsilonGreedy(0.3),), "estimators": (Beta("jeffreys", 3),)},
    {"policies": (BayesUCB(),), "task": Identify(2), "batch": 2},
]


@pytest.mark.parametrize("changes", SERVED, ids=lambda changes: str(changes["policies"][0]))
def test_rows_are_those_of_the_loop(pool, changes, monkeypatch):
    seen = count_batches(monkeypatch)
    together = rows(pool, plan(**changes))
    assert seen == [True] * 3
    monkeypatch.setattr(Replay, "batch", lambda self: None)
    assert together == rows(pool, plan(**changes))
    assert seen[3:] == [False] * 3


@pytest.mark.parametrize(
    "changes",
    [
        {"policies": (Thompson(),)},  # 256 draws vote
        {"policies": (Thompson(draws=1),), "batch": 12},
        {"policies": (Thompson(draws=1),), "warm": 5},
        {"policies": (MultiplePlay(),), "task": Identify(3), "batch": 3, "budgets": (10,)},
        {"policies": (EpsilonGreedy(0.3),), "task": Identify(2), "batch": 2},
        {"policies": (BayesUCB(),)},  # the worth of an estimate has no bound in closed form
        {"policies": (Random(),), "budgets": (900,)},  # to the end of the pool
        {"policies": (Random(),), "estimators": (Beta("overall"),)},  # moves with every label
        {"policies": (Random(),), "estimators": (Pooled(),)},
        {"policies": (Random(),), "task": Estimate(partition=("@prediction",))},
        {"policies": (Random(),), "task": Compare({"group": "g0"}, {"group": "g1"})},
    ],
    ids=str,
)
def test_what_has_no_form_for_many_is_replayed_one_by_one(pool, changes, monkeypatch):
    seen = count_batches(monkeypatch)
    rows(pool, plan(**({"seeds": (0,)} | changes)))
    assert seen == [False]


def test_rows_do_not_hang_on_the_workers_or_on_other_seeds(pool):
    wanted = plan(policies=(Thompson(draws=1),), seeds=tuple(range(23)), budgets=(8,))
    alone = rows(pool, wanted)
    found = [dict(row) for row in simulate(pool, wanted, workers=2)]
    assert [row["macro_mse"] for row in found] == [row["macro_mse"] for row in alone]
    (one,) = rows(pool, plan(policies=(Thompson(draws=1),), seeds=(21,), budgets=(8,)))
    assert one == alone[21]


def test_shared_numbers_have_the_same_law(pool):
    """Null: errors after 40 labels are of one distribution, whichever way 80 seeds are run."""
    law = {"task": Identify(2), "policies": (MultiplePlay(),)}
    wanted = {"batch": 2, "budgets": (40,), "seeds": tuple(range(80)), **law}
    exact, shared = (
        [row["macro_mse"] for row in rows(pool, plan(**wanted, is_exact=is_exact))]
        for is_exact in (True, False)
    )
    assert exact != shared
    assert ks_2samp(exact, shared).pvalue > FALSE_ALARM
