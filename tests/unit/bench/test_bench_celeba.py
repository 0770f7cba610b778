"""The replica of CelebA: who sees what, its statistics, and the campaigns around it."""

import numpy as np
import pandas as pd
import pytest

from bench.celeba import plan, surface
from bench.celeba.page import page
from bench.celeba.plan import (
    ABOUT_DOUBT,
    METHODS,
    SETTINGS,
    Plan,
    Setting,
    arguments,
    chosen_methods,
)
from bench.celeba.publish import PAGE, STATISTICS, SUMMARY, publish
from bench.celeba.replica import (
    ARMS,
    ID,
    LABEL,
    SEEN_BY_ATTRIBUTE_MODELS,
    SEEN_BY_SERVICES,
    SERVICES,
    TARGET,
    guess_of,
    prediction_of,
    replica,
    score_of,
)
from bench.celeba.run import Runner, on_device, refusal
from bench.celeba.surface import Statistics, calibration_error, joint_guess
from bench.earlier import Earlier
from bench.plan import Method, Study
from bench.store import Store
from bench.summary import Summary
from spotheight.errors import InputError

NAMES = (*ARMS, *SEEN_BY_SERVICES, *SEEN_BY_ATTRIBUTE_MODELS)
GOLD = Setting("strong", "gold")
POOLED = Method("pooled", "random")
TRAINING, ROWS = 1200, 560


def faces(seed: int = 0, size: int = TRAINING + ROWS + 40) -> pd.DataFrame:
    """Made-up faces whose attributes all lean on one hidden number."""
    rng = np.random.default_rng(seed)
    lean = rng.normal(size=(size, 1)) + rng.normal(size=(size, len(NAMES)))
    columns = dict(zip(NAMES, (lean > 0.3).T, strict=True))
    return pd.DataFrame({ID: np.arange(1, size + 1), **columns})


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return replica(faces(), TRAINING, ROWS)


@pytest.fixture(scope="module")
def path(table, tmp_path_factory):
    file = tmp_path_factory.mktemp("replica") / "replica.parquet"
    table.to_parquet(file, index=False)
    return file


class TestReplica:
    def test_every_attribute_has_one_part(self):
        assert len(set(NAMES)) == len(NAMES) == 40 and TARGET in ARMS
        others = sorted({*SEEN_BY_SERVICES, *SEEN_BY_ATTRIBUTE_MODELS})
        assert tuple(others[::2]) == SEEN_BY_SERVICES
        assert tuple(others[1::2]) == SEEN_BY_ATTRIBUTE_MODELS

    def test_the_same_faces_give_the_same_table(self, table):
        pd.testing.assert_frame_equal(replica(faces(), TRAINING, ROWS), table)

    def test_the_truth_and_the_arms_are_those_of_the_faces(self, table):
        known = faces().set_index(ID).loc[table[ID]]
        assert table[ID].is_unique and len(table) == ROWS
        assert (table[list(ARMS)].to_numpy() == known[list(ARMS)].to_numpy()).all()
        assert ((table[LABEL] == "male").to_numpy() == known[TARGET].to_numpy()).all()

    @pytest.mark.parametrize(
        ("hidden", "moves"),
        [
            (ARMS, set()),
            (SEEN_BY_SERVICES, {score_of(one.name) for one in SERVICES}),
            (SEEN_BY_ATTRIBUTE_MODELS, {guess_of(name) for name in ARMS}),
        ],
        ids=["arms", "services", "models"],
    )
    def test_models_look_only_at_what_they_may_see(self, table, hidden, moves):
        """Other attributes of the pool's own faces change what their model says, nothing else."""
        known, other = faces(), faces(seed=1)
        is_pool = known[ID].isin(table[ID])
        known.loc[is_pool, list(hidden)] = other.loc[is_pool, list(hidden)]
        changed = replica(known, TRAINING, ROWS)
        watched = [guess_of(name) for name in ARMS] + [score_of(one.name) for one in SERVICES]
        assert {name for name in watched if not changed[name].equals(table[name])} == moves

    def test_the_weaker_service_is_weaker_and_scores_are_chances_of_the_answer(self, table):
        strong, weak = SERVICES
        assert set(weak.sees) < set(strong.sees) and weak.rows < strong.rows
        for one in SERVICES:
            assert table[score_of(one.name)].between(0.5, 1).all()
            assert set(table[prediction_of(one.name)]) == {"male", "female"}


