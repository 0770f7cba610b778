"""Input: the text of a file that people hand in; of a workbook, its CSV."""

from pathlib import Path

from spotheight.errors import InputError
from spotheight.exchange.cells import csv_text
from spotheight.pool.reading.delimited import require_utf8
from spotheight.pool.reading.excel import excel_rows, shown


def text_of(file: Path) -> str:
    """A file's text; line ends inside cells stay as they are."""
    if file.suffix.lower() == ".xlsx" and file.is_file():
        head, *rows = ([shown(cell) or "" for cell in row] for row in excel_rows(file))
        return csv_text(head, rows, is_guarded=True)
    if not file.is_file():
        raise InputError(f"There is no file {str(file)!r}.")
    require_utf8(file)
    return file.read_bytes().decode("utf-8")


def decoded(data: bytes, said: str) -> str:
    """Text that came by another way than a file; ``said`` begins the sentence."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"What {said} holds is not UTF-8 (byte {error.start}); "
            f"send it through `iconv -t utf-8` first."
        ) from None
