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
