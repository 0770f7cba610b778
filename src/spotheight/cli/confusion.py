"""``spotheight confusion``."""

from pathlib import Path
from typing import Any, get_args

import click

from spotheight.cli.options import campaign_argument
from spotheight.cli.questions import most_option, put, question_options
from spotheight.models.dirichlet import Prior
from spotheight.questions.confusion import Confusion
from spotheight.workspace.asking import of_classes


@click.command()
@campaign_argument
@click.option(
    "--prior",
    type=click.Choice(get_args(Prior)),
    help="What is assumed at the start: the service's own class probabilities (scores), or every "
    "true class alike (even). [default: the campaign's: scores where there are any]",
)
@click.option(
    "--strength",
    type=float,
    help="How many labels that is worth for each answer. [default: the campaign's, 1]",
)
@click.option(
    "--hits",
    type=click.Choice(["surface", "own"]),
    help="How often answers are right: by the campaign's surface, which reckons with labels that "
    "were chosen, or by the answer's own labels. [default: the campaign's: surface]",
)
@most_option
@question_options
def command(path: Path, **options: Any) -> None:
    """Say what is mistaken for what: how often each answer stands for each true class.

    A row an answer of the service, a column a true class. With many classes the table shows the
    largest confusions; JSON and CSV have all.

    Example: spotheight confusion calls.db
    """
    service = options["service"]
    settings = {name: options[name] for name in ("prior", "strength", "hits")}
    put(
        path,
        options,
        lambda _, level: Confusion(service, level),
        lambda campaign: of_classes(campaign, service, **settings),
    )
