"""Twins: hits that the model drew, and the page that holds cases against them."""

import numpy as np
import pandas as pd
import pytest

from bench.cases import Case
from bench.facts import Facts, Published
from bench.plan import Study
from bench.summary import Average, Entry, Summary
from bench.twins.cases import TWINS, Twin
from bench.twins.page import COLUMNS, page
from spotheight.metrics import Accuracy
from spotheight.pool import names as c
from spotheight.simulate.truth import Truth

ITEMS = 3000
CHANCES = {"a": 0.95, "b": 0.5, "c": 0.1}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    rng = np.random.default_rng(0)
    kind = rng.choice(list(CHANCES), ITEMS)
    truth = rng.choice(["cat", "dog", "owl"], ITEMS)
    is_right = rng.random(ITEMS) < [CHANCES[one] for one in kind]
    other = np.where(truth == "cat", "dog", "cat")
    answer = np.where(is_right, truth, other).astype(object)
    answer[:20] = None
    folder = tmp_path_factory.mktemp("data")
    table = {"kind": kind, "truth": truth, "answer": answer, "sure": rng.random(ITEMS)}
    pd.DataFrame(table).to_parquet(folder / "table.parquet")
    return folder


@pytest.fixture(scope="module")
def case():
    return Case(
        name="pets",
        title="Pets",
        file="table.parquet",
        service="finder",
        prediction="answer",
        label="truth",
        score="sure",
        attributes=("kind",),
        published=(Published("others", "random", 100, {"macro": (1, 2)}),),
    )


def hits_of(pool):
    return Truth.of(pool, Accuracy(), ["finder"]).hits["finder"].hit


def test_a_twin_has_the_items_of_its_case_and_other_hits(case, folder):
    real, twin = case.pool(folder), Twin.of(case, 0).pool(folder)
    for name in (c.ID, c.prediction_of("finder"), c.score_of("finder")):
        np.testing.assert_array_equal(real.columns[name], twin.columns[name])
    assert (hits_of(real) != hits_of(twin)).sum() > ITEMS / 20


def test_hits_of_a_twin_come_at_the_rates_of_its_case(case, folder):
    kind = pd.read_parquet(folder / case.file)["kind"].to_numpy()
    told = np.arange(ITEMS) >= 20
    twins = [hits_of(Twin.of(case, number).pool(folder)) for number in range(TWINS)]
    for level, chance in CHANCES.items():
        rates = [hit[told & (kind == level)].mean() for hit in twins]
        # Five standard errors of a rate of 1000 items, twice over: surfaces differ as well.
        assert np.abs(np.array(rates) - chance).max() < 10 * np.sqrt(chance * (1 - chance) / 1000)


def test_silence_is_never_right_in_a_twin(case, folder):
    assert not hits_of(Twin.of(case, 1).pool(folder))[:20].any()


def test_twins_of_a_case_differ_and_are_the_same_every_time(case, folder):
    first, second, again = (hits_of(Twin.of(case, n).pool(folder)) for n in (0, 1, 0))
    assert (first != second).any()
    np.testing.assert_array_equal(first, again)


def summary(coverages):
    facts = Facts(
        title="Pets",
        service="finder",
        attributes=("kind",),
        has_score=True,
        is_key=False,
        items=ITEMS,
        arms=100,
        judged_arms=100,
        accuracy=0.5,
    )
    entries = {
        (Study(name, method), budget): Entry(2, {"coverage90": Average(value, 0.01)})
        for name, value in coverages.items()
        for method, budget in COLUMNS
    }
    return Summary(dict.fromkeys(coverages, facts), entries)


@pytest.mark.parametrize(("real", "shown"), [(0.84, "84.0 / 85.0"), (0.70, "**70.0** / 85.0")])
def test_the_page_marks_a_case_that_is_unlike_its_twins(real, shown):
    twins = summary({f"pets~{n}": value for n, value in enumerate((0.83, 0.85, 0.87))})
    text = page(twins, summary({"pets": real}))
    assert f"| Pets |{f' {shown} |' * len(COLUMNS)}" in text
    # Up to 200 labels the band begins at 85%, beyond at 87%.
    assert "| twins in it | 2 of 3 | 1 of 3 | 1 of 3 | 2 of 3 | 1 of 3 |" in text
    assert f"| cases unlike their twins |{f' {int(real < 0.8)} |' * len(COLUMNS)}" in text
