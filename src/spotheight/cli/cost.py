"""``spotheight cost``."""

from pathlib import Path
from typing import Any

import click

from spotheight.arms import PREDICTION
from spotheight.campaign import Campaign
from spotheight.cli.costs import costs_option
from spotheight.cli.options import campaign_argument
from spotheight.cli.questions import (
    costs_reader,
    estimator_option,
    most_option,
    put,
    question_options,
)
from spotheight.questions.cost import Cost
from spotheight.workspace.asking import attributes_of, costs_of


@click.command()
@campaign_argument
@costs_option
@click.option(
    "--by",
    metavar="ATTRIBUTE",
    multiple=True,
    help="Group items by this attribute; repeatable. [default: @prediction, the answer]",
)
@estimator_option
@most_option
@question_options
def command(path: Path, **options: Any) -> None:
    """Say what mistakes cost: the expected cost of an answer, by answer and overall.

    The cost matrix is a table whose first column names the true class and whose other columns name
    the answers; what each answer costs for each true class stands inside.

    Example: spotheight cost calls.db --costs costs.csv
    """

    def question(campaign: Campaign, level: float) -> Cost:
        costs = costs_of(campaign, costs_reader(options))
        by = attributes_of(campaign, options["by"]) or (PREDICTION,)
        return Cost(costs, by, options["service"], level)

    put(path, options, question)
