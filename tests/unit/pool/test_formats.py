"""One small table in every form it can come in: always the same pool."""

import csv
import json
from pathlib import Path

import duckdb
import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import worlds
from spotheight.pool import ColumnPool, Roles, Service, TablePool, open_pool, read_pool
from spotheight.pool import names as c
from spotheight.testing import ReaderContract

SOURCE = worlds.table(rows=30, seed=2)
WORDS = (
    "007",
    "7",
    "a,b",
    'say "hi"',
    "two\nlines",
    "é",
    "😀",
    "it's; so",
    " blank ",
    "#1",
    "NULL",
)


@pytest.fixture(params=worlds.KINDS)
def kind(request):
    return request.param


def write_csv(path: Path, table: pa.Table, delimiter: str = ",") -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(table.column_names)
        writer.writerows(row.values() for row in table.to_pylist())
    return path


def write_json_lines(path: Path, table: pa.Table) -> Path:
    lines = [json.dumps(row, ensure_ascii=False) for row in table.to_pylist()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def write_parquet(path: Path, table: pa.Table) -> Path:
    pq.write_table(table, path)
    return path


def write_arrow(path: Path, table: pa.Table) -> Path:
    pyarrow.feather.write_feather(table, path)
    return path


def as_categories(table: pa.Table) -> pd.DataFrame:
    return table.to_pandas().astype({"accent": "category", "prediction": "category"})


FORMS = {
    "csv": lambda table, folder: write_csv(folder / "pool.csv", table),
    "csv with semicolons": lambda table, folder: write_csv(folder / "pool.CSV", table, ";"),
    "tsv": lambda table, folder: write_csv(folder / "pool.tsv", table, "\t"),
    "parquet": lambda table, folder: write_parquet(folder / "pool.parquet", table),
    "pq": lambda table, folder: write_parquet(folder / "pool.pq", table),
    "json lines": lambda table, folder: write_json_lines(folder / "pool.jsonl", table),
    "ndjson": lambda table, folder: write_json_lines(folder / "pool.ndjson", table),
    "arrow": lambda table, folder: write_arrow(folder / "pool.arrow", table),
    "feather as text": lambda table, folder: str(write_arrow(folder / "pool.feather", table)),
    "pyarrow batch": lambda table, folder: table.combine_chunks().to_batches()[0],
    "pandas": lambda table, folder: table.to_pandas(),
    "pandas categories": lambda table, folder: as_categories(table),
    "polars": lambda table, folder: pl.from_arrow(table),
    "ibis": lambda table, folder: ibis.memtable(table),
}


WRITERS = {
    ".csv": write_csv,
    ".tsv": lambda path, table: write_csv(path, table, "\t"),
    ".parquet": write_parquet,
    ".jsonl": write_json_lines,
    ".arrow": write_arrow,
}


class TestEveryReader(ReaderContract):
    @pytest.fixture(params=WRITERS, autouse=True)
    def made(self, request):
        self.ending = request.param

    def write(self, table, path):
        WRITERS[self.ending](path, table)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_pool(form, tmp_path):
    same = worlds.pool(SOURCE)
    pool = worlds.pool(FORMS[form](SOURCE, tmp_path))
    assert pool.layout == same.layout
    ours, theirs = (made.cells(made.layout.attributes, "service") for made in (pool, same))
    for name in ("arm", "bin", "count", "score", "mass"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    ids = SOURCE["id"].to_pylist()
    for name, values in same.rows(ids).items():
        np.testing.assert_array_equal(pool.rows(ids)[name], values)


@pytest.mark.parametrize("form", [form for form in FORMS if form != "pandas categories"])
def test_words_stay_as_they_are_written(form, tmp_path):
    table = pa.table({"id": list(WORDS), "prediction": list(WORDS)})
    pool = worlds.pool(FORMS[form](table, tmp_path), id="id", prediction="prediction")
    told = pool.rows(list(WORDS))
    assert list(told[c.prediction_of("service")]) == list(WORDS)


LOOKALIKES = {
    "uuid": ("550E8400-E29B-41D4-A716-446655440000", "550E8400-E29B-41D4-A716-446655440001"),
    "time": ("2020-01-01T00:00:00Z", "2020-01-02T00:00:00Z"),
    "date": ("2020-1-1", "2020-01-02"),
    "hour": ("12:30", "12:31"),
    "number": ("1.50", "1e3"),
    "flag": ("True", "false"),
}


@pytest.mark.parametrize("names", LOOKALIKES.values(), ids=list(LOOKALIKES))
@pytest.mark.parametrize("form", ["csv", "json lines", "parquet"])
def test_text_that_looks_like_something_else_stays_text(form, names, tmp_path):
    table = pa.table({"id": list(names), "prediction": ["x", "y"]})
    pool = worlds.pool(FORMS[form](table, tmp_path), id="id", prediction="prediction")
    assert list(pool.rows(list(names))[c.ID]) == list(names)


def test_json_lines_may_mix_numbers_and_words_and_leave_out_keys(tmp_path):
    rows = [{"id": "x", "n": 1.0}, {"id": 7, "prediction": "a"}, {"id": 8, "n": 2, "extra": []}]
    path = tmp_path / "pool.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows))
    pool = worlds.pool(path, id="id", prediction="prediction", attributes=["n"])
    told = pool.rows(["x", "7", "8"])
    assert list(told[c.prediction_of("service")]) == [None, "a", None]
    assert list(told[c.attribute_of("n")]) == ["1", None, "2"]


def test_a_key_may_come_late_in_json_lines(tmp_path):
    """An engine that looks at the first rows only would not know the column."""
    rows = [{"id": row} for row in range(25_000)] + [{"id": "last", "prediction": "a"}]
    path = tmp_path / "pool.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows))
    pool = worlds.pool(path, id="id", prediction="prediction")
    assert list(pool.rows(["last", "24999"])[c.prediction_of("service")]) == ["a", None]


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffid,prediction\n1,a\n2,\n",
        "id,prediction\r\n1,a\r\n2,\r\n",
        "id,prediction\n1,a\n\n2,\n\n",
        'id,prediction\n"1","a"\n"2",""',
        " id , prediction \n1,a\n2,\n",
        "id,prediction,prediction\n1,a,b\n2,,\n",
        ",id,prediction\n0,1,a\n1,2,\n",
    ],
    ids=["mark", "carriage returns", "blank lines", "quotes", "blanks", "doubled", "unnamed"],
)
def test_csv_as_other_programs_write_it(text, tmp_path):
    path = tmp_path / "pool.csv"
    path.write_bytes(text.encode())
    pool = worlds.pool(path, id="id", prediction="prediction")
    assert list(pool.rows(["1", "2"])[c.prediction_of("service")]) == ["a", None]


