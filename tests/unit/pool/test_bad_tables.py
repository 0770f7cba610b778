"""Tables that cannot become a pool: one sentence each, with the value in it."""

import pandas as pd
import pyarrow as pa
import pytest

import worlds
from spotheight.errors import InputError
from spotheight.pool import Roles, Service

GOOD = {"id": ["a", "b", "c"], "prediction": ["x", "y", "x"], "score": [0.1, 0.2, 0.3]}


def complaint(source: object, **roles) -> str:
    """What a user reads on handing in this table."""
    named = {"id": "id", "prediction": "prediction", **roles}
    with pytest.raises(InputError) as caught:
        worlds.pool(source, **named)
    text = str(caught.value)
    assert text.endswith((".", "?")), text
    assert "\n" not in text
    return text


def spoiled(**columns) -> pa.Table:
    return pa.table({**GOOD, **columns})


class TestIds:
    def test_doubled(self):
        text = complaint(spoiled(id=["a", "b", "a"]))
        assert "id 'a' stands in 2 rows" in text

    def test_of_several_kinds(self):
        text = complaint(pd.DataFrame({"id": [7.0, "7"], "prediction": ["x", "y"]}))
        assert "Could not convert '7'" in text
        assert "column id" in text

    @pytest.mark.parametrize("empty", [None, ""])
    def test_missing(self, empty):
        text = complaint(spoiled(id=["a", empty, "c"]))
        assert "1 of 3 rows have no id in column 'id'" in text

    def test_missing_numbers(self):
        frame = pd.DataFrame({"id": [1.0, None], "prediction": ["x", "y"]})
        assert "1 of 2 rows have no id" in complaint(frame)

    def test_doubled_with_a_category(self):
        table = spoiled(id=["a", "a", "a"], tag=["t", "u", "t"])
        assert "id 'a|t' stands in 2 rows" in complaint(table, category="tag")

    def test_a_number_for_every_row_needs_the_name_row(self):
        assert "has a column 'row' already" in complaint(spoiled(row=[1, 2, 3]), id=None)


class TestColumns:
    @pytest.mark.parametrize(
        ("roles", "meant"),
        [
            ({"id": "idd"}, "'idd'; did you mean 'id'?"),
            ({"prediction": "predicton"}, "'predicton'; did you mean 'prediction'?"),
            ({"score": "scor"}, "'scor'; did you mean 'score'?"),
            ({"attributes": ["gendr"]}, "'gendr'; there is id, prediction, score"),
            ({"attributes": ["scor:bins=3"]}, "'scor'; did you mean 'score'?"),
            ({"label": "lable"}, "no column 'lable'"),
            ({"payload": ("image",)}, "no column 'image'"),
            ({"weight": "wait"}, "no column 'wait'"),
            ({"system": "servce"}, "no column 'servce'"),
            ({"system": "prediction", "id": "idd"}, "'idd'; did you mean 'id'?"),
        ],
    )
    def test_missing(self, roles, meant):
        assert meant in complaint(pa.table(GOOD), **roles)

    def test_upper_and_lower_case_alone(self):
        names = ["id", "prediction", "Prediction"]
        text = complaint(pa.table([["a"], ["x"], ["y"]], names=names))
        assert "'prediction' and 'Prediction' differ in upper and lower case only" in text

    def test_an_attribute_twice(self):
        text = complaint(pa.table(GOOD), attributes=["score:bins=2", "score:widths=2"])
        assert "attribute 'score' is named twice" in text

    def test_no_service(self):
        assert "No service is named" in complaint(pa.table(GOOD), prediction=None)

    def test_a_service_twice(self):
        with pytest.raises(InputError, match="service 'A' is named twice"):
            Roles(id="id", services=(Service("A", "p"), Service("a", "q")))

    def test_the_score_uncut(self):
        text = complaint(pa.table(GOOD), score="score", attributes=["@score"])
        assert "Say how to cut the score" in text


class TestRows:
    def test_none(self):
        assert complaint(pa.table(GOOD).slice(0, 0)) == "The table has no rows."

    def test_none_in_long_form(self):
        text = complaint(pa.table(GOOD).slice(0, 0), system="prediction")
        assert text == "The table has no rows."

    def test_only_a_header(self, tmp_path):
        path = tmp_path / "pool.csv"
        path.write_text("id,prediction\n")
        assert complaint(path) == "The table has no rows."


