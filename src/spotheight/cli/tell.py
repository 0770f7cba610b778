"""``spotheight tell``."""

import sys
from pathlib import Path

import click

from spotheight.cli import notice
from spotheight.cli.options import annotator_option, campaign_argument
from spotheight.exchange.input import decoded, text_of
from spotheight.terminal.text import counted, counted_are
from spotheight.workspace import Workspace

STDIN = "standard input"


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
    if str(file) == "-":
        name, text = STDIN, decoded(sys.stdin.buffer.read(), STDIN)
    else:
        name, text = file.name, text_of(file)
    with Workspace.open(path) as work:
        found = work.tell_file(text, name, annotator=annotator, is_correction=correct)
    empty = f" {counted(found.empty, 'row')} without a label." if found.empty else ""
    so_far = counted_are(found.labelled, "item")
    notice(f"{found.receipt}{empty} {so_far[:1].upper()}{so_far[1:]} labelled.")
    for hint in found.hints:
        notice(hint)
