"""``spotheight average-precision``."""

from math import inf, isfinite
from pathlib import Path
from typing import Any

import click

from spotheight.cli import notice
from spotheight.cli.lists import list_options, services_of, show_lists
from spotheight.cli.options import campaign_argument
from spotheight.errors import InputError
from spotheight.pool.reading.embedded import reading
from spotheight.pool.reading.source import open_source
from spotheight.questions import AveragePrecision, Detection
from spotheight.workspace import Workspace


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
    with Workspace.open(path) as work:
        services = services_of(work.campaign, options["services"])
        own = work.campaign.spec.task
        if work.campaign.pool.scenes is not None:
            if known:
                raise InputError("The objects of each category are known; leave --positives away.")
            show_lists(work.campaign, Detection(services), options)
            return
        if known is None and isinstance(own, AveragePrecision):
            known = dict(own.known_positives)
        show_lists(work.campaign, AveragePrecision(known or {}, services), options)
    how = "known, as it was given" if known else "estimated; --positives gives them where known"
    notice(f"The number of true items of each category is {how}.")


def read_positives(path: Path) -> dict[str, float]:
    """How many true items each category has, from a table of two columns."""
    with reading(repr(str(path))):
        table = open_source(path).to_pyarrow()
    if table.num_columns != 2:
        raise InputError(
            f"{str(path)!r} has {table.num_columns} columns; it needs two: the category and the "
            f"number of its true items."
        )
    names, numbers = (column.to_pylist() for column in table.columns)
    found: dict[str, float] = {}
    for name, number in zip(names, numbers, strict=True):
        if str(name) in found:
            raise InputError(f"{str(path)!r} names the category {name!r} twice; name it once.")
        found[str(name)] = _number(path, str(name), number)
    if not found:
        raise InputError(f"{str(path)!r} has no rows; it needs one for each category.")
    return found


def _number(path: Path, name: str, value: object) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = inf
    if not isfinite(number):
        raise InputError(
            f"{str(path)!r} gives {value!r} as the positives of {name!r}, which is no number."
        )
    return number
