"""Users' columns with names of ours, cells that spreadsheets run, and letters that get lost."""

import csv
import io
import json

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

OURS = ["label", "label:a", "true:a", "why", "chance", "answer", "annotator", "payload:x"]
ODD = ["=1+1", "+cmd", "-x", "@sum", "\tt", "\rr", "'=q", "''-1", "-5", "+3.2e1", "a\r\nb", 'q"q',
       "a,b", "u\u2028v", "plain"]  # fmt: skip


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def text_of(rows: list[dict[str, str]]) -> str:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), quoting=csv.QUOTE_ALL)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def started(sh, table: dict[str, list[str]], *options: str, id: str = "id"):
    pq.write_table(pa.table(table), sh.folder / "odd.parquet")
    return sh.ok("init", "odd.parquet", "--id", id, "--prediction", "pred", *options, "-o", "o.db")


@pytest.mark.parametrize("name", OURS)
def test_a_payload_column_of_such_a_name_is_no_answer(sh, name):
    table = {"id": list("abc"), "pred": ["yes"] * 3, name: ["yes", "eva", "0"]}
    said = started(sh, table, "--payload", name).stderr
    assert f"column {name!r} of its own; yours stands there as 'payload:{name}'" in said
    todo = sh.ok("ask", "o.db").stdout
    assert {row[f"payload:{name}"] for row in rows_of(todo)} == {"yes", "eva", "0"}
    assert "0 new labels" in sh.ok("tell", "o.db", "-", input=todo).stderr
    rows = [{**row, "label": "no"} for row in rows_of(todo)]
    sh.ok("tell", "o.db", "-", input=text_of(rows))
    kept = json.loads(sh.ok("export", "o.db", "--to", "json", "--what", "labels").stdout)
    told = {row["id"]: (row["label"], row["annotator"]) for row in kept}
    assert told == dict.fromkeys("abc", ("no", ""))


@pytest.mark.parametrize("name", OURS)
def test_an_id_of_such_a_name_stands_under_item(sh, name):
    table = {name: list("abc"), "pred": ["yes"] * 3, "item": ["x", "y", "z"]}
    assert "stands there as 'item'" in started(sh, table, "--payload", "item", id=name).stderr
    rows = rows_of(sh.ok("ask", "o.db", "-n", "2").stdout)
    assert [row["payload:item"] for row in rows] == [
        dict(zip("abc", "xyz", strict=True))[row["item"]] for row in rows
    ]
    sh.ok("tell", "o.db", "-", input=text_of([{**row, "label": "no"} for row in rows]))
    if name not in ("label", "annotator", "true:a"):
        (left,) = set("abc") - {row["item"] for row in rows}
        sh.ok("tell", "o.db", "-", input=f"{name},label\n{left},yes\n")
    kept = json.loads(sh.ok("export", "o.db", "--to", "json", "--what", "labels").stdout)
    told = {row["item"]: row["label"] for row in kept}
    assert {row["item"] for row in rows} <= told.keys() and set(told.values()) <= {"yes", "no"}


def test_a_sheet_of_an_earlier_version_is_read_as_it_was_meant(sh):
    started(sh, {"id": list("ab"), "pred": ["x"] * 2, "label": ["x", "y"]}, "--payload", "label")
    sh.ok("tell", "o.db", "-", input="id,label,why,chance,truth\na,x,,,y\nb,y,,,\n")
    kept = json.loads(sh.ok("export", "o.db", "--to", "json", "--what", "labels").stdout)
    assert [(row["id"], row["label"]) for row in kept] == [("a", "y")]


def test_nothing_that_a_spreadsheet_runs_and_everything_comes_back(sh):
    table = {"id": ODD, "pred": ODD, "=note": ODD, "kind": ODD}
    started(sh, table, "--payload", "=note", "--attribute", "kind")
    todo = sh.ok("ask", "o.db", "-n", "99").stdout_bytes.decode()
    heading = next(csv.reader(io.StringIO(todo)))
    assert "'=note" in heading
    rows = rows_of(todo)
    for row in rows:
        for cell in (row["id"], row["'=note"]):
            assert cell[0] not in "=+-@\t\r" or cell in ("-5", "+3.2e1"), cell
    for row in rows:
        row["label"] = row["'=note"]
    sh.ok("tell", "o.db", "-", input=text_of(rows))
    kept = json.loads(sh.ok("export", "o.db", "--to", "json", "--what", "labels").stdout)
    assert {row["id"]: row["label"] for row in kept} == {name: name for name in ODD}
    again = sh.ok("export", "o.db", "--to", "csv", "--what", "labels").stdout_bytes.decode()
    assert "0 new labels" in sh.ok("tell", "o.db", "-", input=again).stderr
    surface = rows_of(sh.ok("surface", "o.db", "--csv").stdout)
    assert {row["kind"] for row in surface} >= {"'=1+1", "'@sum", "plain", "-5"}


