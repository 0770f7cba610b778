"""The fold of a log, against a second reading of the same events from their end."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from properties import strategies as make
from spotheight.history.events import Asked, Corrected, Query, Released, Skipped, Told
from spotheight.history.ledger import Ledger, agreed

ITEMS = ("a", "b", "c")
LABELS = st.one_of(
    st.sampled_from(["cat", "dog"]),
    st.dictionaries(st.sampled_from(["x", "y"]), make.shares, min_size=1),
)
LOGS = st.lists(make.events(st.sampled_from(ITEMS), LABELS), max_size=12)
TIMES = st.none() | st.sampled_from(["2024-01-01", "2024-01-02", "2024-01-03", "2025-01-01"])


def items_of(event) -> tuple[str, ...]:
    match event:
        case Asked():
            return tuple(query.item for query in event.queries)
        case Told() | Corrected():
            return tuple(event.labels)
        case Skipped() | Released():
            return event.items
    return ()


def last_label(events, item, annotator):
    """What someone last said of an item; verdicts on several services add up."""
    said = None
    for event in events:
        if isinstance(event, Told | Corrected) and event.annotator == annotator:
            label = event.labels.get(item)
            is_more = isinstance(label, Mapping) and isinstance(said, Mapping)
            said = {**said, **label} if is_more else said if label is None else label
    return said


def holds(events, item, annotator, now) -> bool:
    """Whether someone waits with an item, read from the last event backwards."""
    for event in reversed(events):
        if item not in items_of(event):
            continue
        if isinstance(event, Asked):
            if event.annotator == annotator:
                return event.until is None or now is None or event.until > now
        elif event.annotator == annotator or annotator == "":
            return False
    return False


@make.MANY
@given(LOGS, st.integers(0, 12))
def test_folding_in_steps_is_folding_at_once(events, cut):
    ledger = Ledger.of(events[:cut])
    for event in events[cut:]:
        ledger.add(event)
    assert ledger == Ledger.of(events)


@make.MANY
@given(LOGS)
def test_everyone_has_said_what_they_said_last(events):
    ledger = Ledger.of(events)
    for item in ITEMS:
        for annotator in ("", "ann", "bob"):
            said = ledger.told.get(item, {}).get(annotator)
            assert said == last_label(events, item, annotator)


@make.MANY
@given(LOGS, TIMES)
def test_an_item_is_out_while_someone_holds_it(events, now):
    ledger = Ledger.of(events)
    for item in ITEMS:
        holders = [holds(events, item, who, now) for who in ("", "ann", "bob")]
        assert ledger.is_out(item, now) == any(holders)


@make.MANY
@given(LOGS, TIMES)
def test_taken_is_told_skipped_or_out(events, now):
    ledger = Ledger.of(events)
    told: set[str] = set()
    skipped: set[str] = set()
    for event in events:
        if isinstance(event, Skipped):
            skipped |= set(items_of(event)) - told  # a label stays, whoever skips its item
        elif isinstance(event, Told | Corrected):
            told |= set(items_of(event))
            skipped -= told  # someone could label it after all
    out = {item for item in ITEMS if ledger.is_out(item, now)}
    assert ledger.taken(now) == told | skipped | out
    assert ledger.skipped == skipped


@make.MANY
@given(LOGS)
def test_the_chance_is_that_of_the_first_ask(events):
    ledger = Ledger.of(events)
    for item in ITEMS:
        asked = [q for e in events if isinstance(e, Asked) for q in e.queries if q.item == item]
        assert ledger.chance(item) == (asked[0].chance if asked else None)


@make.MANY
@given(LOGS)
def test_folding_leaves_the_log_as_it_was(events):
    before = repr(events)
    Ledger.of(events)
    assert repr(events) == before


@make.MANY
@given(st.lists(st.sampled_from(["cat", "dog", "owl"]), min_size=1), st.data())
def test_the_majority_decides_whoever_speaks_first(votes, data):
    shares = agreed(votes, "")
    assert sum(shares.values()) == pytest.approx(1)
    most = max(votes.count(vote) for vote in votes)
    assert set(shares) == {vote for vote in votes if votes.count(vote) == most}
    assert agreed(data.draw(st.permutations(votes)), "") == shares


@make.MANY
@given(st.lists(st.integers(0, 1).map(float), min_size=1, max_size=9))
def test_verdicts_go_by_their_median_which_is_the_majority(votes):
    (value,) = agreed([{"x": vote} for vote in votes], "x")
    yes = sum(votes)
    assert value == (1.0 if 2 * yes > len(votes) else 0.5 if 2 * yes == len(votes) else 0.0)


def test_a_verdict_on_another_service_says_nothing():
    assert agreed([{"x": 1.0}], "y") == {}
    assert agreed([], "y") == {}


def test_a_label_from_anybody_ends_the_wait_for_nobody_in_particular():
    asked = Asked((Query("a", "why"),), 0)
    assert not Ledger.of([asked, Told({"a": "cat"}, "ann")]).is_out("a", None)
    by_name = Asked((Query("a", "why"),), 0, annotator="bob")
    assert Ledger.of([by_name, Told({"a": "cat"}, "ann")]).is_out("a", None)


def test_a_deadline_is_the_first_moment_it_is_free():
    ledger = Ledger.of([Asked((Query("a", "why"),), 0, until="2024-05-01T12:00")])
    assert ledger.is_out("a", "2024-05-01T11:59")
    assert not ledger.is_out("a", "2024-05-01T12:00")
    assert ledger.is_out("a", None)


def test_who_is_asked_again_has_the_later_deadline():
    first = Asked((Query("a", "why"),), 0, until="2024-05-01")
    second = Asked((Query("a", "why"),), 0, until="2024-06-01")
    assert Ledger.of([first, second]).is_out("a", "2024-05-15")
