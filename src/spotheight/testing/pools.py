"""What every pool promises, held against the rows of its table."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from spotheight.arms import MISSING, Recipe
from spotheight.pool import Pool
from spotheight.pool import names as c
from spotheight.pool.cells import Cells
from spotheight.testing import worlds
from spotheight.testing.kept import refusal

SOURCE = worlds.table(rows=80)
NAMES = ("007", "7", "a'b", 'a"b', "é", "e\u0301", "日本", "😀", "x" * 4000, " a", "A", "a,b\n")
"""What ids can be."""


class PoolContract:
    """Subclass it and give ``make``."""

    def make(self, table: pa.Table, **roles: Any) -> Pool:
        """The pool to be tried over a table, its roles as ``read_pool`` takes them."""
        raise NotImplementedError("Say which pool is to be tried: def make(self, table, **roles).")

    def pool(self) -> Pool:
        """80 items with gaps everywhere, ties of scores, and three attributes."""
        return self.make(SOURCE, **worlds.ROLES)

    def small(self, columns: dict[str, Any], *attributes: str, **roles: Any) -> Pool:
        """A few columns; ids i000, i001, ... and answers are made up where not given."""
        rows = len(next(iter(columns.values())))
        made = {"id": [f"i{row:03d}" for row in range(rows)], "prediction": ["x"] * rows}
        named = {"id": "id", "prediction": "prediction", "attributes": list(attributes), **roles}
        return self.make(pa.table({**made, **columns}), **named)

    def odd(self) -> Pool:
        """Items whose ids are all that ids can be."""
        return self.small({"id": list(NAMES), "score": [0.5] * len(NAMES)}, score="score")

    def test_every_item_is_counted_in_its_arm(self) -> None:
        pool = self.pool()
        assert arm_counts(pool) == Counter(levels_by_hand(pool))

    def test_cells_add_up_to_the_pool(self) -> None:
        cells = cells_of(self.pool())
        assert cells.size == SOURCE.num_rows
        assert cells.mass.sum() == SOURCE.num_rows

    def test_a_cell_is_found_by_its_arm_and_bin(self) -> None:
        cells = cells_of(self.pool())
        np.testing.assert_array_equal(cells.find(cells.arm, cells.bin), np.arange(len(cells)))
        assert cells.find(np.array([-1]), np.array([0])) == -1
        assert cells.find(np.array([0]), np.array([10_000])) == -1

    def test_cells_are_in_the_order_of_arm_and_bin(self) -> None:
        cells = cells_of(self.pool())
        pairs = list(zip(cells.arm, cells.bin, strict=True))
        assert pairs == sorted(set(pairs))

    def test_mean_scores_leave_missing_ones_apart(self) -> None:
        cells = cells_of(self.pool())
        told = [score for score in SOURCE["score"].to_pylist() if score is not None]
        known = ~np.isnan(cells.score)
        assert cells.count[known].sum() == len(told)
        np.testing.assert_allclose(cells.count[known] @ cells.score[known], sum(told), rtol=1e-6)

    def test_weights_and_prices_are_those_of_the_items(self) -> None:
        cells = cells_of(self.make(SOURCE, **worlds.ROLES, weight="weight", price="price"))
        weight, price = (sum(SOURCE[name].to_pylist()) for name in ("weight", "price"))
        np.testing.assert_allclose(cells.weight.sum(), weight, rtol=1e-6)
        np.testing.assert_allclose(cells.count @ cells.price, price, rtol=1e-6)

    def test_a_pool_without_attributes_is_one_arm(self) -> None:
        assert arm_counts(self.small({"n": [1, 2, 3]})) == {"all items": 3}

    def test_a_missing_value_is_a_level_and_so_is_empty_text(self) -> None:
        counts = arm_counts(self.small({"g": ["a", None, "", "a"]}, "g"))
        assert counts == {"g=a": 2, f"g={MISSING}": 2}

    def test_a_value_on_an_edge_belongs_to_the_bin_above(self) -> None:
        counts = arm_counts(self.small({"age": [17, 18, 19, 64, 65, None]}, "age:edges=18,65"))
        assert counts == {"age=<18": 1, "age=18..65": 3, "age=>=65": 1, f"age={MISSING}": 1}

    def test_an_attribute_can_be_asked_for_later(self) -> None:
        found = self.pool().resolve(Recipe.parse("@prediction"), "service")
        assert found.levels == (*worlds.CLASSES, MISSING)

    def test_pick_goes_by_the_text_of_the_id(self) -> None:
        pool, ranks = self.odd(), range(len(NAMES))
        picked = pool.pick(pool.cells((), "service"), {0: ranks}, ())
        assert [picked[0, rank] for rank in ranks] == sorted(NAMES)

    def test_pick_leaves_out_what_it_is_told_to(self) -> None:
        pool, gone = self.odd(), ["7", "a'b", "😀", "not in the pool"]
        left = sorted(set(NAMES) - set(gone))
        picked = pool.pick(pool.cells((), "service"), {0: range(len(left))}, gone)
        assert [picked[0, rank] for rank in range(len(left))] == left

    def test_every_item_is_picked_from_the_cell_it_lies_in(self) -> None:
        pool = self.pool()
        cells = cells_of(pool)
        ranks = {cell: range(count) for cell, count in enumerate(cells.count)}
        picked = pool.pick(cells, ranks, ())
        assert sorted(picked.values()) == sorted(SOURCE["id"].to_pylist())
        by_hand = dict(zip(SOURCE["id"].to_pylist(), levels_by_hand(pool), strict=True))
        for (cell, _), item in picked.items():
            assert cells.partition.name(cells.arm[cell]) == by_hand[item]

    def test_pick_of_nothing_is_nothing(self) -> None:
        pool = self.pool()
        assert pool.pick(cells_of(pool), {}, ["item-001"]) == {}

    def test_rows_come_in_the_order_asked_for(self) -> None:
        wanted = [*reversed(NAMES), "7", "7"]
        assert list(self.odd().rows(wanted)[c.ID]) == wanted

    def test_rows_hold_what_the_table_says(self) -> None:
        wanted = SOURCE["id"].to_pylist()[::3]
        found = self.pool().rows(wanted)
        assert list(found[c.prediction_of("service")]) == SOURCE["prediction"].to_pylist()[::3]
        assert list(found[c.attribute_of("gender")]) == SOURCE["gender"].to_pylist()[::3]

    def test_rows_of_nothing_have_all_columns(self) -> None:
        pool = self.pool()
        empty = {name: len(values) for name, values in pool.rows([]).items()}
        assert empty == dict.fromkeys(pool.rows(["item-001"]), 0)

    def test_an_unknown_item_is_refused_with_its_name(self) -> None:
        pool = self.pool()
        assert "'item-0001'" in refusal(lambda: pool.rows(["item-001", "item-0001"]))

    def test_the_best_with_ties_by_id_and_no_missing_scores(self) -> None:
        pool = self.pool()
        found = pool.listed(pool.layout.attributes[:1], ("service",), 3)
        assert list(found[c.ID]) == best_by_hand(pool, ["score"], 3)

    def test_the_best_of_any_service(self) -> None:
        pool = self.make(SOURCE, **worlds.TWO, attributes=["accent"])
        for n in (1, 3, 8):
            found = pool.listed(pool.layout.attributes, ("plain", "other"), n)
            assert list(found[c.ID]) == best_by_hand(pool, ["score", "sure"], n)

    def test_without_a_number_all_items_are_listed(self) -> None:
        pool = self.pool()
        found = pool.listed(pool.layout.attributes[:1], ("service",), None)
        accent = {row["id"]: row["accent"] or MISSING for row in SOURCE.to_pylist()}
        levels = pool.layout.attributes[0].levels
        by_hand = sorted(accent, key=lambda item: (levels.index(accent[item]), item))
        assert list(found[c.ID]) == by_hand

    def test_the_part_with_one_answer(self) -> None:
        part = self.pool().only("service", "cat")
        cats = [r["id"] for r in SOURCE.to_pylist() if r["prediction"] == "cat"]
        cells = cells_of(part)
        assert cells.size == len(cats)
        ranks = {cell: range(count) for cell, count in enumerate(cells.count)}
        assert sorted(part.pick(cells, ranks, ()).values()) == sorted(cats)

    def test_an_answer_that_never_came_is_refused(self) -> None:
        pool = self.pool()
        assert "'cow'" in refusal(lambda: pool.only("service", "cow"))

    def test_items_that_come_with_a_label_are_known(self) -> None:
        known = self.small({"label": ["a", None, "", "b"]}, label="label").known()
        assert dict(zip(known[c.ID], known[c.LABEL], strict=True)) == {"i000": "a", "i003": "b"}

    def test_buckets_count_every_id(self) -> None:
        assert sum(self.pool().id_buckets().values()) == SOURCE.num_rows

    def test_the_fingerprint_tells_tables_apart(self) -> None:
        other = self.make(worlds.table(rows=80, seed=1), **worlds.ROLES)
        assert self.pool().fingerprint == self.pool().fingerprint != other.fingerprint


def cells_of(pool: Pool) -> Cells:
    """The cells of the pool's own attributes."""
    return pool.cells(pool.layout.attributes, "service")


