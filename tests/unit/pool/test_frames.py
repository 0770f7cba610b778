"""Columns out of an engine, whether their values repeat or not."""

import pyarrow as pa
import pytest

from spotheight.pool.reading.frames import columns_of

FEW, MANY, MIXED = (
    [None, *(f"é{place % levels}" for place in range(1500)), ""] for levels in (3, 1500, 600)
)


@pytest.mark.parametrize(
    "values", [FEW, MANY, MIXED, [None] * 5], ids=["few", "many", "mixed", "-"]
)
def test_text_comes_out_as_it_went_in(values):
    table = pa.table({"text": pa.chunked_array([values[:700], values[700:]], pa.string())})
    assert columns_of(table)["text"].tolist() == values


def test_levels_share_their_words_and_so_take_little_room():
    words = columns_of(pa.table({"level": FEW}))["level"]
    assert len({id(word) for word in words}) == len(set(FEW))
