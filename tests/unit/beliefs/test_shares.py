"""The share of variance that goes with each attribute, and how the report shows it."""

from dataclasses import dataclass, replace
from itertools import product
from time import perf_counter

import numpy as np
import pyarrow as pa
import pytest
from numpy.random import default_rng

import worlds
from reports import played, report_of
from spotheight import Campaign, EmpiricalBeta, Frequencies, Pooled, Proportional, Spec, read_pool
from spotheight.arms import Attribute, Partition
from spotheight.beliefs import BetaRate, Reading, Surface, VarianceShares, shares, variance_shares
from spotheight.page import render_html
from spotheight.pool import Cells
from spotheight.pool.layout import NO_SCORE
from spotheight.report import Report

QUICK = {"estimator": EmpiricalBeta(), "policy": Proportional()}
ROUNDING = 1e-7
"""What a ridge of 1e-9 may leave of a variance that is explained, with some room."""


@dataclass(frozen=True)
class Known:
    """A belief without doubt."""

    mean: np.ndarray

    def interval(self, level):
        return self.mean, self.mean

    def draw(self, n, rng, where=None):
        chosen = self.mean if where is None else self.mean[where]
        return np.tile(chosen, (n, 1))


def surface(codes, belief, sizes=None, counting=None) -> Surface:
    """Arms with these level numbers, an attribute a column: a0, a1, ..."""
    codes = np.asarray(codes, dtype=np.int64)
    attributes = [
        Attribute(f"a{k}", f"a{k}", tuple(f"level{j}" for j in range(1 + column.max())))
        for k, column in enumerate(codes.T)
    ]
    partition = Partition.of(attributes, codes)
    np.testing.assert_array_equal(partition.codes, codes)
    count = np.ones(len(codes)) if sizes is None else np.asarray(sizes, dtype=float)
    arms, one = np.arange(len(codes)), np.ones(len(codes))
    whole = count.astype(np.int64)
    cells = Cells(
        partition, "service", NO_SCORE, arms, 0 * arms, whole, np.nan * one, one, count, count
    )
    return Surface(cells, 0 * one, belief, belief, counting=counting)


def means(found: VarianceShares) -> dict[str, float]:
    return {name: reading.mean for name, reading in found.attributes.items()}


def scattered(arms=60, seed=3):
    """Arms of an unbalanced pool over three attributes, and what is believed of them."""
    rng = default_rng(seed)
    every = list(product(range(4), range(3), range(8)))
    codes = np.array(every)[np.sort(rng.permutation(len(every))[:arms])]
    belief = BetaRate(rng.uniform(1, 9, arms), rng.uniform(1, 4, arms))
    return surface(codes, belief, rng.integers(1, 30, arms))


# The numbers.


@pytest.mark.parametrize("estimand", ["pool", "rate"])
def test_an_additive_surface_over_a_balanced_pool_is_split_exactly(estimand):
    first, second = np.array([-0.1, 0.1]), np.array([-0.2, 0.0, 0.2])
    codes = np.array(list(product(range(2), range(3))))
    rate = 0.6 + first[codes[:, 0]] + second[codes[:, 1]]
    found = variance_shares(surface(codes, Known(rate)).of(estimand))
    total = first.var() + second.var()
    expected = {"a1": second.var() / total, "a0": first.var() / total}
    assert means(found) == pytest.approx(expected, abs=1e-12)
    assert list(found.attributes) == ["a1", "a0"]
    assert found.combinations.mean == pytest.approx(0, abs=ROUNDING)
    assert all(r.low == pytest.approx(r.high) for r in found.attributes.values())


def test_what_hangs_on_combinations_alone_is_left_to_them():
    codes = list(product(range(2), range(2)))
    found = variance_shares(surface(codes, Known(np.array([0.2, 0.8, 0.8, 0.2]))))
    assert means(found) == pytest.approx({"a0": 0, "a1": 0}, abs=1e-12)
    assert found.combinations.mean == pytest.approx(1, abs=ROUNDING)


