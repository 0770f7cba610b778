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


def test_numbers_say_whose_they_are_and_what_they_rest_on(sh):
    services = ("--prediction", "a=pred", "--prediction", "b=pred_b", "--attribute", "accent")
    sh.ok("init", "calls.csv", "--id", "id", *services, "--estimator", "eb-beta", "-o", "calls.db")
    sh.ok("tell", "calls.db", "-", input=filled(sh.ok("ask", "calls.db", "-n", "8").stdout))
    rest = "estimator: eb-beta, estimand: pool (these items), 90% intervals, 8 labels."
    for options in ((), ("--slice", "accent=german"), ("--csv",), ("--json",)):
        said = sh.ok("surface", "calls.db", "--service", "b", *options).stderr
        assert f"Accuracy of b; {rest}" in said
    (sh.folder / "mix.csv").write_text("accent,share\ngerman,3\nklingon,1\n")
    mixed = sh.ok("surface", "calls.db", "--mix", "mix.csv", "--slice", "accent=french")
    assert "for 75.0% of the mix: the rest is in no arm" in mixed.stdout
    assert "Accuracy of a;" in mixed.stderr
    assert "and rate (the service on such inputs)," in mixed.stderr
    confusion = sh.ok("confusion", "calls.db", "--service", "b").stderr
    assert "True classes behind each answer of b;" in confusion