def test_long_cells_and_odd_line_ends_come_back(sh):
    long = "long " * 40_000
    started(sh, {"id": ["a", "b\u2028c"], "pred": ["x", "y"], "text": [long, "s"]},
            "--payload", "text")  # fmt: skip
    rows = rows_of_any_length(sh.ok("ask", "o.db").stdout)
    assert long in [row["text"] for row in rows]
    sh.ok("tell", "o.db", "-", input=text_of([{**row, "label": "x"} for row in rows]))
    lines = "".join(json.dumps({"id": row["id"], "label": "x"}, ensure_ascii=False) + "\n"
                    for row in rows)  # fmt: skip
    assert "0 new labels, 2 told before" in sh.ok("tell", "o.db", "-", input=lines).stderr


def rows_of_any_length(text: str) -> list[dict[str, str]]:
    limit = csv.field_size_limit(len(text))
    try:
        return rows_of(text)
    finally:
        csv.field_size_limit(limit)


def test_a_carriage_return_in_a_file_survives(sh):
    started(sh, {"id": ["a\rb", "a\nb"], "pred": ["x", "y"]})
    rows = rows_of(sh.ok("ask", "o.db").stdout_bytes.decode())
    (sh.folder / "done.csv").write_bytes(
        text_of([{**row, "label": "no" if "\r" in row["id"] else "yes"} for row in rows]).encode()
    )
    sh.ok("tell", "o.db", "done.csv")
    kept = json.loads(sh.ok("export", "o.db", "--to", "json", "--what", "labels").stdout)
    assert {row["id"]: row["label"] for row in kept} == {"a\rb": "no", "a\nb": "yes"}


def kept(sh) -> list[dict[str, str]]:
    return json.loads(sh.ok("export", "o.db", "--to", "json", "--what", "labels").stdout)


def test_id_and_category_never_share_a_heading(sh):
    table = {"category": ["a", "b"], "label": ["x", "y"], "pred": ["1", "1"]}
    started(sh, table, "--category", "label", id="category")
    rows = rows_of(sh.ok("ask", "o.db").stdout)
    assert {(row["category"], row["group"]) for row in rows} == {("a", "x"), ("b", "y")}
    sh.ok("tell", "o.db", "-", input=text_of([{**row, "label": "1"} for row in rows]))
    assert {(row["category"], row["group"]) for row in kept(sh)} == {("a", "x"), ("b", "y")}


@pytest.mark.parametrize("name", ["q (a|b|c|d|e|f|g)", "[id]", "{x}"])
def test_a_sheet_of_ours_is_read_whatever_its_headings_hold(sh, name):
    table = {
        "[id]": ["a", "b"],
        "pred": ["1", "1"],
        "q (a|b|c|d|e|f|g)": ["s", "t"],
        "{x}": ["u", "v"],
    }
    started(sh, table, "--payload", "q (a|b|c|d|e|f|g)", "--payload", "{x}", id="[id]")
    rows = [{**row, "label": "1"} for row in rows_of(sh.ok("ask", "o.db").stdout)]
    assert name in rows[0]
    sh.ok("tell", "o.db", "-", input=text_of(rows))
    assert len(kept(sh)) == 2


def test_a_hand_made_file_keeps_its_label_and_json_may_have_a_mark(sh):
    started(sh, {"id": list("ab"), "pred": ["x"] * 2, "label": ["x", "y"]}, "--payload", "label")
    sh.ok("tell", "o.db", "-", input="id,label,truth\na,x,T\n")
    sh.ok("tell", "o.db", "-", input='\ufeff{"id": "b", "label": "y"}\n')
    assert [(row["id"], row["label"]) for row in kept(sh)] == [("a", "x"), ("b", "y")]


def test_an_id_called_annotator_is_no_annotator(sh):
    started(sh, {"annotator": list("ab"), "pred": ["x"] * 2}, id="annotator")
    sh.ok("tell", "o.db", "-", input="annotator,label\na,x\n")
    assert [(row["item"], row["annotator"]) for row in kept(sh)] == [("a", "")]


def test_a_workbook_keeps_the_marks_of_a_sheet(sh):
    started(sh, {"id": ["=i1", "i2"], "pred": ["x"] * 2})
    book = openpyxl.Workbook()
    for row in csv.reader(io.StringIO(sh.ok("ask", "o.db").stdout)):
        book.active.append([*row[:-1], row[-1] or "x"])
    book.save("done.xlsx")
    sh.ok("tell", "o.db", "done.xlsx")
    assert {row["id"] for row in kept(sh)} == {"=i1", "i2"}