def test_every_draw_of_an_unbalanced_pool_is_split_as_by_hand():
    """Group means and a weighted least squares fit, one draw at a time."""
    whole = scattered()
    found = variance_shares(whole, level=0.8)
    codes, weight = whole.partition.codes, whole.weight / whole.weight.sum()
    columns = [codes[:, k] == j for k in range(3) for j in range(1 + codes[:, k].max())]
    design = np.column_stack(columns) * np.sqrt(weight)[:, None]
    rows = []
    for rate in whole.of("rate").draw(shares.DRAWS, default_rng(whole.seed)):
        apart = rate - weight @ rate
        total = weight @ apart**2
        levels = np.array([np.average(apart, weights=weight * column) for column in columns])
        sizes = np.array([weight[column].sum() for column in columns])
        alone = [part.sum() for part in np.split(sizes * levels**2, [4, 7])]
        left = apart * np.sqrt(weight)
        left = left - design @ np.linalg.lstsq(design, left, rcond=None)[0]
        rows.append([*alone, left @ left] / total)
    expected = np.array(rows)
    low, high = np.quantile(expected, [0.1, 0.9], axis=0)
    readings = [found.attributes[f"a{k}"] for k in range(3)] + [found.combinations]
    for place, reading in enumerate(readings):
        numbers = (reading.mean, reading.low, reading.high)
        wanted = (expected[:, place].mean(), low[place], high[place])
        assert numbers == pytest.approx(wanted, abs=ROUNDING)
        assert (reading.level, reading.estimand) == (0.8, "rate")
    assert found.combinations.high - found.combinations.low > 0.05  # draws do differ


def test_attributes_that_always_go_together_explain_the_same_twice():
    codes = np.array([[i, i, j] for i in range(3) for j in range(2)])
    rate = np.array([0.3, 0.4, 0.5, 0.6, 0.9, 1.0])
    found = variance_shares(surface(codes, Known(rate)))
    both = means(found)
    assert both["a0"] == pytest.approx(both["a1"]) and both["a0"] > 0.9
    assert both["a0"] + both["a2"] == pytest.approx(1)
    assert found.combinations.mean == pytest.approx(0, abs=ROUNDING)


def test_one_attribute_explains_everything():
    found = variance_shares(surface([[0], [1], [2]], Known(np.array([0.1, 0.5, 0.6])), [5, 1, 9]))
    assert means(found) == pytest.approx({"a0": 1})
    assert found.combinations.mean == pytest.approx(0, abs=ROUNDING)


def test_an_arm_that_does_not_count_changes_nothing():
    rate, codes = np.array([0.1, 0.5, 0.6, 0.9]), list(product(range(2), range(2)))
    apart = surface([*codes, (2, 0)], Known(np.append(rate, 0.0)), counting=[1, 1, 1, 1, 0])
    expected = variance_shares(surface(codes, Known(rate)))
    assert means(variance_shares(apart)) == pytest.approx(means(expected))


def test_many_arms_are_split_in_blocks_of_few_draws(monkeypatch):
    codes, asked = list(product(range(4), range(5))), []

    class Counted(Known):
        def draw(self, n, rng, where=None):
            asked.append(n)
            return super().draw(n, rng, where)

    whole = surface(codes, Counted(default_rng(0).random(20)), range(1, 21))
    at_once = variance_shares(whole)
    monkeypatch.setattr(shares, "ROOM", 30 * 20)
    assert means(variance_shares(whole)) == pytest.approx(means(at_once))
    assert asked == [400, 30, 20]


def test_more_levels_than_can_be_solved_for_leave_combinations_open(monkeypatch):
    whole = scattered()
    everything = variance_shares(whole)
    monkeypatch.setattr(shares, "MOST_LEVELS", 14)
    found = variance_shares(whole)
    assert found.combinations is None and everything.combinations is not None
    assert means(found) == pytest.approx(means(everything))


NOTHING_TO_SAY = {
    "no attribute": lambda: surface(np.zeros((1, 0)), Known(np.array([0.7]))),
    "one arm": lambda: surface([[0, 0]], Known(np.array([0.7]))),
    "arms all alike": lambda: surface([[0], [1]], BetaRate(np.ones(2), np.ones(2), is_shared=True)),
    "an arm unknown": lambda: surface([[0], [1]], Known(np.array([0.7, np.nan]))),
    "nothing counts": lambda: surface(
        [[0], [1]], Known(np.array([0.7, 0.1])), counting=np.zeros(2)
    ),
}


@pytest.mark.parametrize("case", NOTHING_TO_SAY)
def test_where_nothing_can_be_said_nothing_is(case):
    assert variance_shares(NOTHING_TO_SAY[case]()) is None