def test_a_mapping_of_upper_and_lower_case_is_not_lost(tmp_path):
    path = tmp_path / "pool.csv"
    path.write_text("id,Prediction,prediction\n1,a,b\n")
    pool = worlds.pool(path, id="id", prediction="Prediction")
    assert list(pool.rows(["1"])[c.prediction_of("service")]) == ["a"]


def test_a_whole_number_kept_as_a_float_reads_like_one():
    """A pandas column of numbers turns into floats as soon as one is missing."""
    frame = pd.DataFrame({"id": [1, 2], "prediction": [3.0, None]})
    pool = worlds.pool(frame, id="id", prediction="prediction")
    assert list(pool.rows(["1", "2"])[c.prediction_of("service")]) == ["3", None]


class TestAnswers:
    """However services answer, an item is a row."""

    def test_an_empty_answer_is_none(self, kind):
        pool = worlds.small(kind, {"prediction": ["a", "", None]})
        answers = pool.rows(["i000", "i001", "i002"])[c.prediction_of("service")]
        assert list(answers) == ["a", None, None]

    def test_words_are_translated_and_others_kept(self, kind):
        words = (("chien", "dog"), ("dog", "chien"), ("rien", ""))
        service = Service("service", "prediction", words=words)
        table = pa.table({"id": list("abcd"), "prediction": ["chien", "dog", "rien", "cat"]})
        pool = open_pool(table, Roles(id="id", services=(service,)), in_memory=kind == "column")
        answers = pool.rows(list("abcd"))[c.prediction_of("service")]
        assert list(answers) == ["dog", "chien", None, "cat"]

    def test_long_form_gives_the_same_pool_as_wide(self, kind):
        wide = worlds.pool(SOURCE, kind, **worlds.TWO, attributes=["accent", "@score:bins=3"])
        shared = SOURCE.select(["id", "accent"])
        parts = [
            shared.append_column("who", pa.array([name] * len(shared)))
            .append_column("said", SOURCE[worlds.TWO["prediction"][name]])
            .append_column("conf", SOURCE[worlds.TWO["score"][name]])
            for name in worlds.TWO["prediction"]
        ]
        long = worlds.pool(
            pa.concat_tables(parts).take(np.random.default_rng(1).permutation(2 * len(shared))),
            kind,
            id="id",
            prediction="said",
            score="conf",
            system="who",
            attributes=["accent", "@score:bins=3"],
        )
        ids = SOURCE["id"].to_pylist()
        ours, theirs = wide.rows(ids), long.rows(ids)
        assert ours.keys() == theirs.keys()
        for name in ours:
            np.testing.assert_array_equal(ours[name], theirs[name])
        assert [s.name for s in long.roles.services] == ["other", "plain"]

    def test_a_service_may_be_silent_on_an_item_in_long_form(self, kind):
        columns = {"id": ["a", "a", "b"], "who": ["x", "y", "x"], "prediction": ["1", "2", "3"]}
        pool = worlds.small(kind, columns, system="who")
        assert list(pool.rows(["a", "b"])[c.prediction_of("y")]) == ["2", None]

    def test_an_attribute_may_be_the_category_in_long_form(self, kind):
        columns = {"id": ["a", "a"], "who": ["x", "y"], "tag": ["t", "t"]}
        pool = worlds.small(kind, columns, "tag", system="who", category="tag", payload=("id",))
        assert list(pool.rows(["a|t"])[c.attribute_of("tag")]) == ["t"]


