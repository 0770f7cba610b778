"""The data that ships with the package is what its documentation says."""

import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spotheight import demo

SCRIPT = Path(__file__).parents[3] / "scripts" / "make_demo.py"
CLASSES = [f"p{digit}" for digit in range(10)]
ATTRIBUTES = ["ink", "slant", "size", "holes", "touches_edge"]
PNG_START = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def pool():
    return pq.read_table(demo.table())


def column(pool, name):
    return pool[name].to_numpy()


def probabilities(pool):
    return np.column_stack([column(pool, name) for name in CLASSES])


def test_the_columns_are_the_documented_ones_and_none_has_a_gap(pool):
    expected = ["id", "prediction", "score", *CLASSES, *ATTRIBUTES, "label", "image"]
    assert pool.column_names == expected
    assert all(pool[name].null_count == 0 for name in expected)
    assert pool.num_rows == 1619


def test_ids_and_classes_are_text_and_ids_are_unique(pool):
    for name in ("id", "prediction", "label", "image"):
        assert pool.schema.field(name).type == pa.string()
    assert len(set(pool["id"].to_pylist())) == pool.num_rows


def test_score_and_prediction_are_those_of_the_most_probable_class(pool):
    chance = probabilities(pool)
    np.testing.assert_array_equal(column(pool, "score"), chance.max(axis=1))
    assert column(pool, "prediction").tolist() == [str(best) for best in chance.argmax(axis=1)]


def test_probabilities_sum_to_one(pool):
    chance = probabilities(pool)
    assert chance.dtype == np.float32
    assert (chance >= 0).all()
    # Rounding to float32 moves p by at most p * 2**-24, so a sum of one by at most 2**-24;
    # the same again leaves room for sums that were not exactly one before.
    np.testing.assert_allclose(chance.sum(axis=1, dtype=np.float64), 1, rtol=0, atol=2**-23)


def test_levels_are_the_documented_ones(pool):
    assert set(pool["slant"].to_pylist()) == {"left", "upright", "right"}
    assert set(pool["size"].to_pylist()) == {"small", "medium", "large"}
    assert set(pool["holes"].to_pylist()) == {0, 1, 2}
    assert set(pool["touches_edge"].to_pylist()) == {True, False}
    assert set(pool["label"].to_pylist()) == set("0123456789")
    ink = column(pool, "ink")
    assert 0 < ink.min() < ink.max() < 1


def test_the_classifier_is_good_but_has_weak_spots(pool):
    hit = column(pool, "prediction") == column(pool, "label")
    assert 0.75 < hit.mean() < 0.95
    edge, slant = column(pool, "touches_edge"), column(pool, "slant")
    assert hit[edge].mean() < hit[~edge].mean() - 0.2
    assert hit[slant == "left"].mean() < hit[slant == "upright"].mean() - 0.2


@pytest.mark.parametrize("last", ["holes", "touches_edge"])
def test_attributes_give_a_table_of_slices_worth_drawing(pool, last):
    ink = column(pool, "ink")
    quarter = np.digitize(ink, np.quantile(ink, [0.25, 0.5, 0.75])).tolist()
    names = ("slant", "size", last)
    arms = set(zip(quarter, *(pool[name].to_pylist() for name in names), strict=True))
    assert 40 <= len(arms) <= 120


def test_every_item_has_a_picture_and_no_picture_is_left_over(pool):
    with zipfile.ZipFile(demo.images()) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == pool["image"].to_pylist()
        for name in archive.namelist():
            start = archive.read(name)[:24]
            assert start.startswith(PNG_START)
            assert min(struct.unpack(">II", start[16:])) >= 32  # width and height


def test_both_files_stay_small_enough_to_ship():
    assert demo.table().stat().st_size + demo.images().stat().st_size < 1_000_000


@pytest.mark.slow
def test_the_script_makes_the_same_table_again(pool, tmp_path):
    subprocess.run([sys.executable, str(SCRIPT), "--out", str(tmp_path)], check=True)
    again = pq.read_table(tmp_path / "digits.parquet")
    exact = ["id", "prediction", *ATTRIBUTES, "label", "image"]
    assert again.select(exact).equals(pool.select(exact))
    # The penalty curves the loss by at least 1 / (C n) = 1 / 1780, so a gradient below 1e-9 in
    # each of 650 weights leaves them within 5e-5 of the optimum. Pixels have a norm below 5, so
    # between two runs the gap of two logits moves by less than sqrt(2) * 5 * 1e-4, and a
    # probability by a quarter of that. The closest call in the pool is a margin of 1.4e-3.
    np.testing.assert_allclose(probabilities(again), probabilities(pool), rtol=0, atol=2e-4)
