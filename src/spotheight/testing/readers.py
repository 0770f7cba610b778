"""What every reader of tables promises."""

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa

from spotheight.pool import Pool, PoolFiles, read_pool
from spotheight.pool import names as c
from spotheight.testing import worlds
from spotheight.testing.kept import refusal

SOURCE = worlds.table(rows=30, seed=2)
WORDS = ("007", "7", "a,b", 'say "hi"', "é", "😀", "it's; so", " blank ", "#1", "NULL")
"""Text that a careless reader takes for numbers, gaps or signs of its own."""


class ReaderContract:
    """Subclass it, say which ``ending`` is read, and write a table to a file with ``write``."""

    ending: str

    def write(self, table: pa.Table, path: Path) -> None:
        """The table as a file that the reader to be tried reads."""
        raise NotImplementedError("Say how such a file is written: def write(self, table, path).")

    def read(self, table: pa.Table, roles: dict[str, object]) -> Pool:
        """The pool of a file with this table."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"pool{self.ending}"
            self.write(table, path)
            return read_pool(path, in_memory=True, **roles)  # type: ignore[arg-type]

    def test_a_file_gives_the_pool_of_its_table(self) -> None:
        ours = self.read(SOURCE, worlds.ROLES)
        theirs = read_pool(SOURCE, in_memory=True, **worlds.ROLES)
        assert ours.layout == theirs.layout
        mine, yours = (pool.cells(pool.layout.attributes, "service") for pool in (ours, theirs))
        for name in ("arm", "bin", "count", "score", "mass"):
            np.testing.assert_array_equal(getattr(mine, name), getattr(yours, name))
        ids = SOURCE["id"].to_pylist()
        for name, values in theirs.rows(ids).items():
            np.testing.assert_array_equal(ours.rows(ids)[name], values)

    def test_words_stay_as_they_are_written(self) -> None:
        table = pa.table({"id": list(WORDS), "prediction": list(WORDS)})
        pool = self.read(table, {"id": "id", "prediction": "prediction"})
        assert list(pool.rows(list(WORDS))[c.prediction_of("service")]) == list(WORDS)

    def test_an_ending_in_capitals_is_the_same(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"POOL{self.ending.upper()}"
            self.write(SOURCE, path)
            pool = read_pool(path, in_memory=True, **worlds.ROLES)
            assert list(pool.rows(["item-001"])[c.ID]) == ["item-001"]

    def test_a_table_may_come_in_parts(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for part, rows in enumerate((SOURCE.slice(0, 10), SOURCE.slice(10))):
                self.write(rows, Path(folder) / f"part{part}{self.ending}")
            parts = PoolFiles(Path(folder) / f"part*{self.ending}", is_pattern=True)
            pool = read_pool(parts, in_memory=True, **worlds.ROLES)
            cells = pool.cells(pool.layout.attributes, "service")
            assert cells.size == SOURCE.num_rows

    def test_a_file_that_is_none_is_refused_in_a_sentence(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"broken{self.ending}"
            path.write_bytes(b"\x00\xff\xfe no table at all \x00")
            assert path.name in refusal(lambda: read_pool(path, in_memory=True, **worlds.ROLES))
