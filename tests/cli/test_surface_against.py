"""``spotheight surface --slice ... --against ...``: both slices, their difference, their ratio."""

import csv
import io
import json

import pytest

from shell import INIT, filled, prepared

PAIR = ("--slice", "accent=german", "--against", "accent=english|french")
NAMES = ["accent=german", "accent=english|french"]


def third_told(sh):
    sh.ok(*INIT, "--estimator", "eb-beta", "--policy", "proportional")
    sh.ok("tell", "calls.db", "-", input=filled(sh.ok("ask", "calls.db", "-n", "40").stdout))


@pytest.fixture
def told(sh):
    return prepared(sh, third_told)


def read(told, *arguments):
    return json.loads(told.ok("surface", "calls.db", *arguments, "--json").stdout)


def test_json_has_both_slices_and_what_lies_between_them(told):
    found = read(told, *PAIR)
    assert list(found) == [*NAMES, "contrasts"]
    (contrast,) = found["contrasts"]
    assert [contrast["slice"], contrast["against"]] == NAMES
    first, second = (found[name]["mean"] for name in NAMES)
    assert contrast["difference"]["mean"] == pytest.approx(first - second)
    assert contrast["ratio"]["mean"] == pytest.approx(first / second)
    for kind in ("difference", "ratio"):
        assert contrast[kind]["low"] < contrast[kind]["mean"] < contrast[kind]["high"]
        assert contrast[kind]["estimand"] == "pool" and contrast[kind]["level"] == 0.9


def test_slices_alone_read_as_they_did(told):
    assert list(read(told, "--slice", NAMES[0])) == NAMES[:1]


def test_level_and_estimand_reach_the_contrast(told):
    wide = read(told, *PAIR, "--estimand", "rate", "--level", ".99")["contrasts"][0]["difference"]
    slim = read(told, *PAIR, "--estimand", "rate", "--level", ".5")["contrasts"][0]["difference"]
    assert (wide["estimand"], wide["level"], slim["level"]) == ("rate", 0.99, 0.5)
    assert wide["low"] < slim["low"] < slim["high"] < wide["high"]


def test_every_slice_meets_every_other(told):
    more = ("--slice", "gender=f or accent=french", "--against", "gender=m")
    found = read(told, *PAIR, *more)
    pairs = [(contrast["slice"], contrast["against"]) for contrast in found["contrasts"]]
    slices, against = (NAMES[0], more[1]), (NAMES[1], more[3])
    assert pairs == [(first, second) for first in slices for second in against]
    assert list(found) == [*slices, *against, "contrasts"]


def test_the_table_is_for_people(told):
    text = told.ok("surface", "calls.db", *PAIR).stdout
    above, below = text.split("\n\n")
    assert all(name in above for name in NAMES) and "labelled" in above
    (contrast,) = read(told, *PAIR)["contrasts"]
    head, row = below.splitlines()
    assert head.split() == ["slice", "against", "difference", "interval", "ratio", "interval"]
    assert f"{100 * contrast['difference']['mean']:+.1f} points" in row
    assert f"{contrast['ratio']['low']:.2f} to {contrast['ratio']['high']:.2f}" in row


def test_csv_has_a_row_a_number(told):
    text = told.ok("surface", "calls.db", *PAIR, "--csv").stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(r["slice"], r["against"], r["number"]) for r in rows] == [
        (NAMES[0], "", "mean"),
        (NAMES[1], "", "mean"),
        (*NAMES, "difference"),
        (*NAMES, "ratio"),
    ]
    assert [row["n_pool"] for row in rows] == ["40", "80", "", ""]
    (contrast,) = read(told, *PAIR)["contrasts"]
    for row, kind in zip(rows[2:], ("difference", "ratio"), strict=True):
        for end in ("mean", "low", "high"):
            assert float(row[end]) == pytest.approx(contrast[kind][end], abs=1e-6)


def test_a_ratio_without_an_end_says_so(sh):
    """The service is wrong on all French calls that were told, and every French call was told."""
    sh.ok(*INIT, "--estimator", "beta", "--policy", "random")
    rows = csv.DictReader(io.StringIO((sh.folder / "calls.csv").read_text()))
    other = {"yes": "no", "no": "yes"}
    told = [f"{r['id']},{other[r['pred']]}" for r in rows if r["accent"] == "french"]
    sh.ok("tell", "calls.db", "-", input="\n".join(["id,label", *told]) + "\n")
    pair = ("--slice", "accent=german", "--against", "accent=french")
    (contrast,) = read(sh, *pair)["contrasts"]
    assert [contrast["ratio"][end] for end in ("mean", "low", "high")] == [None] * 3
    assert "no end to no end" in sh.ok("surface", "calls.db", *pair).stdout
    assert sh.ok("surface", "calls.db", *pair, "--csv").stdout.strip().endswith("inf,inf,inf")


BAD = {
    "no slice": (("--against", "accent=german"), "name them with --slice"),
    "unknown attribute": (("--slice", "accent=german", "--against", "gendr=f"), "mean 'gender'?"),
    "unknown level": (("--slice", "accent=german", "--against", "accent=germn"), "'germn'"),
    "no slice at all": (("--slice", "accent=german", "--against", "french"), "should read like"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_gets_one_sentence(told, case):
    options, sentence = BAD[case]
    said = told.refused("surface", "calls.db", *options)
    assert sentence in said and len(said.strip().splitlines()) == 1


def test_a_slice_without_items_is_named(sh):
    (sh.folder / "few.csv").write_text("id,pred,a,b\n1,x,p,r\n2,x,q,s\n3,x,p,r\n")
    options = ("--id", "id", "--prediction", "pred", "--attribute", "a", "--attribute", "b")
    sh.ok("init", "few.csv", *options, "-o", "few.db")
    said = sh.refused("surface", "few.db", "--slice", "a=p", "--against", "a=q,b=r")
    assert "No item of the pool lies in the slice 'a=q,b=r'." in said
