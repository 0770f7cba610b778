import json
from dataclasses import fields, replace
from math import isnan

import pyarrow as pa
import pytest

import worlds
from reports import LABELS, SOURCE, TWO, played, report_after, report_of, two_services
from spotheight import (
    Campaign,
    Frequencies,
    Precision,
    Recall,
    Verdict,
    read_pool,
)
from spotheight.page import render_html
from spotheight.registry import read_spec
from spotheight.report import Report, build_report, report_json


@pytest.mark.parametrize("metric", [None, Recall("cat")])
def test_without_labels_nothing_is_claimed(metric: object) -> None:
    campaign = worlds.campaign(two_services(), **({"metric": metric} if metric else {}))
    report = report_of(campaign)
    assert isnan(report.overall.mean) and report.history == () and report.worst == ()
    assert {row.status for row in report.arms} == {"insufficient evidence"}
    assert sum(row.n_pool for row in report.arms) == report.n_pool == 200
    assert report.notes[0] == "No item is labelled yet: only the sizes of arms are known."
    assert json.loads(report_json(report))["overall"]["mean"] is None
    assert "There is no estimate" in render_html(report)


def test_labels_that_do_not_count_claim_nothing_either() -> None:
    campaign = worlds.campaign(two_services(), metric=Recall("cat"))
    others = [item for item, label in LABELS.items() if label != "cat"]
    campaign.tell({item: LABELS[item] for item in others[:5]})
    report = report_of(campaign)
    assert isnan(report.overall.mean) and report.n_labelled == 5
    assert report.notes[0].startswith("None of the 5 labelled items counts for the recall of cat")


def test_notes_tell_what_a_reader_must_know() -> None:
    source = SOURCE.append_column("site", pa.array(["north"] * len(SOURCE)))
    attributes = [*worlds.ROLES["attributes"], "site"]
    pool = worlds.pool(source, **{**TWO, "attributes": attributes})
    campaign = worlds.campaign(pool, seed=3)
    asked = worlds.play(campaign, LABELS, turns=2, n=6)
    free = [item for item in LABELS if item not in campaign.ledger.told]
    campaign.tell({item: LABELS[item] for item in free[:3]})
    campaign.skip(free[3:5])
    wrong = dict(zip(worlds.CLASSES, reversed(worlds.CLASSES), strict=True))
    shared = [query.item for query in asked[:4]]
    campaign.tell({item: wrong[LABELS[item]] for item in shared}, annotator="ann")
    split = sum(wrong[LABELS[item]] != LABELS[item] for item in shared)
    notes = report_of(campaign, notes=["Said by the caller."]).notes
    missing = SOURCE["accent"].null_count
    assert notes[0] == "Said by the caller."
    assert "The attribute site is north everywhere; it tells no arms apart." in notes
    assert f"The attribute accent is missing for {missing} items; they form a level" in str(notes)
    assert f"{SOURCE['prediction'].null_count} items have no answer from one;" in str(notes)
    assert "2 items were skipped by annotators and count as not labelled." in notes
    assert "3 of 15 labelled items came without a draw" in str(notes)
    assert f"4 items have several annotators, who disagree on {split};" in str(notes)


def test_a_clean_campaign_has_no_notes() -> None:
    rows = [("a", "x", "l"), ("b", "x", "m"), ("c", "y", "l"), ("d", "y", "m")]
    ids, answers, levels = (list(column) for column in zip(*rows, strict=True))
    table = pa.table({"id": ids, "answer": answers, "level": levels})
    campaign = Campaign(read_pool(table, id="id", prediction="answer", attributes=["level"]))
    campaign.tell({query.item: "x" for query in campaign.ask(2)})
    assert report_of(campaign).notes == ()


def test_verdicts_on_different_services_are_no_disagreement() -> None:
    campaign = worlds.campaign(two_services(), metric=Verdict())
    item = campaign.ask(1)[0].item
    campaign.tell({item: {"one": 1.0}}, annotator="ann")
    campaign.tell({item: {"two": 0.0}}, annotator="bob")
    assert "who disagree on 0; the median counts." in str(report_of(campaign).notes)
    campaign.tell({item: {"one": 0.0}}, annotator="bob")
    assert "who disagree on 1; the median counts." in str(report_of(campaign).notes)


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        (Recall("cat"), "shows only when they are labelled"),
        (Precision("cat"), "items that one calls cat; all others are left out"),
    ],
)
def test_metrics_on_some_items_say_on_which(metric: object, words: str) -> None:
    report = report_after(turns=8, metric=metric)
    assert any(words in note for note in report.notes)


def test_attributes_with_too_many_levels_are_left_out_of_heat_maps() -> None:
    many = pa.array([f"s{row % 41:02d}" for row in range(len(SOURCE))])
    attributes = ["speaker", "gender", "accent"]
    pool = worlds.pool(SOURCE.append_column("speaker", many), **{**TWO, "attributes": attributes})
    report = report_of(worlds.campaign(pool))
    assert [(each.rows, each.columns) for each in report.heat_maps] == [("gender", "accent")]
    assert len(report.margins["speaker"]) == 41
    assert report.notes[-1].endswith("left out there: speaker.")


def test_provenance_suffices_to_compute_it_again() -> None:
    campaign = worlds.campaign(two_services(), seed=3)
    worlds.play(campaign, LABELS, turns=5, n=8)
    provenance = build_report(campaign, title="", provenance={"pool": "calls.csv"}).provenance
    assert provenance["pool"] == "calls.csv"
    assert read_spec(provenance["spec"]) == campaign.spec
    assert provenance["pool fingerprint"] == campaign.pool.fingerprint
    assert provenance["log length"] == "10 events"
    assert provenance["versions"].startswith("spotheight ")
    again = Campaign(campaign.pool, campaign.spec, campaign.log)
    assert report_json(report_of(again)) == report_json(report_of(campaign))


def test_both_pools_give_the_same_report() -> None:
    here, there = (json.loads(report_json(report_after(kind=kind))) for kind in ("column", "table"))
    assert here == there


def test_json_holds_every_number_under_its_name() -> None:
    report = report_of(played(turns=2, estimator=Frequencies()))
    read = json.loads(report_json(report))
    assert list(read) == [field.name for field in fields(Report)]
    assert read["n_pool"] == 200 and read["quantiles"][3]["share"] == 0.5
    assert [row["mean"] is None for row in read["arms"]] == [isnan(r.mean) for r in report.arms]
    for written, heat_map in zip(read["heat_maps"], report.heat_maps, strict=True):
        for cell in written["cells"]:
            mean = heat_map.cells[cell["row"], cell["column"]].mean
            assert cell["mean"] == pytest.approx(mean, abs=1e-6)


def test_json_survives_infinite_numbers() -> None:
    report = report_of(played(turns=1))
    odd = replace(report, overall=replace(report.overall, high=float("inf")))
    assert json.loads(report_json(odd))["overall"]["high"] is None
