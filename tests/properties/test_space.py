"""Laws of attributes and partitions, up to a million arms."""

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import worlds
from properties import strategies as make
from spotheight.arms import (
    MISSING,
    Attribute,
    Partition,
    Recipe,
    bin_names,
    distinct_rows,
    parse_slice,
    row_keys,
)
from spotheight.errors import InputError


def partition_of(codes: np.ndarray, levels: int = 4) -> Partition:
    names = tuple(f"v{code}" for code in range(levels))
    attributes = [Attribute(f"a{place}", "", names) for place in range(codes.shape[1])]
    return Partition.of(attributes, codes)


class TestRecipe:
    @make.MANY
    @given(make.recipes())
    def test_what_it_says_is_what_it_reads(self, recipe):
        assert Recipe.parse(str(recipe)) == recipe

    @pytest.mark.parametrize(
        ("text", "complaint"),
        [
            ("age:bins=1", "at least 2 bins"),
            ("age:bins=²", "at least 2 bins"),
            ("age:bins=four", "at least 2 bins"),
            ("age:widths=-3", "at least 2 bins"),
            ("age:edges=young,old", "needs numbers as edges"),
            ("age:edges=65,18", "grow from left to right"),
            ("age:edges=18,18", "grow from left to right"),
            ("age:edges=18,inf", "finite edges"),
            ("size:ordered=S,S", "two different levels"),
            ("size:ordered=S", "two different levels"),
        ],
    )
    def test_a_cut_that_makes_no_sense_is_refused_with_its_text(self, text, complaint):
        with pytest.raises(InputError) as caught:
            Recipe.parse(text)
        assert text in str(caught.value)
        assert complaint in str(caught.value)

    def test_a_column_may_hold_a_colon(self):
        assert Recipe.parse("a:b:bins=3") == Recipe("a:b", bins=3)
        assert Recipe.parse("a:b") == Recipe("a:b")


class TestAttribute:
    @make.MANY
    @given(make.edges(), st.data())
    def test_a_number_lies_between_the_edges_of_its_bin(self, edges, data):
        values = data.draw(st.lists(st.none() | make.numbers | st.sampled_from(edges)))
        cut = Attribute("x", "x", (*bin_names(edges), MISSING), edges, True, True)
        inside = np.array([np.nan if value is None else value for value in values])
        bounds = list(pairwise([-np.inf, *edges, np.inf]))
        for value, code in zip(values, cut.codes(inside), strict=True):
            if value is None:
                assert cut.levels[code] == MISSING
            else:
                low, high = bounds[code]
                assert low <= value < high

    @make.MANY
    @given(make.edges())
    def test_bins_have_names_of_their_own(self, edges):
        assert len(set(bin_names(edges))) == len(edges) + 1

    @make.MANY
    @given(make.attributes())
    def test_levels_and_codes_undo_each_other(self, attribute):
        assert [attribute.code(level) for level in attribute.levels] == list(
            range(len(attribute.levels))
        )
        if not attribute.is_number:
            values = [None if level == MISSING else level for level in attribute.levels]
            codes = attribute.codes(np.array(values, dtype=object))
            np.testing.assert_array_equal(codes, np.arange(len(attribute.levels)))

    @pytest.mark.parametrize(("value", "what"), [("z", "the level 'z'"), (None, "a missing value")])
    def test_a_level_it_did_not_have_is_refused(self, value, what):
        attribute = Attribute("g", "g", ("a", "b"))
        with pytest.raises(InputError, match=f"'g' has {what}, which it did not have before"):
            attribute.codes(np.array(["a", value, "b"], dtype=object))

    def test_a_missing_number_it_did_not_have_is_refused(self):
        cut = Attribute("x", "x", ("<1", ">=1"), (1.0,), True, True)
        with pytest.raises(InputError, match="'x' has a missing value"):
            cut.codes(np.array([0.5, np.nan]))

    def test_an_unknown_level_is_refused_with_the_one_that_was_meant(self):
        with pytest.raises(InputError, match=r"no level 'germn'; did you mean 'german'\?"):
            Attribute("accent", "accent", ("german", "dutch")).code("germn")


class TestKeys:
    @make.MANY
    @given(make.code_rows(most=300), st.sampled_from([300, 70_000, 1 << 31]))
    def test_keys_sort_and_compare_like_rows(self, codes, most):
        """With any width of number that holds them all: one, two or four bytes."""
        keys = row_keys(codes, most)
        order = np.argsort(keys, kind="stable")
        assert order.tolist() == sorted(range(len(codes)), key=lambda row: codes[row].tolist())
        rows = [tuple(row) for row in codes.tolist()]
        for row, key in zip(rows, keys, strict=True):
            assert (keys == key).tolist() == [other == row for other in rows]

    @make.MANY
    @given(make.code_rows(most=300), st.sampled_from([1, 40]))
    def test_different_rows_are_found_where_they_first_stand(self, codes, times):
        """Few rows of many levels are sorted, many rows of few levels are counted."""
        codes = np.tile(codes, (times, 1))
        rows = [tuple(row) for row in codes.tolist()]
        first, which = distinct_rows(codes)
        assert [rows[place] for place in first] == sorted(set(rows))
        assert first.tolist() == [rows.index(row) for row in sorted(set(rows))]
        assert [rows[first[number]] for number in which] == rows

    def test_what_does_not_occur_equals_nothing(self):
        for most in (1, 255, 256, 65_535, 65_536):
            largest = most - 1
            keys = row_keys(np.array([[-1], [largest], [0]]), most)
            assert keys[0] not in (keys[1], keys[2])