def arm_counts(pool: Pool, service: str = "service") -> dict[str, float]:
    """How many items lie in each arm, by the arm's name."""
    cells = pool.cells(pool.layout.attributes, service)
    return dict(zip(cells.partition.names, cells.arm_sum(cells.count), strict=True))


def levels_by_hand(pool: Pool) -> list[str]:
    """The arm of every row of the table, found without any of the code to be tried."""
    lower, upper = pool.layout.attributes[2].edges
    names = pool.layout.attributes[2].levels

    def age(value: float | None) -> str:
        return MISSING if value is None else names[(value >= lower) + (value >= upper)]

    return [
        f"accent={row['accent'] or MISSING}, gender={row['gender']}, age={age(row['age'])}"
        for row in SOURCE.to_pylist()
    ]


def best_by_hand(pool: Pool, scores: Sequence[str], n: int) -> list[str]:
    """Ids of the best of each accent by any of some scores, by accent and then by id."""
    ids: list[str] = []
    for accent in pool.layout.attributes[0].levels:
        inside = [row for row in SOURCE.to_pylist() if (row["accent"] or MISSING) == accent]
        kept = set()
        for score in scores:
            known = [row for row in inside if row[score] is not None]
            best = sorted((-row[score], row["id"]) for row in known)[:n]
            kept |= {item for _, item in best}
        ids += sorted(kept)
    return ids
