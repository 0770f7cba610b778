"""Guessed attributes on the command line: what is told is kept, what cannot be is refused."""

import csv
import io
import json

import numpy as np
import pytest

ROWS = 60
BASE = ("--id", "image", "--prediction", "gender")
SMILING = ("--attribute-probabilities", "smiling=smiling")
HAIR = tuple(
    part for level in ("dark", "fair", "other")
    for part in ("--attribute-probabilities", f"hair:{level}={level}_p")
)  # fmt: skip
INIT = ("init", "faces.csv", *BASE, *SMILING, *HAIR, "--guessed", "hat", "-o", "faces.db")


@pytest.fixture
def faces(sh):
    """The shell in a folder with a table of faces, whose chance of a smile is called smiling."""
    rng = np.random.default_rng(0)
    hair = rng.dirichlet([1, 1, 1], ROWS)
    with (sh.folder / "faces.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        names = ["smiling", "dark_p", "fair_p", "other_p"]
        writer.writerow(["image", "gender", *names, "hat", "hat_true", "age"])
        for i in range(ROWS):
            chances = [rng.random(), *hair[i]]
            hats = ["yes" if rng.random() < 0.5 else "no" for _ in range(2)]
            writer.writerow([f"i{i:02}", "fm"[i % 2], *chances, *hats, 18 + i])
    return sh


@pytest.fixture
def started(faces):
    faces.ok(*INIT)
    return faces


def kept(sh) -> dict[str, dict[str, str]]:
    """The true levels that the campaign has, by item, as an export has them."""
    text = sh.ok("export", "faces.db", "--to", "csv", "--what", "labels").stdout
    rows = csv.DictReader(io.StringIO(text))
    return {
        row["image"]: {k: v for k, v in row.items() if k.startswith("true:") and v} for row in rows
    }


def test_a_column_of_chances_may_be_called_like_its_attribute(started):
    todo = started.ok("ask", "faces.db", "-n", "5").stdout
    assert todo.splitlines()[0].endswith("label,true:hat,true:smiling,true:hair")
    assert "smiling=yes" in started.ok("surface", "faces.db", "--slice", "smiling=yes").stdout


def test_a_bare_guess_may_come_with_true_levels(faces):
    said = faces.ok(*INIT, "--gold", "hat=hat_true").stdout
    assert f"{ROWS} items come with true levels" in said and "label" not in said
    assert len(kept(faces)) == ROWS
    assert "hat" in faces.ok("attributes", "faces.db").stdout


def test_a_number_that_is_guessed_is_told_as_a_number(faces):
    cut = ("--guessed", "age", "--attribute", "age:edges=30")
    faces.ok("init", "faces.csv", *BASE, *cut, "-o", "faces.db")
    faces.ok("tell", "faces.db", "-", input="image,true:age\ni01,35\ni02,<30\n")
    assert kept(faces) == {"i01": {"true:age": ">=30"}, "i02": {"true:age": "<30"}}


def test_rows_of_one_item_add_to_each_other(started):
    said = started.ok(
        "tell", "faces.db", "-", input="image,true:smiling,true:hair\ni01,1,\ni01,,dark\ni02,no,\n"
    )
    assert "true levels of 2 items" in said.stderr
    assert kept(started) == {
        "i01": {"true:smiling": "yes", "true:hair": "dark"}, "i02": {"true:smiling": "no"},
    }  # fmt: skip


ANSWERS = {
    "two rows that contradict": ("image,true:smiling\ni01,yes\ni01,no\n", "keep one of them"),
    "an attribute that is none": ("image,label,true:smilling\ni01,f,yes\n", "mean 'smiling'?"),
    "an unknown level": ("image,true:hair\ni01,drk\n", "did you mean 'dark'?"),
}


@pytest.mark.parametrize("case", ANSWERS)
def test_answers_that_cannot_be_are_refused(started, case):
    text, sentence = ANSWERS[case]
    assert sentence in started.refused("tell", "faces.db", "-", input=text)
    assert kept(started) == {}


def test_what_is_exported_can_be_told_to_another_campaign(started):
    text = "image,label,true:smiling\ni01,f,yes\ni02,m,\ni03,,no\n"
    started.ok("tell", "faces.db", "-", input=text)
    out = started.ok("export", "faces.db", "--to", "csv", "--what", "labels").stdout
    before = kept(started)
    (started.folder / "faces.db").unlink()
    started.ok(*INIT)
    started.ok("tell", "faces.db", "-", input=out)
    assert kept(started) == before


def test_json_has_null_for_a_model_that_nothing_was_told_of(started):
    rows = "".join(f"i{i:02},{'yes' if i % 2 else 'no'}\n" for i in range(8))
    started.ok("tell", "faces.db", "-", input=f"image,true:smiling\n{rows}")
    text = started.ok("attributes", "faces.db", "--json").stdout
    found = json.loads(text, parse_constant=lambda name: pytest.fail(name))
    by_name = {row["name"]: row for row in found["attributes"]}
    assert by_name["hair"]["loss"] is None and by_name["smiling"]["loss"] > 0
    assert "nan" not in started.ok("attributes", "faces.db").stdout


OPTIONS = {
    "a level twice": (("--attribute-probabilities", "hair:dark=other_p", *HAIR),
                      "'dark' of the attribute 'hair' has two columns"),
    "cut as well": ((*SMILING, "--attribute", "smiling:bins=3"), "cannot be cut as well"),
    "what the service says": (("--guessed", "@prediction"), "cannot be guessed"),
    "guessed in two ways": (("--guessed", "hair", *HAIR), "'hair' is named twice"),
    "chances in two ways": ((*SMILING, "--attribute-probabilities", "smiling:so=dark_p"),
                            "'smiling' is named twice"),
    "two columns of truth": (("--guessed", "hat", "--gold", "hat=hat_true", "--gold", "hat=age"),
                             "--gold is given twice for 'hat'"),
}  # fmt: skip


@pytest.mark.parametrize("case", OPTIONS)
def test_options_that_cannot_be_are_refused(faces, case):
    options, sentence = OPTIONS[case]
    assert sentence in faces.refused("init", "faces.csv", *BASE, *options, "-o", "new.db")
    assert not (faces.folder / "new.db").exists()


def test_a_column_that_seems_to_tell_true_levels_is_not_passed_over_in_silence(started):
    said = started.ok("tell", "faces.db", "-", input="image,label,hair,smiling\ni01,f,dark,0.5\n")
    assert "Column 'hair' was not read; true levels stand in 'true:hair'." in said.stderr
    assert "'smiling' was not read" not in said.stderr  # its chances have this name
    said = started.ok("tell", "faces.db", "-", input="image,hair,true:hair\ni02,dark,dark\n")
    assert "was not read" not in said.stderr


def test_status_says_of_how_many_items_levels_are_told(started):
    (started.folder / "done.csv").write_text("image,true:hat\ni01,yes\ni02,no\n")
    started.ok("tell", "faces.db", "done.csv")
    facts = json.loads(started.ok("status", "faces.db", "--json").stdout)
    assert (facts["labelled"], facts["levels_told"]) == (0, 2)


def test_a_calibration_without_guesses_is_refused(faces):
    said = faces.refused("init", "faces.csv", *BASE, "--attribute", "hat", "--calibration", "temp")
    assert "only guessed, and none is" in said and "--guessed NAME" in said
    assert not (faces.folder / "faces.db").exists()


@pytest.mark.parametrize("option", [("--calibration", "raw"), ("--told", "3")])
def test_a_simulation_of_what_is_not_guessed_is_refused(faces, option):
    said = faces.refused("simulate", "faces.csv", *BASE, "--label", "truth", *option)
    assert f"{option[0] if option[0] == '--told' else 'Calibration'} is for attributes" in said