class TestPartition:
    @make.MANY
    @given(make.code_rows())
    def test_arms_are_the_rows_that_occur_in_their_order(self, codes):
        arms = partition_of(codes)
        by_hand = sorted({tuple(row) for row in codes.tolist()})
        assert [tuple(row) for row in arms.codes.tolist()] == by_hand

    @make.MANY
    @given(make.code_rows(), st.randoms(use_true_random=False))
    def test_their_numbers_do_not_hang_on_the_order_of_rows(self, codes, random):
        shuffled = codes[random.sample(range(len(codes)), len(codes))]
        np.testing.assert_array_equal(partition_of(codes).codes, partition_of(shuffled).codes)

    @make.MANY
    @given(make.code_rows())
    def test_every_row_finds_its_arm_and_no_other_does(self, codes):
        arms = partition_of(codes)
        found = arms.find(codes)
        np.testing.assert_array_equal(arms.codes[found], codes)
        if codes.shape[1]:
            assert (arms.find(codes + 4) == -1).all()
            assert (arms.find(np.full_like(codes, -1)) == -1).all()

    @make.MANY
    @given(make.code_rows(), st.lists(st.sampled_from(["v0", "v1", "v3"]), min_size=1))
    def test_slices_are_sets_of_arms(self, codes, wanted):
        arms = partition_of(codes)
        if not codes.shape[1]:
            assert arms.where({}).all()
            return
        inside = arms.where({"a0": wanted})
        by_hand = [f"v{code}" in wanted for code in arms.codes[:, 0]]
        assert inside.tolist() == by_hand
        each = [{"a0": level} for level in wanted]
        np.testing.assert_array_equal(arms.union(each), inside)

    def test_names_are_read_back_as_slices(self):
        arms = partition_of(np.array([[0, 1], [2, 3], [1, 1]]))
        for arm, name in enumerate(arms.names):
            assert np.flatnonzero(arms.union(parse_slice(name))).tolist() == [arm]

    def test_an_unknown_attribute_is_refused(self):
        with pytest.raises(InputError, match="no attribute 'b0'; there is a0"):
            partition_of(np.array([[0]])).where({"b0": "v0"})


class TestSlice:
    @pytest.mark.parametrize(
        ("text", "parts"),
        [
            ("age=>=65", ({"age": (">=65",)},)),
            ("name=Doe, John", ({"name": ("Doe, John",)},)),
            (" a = x | y ,b=z", ({"a": ("x", "y"), "b": ("z",)},)),
            ("a=x or b=y", ({"a": ("x",)}, {"b": ("y",)})),
            ("a=x=y", ({"a": ("x=y",)},)),
        ],
    )
    def test_it_is_read(self, text, parts):
        assert parse_slice(text) == parts

    @pytest.mark.parametrize("text", ["", "german", "=german"])
    def test_what_is_none_is_refused(self, text):
        with pytest.raises(InputError, match="should read like accent=german"):
            parse_slice(text)


WIDTH, ARMS, ROWS = 40, 1_000_000, 1_200_000
WORDS = pa.array([f"level{code}" for code in range(10)])

MEASURE = """
import json, resource, sys, time
import numpy as np
from spotheight.pool import read_pool
names = [f"a{place}" for place in range(40)]
pool = read_pool(sys.argv[1], id="id", prediction="a0", attributes=names, in_memory=True)
cells = pool.cells(pool.layout.attributes, "service")
found = cells.partition.find(cells.partition.codes[::-1])
print(json.dumps({
    "arms": cells.arms,
    "items": cells.size,
    "is_found": bool((found == np.arange(cells.arms)[::-1]).all()),
    "levels": cells.partition.levels(cells.arms - 1),
    "seconds": time.process_time(),
    "gigabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
}))
"""


def write_table(path: Path, arms: np.ndarray, which: np.ndarray) -> None:
    """A Parquet file with the arm ``which`` in each row, written without text in between."""
    columns = {"id": np.char.zfill(np.arange(len(which)).astype(str), 7)}
    for place in range(arms.shape[1]):
        codes = pa.array(arms[which, place], pa.int8())
        columns[f"a{place}"] = pa.DictionaryArray.from_arrays(codes, WORDS)
    pq.write_table(pa.table(columns), path)


@pytest.mark.slow
def test_a_million_arms_fit_into_memory(tmp_path):
    """In a process of its own, so that the peak is the pool's: 1.7 GB, 10 to 24 s of a core."""
    rng = np.random.default_rng(0)
    arms = rng.integers(0, 10, size=(ARMS, WIDTH), dtype=np.int8)  # two alike: chance 5e-29
    which = rng.permutation(np.concatenate([np.arange(ARMS), rng.integers(0, ARMS, ROWS - ARMS)]))
    write_table(tmp_path / "pool.parquet", arms, which)
    command = [sys.executable, "-W", "ignore", "-c", MEASURE, str(tmp_path / "pool.parquet")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    last = max(range(ARMS), key=lambda arm: arms[arm].tobytes())
    assert (found["arms"], found["items"], found["is_found"]) == (ARMS, ROWS, True)
    assert found["levels"] == [f"level{code}" for code in arms[last]]
    assert found["gigabytes"] < 2
    assert found["seconds"] < 60


def test_arm_numbers_are_the_same_after_a_reload_in_another_order(tmp_path):
    rng = np.random.default_rng(1)
    arms = rng.integers(0, 10, size=(2000, WIDTH), dtype=np.int8)
    names = []
    for order in (np.arange(2000), rng.permutation(2000)):
        write_table(tmp_path / "pool.parquet", arms, order)
        roles = {"id": "id", "prediction": "a0", "attributes": [f"a{p}" for p in range(WIDTH)]}
        pool = worlds.pool(tmp_path / "pool.parquet", **roles)
        names.append(pool.cells(pool.layout.attributes, "service").partition.names)
    assert names[0] == names[1]
    assert len(set(names[0])) == 2000
