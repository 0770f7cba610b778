"""``spotheight identify``."""

from pathlib import Path
from typing import Any

import click

from spotheight.cli import notice
from spotheight.cli.basis import show
from spotheight.cli.options import campaign_argument
from spotheight.cli.questions import (
    Question,
    by_option,
    most_option,
    quantity_options,
    question_options,
    require_groups,
)
from spotheight.errors import InputError
from spotheight.questions import Identify
from spotheight.terminal.tables import identified_text
from spotheight.workspace import Workspace


@click.command()
@campaign_argument
@click.option("--worst", type=int, help="How many of the worst to look for. [default: 1]")
@click.option("--best", type=int, help="Look for so many of the best instead.")
@by_option
@quantity_options
@most_option
@question_options
def command(path: Path, worst: int | None, best: int | None, **options: Any) -> None:
    """Find the worst groups, or the best, and say how probable that is of each.

    A group is an arm of the campaign, or what --by names. The chance says how probable it is, given
    the labels so far, that a group is among those looked for.

    Example: spotheight identify calls.db --worst 3 --by accent
    """
    wanted = _wanted(worst, best)
    with Workspace.open(path) as work:
        question = Question.read(work.campaign, options)
        task = Identify(**wanted, of=question.of, level=question.level)
        answer = question.answer(task)
    require_groups(len(answer.values))
    (end, number), *_ = wanted.items()
    is_high = question.is_bad_high == (end == "worst")
    text = identified_text(answer, question.unit, is_high, options["most"])

    def content() -> dict[str, Any]:
        return {end: number, "found": answer.names, "groups": answer.frame().to_pylist()}

    show(options, question.basis, text, answer.frame, content)
    looked_for = f"the {end}" if number == 1 else f"among the {number} {end}"
    way = "highest" if is_high else "lowest"
    notice(f"The chance is that a group is {looked_for}: {way} {question.unit.name}.")


def _wanted(worst: int | None, best: int | None) -> dict[str, int]:
    if worst is not None and best is not None:
        raise InputError("Ask for --worst or for --best, not for both.")
    end, number = ("best", best) if best is not None else ("worst", 1 if worst is None else worst)
    if number < 1:
        raise InputError(f"--{end} must be at least 1, got {number}.")
    return {end: number}
