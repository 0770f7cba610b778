"""``spotheight average-precision``."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from spotheight.cli.options import campaign_argument
from spotheight.cli.questions import list_options, put
from spotheight.exchange.positives import read_positives
from spotheight.workspace.asking import average_precision_of


@click.command()
@campaign_argument
@click.option(
    "--positives",
    metavar="FILE.csv",
    type=click.Path(path_type=Path),
    help="The number of true items of each category, where it is known: two columns, category and "
    "number. [default: estimated with all else]",
)
@list_options
def command(path: Path, positives: Path | None, **options: Any) -> None:
    """Say how well each service ranks what is true before what is not (mAP).

    Average precision by category and its mean over categories, from vetted labels, noisy ones and
    the scores. Beside it stands the number of true items, which is estimated unless it is given.
    Of detectors it is COCO's, mean over overlaps (IoU) from .5 to .95.

    Example: spotheight average-precision tags.db --service google
    """
    known = read_positives(positives) if positives else None
    services = tuple(dict.fromkeys(options["services"]))
    put(
        path,
        options,
        lambda campaign, level: replace(
            average_precision_of(campaign, known), services=services, level=level
        ),
    )
