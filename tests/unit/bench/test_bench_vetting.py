"""Rows of an earlier model: they are run again, and are no part of the summary."""

import pytest

from bench.earlier import Earlier
from bench.plan import Method, Study
from bench.store import Store
from bench.vetting import marks
from bench.vetting.cases import CASES
from bench.vetting.plan import Plan
from bench.vetting.run import Runner
from bench.vetting.summary import Entry, Key, Spread, Summary

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
    earlier = Earlier(store, tmp_path / "none.json", Summary)
    assert missing(earlier) == {(LEARNED, 1), (LEARNED, 2), (NAIVE, 1), (NAIVE, 2)}


def missing(earlier: Earlier) -> set[tuple[Method, int]]:
    """What a plan of three runs would run."""
    runner = Runner(Plan((CASE,), (LEARNED, NAIVE), runs=3), earlier, earlier.store.folder)
    return {(method, seed) for _, method, seed in runner.plan.missing(runner._done)}


@pytest.mark.parametrize(("model", "reached"), [("", 2), ("another", 0)])
def test_another_machine_goes_on_with_the_same_model_alone(tmp_path, model, reached):
    study = Study(CASE.name, LEARNED)
    mark = marks.mark_of(study)
    before = Entry(2, {"list_error": Spread(4.0, 2**0.5)}, model or mark)
    published = tmp_path / "vetting.json"
    Summary({}, {Key(CASE.name, LEARNED, 0.5): before}).write(published)
    earlier = Earlier(Store(tmp_path / "raw"), published, Summary)
    left = sorted(seed for method, seed in missing(earlier) if method == LEARNED)
    assert left == list(range(reached, 3))
    row = {**ROW, "seed": reached, marks.MARK: mark}
    earlier.append(study, reached, [row])
    for _ in range(2):
        (found,) = earlier.grown().entries.values()
        assert found.runs == reached + 1
    if reached:  # of 3, 5 and 1
        assert found.spreads["list_error"] == Spread(3.0, 2.0)
    else:
        assert found == Entry.of([row])


def test_what_an_earlier_model_made_does_not_count(store):
    entries = Summary.of(store).entries
    ours = entries[Key(CASE.name, LEARNED, 0.5)]
    assert (ours.runs, ours.spreads["list_error"].mean) == (1, 1.0)
    assert entries[Key(CASE.name, NAIVE, 0.5)].runs == 1


def test_marks_follow_what_is_done_and_not_what_is_said(tmp_path):
    texts = (
        '"""A."""\nB = 1\n"""C."""\n',
        "import a\nfrom b import c\nB = 1  # words\n",
        "B = 2\n",
    )
    paths = [tmp_path / f"{number}.py" for number in range(3)]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    same, too, other = (marks._bare(path) for path in paths)
    assert same == too != other


@pytest.mark.parametrize("models", [marks.OF_TAGS, marks.OF_OBJECTS])
def test_marked_models_are_where_they_are_said_to_be(models):
    for modules in models.values():
        assert len(marks._mark(modules)) == 8