class TestNumbers:
    @pytest.mark.parametrize("wrong", [float("inf"), float("-inf"), float("nan")])
    def test_not_finite(self, wrong):
        text = complaint(spoiled(score=[0.1, wrong, 0.3]), score="score")
        assert f"'score' is {wrong} for item 'b'" in text

    @pytest.mark.parametrize("wrong", ["inf", "nan", "-Infinity"])
    def test_not_finite_in_text(self, wrong):
        text = complaint(spoiled(score=["0.1", wrong, ""]), score="score")
        assert "'score' is" in text
        assert "for item 'b'; every value must be finite or empty" in text

    @pytest.mark.parametrize(
        "roles",
        [
            {"score": "score"},
            {"attributes": ["score:bins=2"]},
            {"weight": "score"},
            {"noisy_label": "score"},
            {"verdict": "score"},
        ],
    )
    def test_words(self, roles):
        text = complaint(spoiled(score=["0.1", "high", ""]), **roles)
        assert "'score' holds 'high', which is no number" in text

    def test_a_decimal_comma(self):
        text = complaint(spoiled(score=["0.1", "0,25", ""]), score="score")
        assert "holds '0,25', which is no number; write it with a point, as in 0.25" in text

    @pytest.mark.parametrize(
        ("roles", "may_be_empty"),
        [
            ({"score": "score"}, True),
            ({"verdict": "score"}, True),
            ({"weight": "score"}, False),
            ({"price": "score"}, False),
            ({"guessed": {"happy": "score"}}, False),
        ],
    )
    def test_the_way_out_of_a_word_is_a_way_out(self, roles, may_be_empty):
        text = complaint(spoiled(score=["0.1", "high", "1"]), **roles)
        assert ("leave a cell empty" in text) == may_be_empty
        emptied = spoiled(score=["0.1", "", "1"])
        if may_be_empty:
            named = {"id": "id", "prediction": "prediction", **roles}
            assert len(worlds.pool(emptied, **named)) == 3
        else:
            assert "is empty for item 'b'" in complaint(emptied, **roles)

    def test_a_chance_that_is_no_number_is_not_excused_by_emptiness(self):
        text = complaint(spoiled(score=[0.1, float("nan"), 1.0]), guessed={"happy": "score"})
        assert text == (
            "Column 'score' is nan for item 'b'; every value must be a number from 0 to 1."
        )

    @pytest.mark.parametrize("role", ["verdict", "noisy_label"])
    @pytest.mark.parametrize("wrong", [-0.5, 1.5])
    def test_no_share(self, role, wrong):
        text = complaint(spoiled(score=[0.1, wrong, 0.3]), **{role: "score"})
        assert f"'score' is {wrong} for item 'b'; every value must be a number from 0 to 1" in text

    def test_each_of_several_noisy_sources_is_looked_at(self):
        table = spoiled(votes=[0, 1, 2])
        text = complaint(table, noisy_label=["score", "votes"])
        assert "'votes' is 2.0 for item 'c'; every value must be a number from 0 to 1" in text

    @pytest.mark.parametrize("role", ["weight", "price"])
    @pytest.mark.parametrize(("wrong", "shown"), [(0.0, "0.0"), (-2.0, "-2.0"), (None, "empty")])
    def test_not_positive(self, role, wrong, shown):
        text = complaint(spoiled(score=[0.1, wrong, 0.3]), **{role: "score"})
        assert f"'score' is {shown} for item 'b'; every value must be positive" in text


class TestLongForm:
    TABLE = pa.table(
        {
            "id": ["a", "a", "b", "b"],
            "who": ["x", "y", "x", "y"],
            "prediction": ["1", "2", "3", "4"],
            "accent": ["w", "w", "v", "v"],
        }
    )

    def spoiled(self, name: str, values: list) -> pa.Table:
        place = self.TABLE.column_names.index(name)
        return self.TABLE.set_column(place, name, pa.array(values))

    def test_an_answer_twice(self):
        table = self.spoiled("who", ["x", "x", "x", "y"])
        assert "answers twice for item 'a'" in complaint(table, system="who")

    @pytest.mark.parametrize("empty", [None, ""])
    def test_nobody_answers(self, empty):
        table = self.spoiled("who", ["x", empty, "x", "y"])
        assert "do not say which service answered" in complaint(table, system="who")

    def test_rows_that_disagree(self):
        table = self.spoiled("accent", ["w", "w", "v", "u"])
        text = complaint(table, system="who", attributes=["accent"])
        assert "'b' has different values in column 'accent'" in text

    def test_without_an_id(self):
        text = complaint(self.TABLE, system="who", id=None)
        assert "say which column names the item (--id COL)" in text


