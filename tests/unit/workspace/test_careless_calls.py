"""Verbs called carelessly from Python: nothing is written that nobody could read again."""

from datetime import UTC, datetime

import numpy as np
import pytest

import spotheight
from shell import INIT
from spotheight.errors import InputError


@pytest.fixture
def kept(sh):
    sh.ok(*INIT)
    return spotheight.open("calls.db")


@pytest.mark.parametrize("annotator", [None, 3])
@pytest.mark.parametrize("verb", ["ask", "tell", "tell_all", "skip", "tell_file"])
def test_an_annotator_is_text(kept, verb, annotator):
    (query,) = kept.ask()
    before = len(kept.campaign.log)
    calls = {
        "ask": lambda: kept.ask(annotator=annotator),
        "tell": lambda: kept.tell({query.item: "yes"}, annotator=annotator),
        "tell_all": lambda: kept.tell_all({annotator: {query.item: "yes"}}),
        "skip": lambda: kept.skip([query.item], annotator=annotator),
        "tell_file": lambda: kept.tell_file(
            f"id,label\n{query.item},yes\n", "done.csv", annotator=annotator
        ),
    }
    with pytest.raises(InputError, match=f"The name of an annotator is text, got {annotator}"):
        calls[verb]()
    assert len(kept.campaign.log) == before
    assert len(spotheight.open("calls.db").campaign.log) == before


def test_a_time_is_text_or_a_date(kept):
    with pytest.raises(InputError, match="The time is text, got 3"):
        kept.ask(at=3)
    with pytest.raises(InputError, match=r"The time must be ISO text, .* got 'soon'"):
        kept.ask(hours=1, at="soon")
    kept.ask(hours=np.int64(1), at=datetime(2026, 11, 19, tzinfo=UTC))
    (query,) = spotheight.open("calls.db").held(at="2026-11-19T00:30:00+00:00")
    assert kept.held(at="2026-11-19T02:00:00+00:00") == ()
    assert query == kept.campaign.ledger.asked[query.item]


@pytest.mark.parametrize("n", [True, 2.5, "x", None])
def test_a_count_is_a_whole_number(kept, n):
    with pytest.raises(InputError, match="The number of items must be a whole number"):
        kept.ask(n)
    assert len(kept.ask(np.int64(2))) == 2
    assert len(spotheight.open("calls.db").held()) == 2


def test_nothing_named_is_not_everything(kept):
    kept.ask(3)
    assert kept.release([]) == 0
    (first, *_) = kept.held()
    assert kept.release(first.item) == 1  # one id, not its letters
    assert kept.release() == 2


def test_one_slice_may_stand_alone(kept):
    kept.tell({query.item: "yes" for query in kept.ask(4)})
    assert len(kept.numbers("accent=german").readings) == 1
    assert len(kept.check(min=0.1, slices="accent=german").slices) == 1
    with pytest.raises(InputError, match="There is no service 'q'"):
        kept.surface(service="q")


def test_verbs_take_in_what_others_wrote(kept):
    other = spotheight.open("calls.db")
    kept.tell({query.item: "yes" for query in kept.ask(4)})
    assert other.status().labelled == 4
    kept.tell({query.item: "no" for query in kept.ask(4)})
    assert other.answer("rank").basis.labels == 8
    assert other.surface().overall() == kept.surface().overall()