class TestStatistics:
    def test_arms_are_counted_as_a_grouping_does(self, table):
        found = Statistics.of(table)
        hit = table[prediction_of("weak")] == table[LABEL]
        groups = hit.groupby([table[name] for name in ARMS])
        mean, size = groups.mean(), groups.size()
        judged = mean[size >= 5]
        assert (found.arms, found.judged_arms) == (len(size), len(judged))
        one = found.services["weak"]
        assert one.accuracy == pytest.approx(hit.mean(), abs=1e-4)
        assert one.macro == pytest.approx(judged.mean(), abs=1e-4)
        assert one.quantiles[3] == pytest.approx(judged.median(), abs=1e-4)
        assert one.below[1] == pytest.approx((judged < 0.7).mean(), abs=1e-4)
        assert one.worst == tuple(judged.sort_values().round(4)[: surface.WORST])

    def test_calibration_error_by_hand(self):
        chance, holds = np.array([0.21, 0.21, 0.8, 1.0]), np.array([False, True, True, True])
        assert calibration_error(chance, holds) == pytest.approx((0.58 + 0.2) / 4)

    def test_the_joint_guess_of_one_item(self, table):
        one = table.iloc[:1].assign(**{guess_of(name): 0.75 for name in ARMS})
        assert joint_guess(one.assign(**dict.fromkeys(ARMS, True))) == (1, round(0.75**12, 4))
        wrong = {**dict.fromkeys(ARMS, True), ARMS[0]: False}
        assert joint_guess(one.assign(**wrong)) == (0, round(0.25 * 0.75**11, 4))

    def test_they_come_back_from_their_file(self, table, tmp_path):
        found = Statistics.of(table)
        found.write(tmp_path / STATISTICS)
        assert Statistics.read(tmp_path / STATISTICS) == found


class TestPlan:
    def test_gold_campaigns_can_be_run_as_the_package_is(self, path):
        assert refusal(path, GOLD, POOLED) is None
        assert refusal(path, GOLD, Method("additive", "gain")) is None

    def test_a_name_that_is_missing_is_found_by_trying(self, path):
        assert "no estimator 'nobody'" in str(refusal(path, GOLD, Method("nobody", "random")))
        assert "no policy 'nobody'" in str(refusal(path, GOLD, Method("pooled", "nobody")))

    def test_an_option_that_is_missing_is_found_by_trying(self, path, monkeypatch):
        monkeypatch.setattr(plan, "_knowledge", lambda setting: [("no-such-option", "x")])
        assert "--no-such-option" in str(refusal(path, GOLD, POOLED))

    def test_guessed_attributes_are_named_with_their_gold(self, path):
        words = arguments(path, Setting("weak", "temp"), POOLED, seed=3)
        assert words.count("--attribute-probabilities") == words.count("--gold") == 12
        assert "--attribute" not in words and words[words.index("--calibration") + 1] == "temp"
        assert "Male=Male_p" in words and "Male=Male" in words

    def test_without_the_score_only_those_who_read_it_run(self, path):
        unscored = Setting("weak", "unscored")
        assert "--score" not in arguments(path, unscored, POOLED, seed=0)
        chosen = Plan((unscored, GOLD)).pairs()
        assert {method.estimator for one, method in chosen if one == unscored} == {"additive"}
        others = [method for method in METHODS if method.estimator not in ABOUT_DOUBT]
        assert [method for one, method in chosen if one == GOLD] == others

    def test_only_the_family_of_betagp_is_told_of_a_device(self):
        assert on_device(Method("betagp-sl", "random"), "cuda").estimator == "betagp-sl:device=cuda"
        assert on_device(Method("additive", "gain"), "cuda") == Method("additive", "gain")

    def test_unknown_estimators_are_refused(self):
        assert chosen_methods(()) == METHODS
        with pytest.raises(InputError, match="did you mean 'additive'"):
            chosen_methods(["additve"])


class TestRuns:
    def test_rows_are_kept_once_and_the_page_comes_from_the_summary(self, table, path, tmp_path):
        store, said = Store(tmp_path / "raw"), []
        missing = Method("nobody", "random")
        earlier = Earlier(store, tmp_path / SUMMARY, Summary)
        runner = Runner(Plan((GOLD,), (POOLED, missing), seeds=1), earlier, path, say=said.append)
        for _ in range(2):
            runner.run(lambda: False, lambda done, total: None)
        assert not runner.given_up and "1 studies have to wait" in said[0]
        (campaign,) = store.campaigns(Study(GOLD.name, POOLED))
        assert [row["budget"] for row in campaign.rows] == list(plan.RANDOM_READ_AT)
        assert not store.campaigns(Study(GOLD.name, missing))

        statistics = Statistics.of(table)
        publish(earlier, statistics, tmp_path)
        written = (tmp_path / PAGE).read_text(encoding="utf-8")
        assert written == page(Summary.read(tmp_path / SUMMARY), statistics)
        assert "weak, gold attributes: all methods" in written
        drawn = sorted(file.name for file in (tmp_path / "celeba").glob("*.svg"))
        assert drawn == ["estimation-strong.svg", "surface.svg"]

    def test_settings_have_names_of_their_own(self):
        assert len({setting.name for setting in SETTINGS}) == len(SETTINGS) == 10
