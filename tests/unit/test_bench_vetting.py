"""Rows of an earlier model: they are run again, and are no part of the summary."""

import pytest

from bench.plan import Method, Study
from bench.store import Store
from bench.vetting import marks
from bench.vetting.cases import CASES
from bench.vetting.plan import Plan
from bench.vetting.run import Runner
from bench.vetting.summary import Key, Summary

LEARNED, NAIVE = Method("learned", "gain"), Method("naive", "uniform")
CASE = next(case for case in CASES if case.measured == "precision@48")
ROW = {"share": 0.5, "list_error": 1.0}


@pytest.fixture
def store(tmp_path) -> Store:
    """A row by the model as it is, one by another, and one from before there were marks."""
    store = Store(tmp_path)
    study = Study(CASE.name, LEARNED)
    store.append(study, 0, [{**ROW, marks.MARK: marks.mark_of(study)}])
    store.append(study, 1, [{**ROW, marks.MARK: "another", "list_error": 9.0}])
    store.append(study, 2, [{**ROW, "list_error": 9.0}])
    store.append(Study(CASE.name, NAIVE), 0, [ROW])
    return store


def test_what_an_earlier_model_made_is_missing(store, tmp_path):
    runner = Runner(Plan((CASE,), (LEARNED, NAIVE), runs=3), store, tmp_path)
    missing = {(method, seed) for _, method, seed in runner.plan.missing(runner._done)}
    assert missing == {(LEARNED, 1), (LEARNED, 2), (NAIVE, 1), (NAIVE, 2)}


def test_what_an_earlier_model_made_does_not_count(store):
    entries = Summary.of(store).entries
    ours = entries[Key(CASE.name, LEARNED, 0.5)]
    assert (ours.runs, ours.spreads["list_error"].mean) == (1, 1.0)
    assert entries[Key(CASE.name, NAIVE, 0.5)].runs == 1


def test_marks_follow_what_is_done_and_not_what_is_said(tmp_path):
    texts = ('"""A."""\nB = 1\n"""C."""\n', "B = 1  # other words\n", "B = 2\n")
    paths = [tmp_path / f"{number}.py" for number in range(3)]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    same, too, other = (marks._bare(path) for path in paths)
    assert same == too != other


@pytest.mark.parametrize("models", [marks.OF_TAGS, marks.OF_OBJECTS])
def test_marked_models_are_where_they_are_said_to_be(models):
    for modules in models.values():
        assert len(marks._mark(modules)) == 8
