"""Boxes and masks: reading them, refusing them, and how far they overlap."""

import json

import numpy as np
import pytest
from numpy.random import default_rng

import coco_worlds
from spotheight.errors import InputError
from spotheight.pool import shapes
from spotheight.pool.shapes import Shape, known_shape, merged, overlaps, read_shape, unpacked

SIZE = coco_worlds.SIZE


def random_pixels(rng):
    return (rng.random(SIZE) < rng.random()).astype(np.uint8)


@pytest.mark.parametrize("seed", range(5))
def test_a_run_length_code_is_read_as_the_tool_packs_it(seed):
    pixels = random_pixels(default_rng(seed))
    code = coco_worlds.packed(pixels)
    runs = unpacked(code["counts"])
    flat = np.repeat(np.arange(len(runs)) % 2, runs)
    np.testing.assert_array_equal(flat, pixels.ravel(order="F"))
    shape = read_shape(json.dumps(code), SIZE)
    assert shape.area == pixels.sum()
    assert shape.mask["counts"] == known_shape(json.dumps(code), SIZE).mask["counts"]
    rows, columns = np.nonzero(pixels)
    x, y = columns.min(), rows.min()
    assert shape.box == (x, y, columns.max() + 1 - x, rows.max() + 1 - y)


def test_overlaps_are_shares_of_pixels():
    rng = default_rng(3)
    first, second = ([random_pixels(rng) for _ in range(n)] for n in (3, 2))
    codes = [[read_shape(coco_worlds.packed(p), SIZE) for p in side] for side in (first, second)]
    for is_crowd in (False, True):
        found = overlaps(*codes, SIZE, is_crowd)
        for a, b in np.ndindex(3, 2):
            both = (first[a] & second[b]).sum()
            whole = first[a].sum() if is_crowd else (first[a] | second[b]).sum()
            assert found[a, b] == pytest.approx(both / whole, abs=1e-12)


def test_a_box_among_masks_is_all_its_pixels():
    box, half = Shape((10, 10, 20, 10)), Shape((10, 10, 10, 10))
    assert overlaps([box], [half], SIZE)[0, 0] == overlaps([box], [half], None)[0, 0] == 0.5
    ring = read_shape([[10, 10, 30, 10, 30, 20, 10, 20]], SIZE)
    assert overlaps([box], [ring], SIZE)[0, 0] == 1


def test_several_outlines_are_one_by_majority():
    rng = default_rng(5)
    drawn = [random_pixels(rng) for _ in range(3)]
    codes = [read_shape(coco_worlds.packed(p), SIZE) for p in drawn]
    chosen = coco_worlds.packed((sum(drawn) >= 2).astype(np.uint8))
    assert merged(codes, SIZE).mask["counts"].decode() == chosen["counts"]
    boxes = [Shape((x, 0, 10, 10)) for x in (0, 1, 9)]
    assert merged(boxes, None).box == (1, 0, 10, 10)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("half a sentence", "no JSON"),
        ("null", "no shape"),
        ("[1, 2, 3]", "no shape"),
        ("[1, 2, -3, 4]", "negative size"),
        ("[[1, 2, 3, 4, 5]]", "no shape"),
        ('{"counts": [4800]}', "needs [h, w]"),
        ('{"size": [60, 81], "counts": [4860]}', "60 x 81"),
        ('{"size": [60, 80], "counts": [4799]}', "fills 4799 pixels of 4800"),
        ('{"size": [60, 80], "counts": [4801, -1]}', "no readable counts"),
        ('{"size": [60, 80], "counts": "~~~"}', "no readable counts"),
        ('{"size": [60, 80], "counts": "P"}', "no readable counts"),
        ('{"size": [60, 80], "counts": 7}', "no readable counts"),
        ("[[1e9, 0, 1, 1, 0, 1]]", "far outside"),
    ],
)
def test_what_is_no_shape_is_refused_in_a_sentence(said, words):
    with pytest.raises(InputError) as refused:
        read_shape(said, SIZE)
    assert words in str(refused.value)


def test_without_the_extra_it_says_how_to_get_it(monkeypatch):
    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr(shapes, "import_module", absent)
    with pytest.raises(InputError, match=r"pip install 'spotheight\[coco\]'"):
        overlaps([Shape((0, 0, 1, 1))], [Shape((0, 0, 1, 1))], None)