class TestFingerprint:
    def test_it_is_the_same_for_both_pools_and_over_reloads(self):
        pools = [worlds.pool(SOURCE, kind) for kind in (*worlds.KINDS, *worlds.KINDS)]
        assert len({pool.fingerprint for pool in pools}) == 1

    def test_it_does_not_hang_on_the_order_in_which_an_engine_adds(self):
        """Two hundred thousand rows are several row groups, which threads add in any order."""
        rng = np.random.default_rng(0)
        columns = {"score": rng.normal(size=200_000) * 1e6, "g": rng.choice(list("ab"), 200_000)}
        columns["id"] = np.arange(200_000).astype(str)
        columns["prediction"] = np.full(200_000, "x")
        found = {
            worlds.small(kind, columns, "g", score="score").fingerprint for kind in worlds.KINDS
        }
        assert len(found) == 1

    @pytest.mark.parametrize("change", ["id", "accent", "score"])
    def test_it_changes_with_the_pool(self, change):
        values = SOURCE[change].to_pylist()
        values[0] = {"id": "item-999", "accent": "manx", "score": 0.123}[change]
        place = SOURCE.column_names.index(change)
        other = worlds.pool(SOURCE.set_column(place, change, pa.array(values)))
        assert other.fingerprint != worlds.pool(SOURCE).fingerprint

    def test_a_files_fingerprint_is_that_of_its_bytes(self, tmp_path):
        path = tmp_path / "pool.csv"
        path.write_text("id,prediction\n1,a\n")
        first = worlds.pool(path, id="id", prediction="prediction").fingerprint
        path.write_text("id,prediction\n1,b\n")
        assert first.startswith("sha256:")
        assert worlds.pool(path, id="id", prediction="prediction").fingerprint != first


def test_a_caller_keeps_the_engine_of_a_pool_in_memory():
    engine = ibis.duckdb.connect()
    table = engine.create_table("items", SOURCE)
    worlds.pool(table)
    assert table.count().to_pyarrow().as_py() == len(SOURCE)


def test_a_pool_in_memory_leaves_its_engine_behind(monkeypatch):
    engine = ibis.duckdb.connect()
    monkeypatch.setattr("spotheight.pool.reading.embedded.connection", lambda: engine)
    pool = worlds.pool(SOURCE)
    assert len(pool) == len(SOURCE)
    with pytest.raises(duckdb.ConnectionException):
        engine.list_tables()


def test_a_table_with_too_much_text_stays_in_its_engine(monkeypatch, tmp_path):
    path = tmp_path / "long.csv"
    rows = "".join(f"i{i},yes,{'long ' * 20}\n" for i in range(40))
    path.write_text(f"id,prediction,text\n{rows}")
    roles = {"id": "id", "prediction": "prediction", "payload": ("text",)}
    here = read_pool(path, **roles)
    monkeypatch.setattr("spotheight.pool.reading.read.LETTERS_IN_MEMORY", 1000)
    there = read_pool(path, **roles)
    assert isinstance(here, ColumnPool) and isinstance(there, TablePool)
    assert here.rows(["i3"])["payload:text"] == there.rows(["i3"])["payload:text"]
