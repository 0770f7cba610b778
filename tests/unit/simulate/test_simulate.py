"""Replaying labelled tables: the same draws for all, exact budgets, scores against brute force."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise, permutations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from numpy.random import default_rng

from spotheight.beliefs import Surface
from spotheight.campaign.spec import Spec
from spotheight.errors import InputError
from spotheight.evidence import Counts, Evidence
from spotheight.metrics import Accuracy, Number, Precision, Recall, Verdict
from spotheight.models import Estimator
from spotheight.models.beta import Beta
from spotheight.models.counts import Frequencies
from spotheight.models.empirical import EmpiricalBeta
from spotheight.models.pooled import Pooled
from spotheight.policies.passive import Proportional, Random, Uniform
from spotheight.policies.thompson import Thompson
from spotheight.pool import ColumnPool, read_pool
from spotheight.questions.calibration import Calibration
from spotheight.questions.compare import Compare, CompareServices
from spotheight.questions.confusion import Confusion
from spotheight.questions.cost import Cost
from spotheight.questions.estimate import Estimate
from spotheight.questions.identify import Identify
from spotheight.questions.quantities import Costs, ExpectedCost, HitRate
from spotheight.questions.rank import Rank
from spotheight.simulate import Simulation, simulate
from spotheight.simulate.ideal import Ideal
from spotheight.simulate.scores import Target, lowest, reciprocal_rank
from spotheight.simulate.truth import Truth

SIZES = {("x", "p"): 40, ("x", "q"): 25, ("y", "p"): 12, ("y", "q"): 3}


def table(seed: int = 0) -> pa.Table:
    """Four arms of different size and accuracy; a second service that is worse."""
    rng = default_rng(seed)
    arms = [arm for arm, size in SIZES.items() for _ in range(size)]
    truth = rng.choice(["cat", "dog"], size=len(arms))
    other = np.where(truth == "cat", "dog", "cat")
    is_hit = rng.random(len(arms)) < [0.9 if arm[0] == "x" else 0.5 for arm in arms]
    is_hit_too = rng.random(len(arms)) < 0.4
    return pa.table(
        {
            "item": [f"i{n:03}" for n in range(len(arms))],
            "truth": truth,
            "first": np.where(is_hit, truth, other),
            "second": np.where(is_hit_too, truth, other),
            "score": rng.random(len(arms)),
            "letter": [arm[0] for arm in arms],
            "sign": [arm[1] for arm in arms],
            "stars": rng.integers(1, 6, len(arms)).astype(float),
            "liked": rng.integers(0, 2, len(arms)).astype(float),
        }
    )


@cache
def made() -> ColumnPool:
    """The usual pool; it never changes, so that all tests can share it."""
    return make_pool(table())


def make_pool(source: pa.Table | None = None, **roles: object) -> ColumnPool:
    named: dict[str, object] = {
        "id": "item",
        "prediction": {"first": "first", "second": "second"},
        "score": {"first": "score"},
        "attributes": ["letter", "sign"],
        "label": "truth",
    }
    return read_pool(source or table(), **(named | roles))  # type: ignore[arg-type,return-value]


def plan(**fields: object) -> Simulation:
    named: dict[str, object] = {
        "estimators": (EmpiricalBeta(),),
        "policies": (Random(),),
        "budgets": (30,),
        "seeds": (0,),
    }
    return Simulation(**(named | fields))  # type: ignore[arg-type]


def replay(pool: ColumnPool | None = None, **fields: object) -> list[dict[str, object]]:
    return list(simulate(pool or made(), plan(**fields), workers=1))


@dataclass(frozen=True)
class Spy(Estimator):
    """An estimator that keeps what it was shown."""

    inner: EmpiricalBeta | Pooled | Frequencies
    seen: list[Evidence] = field(default_factory=list, repr=False)

    def fit(self, evidence: Evidence, start: Surface | None = None) -> Surface:
        self.seen.append(evidence)
        return self.inner.fit(evidence)


def shown(spy: Spy, budget: int) -> list[tuple[float, ...]]:
    """The labels behind the surface that was read at a budget."""
    evidence = next(e for e in spy.seen if e.labelled.sum() == budget)
    rows = evidence.rows
    return list(zip(rows.cell, rows.chance, evidence.hit, strict=True))


# What a row is.


def test_one_row_for_each_estimator_policy_budget_and_seed_in_that_order():
    rows = replay(
        estimators=(Pooled(), Beta(prior="overall")),
        policies=(Random(), Thompson(draws=8)),
        budgets=(20, 10),
        seeds=(3, 1),
    )
    named = [(r["estimator"], r["policy"], r["seed"], r["budget"]) for r in rows]
    assert named == [
        (estimator, policy, seed, budget)
        for estimator in ("pooled", "beta:prior=overall")
        for policy in ("random", "thompson:draws=8")
        for seed in (3, 1)
        for budget in (10, 20)
    ]


def test_a_row_has_the_promised_keys_and_is_plain_json():
    (row,) = replay()
    assert set(row) == {
        *("estimator", "policy", "budget", "seed", "labels", "estimand"),
        *("macro_mse", "micro_mse", "worst50_mse", "infrequent50_mse", "rmse", "overall_error"),
        *("coverage90", "width90", "coverage_overall90", "fit_seconds", "ask_seconds"),
    }
    assert json.loads(json.dumps(row, allow_nan=False)) == row


@pytest.mark.parametrize("policy", [Random(), Thompson(), Proportional()])
def test_every_budget_is_met_exactly_and_the_end_of_the_pool_is_said(policy):
    size = sum(SIZES.values())
    rows = replay(policies=(policy,), budgets=(1, 5, 30, size, 2 * size), batch=12)
    assert [r["labels"] for r in rows] == [1, 5, 30, size, size]
    assert [r["budget"] for r in rows] == [1, 5, 30, size, 2 * size]


def test_random_labels_hold_the_overall_number_nine_times_in_ten():
    """Null: 300 draws of chance .9, whose mean is .06 off with a chance of .0005."""
    rows = replay(estimators=(Pooled(),), budgets=(15,), seeds=tuple(range(300)))
    assert np.mean([row["coverage_overall90"] for row in rows]) == pytest.approx(0.9, abs=0.06)


def test_with_everything_labelled_nothing_is_wrong_and_no_interval_is_left():
    (row,) = replay(estimators=(Pooled(),), budgets=(1000,))
    wrong = [row[k] for k in ("macro_mse", "micro_mse", "worst50_mse", "infrequent50_mse", "rmse")]
    assert wrong == pytest.approx([0] * 5, abs=1e-12)
    assert row["overall_error"] == pytest.approx(0, abs=1e-12)
    assert [row[k] for k in ("coverage90", "width90", "coverage_overall90")] == [None] * 3


def test_the_level_names_the_coverage():
    (row,) = replay(level=0.5)
    (wide,) = replay()
    assert "coverage90" not in row and row["width50"] < wide["width90"]


def test_the_result_does_not_depend_on_the_number_of_workers():
    wanted = plan(estimators=(Pooled(), EmpiricalBeta()), policies=(Random(), Thompson()))
    alone, two = (list(simulate(made(), wanted, workers=w)) for w in (1, 2))
    timeless = [
        [{k: v for k, v in row.items() if not k.endswith("_seconds")} for row in rows]
        for rows in (alone, two)
    ]
    assert timeless[0] == timeless[1] and len(alone) == 4


def test_progress_counts_campaigns():
    calls: list[tuple[int, int]] = []
    wanted = plan(seeds=(0, 1, 2), budgets=(5, 10))
    rows = simulate(made(), wanted, workers=2, progress=lambda *c: calls.append(c))
    assert len(list(rows)) == 6 and calls == [(0, 3), (1, 3), (2, 3), (3, 3)]


# The same draws for all.


@pytest.mark.parametrize("policy", [Random(), Uniform(), Proportional()])
def test_estimators_see_the_same_labels_where_the_policy_is_blind(policy):
    spies = [Spy(inner) for inner in (EmpiricalBeta(), Pooled(), Frequencies())]
    replay(estimators=tuple(spies), policies=(policy,), budgets=(7, 30))
    for budget in (7, 30):
        first, *others = [shown(spy, budget) for spy in spies]
        assert len(first) == budget and all(other == first for other in others)


def test_other_seeds_see_other_labels():
    one, two = Spy(Pooled()), Spy(Pooled())
    replay(estimators=(one,), seeds=(0,))
    replay(estimators=(two,), seeds=(1,))
    assert shown(one, 30) != shown(two, 30)


def test_warm_labels_are_those_of_random_for_every_policy():
    spies = {p: Spy(EmpiricalBeta()) for p in ("random", "thompson", "cold")}
    budgets = (6, 20, 30)
    replay(estimators=(spies["random"],), policies=(Random(),), warm=20, budgets=budgets)
    replay(estimators=(spies["thompson"],), policies=(Thompson(),), warm=20, budgets=budgets)
    replay(estimators=(spies["cold"],), policies=(Thompson(),), budgets=budgets)
    for budget in (6, 20):
        assert shown(spies["random"], budget) == shown(spies["thompson"], budget)
        assert shown(spies["cold"], budget) != shown(spies["thompson"], budget)
    assert shown(spies["random"], 30)[:20] == shown(spies["thompson"], 30)[:20]
    assert shown(spies["random"], 30) != shown(spies["thompson"], 30)


def test_a_policy_that_looks_at_the_belief_looks_at_the_estimator_under_test():
    spy = Spy(EmpiricalBeta())
    replay(estimators=(spy,), policies=(Thompson(),), budgets=(24,), batch=6)
    assert [e.labelled.sum() for e in spy.seen] == [0, 6, 12, 18, 24]


# Scores against brute force.


def accuracies(source: pa.Table) -> dict[tuple[str, str], float]:
    rows = source.to_pylist()
    return {
        arm: float(np.mean([r["truth"] == r["first"] for r in rows if arm == _arm(r)]))
        for arm in SIZES
    }


def _arm(row: dict[str, str]) -> tuple[str, str]:
    return row["letter"], row["sign"]


def test_errors_are_those_of_a_count_by_hand():
    source = table()
    spy = Spy(Pooled())
    (row,) = replay(make_pool(source), estimators=(spy,))
    surface = spy.fit(spy.seen[-1])
    arms = [surface.partition.levels(arm) for arm in range(4)]
    truth, size = (np.array([d[a] for a in arms]) for d in (accuracies(source), SIZES))
    squared = (surface.mean - truth) ** 2
    large = size >= 5
    assert row["macro_mse"] == pytest.approx(100 * squared[large].mean())
    assert row["micro_mse"] == pytest.approx(100 * np.average(squared[large], weights=size[large]))
    assert row["rmse"] == pytest.approx(100 * np.sqrt(np.average(squared, weights=size)))
    overall = np.average(surface.mean, weights=size) - np.average(truth, weights=size)
    assert row["overall_error"] == pytest.approx(abs(overall))


def test_an_arm_without_an_estimate_is_scored_as_one_half():
    spy = Spy(Frequencies())
    (row,) = replay(estimators=(spy,), budgets=(1,), policies=(Uniform(),))
    mean = spy.fit(spy.seen[-1]).mean
    counts, _ = Truth.of(made(), Accuracy(), ("first",)).counts(spy.seen[-1].cells, "first")
    target = Target(counts, 0)
    large = target.is_scored
    assert np.isnan(mean[large]).any()
    by_hand = np.mean((np.nan_to_num(mean, nan=0.5) - target.accuracy)[large] ** 2)
    assert row["macro_mse"] == pytest.approx(100 * by_hand)


def test_ties_for_the_last_of_the_fifty_share_its_place():
    rng = default_rng(5)
    values = rng.integers(0, 9, 80).astype(float)
    squared, among = rng.random(80), rng.random(80) < 0.9
    ours = squared @ lowest(values, among, most=50) / 50
    shuffled = []
    for _ in range(4000):
        order = np.lexsort((rng.random(80), np.where(among, values, np.inf)))[:50]
        shuffled.append(squared[order].mean())
    # A z-test of the mean of 4000 random tie-breakings; alarm rate 1e-6.
    assert abs(ours - np.mean(shuffled)) < 4.9 * np.std(shuffled) / np.sqrt(4000)


def test_the_reciprocal_rank_is_the_mean_over_all_orders_of_tied_arms():
    truth = np.array([0.1, 0.2, 0.2, 0.5, 0.9, 0.9])
    mean = np.array([0.3, 0.3, 0.1, 0.3, 0.1, 0.8])
    right = {0, 1, 2}
    by_hand = []
    for order in permutations(range(6)):
        if all(mean[a] <= mean[b] for a, b in pairwise(order)):
            found = [p for p, arm in enumerate(order) if arm in right][:2]
            by_hand.append(np.mean([1 / (1 + p - n) for n, p in enumerate(found)]))
    ours = reciprocal_rank(mean, truth, 2, default_rng(1))
    # 200 random orders; alarm rate 1e-6.
    assert ours == pytest.approx(np.mean(by_hand), abs=4.9 * np.std(by_hand) / np.sqrt(200))


def test_identify_is_scored_by_reciprocal_rank():
    early, late = replay(task=Identify(worst=1), policies=(Thompson(),), budgets=(2, 1000))
    assert late["mrr"] == 1.0
    assert late["identified_at"] == early["identified_at"] in (2, late["labels"])
    assert reciprocal_rank(np.zeros(0), np.zeros(0), 1, default_rng(0)) is None


def test_every_question_is_right_when_all_is_labelled():
    """And each has a score of its own, which is not perfect after twelve labels."""
    costs = Costs.plain(("cat", "dog"))
    perfect = {
        Identify(best=1, of=HitRate(by=("letter",))): ("mrr", 1.0),
        Rank(): ("rank_correlation", 1.0),
        Confusion(): ("confusion_rmse", 0.0),
        Cost(costs): ("cost_rmse", 0.0),
        Identify(of=ExpectedCost(costs)): ("mrr", 1.0),
        Compare("letter=y", "letter=x", of=ExpectedCost(costs, by=("letter",))): ("gap_error", 0.0),
    }
    for task, (name, value) in perfect.items():
        early, late = replay(task=task, policies=(Random(),), budgets=(12, 1000))
        assert late[name] == pytest.approx(value, abs=1e-9), task
        assert early[name] is not None


def test_a_calibration_error_is_held_against_the_tables():
    """By hand: the share of hits and the mean score in two bins."""
    rng = default_rng(4)
    score, hit = rng.random(60).round(3), rng.random(60) < 0.6
    columns = {
        "id": [f"i{i:02}" for i in range(60)],
        "first": ["a"] * 60,
        "truth": np.where(hit, "a", "b"),
        "score": score,
    }
    pool = read_pool(
        pa.table(columns), id="id", prediction="first", score="score", label="truth", in_memory=True
    )
    is_low = score < 0.5
    true = sum(
        part.mean() * abs(hit[part].mean() - score[part].mean()) for part in (is_low, ~is_low)
    )
    task = Calibration(bins=2)
    (row,) = replay(pool, task=task, policies=(Random(),), budgets=(60,))
    assert row["ece_error"] == pytest.approx(0, abs=1e-9)
    simulation = plan(task=task, policies=(Random(),), budgets=(60,))
    truth = Truth.of(pool, Accuracy(), ("service",))
    spec = Spec(service="service")
    ideal = Ideal.of(truth, simulation.task, spec).campaign.answer(task)
    assert ideal.errors.mean[0] == pytest.approx(true, abs=1e-9)


def test_a_gap_between_services_is_held_against_the_tables():
    source = table()
    columns = source.to_pydict()
    share = {s: np.mean(np.array(columns["truth"]) == columns[s]) for s in ("first", "second")}
    task = CompareServices("second", "first")
    early, late = replay(make_pool(source), task=task, budgets=(30, 1000))
    assert late["gap_error"] == pytest.approx(0, abs=1e-12) and late["misranked"] is False
    assert 0 < early["gap_error"] < 1 and share["second"] < share["first"]


def test_a_gap_between_slices_is_held_against_the_tables():
    task = Compare({"letter": "y"}, {"letter": "x"})
    early, late = replay(task=task, budgets=(12, 1000))
    assert late["gap_error"] == pytest.approx(0, abs=1e-12) and late["misranked"] is False
    assert early["gap_error"] > 0


# Holding out.


def test_held_out_items_are_a_part_of_every_arm_and_are_never_asked():
    truth = Truth.of(made(), Accuracy(), ("first",))
    halves = truth.holding_out(0.4, "first", default_rng(3))
    held = set(truth.source.columns["id"][halves.rows])
    seen = set(halves.pool.columns["id"])
    assert held | seen == set(truth.source.columns["id"]) and not held & seen
    levels = zip(
        *(truth.source.columns[f"attribute:{a}"][halves.rows] for a in ("letter", "sign")),
        strict=True,
    )
    drawn = list(levels)
    assert all(abs(drawn.count(arm) - 0.4 * size) < 1 for arm, size in SIZES.items())


def test_a_share_that_is_no_whole_number_is_rounded_by_chance():
    truth = Truth.of(made(), Accuracy(), ("first",))
    held = [len(truth.holding_out(0.3, "first", default_rng(n)).rows) for n in range(400)]
    # 80 items; each arm's rounding has a variance of at most 1/4; alarm rate 1e-6.
    assert abs(np.mean(held) - 0.3 * 80) < 4.9 * np.sqrt(4 / 4 / 400)


def test_with_a_holdout_the_truth_is_that_of_the_other_items():
    pool, spy = made(), Spy(Frequencies())
    (row,) = replay(pool, estimators=(spy,), budgets=(1000,), holdout=0.5)
    assert row["estimand"] == "rate" and 37 <= row["labels"] <= 43
    cells, hits = spy.seen[-1].cells, spy.seen[-1].counts.hits
    whole, _ = Truth.of(pool, Accuracy(), ("first",)).counts(cells, "first")
    # All seen items are labelled, so what the campaign did not see is the difference.
    others = Target(Counts(whole.hits - hits, whole.trials - cells.mass), 0)
    squared = (spy.fit(spy.seen[-1]).mean - others.accuracy) ** 2
    assert row["macro_mse"] == pytest.approx(100 * squared[others.is_scored].mean())
    assert row["coverage90"] is not None


def test_the_split_is_the_same_for_all_estimators_and_policies_of_a_seed():
    spies = [Spy(Pooled()) for _ in range(3)]
    for spy, policy, seed in zip(spies, (Random(), Thompson(), Random()), (0, 0, 1), strict=True):
        replay(estimators=(spy,), policies=(policy,), holdout=0.5, seeds=(seed,), budgets=(1000,))
    masses = [spy.seen[-1].cells.count for spy in spies]
    hits = [spy.seen[-1].counts.hits for spy in spies]
    assert np.array_equal(masses[0], masses[1]) and np.array_equal(hits[0], hits[1])
    assert not np.array_equal(hits[0], hits[2])


def test_an_arm_with_no_item_seen_is_left_out():
    (row,) = replay(holdout=0.97, budgets=(1000,))
    assert row["labels"] < 10 and row["macro_mse"] is not None


# Other labels and other questions.


def test_verdicts_are_told_and_scored():
    pool = make_pool(label=None, verdict={"first": "liked", "second": "liked"})
    early, late = replay(pool, metric=Verdict(), budgets=(10, 1000))
    assert early["macro_mse"] > 0 and late["macro_mse"] == pytest.approx(0, abs=1e-12)


def test_numbers_are_told_and_scored():
    pool = make_pool(label="stars")
    (row,) = replay(pool, metric=Number(1, 5), estimators=(Frequencies(),), budgets=(1000,))
    assert row["rmse"] == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("metric", [Recall("cat"), Precision("dog")])
def test_items_that_do_not_count_give_no_truth(metric):
    rows = table().to_pylist()
    spy = Spy(Frequencies())
    (row,) = replay(estimators=(spy,), metric=metric, budgets=(1000,))
    counted = [
        r for r in rows if (r["truth"] if isinstance(metric, Recall) else r["first"]) == metric.cls
    ]
    assert spy.seen[-1].counts.trials.sum() == len(counted)
    assert row["rmse"] == pytest.approx(0, abs=1e-9)


def test_a_partition_of_the_tasks_own_is_looked_up_before_the_processes_start():
    wanted = plan(task=Estimate(partition=("@prediction",), service="second"), budgets=(1000,))
    (row,) = simulate(made(), wanted, workers=2)
    assert row["rmse"] == pytest.approx(0, abs=1e-9) and row["labels"] == 80


# What cannot be done is said at once.


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"estimators": ()}, "without estimators"),
        ({"seeds": ()}, "without seeds"),
        ({"budgets": (0, 5)}, "budget of a simulation must be at least 1, got 0"),
        ({"seeds": (-1,)}, "seed"),
        ({"batch": 0}, "batch"),
        ({"warm": -1}, "warm"),
        ({"holdout": 1.0}, "holdout of a simulation lies between 0 and 1, got 1.0"),
        ({"level": 0.0}, "level"),
    ],
)
def test_a_plan_that_cannot_be_run_is_refused(fields, words):
    with pytest.raises(InputError, match=words):
        plan(**fields)


def test_a_table_without_labels_is_refused_before_anything_runs():
    with pytest.raises(InputError, match=r"--label COL"):
        simulate(make_pool(label=None), plan())
    with pytest.raises(InputError, match=r"--verdict first=COL"):
        simulate(made(), plan(metric=Verdict()))
    columns = table().to_pydict()
    columns["truth"][7] = None
    with pytest.raises(InputError, match="1 of 80 have none, 'i007' first"):
        simulate(make_pool(pa.table(columns)), plan())


def test_a_service_that_gives_only_scores_is_refused_where_answers_are_judged():
    """Every item would be a miss, and the surface of that is no news."""
    source = pa.table({"id": ["a", "b"], "sure": [0.2, 0.9], "truth": ["yes", "no"]})
    pool = read_pool(source, id="id", score="sure", label="truth", in_memory=True)
    with pytest.raises(InputError, match=r"no answers that could be judged; .*--prediction"):
        simulate(pool, plan(budgets=(1,)))


def test_unknown_services_and_classes_are_refused():
    with pytest.raises(InputError, match="did you mean 'first'"):
        simulate(made(), plan(service="frist"))
    with pytest.raises(InputError, match="did you mean 'second'"):
        simulate(made(), plan(task=CompareServices("first", "secnd")))
    with pytest.raises(InputError, match="No item of this table counts"):
        simulate(made(), plan(metric=Recall("cow")))


def test_what_a_worker_finds_impossible_is_said_as_ever():
    wanted = plan(policies=(Thompson(),), task=CompareServices("first", "second"), seeds=(0, 1))
    with pytest.raises(InputError, match="Thompson sampling cannot serve"):
        list(simulate(made(), wanted, workers=2))
    with pytest.raises(InputError, match="at least 1 worker, got 0"):
        simulate(made(), plan(), workers=0)


def test_a_policy_that_cannot_serve_is_refused_before_others_run():
    task, started = CompareServices("first", "second"), []
    wanted = plan(policies=(Random(), Thompson()), task=task)
    with pytest.raises(InputError, match="Thompson sampling cannot serve"):
        simulate(made(), wanted, progress=lambda done, total: started.append(done))
    assert not started


# Stopping.

ENDLESS = """
import sys
sys.path.insert(0, {tests!r})
from test_simulate import *
wanted = plan(seeds=tuple(range(3000)), budgets=(70,), batch=1)
for row in simulate(made(), wanted, workers=2):
    print("row", flush=True)
"""


@contextmanager
def running() -> Iterator[subprocess.Popen[str]]:
    """A simulation under way, in a process group of its own."""
    process = subprocess.Popen(
        [sys.executable, "-c", ENDLESS.format(tests=str(Path(__file__).parent))],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None and process.stdout.readline() == "row\n"
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def test_a_key_press_stops_the_workers_without_noise():
    with running() as process:
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does, to parent and workers alike
        _, noise = process.communicate(timeout=30)
    assert process.returncode == -signal.SIGINT
    assert noise.count("Traceback") == 1 and noise.rstrip().endswith("KeyboardInterrupt")


def test_workers_do_not_outlive_a_parent_that_is_killed():
    with running() as process:
        process.kill()
        process.communicate(timeout=30)  # comes back when nobody holds the pipe any more


def test_leaving_early_does_not_wait_for_the_rest():
    rows = simulate(made(), plan(seeds=tuple(range(2000)), budgets=(70,), batch=1), workers=2)
    next(rows)
    start = time.perf_counter()
    rows.close()  # type: ignore[attr-defined]
    assert time.perf_counter() - start < 10
