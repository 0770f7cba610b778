"""What the commands that answer questions share: their options, and how an answer is printed."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click

from spotheight import registry as codec
from spotheight.campaign import Campaign
from spotheight.cli import notice
from spotheight.cli.costs import costs_option
from spotheight.cli.options import csv_option, estimand_option, json_option, level_option
from spotheight.cli.progress import working
from spotheight.exchange.costs import read_cost_file
from spotheight.exchange.output import STDOUT
from spotheight.questions import Answer, Task
from spotheight.questions.numbers import tidy_table
from spotheight.questions.quantities import Costs, Quantity
from spotheight.report.text import answer_json
from spotheight.terminal.answers import answer_text, basis_text, remarks
from spotheight.workspace import Workspace
from spotheight.workspace.asking import answered, quantity_of
from spotheight.workspace.subject import read_level

Command = TypeVar("Command", bound=Callable[..., Any])
Options = Mapping[str, Any]

estimator_option = click.option(
    "--estimator",
    help="Read the labels by another estimator, such as eb-beta or beta:prior=jeffreys; for costs "
    "dirichlet:prior=even,strength=2. [default: the campaign's]",
)
by_option = click.option(
    "--by",
    metavar="ATTRIBUTE",
    multiple=True,
    help="Group items by this attribute: one of the campaign's, @prediction, @score:bins=4; "
    "repeatable. [default: all of the campaign's; @prediction for costs]",
)
bins_option = click.option(
    "--bins", type=int, default=10, show_default=True, help="For ECE: so many bins of the score."
)
most_option = click.option(
    "--most",
    type=click.IntRange(min=0),
    default=25,
    show_default=True,
    help="Show so many rows; JSON and CSV have all.",
)
_ALL = [
    estimand_option,
    level_option,
    click.option("--service", default="", help="Whose answers. [default: the campaign's service]"),
    json_option,
    csv_option,
]
_QUANTITY = [
    click.option(
        "--of",
        "of",
        type=click.Choice(list(codec.QUANTITIES.members)),
        default="metric",
        show_default=True,
        help="metric: the campaign's, such as the accuracy. ece: how far scores are from "
        "accuracies. cost: what mistakes cost.",
    ),
    costs_option,
    bins_option,
    estimator_option,
]
_LISTS = [
    click.option(
        "--service",
        "services",
        multiple=True,
        metavar="NAME",
        help="Whose lists; repeatable. [default: all services that have scores]",
    ),
    click.option(
        "--estimator",
        help=f"What is made of labels that nobody has vetted: "
        f"{', '.join(codec.ITEM_ESTIMATORS.members)}. [default: the campaign's, learned]",
    ),
    most_option,
    level_option,
    json_option,
    csv_option,
]


def question_options(command: Command) -> Command:
    """What every question can be asked with."""
    return _with(command, _ALL)


def quantity_options(command: Command) -> Command:
    """Which number a question is about, and for which groups."""
    return _with(command, _QUANTITY)


def list_options(command: Command) -> Command:
    """What every question about ranked lists can be asked with."""
    return _with(command, _LISTS)


def _with(command: Command, options: Sequence[Any]) -> Command:
    for option in reversed(options):
        command = option(command)
    return command


def costs_reader(options: Options) -> Callable[[], Costs] | None:
    """Reads the cost matrix that was named."""
    path: Path | None = options["costs"]
    return None if path is None else partial(read_cost_file, path)


def quantity(campaign: Campaign, options: Options, by: Sequence[str]) -> Quantity:
    """What the options of ``quantity_options`` name."""
    service, costs = options["service"], costs_reader(options)
    return quantity_of(
        campaign, options["of"], by, bins=options["bins"], costs=costs, service=service
    )


def put(
    path: Path,
    options: Options,
    question: Callable[[Campaign, float], Task],
    estimator: Callable[[Campaign], object] | None = None,
) -> None:
    """Ask a question of a campaign, and print the answer as it was asked for.

    Args:
        path: The campaign's file.
        options: Those that all questions share.
        question: The question, given the campaign and the level of intervals.
        estimator: By what labels are read, where no option names it.
    """
    with Workspace.open(path) as work, working("answering"):
        campaign = work.campaign
        by = estimator(campaign) if estimator else options["estimator"]
        task = question(campaign, read_level(campaign, options["level"]))
        found = answered(campaign, task, estimand=options.get("estimand", "pool"), estimator=by)
    _show(found, options)


def _show(answer: Answer, options: Options) -> None:
    """The answer on standard output; beside it, what it rests on and how to read it."""
    for caution in answer.basis.cautions:
        notice(caution)
    if options["is_csv"]:
        table = getattr(answer, "table", answer.frame)()
        STDOUT.csv(tidy_table(table, is_null_unknown=True))
    elif options["is_json"]:
        click.echo(answer_json(answer))
    else:
        click.echo(answer_text(answer, options.get("most", 25)))
    for words in (basis_text(answer.basis), *remarks(answer)):
        notice(words)
