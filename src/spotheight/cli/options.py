"""Options that several commands share."""

from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import click

from spotheight.errors import InputError
from spotheight.exchange.roles import WrittenRoles

Command = TypeVar("Command", bound=Callable[..., Any])


class Share(click.FloatRange):
    """A number in a range; ``nan`` is none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if number != number:
            self.fail(f"{value!r} is not a number.", param, ctx)
        return number


campaign_argument = click.argument("path", metavar="NAME.db", type=click.Path(path_type=Path))
estimand_option = click.option(
    "--estimand",
    type=click.Choice(["pool", "rate"]),
    default="pool",
    show_default=True,
    help="pool: these items, what was labelled is known. rate: the service on such inputs.",
)
force_option = click.option(
    "--force",
    is_flag=True,
    help="Replace a file that is there already; a campaign and its pool never are.",
)
glob_option = click.option(
    "--pool-glob",
    is_flag=True,
    help="The table is a pattern, such as 'parts/*.parquet', and every file that fits is a part of "
    "it. [default: a name is a name, whatever signs it holds]",
)
annotator_option = click.option("--annotator", default="", help="Who labels.")


def _only(context: click.Context, option: click.Parameter, is_wanted: bool) -> bool:
    """Raise where an answer is asked for in two formats."""
    other = {"is_json": "is_csv", "is_csv": "is_json"}[str(option.name)]
    if is_wanted and context.params.get(other):
        raise InputError("Ask for --json or for --csv, not for both.")
    return is_wanted


json_option = click.option("--json", "is_json", is_flag=True, callback=_only, help="Print JSON.")
csv_option = click.option("--csv", "is_csv", is_flag=True, callback=_only, help="Print CSV.")
level_option = click.option(
    "--level", type=float, help="Of the intervals. [default: the campaign's, .9]"
)

_ROLES = [
    click.option("--id", metavar="COL", help="The item's name."),
    click.option("--prediction", metavar="[NAME=]COL", multiple=True,
                 help="The service's answer; repeat with NAME= for several services."),
    click.option("--score", metavar="[NAME=]COL", multiple=True,
                 help="How sure the service was: any finite number."),
    click.option("--threshold", metavar="[NAME=]VALUE", multiple=True,
                 help="In the place of --prediction: the answer is --positive where the score is "
                      "at least VALUE, else --negative."),
    click.option("--positive", metavar="WORD", help="The answer from the threshold on."),
    click.option("--negative", metavar="WORD",
                 help="The answer below it. [default: the other one of two classes]"),
    click.option("--verdict", metavar="[NAME=]COL", multiple=True,
                 help="With --judge: verdicts from 0 to 1 that are known already."),
    click.option("--probability", metavar="CLASS=COL", multiple=True,
                 help="The probability the service gave to a class."),
    click.option("--map", metavar="[NAME=]FILE.csv", multiple=True,
                 help="Two columns: the service's word, the label's word."),
    click.option("--system", metavar="COL",
                 help="Long form: the column that names the service of each row."),
    click.option("--attribute", metavar="NAME[:CUT]", multiple=True,
                 help="NAME, NAME:bins=4, NAME:widths=4, NAME:edges=18,65, NAME:ordered=S,M,L, "
                      "@prediction, @score:bins=10."),
    click.option("--attribute-probabilities", metavar="NAME[:LEVEL]=COL", multiple=True,
                 help="An attribute that is only guessed: the chance that it is there (levels yes "
                      "and no), or a column for each LEVEL."),
    click.option("--guessed", metavar="NAME", multiple=True,
                 help="An attribute whose column is a model's bare guess."),
    click.option("--gold", metavar="NAME=COL", multiple=True,
                 help="The true level of a guessed attribute, where it is known."),
    click.option("--label", metavar="COL", help="The truth, where it is known."),
    click.option("--noisy-label", metavar="COL", multiple=True,
                 help="A doubtful label, from 0 to 1; repeat for several sources."),
    click.option("--category", metavar="COL", help="With --id names an (item, category) pair."),
    click.option("--weight", metavar="COL", help="How many inputs an item stands for."),
    click.option("--price", metavar="COL", help="What a label of the item costs."),
    click.option("--payload", metavar="COL", multiple=True,
                 help="What the person who labels gets to see; may be repeated."),
    click.option("--classes", metavar="A,B,C", help="The labels that may be told."),
    click.option("--judge", is_flag=True,
                 help="People judge each answer from 0 to 1 instead of naming the truth."),
]  # fmt: skip


def role_options(command: Command) -> Command:
    """Everything that says which column plays which part."""
    return _with(command, _ROLES)


def written_roles(options: dict[str, Any]) -> WrittenRoles:
    """What options of ``role_options`` say, which are taken out of ``options``."""
    return WrittenRoles(**{field.name: options.pop(field.name) for field in fields(WrittenRoles)})


_COCO = [
    click.option(
        "--coco-truth",
        metavar="FILE.json",
        type=click.Path(path_type=Path),
        help="Instead of a table: annotations of objects in images. Boxes are taken as rough; an "
        "outline (segmentation) is taken as vetted.",
    ),
    click.option(
        "--coco-results",
        metavar="NAME=FILE.json",
        multiple=True,
        help="The detections of a service, with boxes or masks; repeatable.",
    ),
]


def coco_options(command: Command) -> Command:
    """Annotations and detections in the place of a table."""
    return _with(command, _COCO)


def _with(command: Command, options: Sequence[Callable[[Command], Command]]) -> Command:
    for option in reversed(options):
        command = option(command)
    return command
