"""Our linear algebra keeps to one core, and gives the caller's setting back."""

import threading
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_all_start_methods, get_context

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import worlds
from spotheight.models.additive import estimator
from spotheight.models.additive.bank import Bank
from spotheight.models.additive.estimator import Additive
from spotheight.numerics.threads import one_thread
from spotheight.report import build as report_build
from spotheight.report import build_report

MORE = 2
"""What the caller asks for; OpenBLAS grants it on one core as well."""


def threads():
    """What BLAS libraries are set to."""
    found = {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}
    assert found, "no library to count the threads of"
    return found


@pytest.fixture(autouse=True)
def _more():
    with threadpool_limits(limits=MORE, user_api="blas"):
        yield
        assert threads() == {MORE}


def watched(monkeypatch, place, name):
    """The threads at every call of a function that works inside."""
    seen, inner = [], getattr(place, name)

    def watching(*args, **kwargs):
        seen.append(threads())
        return inner(*args, **kwargs)

    monkeypatch.setattr(place, name, watching)
    return seen


def labelled():
    """A campaign with some labels."""
    source = worlds.table(rows=60)
    campaign = worlds.campaign(worlds.pool(source, **worlds.ROLES))
    worlds.play(campaign, worlds.labels(source), turns=2, n=6)
    return campaign


def test_one_inside_and_as_before_afterwards():
    with one_thread():
        assert threads() == {1}
        with one_thread():
            assert threads() == {1}
        assert threads() == {1}
    assert threads() == {MORE}


def test_as_before_after_an_error():
    with pytest.raises(ZeroDivisionError), one_thread():
        raise ZeroDivisionError
    assert threads() == {MORE}


def test_another_thread_does_not_take_ours_for_the_callers():
    """It comes while we work and goes after us; what it found was not the caller's setting."""
    is_in, is_done = threading.Event(), threading.Event()

    def work():
        with one_thread():
            is_in.set()
            is_done.wait(10)

    other = threading.Thread(target=work)
    with one_thread():
        other.start()
        assert is_in.wait(10)
        assert threads() == {1}
    is_done.set()
    other.join()
    assert threads() == {MORE}


def test_a_fit_and_what_is_drawn_later(monkeypatch):
    campaign = labelled()
    in_fit = watched(monkeypatch, estimator, "fit_scales")
    in_draws = watched(monkeypatch, Bank, "_block")
    surface = Additive().fit(campaign.records().evidence())
    surface.mean  # noqa: B018  draws when it is read
    assert in_fit == [{1}]
    assert in_draws == [{1}] * len(in_draws) != []


def test_a_campaign_and_its_report(monkeypatch):
    campaign = labelled()
    in_fit = watched(monkeypatch, estimator, "fit_scales")
    in_report = watched(monkeypatch, report_build, "variance_shares")
    campaign.ask(3)
    campaign.surface().overall()
    build_report(campaign, title="", provenance={})
    assert in_fit == [{1}] * len(in_fit) != []
    assert in_report == [{1}]


def in_a_worker():
    """Before, inside and after, in a process that another has started."""
    before = threads()
    with one_thread():
        inside = threads()
    return before, inside, threads()


@pytest.mark.parametrize("method", sorted({"fork", "spawn"} & {*get_all_start_methods()}))
def test_a_worker_process(method):
    with ProcessPoolExecutor(1, get_context(method)) as executor:
        before, inside, after = executor.submit(in_a_worker).result()
    assert inside == {1}
    assert after == before
