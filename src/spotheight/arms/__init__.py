"""Arms: attributes, their levels, and the combinations of levels that occur in a pool."""

from spotheight.arms.attribute import Attribute, bin_names
from spotheight.arms.partition import Keys, Partition, distinct_rows, find_sorted, row_keys
from spotheight.arms.recipe import CATEGORY, MISSING, MOST_BINS, PREDICTION, SCORE, Recipe
from spotheight.arms.slices import parse_slice, slice_words

__all__ = [
    "CATEGORY",
    "MISSING",
    "MOST_BINS",
    "PREDICTION",
    "SCORE",
    "Attribute",
    "Keys",
    "Partition",
    "Recipe",
    "bin_names",
    "distinct_rows",
    "find_sorted",
    "parse_slice",
    "row_keys",
    "slice_words",
]
