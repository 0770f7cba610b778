"""Answers on their way out: as text, JSON or CSV, with what they rest on."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import click
import pyarrow as pa
import pyarrow.compute as pc

from spotheight import registry as codec
from spotheight.campaign import Campaign
from spotheight.cli import notice
from spotheight.exchange.output import STDOUT
from spotheight.policies import Random
from spotheight.pool.roles import SOLE
from spotheight.questions import Task
from spotheight.terminal.numbers import tidy_json, tidy_table
from spotheight.terminal.text import counted, estimand_words


@dataclass(frozen=True)
class Basis:
    """What an answer rests on, to be said beside it."""

    of: str
    service: str
    estimator: str
    estimand: str
    level: float
    labels: int

    @classmethod
    def of_campaign(
        cls,
        campaign: Campaign,
        of: str,
        read: tuple[str, float],
        *,
        service: str | None = None,
        is_about_classes: bool = False,
    ) -> "Basis":
        """The basis of an answer; ``of`` names its number, ``read`` are estimand and level."""
        spec = campaign.spec
        used = spec.class_estimator if is_about_classes else spec.estimator
        told = len(campaign.ledger.told)
        return cls(of, service or spec.service, codec.describe(used), *read, told)

    def __str__(self) -> str:
        of = f"{self.of[:1].upper()}{self.of[1:]}" + (
            f" of {self.service}" if self.service != SOLE else ""
        )
        text = (
            f"{of}; estimator: {self.estimator}, estimand: {estimand_words(self.estimand)}, "
            f"{self.level:.0%} intervals, {counted(self.labels, 'label')}."
        )
        if not self.labels:
            text += " Nothing is labelled yet: these numbers are what is assumed at the start."
        return text


def show(
    options: Mapping[str, Any],
    basis: Basis,
    text: str,
    table: Callable[[], pa.Table],
    content: Callable[[], dict[str, Any]],
) -> None:
    """Print an answer as it was asked for, and say what it rests on.

    Args:
        options: Whether JSON or CSV was asked for.
        basis: Said beside the answer, and part of the JSON.
        text: For people.
        table: For CSV; made only where it is wanted, for Arrow loads pandas to make it.
        content: For JSON, likewise.
    """
    if options["is_csv"]:
        STDOUT.csv(_known(table()))
    elif options["is_json"]:
        found = tidy_json({**asdict(basis), **content()})
        click.echo(json.dumps(found, ensure_ascii=False, indent=1))
    else:
        click.echo(text)
    notice(str(basis))


def warn_of_chosen(campaign: Campaign, task: Task) -> None:
    """Say where a policy chose the labels of one answer with another question in mind.

    A class estimator that asks no surface takes them for a random sample of the answer's items.
    """
    spec = campaign.spec
    is_fair = isinstance(spec.policy, Random) or spec.task.cut.partition == task.cut.partition
    if campaign.ledger.told and not (is_fair or spec.class_estimator.needs_surface):
        notice(
            f"Take care: {codec.describe(spec.policy)} chose these labels for another question, "
            f"perhaps the hardest items of each answer, and this number takes them for typical "
            f"ones. A campaign with --policy random, or with this question as --task, is free of "
            f"that doubt."
        )


def warn_of_other_service(campaign: Campaign, service: str) -> None:
    """Say where labels were chosen by the scores and answers of one service, and another is read.

    Inside an arm the labelled items are then no random sample of the other service's.
    """
    own, policy = campaign.spec.service, campaign.spec.policy
    campaign.pool.roles.service(service)
    if service != own and campaign.ledger.told and not isinstance(policy, Random):
        notice(
            f"Take care: {codec.describe(policy)} chose these labels for {own}, perhaps its "
            f"hardest items, and this number takes them for typical ones of {service}. `spotheight "
            f"compare --services {own} {service}` is free of that doubt."
        )


def _known(table: pa.Table) -> pa.Table:
    """An unknown number is an empty cell."""
    table = tidy_table(table)
    for place, field in enumerate(table.schema):
        if pa.types.is_floating(field.type):
            column = table.column(place)
            known = pc.if_else(pc.is_nan(column), None, column)
            table = table.set_column(place, field.name, known)
    return table
