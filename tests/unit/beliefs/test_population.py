"""A population's mix of attributes, however people write levels down."""

import numpy as np
import pyarrow as pa
import pytest

from spotheight.arms import MISSING, Attribute, Partition
from spotheight.beliefs import Population
from spotheight.errors import InputError

AGE = Attribute("age", "age", ("<18", "18..65", ">=65", MISSING), (18.0, 65.0), True, True)
ARMS = Partition.of((AGE,), np.arange(4)[:, None])


def weights(values: list[object], share: list[float]) -> np.ndarray:
    table = pa.table({"age": pa.array(values), "share": pa.array(share)})
    return Population.read(table, ARMS.attributes).arm_weights(ARMS)[0]


@pytest.mark.parametrize(
    "values",
    [[3, 18, 70, None], ["3", "18.0", " 7e1", ""], ["<18", "18..65", ">=65", "(missing)"]],
    ids=["numbers", "text", "levels"],
)
def test_numbers_and_names_of_levels_say_the_same(values):
    np.testing.assert_array_equal(weights(values, [1, 2, 3, 4]), [1, 2, 3, 4])


def test_what_is_neither_is_refused_and_not_taken_for_missing():
    with pytest.raises(InputError, match=r"'<19' for 'age', which is neither.*mean '<18'\?"):
        weights(["<18", "<19"], [1, 1])


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(InputError, match="no column 'age' and needs one for every attribute"):
        Population.read(pa.table({"share": [1.0]}), ARMS.attributes)
