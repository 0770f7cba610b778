"""``spotheight cost``."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from spotheight.arms import PREDICTION
from spotheight.cli.basis import Basis, show, warn_of_chosen
from spotheight.cli.costs import costs_option
from spotheight.cli.options import campaign_argument
from spotheight.cli.questions import (
    attributes_of,
    estimator_option,
    level_of,
    most_option,
    question_options,
    reread,
    service_of,
)
from spotheight.questions import Cost
from spotheight.terminal.tables import COST, costed_text
from spotheight.workspace import Workspace
from spotheight.workspace.tasks import costs_of


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
    with Workspace.open(path) as work:
        campaign = reread(work.campaign, options["estimator"], is_about_classes=True)
        task = Cost(
            costs_of(campaign, options["costs"]),
            by=attributes_of(campaign, options["by"]) or (PREDICTION,),
            service=service_of(campaign, options),
            level=level_of(campaign, options),
        )
        answer = campaign.answer(task, options["estimand"])
        warn_of_chosen(campaign, task)
    basis = Basis.of_campaign(
        campaign,
        "expected cost of an answer",
        (options["estimand"], task.level),
        service=task.service,
        is_about_classes=True,
    )
    text = costed_text(answer, COST, options["most"])
    shown = ("n_pool", "n_labelled", "mean", "low", "high")
    overall = {name: asdict(answer.overall)[name] for name in shown}
    frame = answer.values.frame
    show(options, basis, text, frame, lambda: {"overall": overall, "groups": frame().to_pylist()})