@pytest.mark.bench
def test_four_thousand_arms_of_forty_attributes_take_a_moment():
    """A budget, not a race: it took .2 s on one core, most of it for the draws."""
    rng = default_rng(0)
    codes = np.unique(rng.integers(0, 2, (4096, 40)), axis=0)
    whole = surface(codes, BetaRate(rng.uniform(1, 9, len(codes)), np.ones(len(codes))))
    start = perf_counter()
    assert len(variance_shares(whole).attributes) == 40
    assert perf_counter() - start < 1


# The report.


def test_the_report_has_the_shares_of_its_surface():
    campaign = played(turns=8, **QUICK)
    report = report_of(campaign)
    assert means(report.shares) == means(variance_shares(campaign.surface()))
    told = Reading(0.3, 0.2, 0.4, 0.9, "rate")
    shares = VarianceShares(dict.fromkeys(report.shares.attributes, told), told)
    page = render_html(replace(report, shares=shares, has_differences=True))
    assert "Which attributes matter" in page and "need not add up to 100%" in page
    section = page[page.index('id="shares"') : page.index('id="attributes"')]
    assert section.count('class="amount"') == 4 and section.count('class="rest"') == 1


def test_a_share_with_a_wide_interval_has_no_bar():
    told, vague = (Reading(0.34, *ends, 0.9, "rate") for ends in ((0.2, 0.5), (0.03, 0.76)))
    section = with_shares(VarianceShares({"ink": told, "size": vague}, vague))
    assert section.count('class="amount"') == 1
    assert section.count("cannot tell yet") == 2 and "3 to 76%" in section
    assert "34%" in section and "no bar is drawn" in section


@pytest.mark.parametrize(
    "make",
    [
        lambda: played(turns=0),
        lambda: played(**{**QUICK, "estimator": Pooled()}),
        lambda: played(turns=2, **{**QUICK, "estimator": Frequencies()}),
        lambda: worlds.campaign(worlds.small("column", {"x": ["a", "b"]})),
    ],
    ids=["no label", "one rate for all", "arms without an estimate", "no attribute"],
)
def test_the_section_is_left_out_where_nothing_can_be_said(make):
    report = report_of(make())
    assert report.shares is None
    assert "Which attributes matter" not in render_html(report)


def with_shares(found: VarianceShares) -> str:
    report: Report = replace(
        report_of(played(turns=1, **QUICK)), shares=found, has_differences=True
    )
    page = render_html(report)
    return page[page.index('id="shares"') : page.index('id="attributes"')]


def test_one_attribute_is_explained_rather_than_compared():
    sure = Reading(1.0, 1.0, 1.0, 0.9, "rate")
    section = with_shares(VarianceShares({"ink": sure}, replace(sure, mean=0.0, low=0.0, high=0.0)))
    assert "levels of this one attribute" in section
    assert "combinations" not in section and "100%" in section


def test_names_stay_text_and_a_missing_rest_is_not_promised():
    share = Reading(0.25, 0.1, 0.4, 0.9, "rate")
    section = with_shares(VarianceShares({"<b>&": share, "": share}, None))
    assert "&lt;b&gt;&amp;" in section and "<b>&" not in section and "(empty)" in section
    assert "combinations" not in section and "10 to 40%" in section
    # An axis from 0 to 40%: the bar ends at five eighths, the interval runs from a quarter on.
    assert section.count('width="62.50%"') == 2 and section.count('x1="25.00%" y1="50%"') == 2


def test_an_attribute_that_decides_comes_first_in_a_campaign():
    rng, rows = default_rng(8), 600
    noise, cause = rng.choice(["x", "y"], rows), rng.choice(["p", "q"], rows)
    is_right = rng.random(rows) < np.where(cause == "p", 0.95, 0.3)
    table = pa.table(
        {
            "id": [f"i{row:03d}" for row in range(rows)],
            "answer": np.where(is_right, "yes", "no"),
            "noise": noise,
            "cause": cause,
        }
    )
    pool = read_pool(table, id="id", prediction="answer", attributes=["noise", "cause"])
    campaign = Campaign(pool, Spec(seed=1, **QUICK))
    campaign.tell({f"i{row:03d}": "yes" for row in range(200)})
    found = variance_shares(campaign.surface())
    assert list(found.attributes) == ["cause", "noise"]
    assert found.attributes["cause"].low > 0.8 and found.attributes["noise"].high < 0.2
