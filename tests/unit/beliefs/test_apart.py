"""Whether arms differ is said only where labels show it."""

import numpy as np
import pyarrow as pa
import pytest
from numpy.random import Generator, default_rng
from test_shares import Known, surface

from reports import report_of
from spotheight import Beta, Campaign, Random, Spec, read_pool
from spotheight.beliefs import BetaRate, are_apart
from spotheight.page import render_html
from spotheight.questions.certainty import CERTAINTY

NOISE_ALARMS = 3
"""Bands that hold at once leave zero out by chance in 5 of 100 noise worlds at most; of 20 worlds
more than 3 would do so with a probability of .016. In fact it is rarer, for arms lean on others."""


def world(rng: Generator, gap: float, items: int = 600) -> tuple[pa.Table, dict[str, str]]:
    """Calls of three accents, of which the first is wrong more often by ``gap``."""
    accent = rng.choice(["german", "english", "french"], items)
    is_right = rng.random(items) < np.where(accent == "german", 0.9 - gap, 0.9)
    ids = [f"{item:03d}" for item in range(items)]
    columns = {
        "id": ids,
        "answer": rng.choice(["yes", "no"], items),
        "accent": accent,
        "line": rng.choice(list("abcd"), items),
    }
    other = {"yes": "no", "no": "yes"}
    truth = [a if r else other[a] for a, r in zip(columns["answer"], is_right, strict=True)]
    return pa.table(columns), dict(zip(ids, truth, strict=True))


def assessed(seed: int, gap: float, labels: int, **spec: object) -> Campaign:
    table, truth = world(default_rng([seed, 17]), gap)
    pool = read_pool(table, id="id", prediction="answer", attributes=["accent", "line"])
    campaign = Campaign(pool, Spec(seed=seed, policy=Random(), **spec))
    campaign.tell({query.item: truth[query.item] for query in campaign.ask(labels)})
    return campaign


@pytest.mark.parametrize("spec", [{}, {"estimator": Beta()}], ids=["additive", "beta"])
def test_noise_shows_no_difference_and_a_large_one_shows(spec: dict[str, object]) -> None:
    noise = [are_apart(assessed(seed, 0, 120, **spec).surface(), CERTAINTY) for seed in range(20)]
    assert sum(noise) <= NOISE_ALARMS
    large = [are_apart(assessed(seed, 0.5, 300, **spec).surface(), CERTAINTY) for seed in range(5)]
    assert all(large)


def test_many_arms_of_noise_are_not_apart() -> None:
    """Each of 400 arms has a posterior of its own: some pairs look sure to differ, by chance."""
    rng, alarms = default_rng(5), 0
    for _ in range(10):
        hits = rng.binomial(12, 0.9, 400)
        found = surface(np.arange(400)[:, None], BetaRate(hits + 0.5, 12.5 - hits))
        alarms += bool(are_apart(found, CERTAINTY))
    assert alarms <= NOISE_ALARMS


def test_what_is_known_without_doubt_is_apart_or_alike() -> None:
    codes = [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert are_apart(surface(codes, Known(np.array([0.7, 0.7, 0.7, 0.71]))), CERTAINTY)
    assert are_apart(surface(codes, Known(np.full(4, 0.7))), CERTAINTY) is False
    # Only the combination tells; no level does.
    assert are_apart(surface(codes, Known(np.array([0.2, 0.8, 0.8, 0.2]))), CERTAINTY)


def test_where_there_is_nothing_to_compare_nothing_is_said() -> None:
    assert are_apart(surface([[0, 0]], Known(np.array([0.7]))), CERTAINTY) is None
    assert are_apart(surface([[0], [1]], Known(np.array([0.7, np.nan]))), CERTAINTY) is None


def test_a_report_on_noise_claims_no_differences() -> None:
    report = report_of(assessed(3, 0, 120))
    assert report.has_differences is False and report.shares is not None
    page = render_html(report)
    section = page[page.index('id="shares"') : page.index('id="attributes"')]
    assert "Some arms do better" not in page and 'class="amount"' not in section
    assert "No difference between arms shows yet." in section and "95% sure" in section
    assert "It looks worse" not in page


def test_a_report_on_a_large_difference_names_it() -> None:
    page = render_html(report_of(assessed(3, 0.5, 300)))
    assert "Some arms do better than others." in page and "95% sure" in page
    assert "It looks worse where accent is german" in page
