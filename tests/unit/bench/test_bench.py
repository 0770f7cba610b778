"""The benchmark harness: nothing is lost, nothing is run twice, and the page says what was run."""

import itertools
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import worlds
from bench import command, front
from bench.cases import CASES, Case
from bench.changes import Changes
from bench.earlier import Earlier, forgetting
from bench.facts import Facts, Published
from bench.plan import (
    ELSEWHERE,
    SMOOTH,
    Method,
    Plan,
    Study,
    Wave,
    all_methods,
    chosen_methods,
    waves_up_to,
)
from bench.plots import write_plots
from bench.publish import PAGE, SUMMARY, TABLES, publish
from bench.run import Runner
from bench.store import Store
from bench.summary import Average, Entry, Summary
from bench.tables import page
from spotheight import registry as codec
from spotheight.errors import InputError, StoreError
from spotheight.simulate import simulate

RANDOM, THOMPSON = Method("pooled", "random"), Method("beta", "thompson")
STUDY = Study("tiny", RANDOM)
TINY = Case(
    name="tiny", title="A tiny table", file="tiny.parquet", service="plain", id="id",
    prediction="prediction", score="score", label="label", attributes=("gender", "accent"),
    is_key=True,
)  # fmt: skip


@pytest.fixture
def data(tmp_path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    pq.write_table(worlds.table(rows=120), folder / TINY.file)
    return folder


@pytest.fixture
def store(tmp_path) -> Store:
    return Store(tmp_path / "raw")


def plan(*methods: Method, seeds: int = 2) -> Plan:
    return Plan(
        cases=(TINY,), methods=methods or (RANDOM,), waves=(Wave(seeds),),
        passive_budgets=(10, 20), active_budgets=(10,),
    )  # fmt: skip


def earlier(store: Store) -> Earlier:
    """Published in the folder beside the rows."""
    return Earlier(store, store.folder.parent / "docs" / SUMMARY, Summary)


def run(store: Store, data: Path, plan: Plan, turns: int | None = None) -> Runner:
    """Run a plan in this process; ``turns`` stops it after so many campaigns."""
    runner = Runner(plan, earlier(store), data, workers=1)
    turn = itertools.count()
    runner.run(lambda: turns is not None and next(turn) >= turns, lambda done, total: None)
    return runner


def summary_of(*entries: tuple[Study, int, Entry], **cases: Facts) -> Summary:
    return Summary(cases, {(study, budget): entry for study, budget, entry in entries})


def entry(mean: float, error: float | None, seeds: int = 5) -> Entry:
    return Entry(seeds, {"macro": Average(mean, error)})


FACTS = Facts(
    title="A tiny table", service="plain", attributes=("gender", "accent"), has_score=True,
    is_key=True, items=120, arms=8, judged_arms=7, accuracy=0.7,
    published=(Published("Others", "random", 20, {"macro": (3.0, 4.5)}),),
)  # fmt: skip


class TestRuns:
    def test_a_stopped_run_goes_on_where_it_was(self, store, data, tmp_path):
        whole = Store(tmp_path / "whole")
        run(whole, data, plan(RANDOM, THOMPSON))
        for _ in range(4):
            run(store, data, plan(RANDOM, THOMPSON), turns=1)
        for study in (STUDY, Study("tiny", THOMPSON)):
            ours, theirs = store.campaigns(study), whole.campaigns(study)
            assert [one.seed for one in ours] == [one.seed for one in theirs] == [0, 1]
            for one, other in zip(ours, theirs, strict=True):
                assert untimed(one.rows) == untimed(other.rows)

    def test_what_is_done_is_not_run_again(self, store, data):
        run(store, data, plan())
        before = raw(store).read_bytes()
        run(store, data, plan())
        assert raw(store).read_bytes() == before
        run(store, data, plan(seeds=3))
        assert raw(store).read_bytes().startswith(before)
        assert store.done(STUDY, (10, 20)) == {0, 1, 2}

    def test_a_new_budget_is_run(self, store, data):
        run(store, data, plan())
        run(store, data, replace(plan(), passive_budgets=(10, 20, 30)))
        assert store.done(STUDY, (10, 20, 30)) == {0, 1}

    def test_with_and_without_holdout_are_apart(self, store, data):
        held = replace(RANDOM, holdout=0.5)
        run(store, data, plan(RANDOM, held))
        estimands = {
            study.method.holdout: {row["estimand"] for row in store.campaigns(study)[0].rows}
            for study in store.studies()
        }
        assert estimands == {0.0: {"pool"}, 0.5: {"rate"}}

    def test_a_method_that_refuses_its_case_is_left_out_and_no_failure(self, store, data):
        blind = replace(TINY, score=None)
        informed = Method("beta:prior=informed", "random")
        said = []
        cases = replace(plan(informed, RANDOM), cases=(blind,))
        runner = Runner(cases, earlier(store), data, 1, say=said.append)
        runner.run(lambda: False, lambda done, total: None)
        assert list(runner.given_up) == [Study("tiny", informed)] and not runner.failures
        assert len(said) == 1 and "needs the service's score" in said[0]
        assert store.done(STUDY, (10, 20)) == {0, 1}

    def test_a_bug_costs_one_study_and_is_told(self, store, data, monkeypatch):
        def fit(self, evidence, start=None):
            raise ZeroDivisionError("no arms")

        monkeypatch.setattr(codec.ESTIMATORS.of("counts"), "fit", fit)
        broken = Method("counts", "random")
        runner = run(store, data, plan(broken, RANDOM))
        assert runner.failures == [Study("tiny", broken)]
        assert store.done(STUDY, (10, 20)) == {0, 1}


def raw(store: Store) -> Path:
    (path,) = store.folder.glob("tiny/*.jsonl")
    return path


def untimed(rows):
    return [{k: v for k, v in row.items() if not k.endswith("_seconds")} for row in rows]


class TestStore:
    @pytest.mark.parametrize("kept", [1, 20, -1])
    def test_a_torn_last_line_is_ignored_and_redone(self, store, kept):
        for seed in (0, 1):
            store.append(STUDY, seed, [{"budget": 10}, {"budget": 20}])
        whole = raw(store).read_bytes()
        first, second = whole.splitlines(keepends=True)
        raw(store).write_bytes(first + second[:kept])
        left = list(plan().missing(lambda study: store.done(study, (10, 20)), most=2))
        assert left == [(TINY, RANDOM, (1,))]
        store.append(STUDY, 1, [{"budget": 10}, {"budget": 20}])
        assert raw(store).read_bytes() == whole

    def test_a_spoilt_line_in_between_is_refused(self, store):
        store.append(STUDY, 0, [])
        raw(store).write_bytes(b"{nonsense\n" + raw(store).read_bytes())
        with pytest.raises(StoreError, match="delete the file"):
            store.campaigns(STUDY)

    def test_the_name_of_a_file_says_which_study_it_is(self, store):
        odd = Method("beta:prior=overall,strength=0.5", "mix:first=(thompson:draws=1)", 0.25)
        study = Study("tiny", odd)
        store.append(study, 3, [{"budget": 5}])
        assert list(store.studies()) == [study]
        assert store.done(study, (5,)) == {3}

    def test_what_is_run_twice_counts_once(self, store):
        for value in (1.0, 2.0):
            store.append(STUDY, 0, [{"budget": 5, "macro_mse": value}])
        (campaign,) = store.campaigns(STUDY)
        assert campaign.rows[0]["macro_mse"] == 2.0

    def test_forgetting_takes_names_and_patterns_within_the_cases(self, store):
        prior = Method("beta:prior=overall", "random")
        studies = [Study("tiny", method) for method in (RANDOM, THOMPSON, prior)]
        studies.append(Study("other", THOMPSON))
        for study in studies:
            store.append(study, 0, [])
        forgetting(earlier(store), "thompson", ["tiny"])
        assert set(store.studies()) == set(studies) - {studies[1]}
        forgetting(earlier(store), "beta*", ["tiny"])
        assert set(store.studies()) == {studies[0], studies[3]}
        with pytest.raises(InputError, match="did you mean 'pooled'"):
            forgetting(earlier(store), "poold", ["tiny"])

    def test_what_is_held_out_can_be_forgotten_alone(self, store):
        held = Method("pooled", "random", 0.5)
        for method in (RANDOM, held):
            store.append(Study("tiny", method), 0, [])
        forgetting(earlier(store), "pooled + *held out", ["tiny"])
        assert set(store.studies()) == {Study("tiny", RANDOM)}


class TestEarlier:
    """Rows stay on a machine, the summary goes on."""

    def test_another_machine_goes_on_from_the_summary(self, data, tmp_path):
        docs, folders = tmp_path / "docs", ("first", "second", "whole")
        first, second, whole = (Store(tmp_path / name / "raw") for name in folders)
        begun = Earlier(first, docs / SUMMARY, Summary)
        self.run(begun, data, seeds=2)
        publish(begun, docs)
        gone_on = Earlier(second, docs / SUMMARY, Summary)
        self.run(gone_on, data, seeds=5)
        assert [one.seed for one in second.campaigns(STUDY)] == [2, 3, 4]
        for _ in range(2):  # once published, rows are not added again
            publish(Earlier(second, docs / SUMMARY, Summary), docs)
        self.run(Earlier(second, docs / SUMMARY, Summary), data, seeds=5)
        assert len(second.campaigns(STUDY)) == 3
        self.run(Earlier(whole, tmp_path / "none.json", Summary), data, seeds=5)
        found, wanted = Summary.read(docs / SUMMARY).entries, Summary.of(whole).entries
        assert found.keys() == wanted.keys()
        for key, entry in wanted.items():
            assert found[key].seeds == entry.seeds == 5
            for name in ("macro", "worst50", "coverage90"):
                one, other = found[key].averages[name], entry.averages[name]
                assert one.mean == pytest.approx(other.mean, rel=1e-3)
                assert one.error == pytest.approx(other.error, rel=1e-3)

    def test_what_is_run_again_counts_alone(self, store, data, tmp_path):
        docs = tmp_path / "docs"
        summary_of((STUDY, 10, entry(9, 0.1)), (STUDY, 20, entry(9, 0.1)), tiny=FACTS).write(
            docs / SUMMARY
        )
        self.run(earlier(store), data, seeds=3)
        assert not store.campaigns(STUDY)
        self.run(forgetting(earlier(store), "pooled", ["tiny"]), data, seeds=3)
        publish(earlier(store), docs)
        found = Summary.read(docs / SUMMARY).entries[STUDY, 20]
        assert found == Summary.of(store).entries[STUDY, 20] and found.seeds == 3

    def test_one_seed_and_a_missing_measure(self):
        alone = Entry(1, {"macro": Average(1.0, None), "width90": Average(0.5, None)})
        both = alone.joined(Entry(2, {"macro": Average(4.0, 1.0)}, first=1))
        # Of 1, 3 and 5: their variance is 4, that of the mean a third of it.
        assert both.seeds == 3 and both.averages["width90"] == Average(0.5, None)
        assert both.averages["macro"].mean == pytest.approx(3.0)
        assert both.averages["macro"].error == pytest.approx((4 / 3) ** 0.5, rel=1e-4)

    def run(self, earlier: Earlier, data: Path, seeds: int) -> None:
        Runner(plan(seeds=seeds), earlier, data, workers=1).run(lambda: False, lambda *_: None)


class TestPlan:
    def test_every_estimator_and_every_policy_for_surfaces_is_in_it(self):
        methods = all_methods()
        tried = {method.estimator.partition(":")[0] for method in methods}
        assert tried == set(codec.ESTIMATORS.members) - set(SMOOTH)  # bench.deep has these
        left_out = set(codec.POLICIES.members) - {method.policy for method in methods}
        assert left_out == set(ELSEWHERE)  # they serve ranked lists, or comparisons

    def test_breadth_comes_first_and_key_cases_lead(self):
        cases = (replace(TINY, name="minor", is_key=False), TINY)
        cases = tuple(sorted(cases, key=lambda case: not case.is_key))
        batches = Plan(cases=cases, methods=all_methods()).missing(lambda study: (), most=20)
        order = list(dict.fromkeys((c.name, m, s) for c, m, seeds in batches for s in seeds))
        core, minor = Method("additive", "gain"), Method("pooled", "random")
        place = {trial: rank for rank, trial in enumerate(order)}
        ranked = [
            ("tiny", core, 1), ("minor", core, 1), ("tiny", core, 19), ("tiny", minor, 1),
            ("minor", minor, 1), ("minor", core, 4), ("tiny", minor, 19), ("minor", minor, 19),
        ]  # fmt: skip
        assert [place[trial] for trial in ranked] == sorted(place[trial] for trial in ranked)
        assert len(order) == 2 * len(all_methods()) * 20

    @pytest.mark.parametrize("seeds", [1, 3, 20, 30])
    def test_no_wave_goes_beyond_the_seeds_wanted(self, seeds):
        assert max(wave.seeds for wave in waves_up_to(seeds)) == seeds
        assert waves_up_to(seeds)[-1] == Wave(seeds)

    def test_methods_are_chosen_by_name(self):
        assert {m.policy for m in chosen_methods(["pooled"], [])} == {"random"}
        unplanned = chosen_methods(["pooled"], ["gain:share=0.20"])
        assert unplanned == (Method("pooled", "gain"),)
        with pytest.raises(InputError, match="name an estimator and a policy"):
            chosen_methods(["beta:strength=3"], [])
        with pytest.raises(InputError, match="did you mean 'pooled'"):
            chosen_methods(["poold"], [])

    def test_cases_have_names_of_their_own_and_the_key_cases_come_first(self):
        names = [case.name for case in CASES]
        assert len(set(names)) == len(names)
        assert [case.is_key for case in CASES] == sorted((c.is_key for c in CASES), reverse=True)
        assert all(set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-.") for name in names)


class TestSummary:
    def test_means_and_standard_errors(self):
        """By hand: deviations -2, -1, 3 have the variance 7, and the mean's is a third of it."""
        rows = [{"macro_mse": value, "coverage90": None} for value in (1.0, 2.0, 6.0)]
        found = Entry.of(rows)
        assert found.seeds == 3 and set(found.averages) == {"macro"}
        assert found.averages["macro"].mean == pytest.approx(3.0)
        assert found.averages["macro"].error == pytest.approx((7 / 3) ** 0.5, rel=1e-4)

    def test_one_seed_has_no_standard_error(self):
        assert Entry.of([{"macro_mse": 1.5}]).averages["macro"] == Average(1.5, None)

    def test_it_is_made_of_all_rows_of_a_budget(self, store, data):
        run(store, data, plan(seeds=3))
        summary = Summary.of(store)
        assert {budget for _, budget in summary.entries} == {10, 20}
        rows = [one.rows[1] for one in store.campaigns(STUDY)]
        assert [row["budget"] for row in rows] == [20] * 3
        assert summary.entries[STUDY, 20] == Entry.of(rows)
        assert summary.cases["tiny"].items == 120

    def test_it_survives_its_file(self, store, data, tmp_path):
        run(store, data, plan(RANDOM, THOMPSON, replace(RANDOM, holdout=0.5)))
        summary = Summary().updated(Summary.of(store))
        summary.write(tmp_path / SUMMARY)
        assert Summary.read(tmp_path / SUMMARY) == summary

    def test_entries_that_were_not_run_again_stay(self):
        other = Study("tiny", THOMPSON)
        old = summary_of((STUDY, 10, entry(1, 0.1)), (other, 10, entry(2, 0.1)), tiny=FACTS)
        new = summary_of((STUDY, 10, entry(3, 0.1)), (STUDY, 20, entry(4, 0.1)), tiny=FACTS)
        merged = old.updated(new).entries
        assert merged[other, 10] == entry(2, 0.1)
        assert merged[STUDY, 10] == entry(3, 0.1) and len(merged) == 3


class TestChanges:
    def lines(self, before: Entry, after: Entry) -> list[str]:
        old, new = (summary_of((STUDY, 10, one), tiny=FACTS) for one in (before, after))
        return list(Changes.between(old, new).lines())

    @pytest.mark.parametrize(("shift", "is_told"), [(0.99, False), (1.01, True), (-1.01, True)])
    def test_two_standard_errors_of_the_difference(self, shift, is_told):
        """Errors of .3 and .4 make one of .5 for the difference."""
        lines = self.lines(entry(5.0, 0.3), entry(5.0 + shift, 0.4))
        assert bool(lines) == is_told

    def test_a_line_names_what_moved(self):
        (line,) = self.lines(entry(5.0, 0.1), entry(4.0, 0.1))
        assert line == "tiny, pooled + random, 10 labels: macro 5 -> 4"

    def test_one_seed_is_no_evidence(self):
        assert self.lines(entry(5.0, None, seeds=1), entry(1.0, 0.1)) == []

    def test_new_entries_are_counted(self):
        old = summary_of((STUDY, 10, entry(1, 0.1)), tiny=FACTS)
        more = summary_of(*((STUDY, budget, entry(1, 0.1)) for budget in (10, 20, 30)), tiny=FACTS)
        assert list(Changes.between(old, more).lines()) == ["2 new entries."]


class TestPage:
    def test_the_best_and_those_beside_it_are_bold(self):
        close, far = Study("tiny", THOMPSON), Study("tiny", Method("counts", "random"))
        summary = summary_of(
            (STUDY, 20, entry(2.0, 0.3)),
            (close, 20, entry(2.9, 0.4)),  # .9 apart, the difference has an error of .5
            (far, 20, entry(3.1, 0.4)),
            tiny=FACTS,
        )
        text = page(summary)
        assert "| pooled | random | 5 | **2.00 ± 0.30** |" in text
        assert "| beta | thompson | 5 | **2.90 ± 0.40** |" in text
        assert "| counts | random | 5 | 3.10 ± 0.40 |" in text
        assert "| *Others* | random |  | 3 to 4.5 |" in text

    def test_coverage_is_bold_inside_its_band(self):
        coverages = {RANDOM: 0.88, THOMPSON: 0.94}
        entries = [
            (Study("tiny", method), 20, Entry(5, {"coverage90": Average(value, 0.01)}))
            for method, value in coverages.items()
        ]
        text = page(summary_of(*entries, tiny=FACTS))
        assert "**88.0 ± 1.0**" in text and "| 94.0 ± 1.0 |" in text

    def test_coverage_is_averaged_over_cases(self):
        method = Method("additive", "gain")
        entries = [
            (Study(case, method), 500, Entry(5, {"coverage90": Average(value, 0.01)}))
            for case, value in (("tiny", 0.86), ("other", 0.92))
        ]
        text = page(summary_of(*entries, tiny=FACTS, other=FACTS))
        # Over cases they deviate by .0424, and by a root of two less after two of them.
        assert "| *all cases* |  |  |  |  | 89.0 ± 3.0 |" in text

    def test_plots_are_the_same_letters_each_time(self, tmp_path):
        averages = {"macro": Average(2.0, 0.3), "coverage90": Average(0.9, 0.01)}
        study = Study("tiny", Method("eb-beta", "random"))
        entries = [(study, budget, Entry(5, averages)) for budget in (10, 20)]
        summary = summary_of(*entries, tiny=FACTS)
        for folder in ("first", "second"):
            write_plots(summary, tmp_path / folder)
        first, second = (sorted((tmp_path / f).iterdir()) for f in ("first", "second"))
        assert [path.name for path in first] == ["tiny-coverage90.svg", "tiny-macro.svg"]
        assert [p.read_bytes() for p in first] == [p.read_bytes() for p in second]
        assert "eb-beta, random" in first[1].read_text(encoding="utf-8")


class TestFront:
    """The page that people read, on a made-up case."""

    def text(self, ours: float, theirs: float, labels: int = 500) -> str:
        both = {Method("additive", "gain"): ours, Method("eb-beta", "gain"): theirs}
        entries = [(Study("tiny", m), labels, entry(value, 0.1)) for m, value in both.items()]
        return front.page(summary_of(*entries, tiny=FACTS))

    def test_it_says_how_often_the_default_is_ahead(self):
        text = self.text(ours=2.0, theirs=4.0)
        line = "| additive, gain | eb-beta, gain | 500 | 1 | 0 | 0 | 0.50 | 0.50 to 0.50 |"
        assert line in text
        assert "has the lower error: none." in text

    @pytest.mark.parametrize(("ours", "is_named"), [(4.2, False), (4.4, True)])
    def test_it_names_what_is_behind_beyond_chance(self, ours, is_named):
        """Errors of .1 and .1 make one of .14 for the difference."""
        text = " ".join(self.text(ours=ours, theirs=4.0).split())
        assert (f"A tiny table 4.00 against {ours:.2f}, 500 labels" in text) == is_named
        assert f"| 500 | 0 | {1 - is_named} | {int(is_named)} |" in text

    def test_it_holds_the_first_labels_against_the_lowest_of_others(self):
        text = self.text(ours=1.5, theirs=4.0, labels=100)
        assert "the error is 50% (in the order of the table)" in " ".join(text.split())

    def test_a_race_is_told_where_the_bound_is_better(self):
        race = {"peer_seconds": 24.0, "last_seconds": 2.0, "peer_bound": -9.0}
        races = [
            {"arms": 320, "last_bound": -8.0, **race},
            {"arms": 40, "last_bound": -9.5, **race},
        ]
        text = front.page(summary_of(tiny=FACTS), races)
        assert "12 times as fast with 320 arms" in " ".join(text.split())


class TestCommand:
    @pytest.fixture
    def bench(self, data, tmp_path, monkeypatch):
        """Runs the command on the tiny table, in this process."""
        monkeypatch.setenv("SPOTHEIGHT_DATA", str(data))
        monkeypatch.setattr(command, "RAW", tmp_path / "raw")
        monkeypatch.setattr(command, "DOCS", tmp_path / "docs")
        monkeypatch.setattr(command, "CASES", (replace(TINY, is_key=False),))
        always = ("--workers", "1", "--policy", "random")

        def call(*arguments: str):
            return CliRunner().invoke(command.main, [*always, *arguments])

        return call

    def test_it_runs_writes_and_says_what_changed(self, bench, tmp_path):
        first = bench("--estimator", "pooled", "--seeds", "2")
        assert first.exit_code == 0, first.output
        assert first.stdout == "5 new entries.\n"
        docs = tmp_path / "docs"
        summary = Summary.read(docs / SUMMARY)
        for name, made in ((TABLES, page(summary)), (PAGE, front.page(summary))):
            assert made == (docs / name).read_text(encoding="utf-8")
        again = bench("--estimator", "pooled", "--seeds", "2")
        assert again.exit_code == 0 and again.output == ""

    def test_a_key_stops_it_and_what_is_done_is_written(self, bench, tmp_path, monkeypatch):
        real, calls = simulate, itertools.count()

        def stopped(*arguments, **options):
            if next(calls) == 1:
                raise KeyboardInterrupt
            return real(*arguments, **options)

        monkeypatch.setattr("bench.run.simulate", stopped)
        done = bench("--estimator", "pooled", "--seeds", "2")
        assert done.exit_code == 0 and "what was done is kept" in done.stderr
        (entry, *_) = Summary.read(tmp_path / "docs" / SUMMARY).entries.values()
        assert entry.seeds == 1

    def test_no_minutes_start_nothing(self, bench, tmp_path):
        done = bench("--estimator", "pooled", "--minutes", "0")
        assert done.exit_code == 0 and not (tmp_path / "raw").exists()
        assert (tmp_path / "docs" / PAGE).exists()

    def test_rows_of_other_code_are_told(self, bench, tmp_path):
        bench("--estimator", "pooled", "--seeds", "1")
        path = raw(Store(tmp_path / "raw"))
        path.write_bytes(path.read_bytes().replace(b'"code": "', b'"code": "other-'))
        done = bench("--estimator", "pooled", "--minutes", "0")
        assert "1 of 1 campaigns were run by other code" in done.stderr
        done = bench("--estimator", "pooled", "--minutes", "0", "--again", "pooled")
        assert done.output == "" and not list(Store(tmp_path / "raw").studies())

    def test_wrong_names_are_refused(self, bench):
        done = bench("--case", "tinny")
        assert done.exit_code == 2 and "did you mean 'tiny'?" in done.output

    def test_a_missing_file_is_told_and_skipped(self, bench, data, tmp_path):
        (data / TINY.file).unlink()
        done = bench("--estimator", "pooled")
        assert done.exit_code == 0 and "has no tiny.parquet; those cases are skipped" in done.stderr
        assert not (tmp_path / "raw").exists()

    def test_without_data_it_says_so_and_writes_nothing(self, bench, tmp_path, monkeypatch):
        monkeypatch.setenv("SPOTHEIGHT_DATA", str(tmp_path / "nowhere"))
        done = bench("--estimator", "pooled")
        assert done.exit_code == 0 and "SPOTHEIGHT_DATA" in done.stderr
        assert not (tmp_path / "docs").exists()
