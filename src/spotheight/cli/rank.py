"""``spotheight rank``."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from spotheight.campaign import Campaign
from spotheight.cli.options import campaign_argument
from spotheight.cli.questions import (
    by_option,
    most_option,
    put,
    quantity,
    quantity_options,
    question_options,
)
from spotheight.errors import InputError
from spotheight.questions import Task
from spotheight.questions.rank import Rank
from spotheight.questions.systems import RankSystems
from spotheight.workspace.asking import measure_of_lists


@click.command()
@campaign_argument
@click.option(
    "--services",
    "--systems",
    "services",
    is_flag=True,
    help="Rank the services by their lists instead.",
)
@click.option(
    "-k",
    "k",
    type=int,
    help="With --services: by Precision@K. [default: the campaign's task, else average precision]",
)
@by_option
@quantity_options
@most_option
@question_options
def command(path: Path, services: bool, k: int | None, **options: Any) -> None:
    """Rank the groups, and say how sure each rank is.

    Rank 1 is the best. Each group has an interval of its rank and the chances that it is the best
    and the worst of all. With --services services are ranked by their lists, on the same labels.

    Example: spotheight rank calls.db --by accent
    """
    if services:
        _require_plain(options)
    elif k is not None:
        raise InputError("-k is for --services; add that, or leave it away.")

    def question(campaign: Campaign, level: float) -> Task:
        if services:
            measure: Any = measure_of_lists(campaign, k)
            return RankSystems(replace(measure, level=level))
        return Rank(quantity(campaign, options, options["by"]), level)

    put(path, options, question)


def _require_plain(options: dict[str, Any]) -> None:
    """Services are ranked by their lists over all categories."""
    for name in ("by", "costs", "service"):
        if options[name]:
            raise InputError(f"--{name} is not used with --services; leave it away.")
    if options["of"] != "metric":
        raise InputError("--services ranks services by their lists; leave --of away.")
