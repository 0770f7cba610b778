"""Numbers of a service for which the labels were not chosen."""

from shell import filled


def test_another_services_number_comes_with_a_warning(sh):
    services = ("--prediction", "a=pred", "--prediction", "b=pred_b")
    sh.ok("init", "calls.csv", "--id", "id", *services, "-o", "calls.db")
    assert "Take care" not in sh.ok("surface", "calls.db", "--service", "b").stderr
    sh.ok("tell", "calls.db", "-", input=filled(sh.ok("ask", "calls.db", "-n", "8").stdout))
    assert "chose these labels for a" in sh.ok("surface", "calls.db", "--service", "b").stderr
    ranked = sh.ok("rank", "calls.db", "--by", "@prediction", "--service", "b")
    assert "chose these labels for a" in ranked.stderr
    assert "Take care" not in sh.ok("surface", "calls.db", "--service", "a").stderr
