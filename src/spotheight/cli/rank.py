"""``spotheight rank``."""

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
from spotheight.render.tables import ranked_text
from spotheight.tasks import Rank
from spotheight.workspace import Workspace


@click.command()
@campaign_argument
@by_option
@quantity_options
@most_option
@question_options
def command(path: Path, **options: Any) -> None:
    """Rank the groups, and say how sure each rank is.

    Rank 1 is the best. Each group has an interval of its rank and the chances that it is the best
    and the worst of all.

    Example: spotheight rank calls.db --by accent
    """
    with Workspace.open(path) as work:
        question = Question.read(work.campaign, options)
        answer = question.answer(Rank(of=question.of, level=question.level))
    require_groups(len(answer.values))
    text = ranked_text(answer, question.unit, options["most"])
    table = answer.frame()
    show(options, question.basis, text, table, {"groups": table.to_pylist()})
    way = "lowest" if question.is_bad_high else "highest"
    notice(f"Rank 1 is the best, the {way} {question.unit.name}.")
