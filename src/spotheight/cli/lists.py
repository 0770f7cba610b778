"""What the commands about ranked lists share: options, tables, and what they refuse."""

from collections.abc import Callable, Mapping
from inspect import getdoc
from typing import Any, TypeVar

import click

from spotheight import registry as codec
from spotheight.campaign import Campaign
from spotheight.cli import notice
from spotheight.cli.basis import Basis, show
from spotheight.cli.options import csv_option, json_option, level_option
from spotheight.cli.questions import level_of, most_option
from spotheight.errors import InputError
from spotheight.models import Naive, VettedOnly
from spotheight.page.words import listed
from spotheight.questions import ListAnswer, ListTask
from spotheight.terminal.list_tables import list_categories_text, list_services_text
from spotheight.workspace.lists import answered_lists, list_frame

Command = TypeVar("Command", bound=Callable[..., Any])

service_option = click.option(
    "--service",
    "services",
    multiple=True,
    metavar="NAME",
    help="Whose lists; repeatable. [default: all services that have scores]",
)
_OPTIONS = [
    service_option,
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


def list_options(command: Command) -> Command:
    """What every question about ranked lists can be asked with."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def require_lists(campaign: Campaign) -> None:
    """Raise where nothing is listed."""
    if campaign.pool.roles.category is None and campaign.pool.scenes is None:
        raise InputError(
            "Ranked lists are made by category, and this campaign has none; start one with "
            "init --category COL."
        )


def services_of(campaign: Campaign, names: tuple[str, ...]) -> tuple[str, ...]:
    """Services that were asked for, each once; raise for one that has no list."""
    require_lists(campaign)
    for name in names:
        if campaign.pool.roles.service(name).score is None and campaign.pool.scenes is None:
            raise InputError(f"The service {name!r} has no scores, so it has no ranked list.")
    return tuple(dict.fromkeys(names))


def reader(campaign: Campaign, estimator: str | None) -> Campaign:
    """The same labels, read by the item estimator that was asked for."""
    if not estimator:
        return campaign
    return campaign.using(item_estimator=codec.parse(estimator, codec.ITEM_ESTIMATORS))


def show_lists(campaign: Campaign, task: ListTask, options: Mapping[str, Any]) -> None:
    """Print the numbers of every list, and what they rest on."""
    campaign = reader(campaign, options["estimator"])
    answer = answered_lists(campaign, task, level_of(campaign, options))
    text = f"{list_services_text(answer)}\n\n{list_categories_text(answer, options['most'])}"

    def content() -> dict[str, Any]:
        rows = list_frame(answer).to_pylist()
        return {
            "metric": answer.metric,
            "knows_positives": answer.knows_positives,
            "services": [row for row in rows if row["category"] is None],
            "categories": [row for row in rows if row["category"] is not None],
        }

    show(options, basis_of(campaign, answer), text, lambda: list_frame(answer), content)
    say_estimator(campaign)


def basis_of(campaign: Campaign, answer: ListAnswer) -> Basis:
    """What numbers of lists rest on."""
    return Basis(
        answer.metric,
        listed(answer.services),
        codec.describe(campaign.spec.item_estimator),
        "pool",
        answer.level,
        len(campaign.ledger.told),
    )


def say_estimator(campaign: Campaign) -> None:
    """Say what is made of labels that nobody has vetted."""
    used = campaign.spec.item_estimator
    words = (getdoc(type(used)) or "").split("\n")[0]
    doubt: dict[type, str] = {
        Naive: " It doubts no noisy label, so its intervals have no width.",
        VettedOnly: " It has no intervals.",
    }
    notice(f"{codec.describe(used)}: {words}{doubt.get(type(used), '')}")
