"""What every pool promises: the same suite over the pool in memory and the one in its engine."""

import numpy as np
import pyarrow as pa
import pytest

import worlds
from spotheight.arms import MISSING, Recipe
from spotheight.errors import InputError
from spotheight.pool import Pool
from spotheight.pool import names as c
from spotheight.testing import PoolContract
from spotheight.testing.pools import NAMES, SOURCE, arm_counts

CHANCES = {"pf": [0.7, 0.2, 1.0, 0.9995], "pm": [0.3, 0.8, 0.0, 0.0005], "g": list("uuvv")}
GUESSES = {"gender": (("f", "pf"), ("m", "pm"))}


@pytest.fixture(params=worlds.KINDS)
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def pools():
    """One pool of each kind over the same table; pools do not change, so all tests share them."""
    return {name: worlds.pool(SOURCE, name) for name in worlds.KINDS}


@pytest.fixture(scope="module")
def odd():
    """Pools whose ids are all that ids can be."""
    columns = {"id": list(NAMES), "score": [0.5] * len(NAMES)}
    return {name: worlds.small(name, columns, score="score") for name in worlds.KINDS}


@pytest.fixture
def pool(pools, kind):
    return pools[kind]


@pytest.fixture
def cells(pool):
    return pool.cells(pool.layout.attributes, "service")


class TestEveryPool(PoolContract):
    @pytest.fixture(autouse=True)
    def made(self, kind, pools):
        self.kind, self.shared = kind, pools[kind]

    def make(self, table, **roles):
        return worlds.pool(table, self.kind, **roles)

    def pool(self):
        return self.shared


class TestCells:
    @pytest.mark.parametrize("service", ["plain", "other"])
    @pytest.mark.parametrize("attributes", [[], ["accent"], ["@prediction", "@score:bins=3"]])
    def test_both_pools_have_the_same(self, attributes, service):
        ours, theirs = (
            made.cells(made.layout.attributes, service)
            for made in worlds.both(SOURCE, **worlds.TWO, attributes=attributes)
        )
        np.testing.assert_array_equal(ours.partition.codes, theirs.partition.codes)
        assert ours.partition.attributes == theirs.partition.attributes
        for name in ("arm", "bin", "count"):
            np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
        for name in ("score", "price", "weight", "mass"):
            np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), atol=1e-11)


