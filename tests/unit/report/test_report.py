from math import isnan
from time import process_time

import numpy as np
import pyarrow as pa
import pytest
from numpy.random import default_rng

import worlds
from reports import LABELS, SOURCE, TWO, played, report_after, report_of, two_services
from spotheight import (
    Campaign,
    CompareServices,
    EmpiricalBeta,
    FalsePositiveRate,
    Frequencies,
    Precision,
    Recall,
    Spec,
    Verdict,
    read_pool,
)
from spotheight.beliefs import Reading, surface
from spotheight.history.events import Asked, Corrected, Told
from spotheight.page import render_html
from spotheight.report import ArmRow, build, groups
from spotheight.report.history import moments_of

QUICK = {"estimator": EmpiricalBeta()}
"""For what lists and counts say whatever the estimator."""


def numbers(row: ArmRow | Reading) -> list[float]:
    return [row.mean, row.low, row.high, row.n_pool, row.n_labelled]


# Numbers: the surface, asked one slice at a time, is the oracle.


@pytest.mark.parametrize("estimand", ["pool", "rate"])
def test_every_group_has_what_the_surface_says_of_its_slice(estimand: str) -> None:
    campaign = played()
    report, whole = report_after(estimand=estimand), campaign.surface(estimand)
    np.testing.assert_allclose(numbers(report.overall), numbers(whole.overall()))
    levels = [(name, row) for name, rows in report.margins.items() for row in rows]
    assert len(levels) == 4 + 2 + 4
    for name, row in levels:
        np.testing.assert_allclose(numbers(row), numbers(whole.slice({name: row.name})))
    cells = [(m, pair, row) for m in report.heat_maps for pair, row in m.cells.items()]
    assert len(report.heat_maps) == 3 and len(cells) > 20
    for heat_map, (row_level, column_level), row in cells:
        both = {heat_map.rows: row_level, heat_map.columns: column_level}
        np.testing.assert_allclose(numbers(row), numbers(whole.slice(both)))


def test_recall_weighs_arms_by_the_items_that_count() -> None:
    choices = {"turns": 8, "metric": Recall("cat")}
    report, whole = report_after(**choices), played(**choices).surface()
    np.testing.assert_allclose(numbers(report.overall), numbers(whole.overall()))
    for row in report.margins["gender"]:
        np.testing.assert_allclose(numbers(row), numbers(whole.slice(gender=row.name)))


def test_large_surfaces_are_drawn_in_parts_and_read_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    campaign = played()
    arms = campaign.surface().cells.arms
    for module in (surface, groups):
        monkeypatch.setattr(module, "KEPT_DRAWS", 30 * arms)  # seven parts of 200 draws
    report = report_of(campaign)
    np.testing.assert_allclose(numbers(report.overall), numbers(campaign.surface().overall()))


