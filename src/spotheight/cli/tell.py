"""``spotheight tell``."""

import sys
from pathlib import Path

import click

from spotheight.campaign import Campaign
from spotheight.cli import notice
from spotheight.cli.options import annotator_option, campaign_argument, now
from spotheight.errors import InputError, ItemError, listed
from spotheight.exchange.answers import Answers, read_answers
from spotheight.exchange.cells import csv_text
from spotheight.exchange.sheet import level_column
from spotheight.pool.look import (
    FEW_ANSWERS,
    answers_of,
    near_answers,
    read_like_blanks,
    unanswered_blanks,
)
from spotheight.pool.reading.delimited import require_utf8
from spotheight.pool.reading.excel import excel_rows, shown
from spotheight.terminal.text import counted, counted_are
from spotheight.workspace import Workspace


@click.command()
@campaign_argument
@click.argument("file", metavar="DONE.csv", type=click.Path(path_type=Path, allow_dash=True))
@annotator_option
@click.option("--correct", is_flag=True, help="Replace labels that were told before.")
def command(path: Path, file: Path, annotator: str, correct: bool) -> None:
    """Take labels in from a file.

    Takes the file of `spotheight ask` back, or any CSV, Excel, JSON list or JSON lines with the id
    and a column `label`; `-` reads standard input. Empty labels are left out. True levels of
    attributes that are only guessed stand in columns `true:NAME`. Telling the same file again
    changes nothing; a file with one bad row changes nothing either and names the row.

    Example: spotheight tell calls.db todo.csv
    """
    name, text = _read(file)
    with Workspace.open(path) as work:
        campaign = work.campaign
        answers = read_answers(text, name, campaign.pool.roles, campaign.spec.metric, annotator)
        try:
            receipt = work.tell(answers.labels, answers.levels, correct=correct, at=now())
        except ItemError as error:
            row = answers.row_of.get(error.item)
            raise InputError(f"{name}, row {row}: {error} Nothing was taken in.") from None
        empty = f" {counted(answers.empty, 'row')} without a label." if answers.empty else ""
        so_far = counted_are(len(campaign.ledger.told), "item")
        notice(f"{receipt}{empty} {so_far[:1].upper()}{so_far[1:]} labelled.")
        for attribute in sorted(answers.unread):
            wanted = level_column(attribute)
            notice(f"Column {attribute!r} was not read; true levels stand in {wanted!r}.")
        _point_at_spelling(campaign, answers)


def _point_at_spelling(campaign: Campaign, answers: Answers) -> None:
    """Say which labels are probably an answer that is spelled otherwise: they count as misses."""
    roles = campaign.pool.roles
    if campaign.spec.metric.reads != "class" or roles.classes or roles.category or roles.scene:
        return
    here = {item for by in answers.labels.values() for item in by}
    told = campaign.ledger.told
    labels = {str(label) for item in here for label in told[item].values()}
    near = near_answers(campaign.pool, labels)
    if near:
        pairs = listed([f"{label!r} for {answer!r}" for label, answer in near.items()])
        notice(
            f"Take care: some labels are no answer but look like one ({pairs}) and are misses; "
            f"where the same is meant, spell it alike and tell it again with --correct."
        )
    before = {str(label) for item in told.keys() - here for label in told[item].values()}
    unseen = sorted(_unseen(campaign, labels - before) - near.keys())
    if unseen:
        words = listed(map(repr, unseen))
        notice(
            f"Take care: no service answers {words}, and it was not told before; where that is a "
            f"slip of the pen, mend it with --correct. `init --classes` refuses such words."
        )
    if blanks := unanswered_blanks(campaign.pool, labels):
        notice(
            f"Take care: {listed(map(repr, blanks))} was taken for a label like any other, and is "
            f"a miss; an item that nobody can label has an empty cell or is skipped."
        )


def _unseen(campaign: Campaign, labels: set[str]) -> set[str]:
    """Labels that no service answers, where services choose between few words."""
    answered = answers_of(campaign.pool)
    if not 1 < len(answered) <= FEW_ANSWERS:
        return set()
    return {word for word in labels - {*answered} if not read_like_blanks([word])}


def _read(file: Path) -> tuple[str, str]:
    """The file's name and its text; line ends inside cells stay as they are."""
    if str(file) == "-":
        return "standard input", _decoded(sys.stdin.buffer.read())
    if file.suffix.lower() == ".xlsx" and file.is_file():
        head, *rows = ([shown(cell) or "" for cell in row] for row in excel_rows(file))
        return file.name, csv_text(head, rows, is_guarded=True)
    if not file.is_file():
        raise InputError(f"There is no file {str(file)!r}.")
    require_utf8(file)
    return file.name, file.read_bytes().decode("utf-8")


def _decoded(text: bytes) -> str:
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"What standard input holds is not UTF-8 (byte {error.start}); "
            f"send it through `iconv -t utf-8` first."
        ) from None
