"""``spotheight calibration``."""

from pathlib import Path
from typing import Any

import click

from spotheight.campaign import Campaign
from spotheight.cli.options import campaign_argument
from spotheight.cli.questions import (
    bins_option,
    estimator_option,
    most_option,
    put,
    question_options,
)
from spotheight.errors import InputError
from spotheight.questions.calibration import Calibration
from spotheight.workspace.asking import attributes_of, informed
from spotheight.workspace.subject import require_surface


@click.command()
@campaign_argument
@click.option(
    "--by",
    metavar="ATTRIBUTE",
    multiple=True,
    help="A row a group: one of the campaign's attributes, or @prediction; repeatable. "
    "[default: all items together]",
)
@bins_option
@click.option("--equal-weight", is_flag=True, help="Bins of equally many items, not equal width.")
@click.option(
    "--strength",
    type=float,
    help="Believe the scores as much as so many labels in each bin, and look at each bin alone: "
    "the estimator beta:prior=informed.",
)
@estimator_option
@most_option
@question_options
def command(path: Path, **options: Any) -> None:
    """Say how far the service's scores are from its accuracy, overall or by group.

    Prints the expected calibration error (ECE) with its interval, beside it the plain number from
    the labels alone, and how accurate the service is in each bin of the score.

    Example: spotheight calibration calls.db --by @prediction
    """
    strength: float | None = options["strength"]
    if strength is not None and options["estimator"]:
        raise InputError("--strength names an estimator already; leave --estimator away.")

    def question(campaign: Campaign, level: float) -> Calibration:
        require_surface(campaign)
        by = attributes_of(campaign, options["by"])
        return Calibration(
            by,
            options["bins"],
            "weight" if options["equal_weight"] else "width",
            options["service"],
            level,
        )

    put(path, options, question, None if strength is None else lambda _: informed(strength))
