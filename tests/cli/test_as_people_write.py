"""Labels, levels and files as spreadsheets, data frames and people write them."""

from shlex import split

import pyarrow as pa
import pyarrow.parquet
import pytest

INIT = ("init", "calls.csv", "--id", "id", "--prediction", "pred", "-o", "calls.db")


def told(sh, text: str, *more: str) -> str:
    (sh.folder / "done.csv").write_text(text, encoding="utf-8")
    return sh.ok("tell", "calls.db", "done.csv", *more).stderr


@pytest.mark.parametrize("mark", [";", "\t", "|"])
def test_what_a_spreadsheet_puts_between_cells(sh, mark):
    sh.ok(*INIT)
    said = told(sh, f'\ufeffid{mark}note{mark}label\n001{mark}"a,b"{mark}yes\n')
    assert "1 new label." in said
    labels = sh.ok("export", "calls.db", "--to", "csv", "--what", "labels").stdout
    assert labels.splitlines()[1].startswith('"001","yes"')


def test_a_row_without_a_header_is_refused(sh):
    sh.ok(*INIT)
    (sh.folder / "done.csv").write_text("001,yes\n")
    assert "has no column 'id'" in sh.refused("tell", "calls.db", "done.csv")
    assert "0 new labels" in told(sh, "id,label\n")


def test_labels_that_are_spelled_otherwise_than_answers_are_pointed_at(sh):
    sh.ok(*INIT)
    said = told(sh, "id,label\n001,Yes\n002, no\n003,yes\n004,maybe\n")
    assert "look like one ('Yes' for 'yes')" in said and "no service answers 'maybe'" in said
    assert "Take care" not in told(sh, "id,label\n001,yes\n002,no\n", "--correct")


def test_numbers_that_a_data_frame_gave_a_point_are_pointed_at(sh):
    (sh.folder / "calls.csv").write_text("id,pred\na,0\nb,1\nc,10\n")
    sh.ok(*INIT)
    assert "'1.0' for '1'" in told(sh, "id,label\na,0\nb,1.0\n")


def test_a_level_may_hold_a_bar_or_begin_with_a_blank(sh):
    rows = "".join(f"{k},yes,{level}\n" for k, level in enumerate(["x|y", " z", "v", "w"] * 3))
    (sh.folder / "calls.csv").write_text(f"id,pred,kind\n{rows}")
    sh.ok(*INIT, "--attribute", "kind")
    for text, items in (("x|y", 3), ("z", 3), (" z", 3), ("v|w", 6), ("v|x|y|w", 9)):
        found = sh.ok("surface", "calls.db", "--slice", f"kind={text}", "--csv").stdout
        assert float(found.splitlines()[1].split(",")[4]) == items, text
    assert "no level 'y'" in sh.refused("surface", "calls.db", "--slice", "kind=y|v")


def test_dates_are_not_cut(sh):
    when = pa.array([0, 86_400_000_000], pa.timestamp("us"))
    table = pa.table({"id": ["a", "b"], "pred": ["x", "y"], "when": when})
    pyarrow.parquet.write_table(table, sh.folder / "calls.parquet")
    base = ("init", "calls.parquet", *INIT[2:])
    assert "holds dates" in sh.refused(*base, "--attribute", "when:bins=2")
    sh.ok(*base, "--attribute", "when")


def test_numbers_that_are_not_cut_are_pointed_at(sh):
    rows = "".join(f"{k},yes,{k / 7:.4f}\n" for k in range(60))
    (sh.folder / "calls.csv").write_text(f"id,pred,width\n{rows}")
    assert "'width' has 60 levels" in sh.ok(*INIT, "--attribute", "width").output
    cut = sh.ok(*INIT[:-1], "cut.db", "--attribute", "width:bins=4").output
    assert "levels, fewer" not in cut


def test_words_for_a_missing_value_are_pointed_at(sh):
    rows = "".join(f"{k},yes,{level}\n" for k, level in enumerate(["a", "N/A", "", "nan"] * 3))
    (sh.folder / "calls.csv").write_text(f"id,pred,kind\n{rows}")
    said = sh.ok(*INIT, "--attribute", "kind").output
    assert "'kind' has the level 'N/A', 'nan', which" in said
    assert "'kind' is missing for 3 items" in said
    assert "N/A" in sh.ok("surface", "calls.db", "--slice", "kind=N/A").stdout
    assert "'NaN' was taken for a label" in told(sh, "id,label\n1,NaN\n2,yes\n")


def test_a_word_for_a_missing_value_that_services_answer_is_a_label(sh):
    (sh.folder / "calls.csv").write_text("id,pred\na,none\nb,cat\n")
    sh.ok(*INIT)
    assert "Take care" not in told(sh, "id,label\na,none\nb,none\n")


def test_answers_that_are_no_class_are_pointed_at(sh):
    said = sh.ok(*INIT, "--classes", "yes,perhaps").output
    assert "by the answer 'no'; that counts as a miss" in said


FILES = {
    "id,label\n001,ü\n".encode("utf-16"): "iconv -f utf-16",
    "id,label\n001,ü\n".encode("latin1"): "iconv -f latin1",
    b"PAR1\xff\xff": "it is Parquet",
    b"PK\x03\x04\xff\xff": "it is a spreadsheet",
}


@pytest.mark.parametrize("content", FILES, ids=FILES.get)
def test_files_that_are_no_text_say_what_to_do(sh, content):
    sh.ok(*INIT)
    (sh.folder / "done.csv").write_bytes(content)
    assert FILES[content] in sh.refused("tell", "calls.db", "done.csv")


def test_the_line_to_paste_stands_a_blank_in_a_name(sh):
    said = sh.ok(*INIT[:-1], "my calls.db").stderr
    line = said.partition("Next: spotheight ")[2].partition(" > ")[0]
    sh.ok(*split(line))