class TestLevels:
    def test_the_word_for_missing_is_not_a_second_level(self, kind):
        pool = worlds.small(kind, {"g": ["a", None, MISSING]}, "g")
        assert pool.layout.attributes[0].levels == ("a", MISSING)
        assert arm_counts(pool) == {"g=a": 1, f"g={MISSING}": 2}

    @pytest.mark.parametrize("dtype", [pa.float64(), pa.float32(), pa.int32(), pa.string()])
    def test_a_value_on_an_edge_belongs_to_the_bin_above(self, kind, dtype):
        values = pa.array([17, 18, 19, 64, 65, 66, None], pa.int64()).cast(dtype)
        counts = arm_counts(worlds.small(kind, {"age": values}, "age:edges=18,65"))
        assert counts == {"age=<18": 1, "age=18..65": 3, "age=>=65": 2, f"age={MISSING}": 1}

    def test_a_float32_is_compared_as_what_it_is(self, kind):
        values = pa.array([0.1, 0.3], pa.float32())  # 0.100000001 and 0.300000012
        counts = arm_counts(worlds.small(kind, {"x": values}, "x:edges=0.1,0.3"))
        assert counts == {"x=0.1..0.3": 1, "x=>=0.3": 1}

    def test_edges_keep_every_digit(self, kind):
        edge = 0.1 + 0.2
        values = [np.nextafter(edge, 0), edge, np.nextafter(edge, 1)]
        counts = arm_counts(worlds.small(kind, {"x": values}, f"x:edges={edge!r}"))
        assert list(counts.values()) == [1, 2]

    def test_bins_hold_like_numbers_of_items(self, kind):
        counts = arm_counts(worlds.small(kind, {"x": list(range(40))}, "x:bins=4"))
        assert list(counts.values()) == [10, 10, 10, 10]

    def test_heavy_ties_make_fewer_bins_and_no_empty_ones(self, kind):
        pool = worlds.small(kind, {"x": [1.0] * 30 + [2.0] * 3}, "x:bins=4")
        assert list(arm_counts(pool).values()) == [30, 3]

    def test_one_value_makes_one_bin(self, kind):
        assert arm_counts(worlds.small(kind, {"x": [5.0] * 4}, "x:bins=3")) == {"x=any": 4}

    def test_widths_cut_the_range_evenly(self, kind):
        counts = arm_counts(
            worlds.small(kind, {"x": [0.0, 1.0, 1.9, 2.0, 9.0, 10.0]}, "x:widths=5")
        )
        assert list(counts.values()) == [3, 1, 2]

    def test_an_order_is_kept_and_an_unnamed_level_refused(self, kind):
        pool = worlds.small(kind, {"s": ["L", "S", "M"]}, "s:ordered=S,M,L")
        assert list(arm_counts(pool)) == ["s=S", "s=M", "s=L"]
        with pytest.raises(InputError, match="also has the level 'M'"):
            worlds.small(kind, {"s": ["L", "S", "M"]}, "s:ordered=S,L")

    def test_numbers_in_text_sort_by_size(self, kind):
        pool = worlds.small(kind, {"n": ["10", "9", "b", "a", "-1"]}, "n")
        assert pool.layout.attributes[0].levels == ("-1", "9", "10", "a", "b")

    def test_a_column_without_any_value_is_one_level(self, kind):
        pool = worlds.small(
            kind, {"prediction": pa.nulls(3), "g": pa.nulls(3), "n": pa.nulls(3)}, "g"
        )
        assert arm_counts(pool) == {f"g={MISSING}": 3}
        assert pool.resolve(Recipe("@prediction"), "service").levels == (MISSING,)

    def test_whole_floats_and_booleans_read_like_words(self, kind):
        values = [1.0, 2.5, None, float("nan"), float("inf"), 1e300, -0.0]
        flags = [True, False, None, True, True, True, True]
        pool = worlds.small(kind, {"f": values, "b": flags}, "f", "b")
        told = pool.rows([f"i{row:03d}" for row in range(7)])
        assert list(told[c.attribute_of("f")]) == ["1", "2.5", None, None, "inf", "1e+300", "0"]
        assert list(told[c.attribute_of("b")])[:3] == ["true", "false", None]

    @pytest.mark.parametrize("text", ["@prediction", "@score:bins=4", "age:widths=3", "gender"])
    def test_an_attribute_asked_for_later_is_the_same_in_both(self, pools, text):
        found = [pool.resolve(Recipe.parse(text), "service") for pool in pools.values()]
        assert found[0] == found[1]
        values = SOURCE[{"@prediction": "prediction", "@score:bins=4": "score"}.get(text, "age")]
        if text != "gender":
            assert (found[0].levels[-1] == MISSING) is bool(values.null_count)

    def test_built_in_attributes_hold_the_answers_of_all_services(self, kind):
        columns = {
            "prediction": ["a", "b"],
            "second": ["b", "c"],
            "s": [0.1, 0.9],
            "t": [0.5, None],
        }
        pool = worlds.small(
            kind,
            columns,
            "@prediction",
            "@score:bins=2",
            prediction={"one": "prediction", "two": "second"},
            score={"one": "s", "two": "t"},
        )
        assert pool.layout.attributes[0].levels == ("a", "b", "c")
        assert set(arm_counts(pool, "two")) == {
            "@prediction=b, @score=<0.9",
            f"@prediction=c, @score={MISSING}",
        }


class TestItems:
    def test_pick_serves_several_cells_at_once(self, pools):
        first, second = (
            pool.pick(cells, {0: [0], 3: [0], len(cells) - 1: [0]}, ())
            for pool in pools.values()
            for cells in [pool.cells(pool.layout.attributes, "service")]
        )
        assert first == second
        assert len(set(first.values())) == 3

    def test_rows_are_the_same_in_both(self, pools):
        wanted = SOURCE["id"].to_pylist()[::3]
        ours, theirs = (pool.rows(wanted) for pool in pools.values())
        assert ours.keys() == theirs.keys()
        for name in ours:
            np.testing.assert_array_equal(ours[name], theirs[name])

    def test_an_unknown_item_is_refused_with_the_one_that_was_meant(self, pool):
        with pytest.raises(InputError, match=r"no item 'item-0001'.*did you mean 'item-0"):
            pool.rows(["item-001", "item-0001"])
        with pytest.raises(InputError, match=r"'nothing like it' \(and 1 more\); check"):
            pool.rows(["nothing like it", "nor this"])

    def test_rows_without_an_id_are_numbered_in_their_order(self, kind):
        pool = worlds.pool(pa.table({"p": list("abcdefghijk")}), kind, id=None, prediction="p")
        assert list(pool.rows(["00", "10"])[c.prediction_of("service")]) == ["a", "k"]