def test_many_groups_share_their_room(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = played()
    monkeypatch.setattr(groups, "GROUP_DRAWS", 1)
    report, whole = report_of(campaign), campaign.surface()
    first = whole.draw(surface.DRAWS, default_rng(whole.seed))[: surface.FEWEST_DRAWS]
    row = report.margins["gender"][0]
    weight = np.where(whole.partition.where({"gender": row.name}), whole.weight, 0.0)
    expected = Reading.of(first @ weight / weight.sum(), 0.9, "pool")
    np.testing.assert_allclose([row.low, row.high], [expected.low, expected.high])


def test_quantiles_are_those_of_arms_not_of_their_shrunken_means() -> None:
    whole = played().surface("rate")
    shares, values = zip(*report_after(estimand="rate").quantiles, strict=True)
    assert shares == (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)
    draws = whole.draw(surface.DRAWS, default_rng(whole.seed))
    by_draw = [np.quantile(draw, shares) for draw in draws]
    np.testing.assert_allclose(values, np.mean(by_draw, axis=0))
    of_means = np.quantile(whole.mean, [0.1, 0.9])
    assert values[1] < of_means[0] < of_means[1] < values[5]


# Lists of arms.


def test_arms_are_those_of_the_surface_in_order() -> None:
    report, whole = report_after(), played().surface()
    frame = {whole.partition.name(arm): row for arm, row in enumerate(whole.frame().to_pylist())}
    assert len(report.arms) == report.n_arms == len(frame)
    for row in report.arms:
        expected = frame[row.name]
        columns = ("mean", "low", "high", "n_pool", "n_labelled")
        assert numbers(row) == pytest.approx([expected[column] for column in columns])
        assert row.status == expected["status"]
        assert row.levels == tuple(expected[name] for name in ("accent", "gender", "age"))
    means = [row.mean for row in report.arms]
    assert means == sorted(means)
    assert report.worst == report.arms[:25]


def test_worst_error_rates_are_the_highest() -> None:
    report = report_after(turns=8, metric=FalsePositiveRate("cat"))
    means = [row.mean for row in report.worst]
    assert means == sorted(means, reverse=True)
    assert means[0] == max(row.mean for row in report.arms)
    assert not report.is_better_high


def test_many_arms_are_thinned_evenly_with_both_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = played(**QUICK)
    everything = report_of(campaign).arms
    monkeypatch.setattr(build, "MOST_ARMS", 7)
    kept = [everything.index(row) for row in report_of(campaign).arms]
    assert (kept[0], kept[-1], len(kept)) == (0, len(everything) - 1, 7)
    assert np.ptp(np.diff(kept)) <= 1


def test_arms_without_an_estimate_come_last_and_are_never_the_worst() -> None:
    report = report_of(played(turns=2, estimator=Frequencies()))
    is_unknown = [isnan(row.mean) for row in report.arms]
    assert any(is_unknown) and is_unknown == sorted(is_unknown)
    assert not any(isnan(row.mean) for row in report.worst)
    assert sum(is_unknown) == report.arms_without_labels


def test_lacking_arms_come_by_size_and_are_counted_beyond_the_list(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(build, "MOST_LACKING", 3)
    report = report_of(played(turns=2, **QUICK))
    thin = [row for row in report.arms if row.status == "insufficient evidence"]
    assert report.n_lacking == len(thin) > 3
    sizes = sorted((row.n_pool for row in thin), reverse=True)
    assert [row.n_pool for row in report.lacking] == sizes[:3]


def test_bare_arms_are_counted_with_their_items() -> None:
    report = report_after()
    bare = [row for row in report.arms if row.n_labelled == 0]
    assert report.arms_without_labels == len(bare) > 0
    assert report.items_in_arms_without_labels == sum(row.n_pool for row in bare)


def test_arms_of_less_than_one_item_are_no_place_to_look_at() -> None:
    happy = pa.array([0.98] * 190 + [0.5] * 10)
    source = SOURCE.append_column("happy", happy).append_column(
        "sad", pa.array(1 - happy.to_numpy())
    )
    guesses = {"mood": (("happy", "happy"), ("sad", "sad"))}
    pool = read_pool(
        source, id="id", prediction="prediction", attributes=["age:bins=9", "mood"], guesses=guesses
    )
    campaign = worlds.campaign(pool)
    worlds.play(campaign, LABELS)
    report = report_of(campaign)
    assert min(row.n_pool for row in report.arms) < 1 <= min(row.n_pool for row in report.worst)
    assert any("mood is only guessed" in note for note in report.notes)


def test_the_most_telling_pair_of_attributes_comes_first() -> None:
    report = report_after()
    spread = {}
    for name, rows in report.margins.items():
        means, sizes = zip(*((row.mean, row.n_pool) for row in rows), strict=True)
        centre = np.average(means, weights=sizes)
        spread[name] = np.average((np.array(means) - centre) ** 2, weights=sizes)
    sums = [spread[each.rows] + spread[each.columns] for each in report.heat_maps]
    assert sums == sorted(sums, reverse=True)


# History.


def test_history_is_what_one_would_have_read_at_the_time() -> None:
    campaign, report = played(turns=6), report_after(turns=6)
    assert [point.labels for point in report.history] == [8, 16, 24, 32, 40, 48]
    for turn, point in enumerate(report.history, start=1):
        past = Campaign(campaign.pool, campaign.spec, campaign.log[: 2 * turn])
        then = past.surface().overall()
        assert (point.mean, point.low, point.high) == pytest.approx(
            (then.mean, then.low, then.high)
        )


def test_history_is_the_same_in_the_engine() -> None:
    here, there = (report_after(kind=kind).history for kind in ("column", "table"))
    assert here == there


@pytest.mark.parametrize("sizes", [[5] * 100, [1] * 30, [40, 1, 1, 1], [7], [3, 90, 3]])
def test_moments_are_few_distinct_and_end_with_the_last_label(sizes: list[int]) -> None:
    log, total = [], 0
    for size in sizes:
        log += [Asked((), 0), Told({f"i{total + k}": "x" for k in range(size)})]
        total += size
    moments = moments_of([*log, Asked((), 0)])
    assert len(moments) <= 24 and moments == sorted(set(moments)) and moments[-1] == len(log)
    labels = np.cumsum([len(e.labels) if isinstance(e, Told) else 0 for e in log])
    reached = [int(labels[moment - 1]) for moment in moments]
    # Each is the first time that its share of the labels was there: no step is longer than need be.
    longest = max(sizes) + total / 24
    assert max(np.diff([0, *reached])) <= longest


def test_corrections_and_second_opinions_make_no_moment() -> None:
    log = [Told({"a": "x"}), Corrected({"a": "y"}), Told({"a": "y"}, annotator="ann")]
    assert moments_of(log) == [1]
    assert moments_of([]) == []


# Services.


def test_services_share_the_labels() -> None:
    campaign = played()
    one, two = report_after().services
    assert (one.name, two.name, one.lead) == ("one", "two", None)
    assert str(two.lead) == str(campaign.answer(CompareServices("two", "one")).difference)
    assert one.empty_answers == SOURCE["prediction"].null_count
    assert two.empty_answers == SOURCE["other"].null_count


def test_services_are_known_when_all_is_labelled() -> None:
    campaign = worlds.campaign(two_services())
    campaign.tell(LABELS)
    answers = zip(SOURCE["id"].to_pylist(), SOURCE["other"].to_pylist(), strict=True)
    right = np.mean([LABELS[item] == answer for item, answer in answers])
    two = report_of(campaign).services[1].overall
    assert (two.mean, two.low, two.high) == pytest.approx([right] * 3)
    assert two.n_labelled == two.n_pool == len(LABELS)


def test_the_campaigns_own_service_is_the_reference() -> None:
    report = report_of(played(service="two"))
    assert report.service == "two"
    assert [service.name for service in report.services] == ["two", "one"]
    assert report.services[1].lead is not None


def test_a_service_without_verdicts_has_no_reading_and_pairs_need_both() -> None:
    verdicts = worlds.labels(SOURCE, "verdict")
    campaign = worlds.campaign(two_services(), metric=Verdict())
    campaign.tell({query.item: {"one": verdicts[query.item]} for query in campaign.ask(12)})
    service = report_of(campaign).services[1]
    assert isnan(service.overall.mean) and service.lead is None
    assert "not compared" in render_html(report_of(campaign))
    paired = list(campaign.ledger.told)[:6]
    campaign.tell({item: {"two": 1.0} for item in paired})
    service = report_of(campaign).services[1]
    only = Campaign(campaign.pool, campaign.spec)
    only.tell({item: {"one": verdicts[item], "two": 1.0} for item in paired})
    lead = only.answer(CompareServices("two", "one")).difference
    # The same pairs at another place of the log: the same belief, other draws. The standard error
    # of a mean of 4000 draws of a number in [-1,1] is at most .016.
    assert service.lead is not None and abs(service.lead.mean - lead.mean) < 5 * 0.016


@pytest.mark.parametrize("metric", [Recall("cat"), Precision("cat"), FalsePositiveRate("cat")])
def test_metrics_on_some_items_have_no_pairs(metric: object) -> None:
    one, two = report_after(turns=8, metric=metric).services
    assert not isnan(one.overall.mean) and two.lead is None


def test_a_service_that_never_gives_the_answer_has_no_precision() -> None:
    source = SOURCE.set_column(
        SOURCE.column_names.index("other"), "other", pa.array(["dog"] * len(SOURCE))
    )
    campaign = worlds.campaign(worlds.pool(source, **TWO), metric=Precision("cat"))
    worlds.play(campaign, LABELS)
    one, two = report_of(campaign).services
    assert not isnan(one.overall.mean) and isnan(two.overall.mean)


@pytest.mark.parametrize("kind", ["column", "table"])
def test_pools_count_silences(kind: str) -> None:
    pool = two_services(kind)
    assert pool.silences("one") == SOURCE["prediction"].null_count > 0
    judged = worlds.pool(SOURCE, kind, id="id", verdict={"one": "verdict"})
    assert judged.silences("one") == 0


@pytest.mark.bench
def test_four_thousand_arms_take_seconds() -> None:
    """A budget, not a race: it took 8 s on one core."""
    rng, rows = default_rng(0), 150_000
    bits = rng.random((rows, 12)) < rng.uniform(0.25, 0.75, size=12)
    truth = rng.integers(0, 5, size=rows)
    answer = np.where(rng.random(rows) < 0.9, truth, 5)
    columns = {f"a{k}": np.where(bits[:, k], "yes", "no") for k in range(12)}
    ids = [f"i{row:06d}" for row in range(rows)]
    table = pa.table({"id": ids, "answer": answer.astype(str), **columns})
    pool = read_pool(table, id="id", prediction="answer", attributes=[f"a{k}" for k in range(12)])
    campaign = Campaign(pool, Spec(seed=7))
    labels = dict(zip(ids, truth.astype(str), strict=True))
    worlds.play(campaign, labels, turns=25, n=20)
    start = process_time()
    report = report_of(campaign)
    assert len(report.history) == 24 and len(report.heat_maps) == 45
    assert process_time() - start < 20
