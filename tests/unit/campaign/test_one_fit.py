"""A slow estimator shows the same numbers wherever they are read: there is one way to fit."""

import json

import pytest

from shell import INIT, filled

pytest.importorskip("torch", reason="no torch; the extra deep installs it")


def test_a_slow_estimator_says_the_same_in_surface_status_and_report(sh):
    services = ("--prediction", "a=pred", "--prediction", "b=pred_b")
    init = [part for part in INIT if part not in ("--prediction", "pred", "--score", "conf")]
    sh.ok(*init, *services, "--estimator", "betagp:inducing=10", "--policy", "uniform")
    for _ in range(3):
        sh.ok("tell", "calls.db", "-", input=filled(sh.ok("ask", "calls.db", "-n", "8").stdout))
    surface = json.loads(sh.ok("surface", "calls.db", "--json").stdout)
    status = json.loads(sh.ok("status", "calls.db", "--json").stdout)
    report = json.loads(sh.ok("export", "calls.db", "--to", "json").stdout)
    told = surface["overall"]
    for other in (status["overall"], report["overall"]):
        for end in ("mean", "low", "high"):
            assert other[end] == pytest.approx(told[end], abs=1e-6)
    means = {row["name"]: row["mean"] for row in report["arms"]}
    for arm in surface["arms"]:
        name = f"accent={arm['accent']}, gender={arm['gender']}"
        assert means[name] == pytest.approx(arm["mean"], abs=1e-6)
    paired = json.loads(sh.ok("compare", "calls.db", "--services", "b", "a", "--json").stdout)
    (row,) = (row for row in report["services"] if row["name"] == "b")
    assert row["lead"]["mean"] == pytest.approx(paired["difference"]["mean"], abs=1e-6)
    ranked = json.loads(sh.ok("rank", "calls.db", "--json").stdout)["groups"]
    rows = report["ranking"]["rows"]
    assert [row["group"]["name"] for row in rows] == [row["group"] for row in ranked]
    for row, same in zip(rows, ranked, strict=True):
        assert row["mean"] == pytest.approx(same["rank"], abs=1e-6)
        assert row["group"]["mean"] == pytest.approx(same["mean"], abs=1e-6)
    cells = json.loads(sh.ok("confusion", "calls.db", "--json").stdout)["cells"]
    found = {(cell["answer"], cell["class"]): cell for cell in cells}
    table = report["confusion"]
    for answer, means, lows in zip(table["answers"], table["mean"], table["low"], strict=True):
        for cls, mean, low in zip(table["classes"], means, lows, strict=True):
            assert mean == pytest.approx(found[answer, cls]["mean"], abs=1e-6)
            assert low == pytest.approx(found[answer, cls]["low"], abs=1e-6)