class TestListed:
    def test_a_list_may_be_shorter_than_asked(self, pool):
        known = sum(score is not None for score in SOURCE["score"].to_pylist())
        assert len(pool.listed((), ("service",), 10_000)[c.ID]) == known

    def test_an_arm_without_scores_has_no_list(self, kind):
        columns = {"score": [0.5, None, None], "g": ["a", "b", "b"]}
        pool = worlds.small(kind, columns, "g", score="score")
        assert list(pool.listed(pool.layout.attributes, ("service",), 2)[c.ID]) == ["i000"]

    def test_a_service_without_scores_is_refused(self, kind):
        with pytest.raises(InputError, match="'service' has no score"):
            worlds.small(kind, {"n": [1]}).listed((), ("service",), 1)


class TestOnly:
    def test_an_answer_that_never_came_is_refused(self, pool):
        with pytest.raises(InputError, match="never answers 'cow'"):
            pool.only("service", "cow")

    def test_a_service_that_has_no_answers_is_refused(self, kind):
        pool = worlds.small(kind, {"v": [0.5]}, prediction=None, verdict="v")
        with pytest.raises(InputError, match="'service' has no answers"):
            pool.only("service", "cat")


class TestGuesses:
    def guessed(self, kind: str, **columns) -> Pool:
        made = {**CHANCES, **columns}
        return worlds.small(kind, made, "gender", "g", guesses=GUESSES)

    def test_masses_are_expected_items_and_add_up_to_the_pool(self, kind):
        pool = self.guessed(kind)
        cells = worlds.population(pool)
        assert cells.count.sum() == pytest.approx(len(pool))
        mass = dict(zip(cells.partition.names, cells.mass, strict=True))
        # The last item's 0.0005 is dropped as too small, and the rest scaled up.
        assert mass == pytest.approx(
            {"gender=f, g=u": 0.9, "gender=f, g=v": 2.0, "gender=m, g=u": 1.1}
        )

    def test_an_item_is_drawn_from_the_cell_of_its_likeliest_level(self, kind):
        assert arm_counts(self.guessed(kind)) == {
            "gender=f, g=u": 1,
            "gender=f, g=v": 2,
            "gender=m, g=u": 1,
        }

    def test_both_pools_agree(self):
        rng = np.random.default_rng(3)
        shares = rng.dirichlet([0.5, 0.5], size=40).round(3)
        columns = {"pf": shares[:, 0], "pm": shares[:, 1], "g": rng.choice(list("uvw"), size=40)}
        ours, theirs = (
            worlds.population(pool)
            for pool in (self.guessed(name, **columns) for name in worlds.KINDS)
        )
        np.testing.assert_allclose(ours.count, theirs.count, atol=1e-8)
        np.testing.assert_allclose(ours.mass, theirs.mass, atol=1e-8)
        assert ours.mass.sum() == pytest.approx(40, abs=1e-7)  # 9 digits an arm are kept

    @pytest.mark.parametrize(
        ("columns", "complaint"),
        [
            ({"pf": [0.7, -0.1, 1.0, 0.5]}, "'pf' is -0.1 for item 'i001'"),
            ({"pm": [0.3, 1.1, 0.0, 0.5]}, "'pm' is 1.1 for item 'i001'"),
            ({"pf": [0.7, 0.0, 1.0, 0.5], "pm": [0.3, 0.1, 0.0, 0.5]}, "'gender' add up to 0.1 "),
            ({"pf": [None] * 4, "pm": pa.nulls(4, pa.float64())}, "'pf' is empty for item"),
        ],
        ids=["negative", "above one", "all too small", "all missing"],
    )
    def test_a_guess_that_says_nothing_is_refused(self, kind, columns, complaint):
        with pytest.raises(InputError, match=complaint):
            self.guessed(kind, **columns)

    def test_a_guess_for_no_attribute_is_refused(self):
        with pytest.raises(InputError, match="'gender' is not among the attributes"):
            worlds.small("column", CHANCES, "g", guesses=GUESSES)


def test_buckets_count_every_id_alike_in_both(pools):
    ours, theirs = (pool.id_buckets() for pool in pools.values())
    assert ours == theirs
    assert sum(ours.values()) == SOURCE.num_rows