class TestFiles:
    @pytest.fixture
    def write(self, tmp_path):
        def written(name: str, content: bytes):
            path = tmp_path / name
            path.write_bytes(content)
            return path

        return written

    def test_absent(self, tmp_path):
        assert complaint(tmp_path / "nope.csv") == f"There is no file '{tmp_path / 'nope.csv'}'."

    def test_a_folder(self, tmp_path):
        assert str(tmp_path) in complaint(tmp_path)

    def test_empty(self, write):
        assert "is empty; it needs a header" in complaint(write("pool.csv", b""))

    def test_an_empty_first_line(self, write):
        path = write("pool.csv", b"\nid,prediction\n1,a\n")
        assert "first line of 'pool.csv' is empty" in complaint(path)

    def test_an_unknown_ending(self, write):
        text = complaint(write("pool.ods", b"PK"))
        assert "'pool.ods'" in text
        assert ".parquet" in text

    @pytest.mark.parametrize("name", ["pool.csv", "pool.tsv", "pool.jsonl"])
    def test_not_utf_8(self, write, name):
        """The byte that is named is the one that is wrong, also far into the file."""
        start = "x" * (1 << 22)
        path = write(name, (start + "é").encode("latin1"))
        assert f"'{name}' is not UTF-8 (byte {1 << 22})" in complaint(path)

    def test_a_letter_cut_between_two_reads_is_no_mistake(self, write):
        """The file is read in pieces of 4 MiB, and this é lies across the first border."""
        rows = "".join(f"{row:07d},{'x' * 9990}\n" for row in range(419))
        start = f"id,prediction\n{rows}last,"
        text = start + "x" * ((1 << 22) - 1 - len(start)) + "é\n"
        assert text.encode()[(1 << 22) - 1 :] == "é\n".encode()
        pool = worlds.pool(write("pool.csv", text.encode()), id="id", prediction="prediction")
        assert pool.rows(["last"])["prediction:service"][0].endswith("xé")

    def test_a_letter_cut_at_the_end(self, write):
        path = write("pool.csv", b"id,prediction\n1,caf\xc3")
        assert "not UTF-8 (byte 19)" in complaint(path)

    @pytest.mark.parametrize(
        "row", [b"2,b,c", b"2", b'2,"b'], ids=["too long", "too short", "open quote"]
    )
    @pytest.mark.parametrize("roles", [{}, {"id": None}, {"system": "id"}])
    def test_a_ragged_row(self, write, row, roles):
        """Wherever the first query is made, the sentence names the line."""
        path = write("pool.csv", b"id,prediction\n1,a\n" + row + b"\n3,c\n")
        assert "Line: 3" in complaint(path, **roles)

    def test_rows_that_are_all_longer_than_the_header(self, write):
        text = complaint(write("pool.csv", b"id,prediction\n1,a,x\n2,b,y\n"))
        assert "Expected Number of Columns: 2 Found: 3" in text

    @pytest.mark.parametrize("name", ["pool.parquet", "pool.arrow", "pool.feather"])
    @pytest.mark.parametrize("content", [b"hello", b"PAR1" + b"\0" * 64 + b"PAR1"])
    def test_broken(self, write, name, content):
        assert f"Cannot read '{write(name, content)}'" in complaint(write(name, content))

    def test_broken_json(self, write):
        text = complaint(write("pool.jsonl", b'{"id": "a", "prediction": "x"}\n{"id": "b", \n'))
        assert "Malformed JSON" in text

    @pytest.mark.parametrize("source", [[1, 2], {1, 2}, None, 3])
    def test_no_table_at_all(self, source):
        assert f"Cannot read a table from '{type(source).__name__}'" in complaint(source)
