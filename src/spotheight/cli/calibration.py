"""``spotheight calibration``."""

from pathlib import Path
from typing import Any

import click

from spotheight.campaign import Campaign
from spotheight.cli import notice
from spotheight.cli.basis import Basis, show
from spotheight.cli.options import campaign_argument
from spotheight.cli.questions import (
    attributes_of,
    bins_option,
    estimator_option,
    level_of,
    most_option,
    question_options,
    reread,
    service_of,
)
from spotheight.errors import InputError
from spotheight.models import Beta
from spotheight.questions import Calibration
from spotheight.terminal.tables import calibrated_groups_text, calibrated_text
from spotheight.workspace import Workspace
from spotheight.workspace.subject import require_surface

MEANING = (
    "ECE, the expected calibration error, is the mean gap between score and {metric} over bins of "
    "the score, weighted by their items: 0 means that a score can be read as a probability. With "
    "few labels it looks larger than it is, for what is not known of a bin counts as a gap."
)


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
    with Workspace.open(path) as work:
        require_surface(work.campaign)
        campaign = _reader(work.campaign, options)
        task = Calibration(
            by=attributes_of(campaign, options["by"]),
            bins=options["bins"],
            cut_by="weight" if options["equal_weight"] else "width",
            service=service_of(campaign, options),
            level=level_of(campaign, options),
        )
        answer = campaign.answer(task, options["estimand"])
        metric = str(campaign.spec.metric)
    read = (options["estimand"], task.level)
    basis = Basis.of_campaign(campaign, "ECE", read, service=task.service)
    draw = calibrated_groups_text if task.by else calibrated_text
    text = draw(answer, metric, options["most"])

    def content() -> dict[str, Any]:
        return {"groups": answer.frame().to_pylist(), "bins": answer.diagram().to_pylist()}

    show(options, basis, text, answer.frame if task.by else answer.diagram, content)
    notice(MEANING.format(metric=metric))


def _reader(campaign: Campaign, options: dict[str, Any]) -> Campaign:
    strength: float | None = options["strength"]
    if strength is None:
        return reread(campaign, options["estimator"], is_about_classes=False)
    if options["estimator"]:
        raise InputError("--strength names an estimator already; leave --estimator away.")
    if not strength > 0:
        raise InputError(f"--strength must be a positive number of labels, got {strength:g}.")
    return campaign.using(estimator=Beta("informed", strength))
