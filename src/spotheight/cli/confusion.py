"""``spotheight confusion``."""

from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import click
import numpy as np
import pyarrow as pa

from spotheight.campaign import Campaign
from spotheight.cli import notice
from spotheight.cli.basis import Basis, show, warn_of_chosen
from spotheight.cli.options import campaign_argument
from spotheight.cli.questions import (
    level_of,
    most_option,
    question_options,
    service_of,
)
from spotheight.errors import InputError
from spotheight.models import Dirichlet
from spotheight.models.dirichlet import Prior
from spotheight.questions import Confusion, ConfusionMatrix
from spotheight.terminal.tables import confusion_text
from spotheight.workspace import Workspace
from spotheight.workspace.tasks import require_classes


@click.command()
@campaign_argument
@click.option(
    "--prior",
    type=click.Choice(get_args(Prior)),
    help="What is assumed at the start: the service's own class probabilities (scores), or every "
    "true class alike (even). [default: the campaign's: scores where there are any]",
)
@click.option(
    "--strength",
    type=float,
    help="How many labels that is worth for each answer. [default: the campaign's, 1]",
)
@click.option(
    "--hits",
    type=click.Choice(["surface", "own"]),
    help="How often answers are right: by the campaign's surface, which reckons with labels that "
    "were chosen, or by the answer's own labels. [default: the campaign's: surface]",
)
@most_option
@question_options
def command(path: Path, **options: Any) -> None:
    """Say what is mistaken for what: how often each answer stands for each true class.

    A row an answer of the service, a column a true class. With many classes the table shows the
    largest confusions; JSON and CSV have all.

    Example: spotheight confusion calls.db
    """
    with Workspace.open(path) as work:
        require_classes(work.campaign, "Confusions")
        service = service_of(work.campaign, options)
        campaign = _reader(work.campaign, service, options)
        task = Confusion(service, level_of(campaign, options))
        answer = campaign.answer(task, options["estimand"])
        warn_of_chosen(campaign, task)
    basis = Basis.of_campaign(
        campaign,
        "true classes behind each answer",
        (options["estimand"], task.level),
        service=service,
        is_about_classes=True,
    )
    text = confusion_text(answer, options["most"])
    show(options, basis, text, lambda: confusion_frame(answer), lambda: _content(answer))
    if not _has_probabilities(campaign, service):
        notice(
            "The service gives no class probabilities (init --probability), so that every true "
            "class is assumed alike at the start."
        )


def _content(answer: ConfusionMatrix) -> dict[str, Any]:
    return {
        "answers": answer.answers,
        "classes": answer.classes,
        "cells": confusion_frame(answer).to_pylist(),
    }


def _has_probabilities(campaign: Campaign, service: str) -> bool:
    return bool(campaign.pool.roles.service(service or campaign.spec.service).probabilities)


def _reader(campaign: Campaign, service: str, options: dict[str, Any]) -> Campaign:
    """The campaign with the settings that were asked for."""
    names = ("prior", "strength", "hits")
    given = {name: options[name] for name in names if options[name] is not None}
    if given.get("prior") == "scores" and not _has_probabilities(campaign, service):
        raise InputError(
            "--prior scores needs the service's class probabilities; name their columns in init "
            "with --probability CLASS=COL."
        )
    own = campaign.spec.class_estimator
    own = own if isinstance(own, Dirichlet) else Dirichlet()
    return campaign.using(class_estimator=replace(own, **given)) if given else campaign


def confusion_frame(answer: ConfusionMatrix) -> pa.Table:
    """A row a pair of answer and true class."""
    rows, columns = answer.mean.shape
    return pa.table(
        {
            "answer": np.repeat(np.array(answer.answers, dtype=object), columns),
            "class": np.tile(np.array(answer.classes, dtype=object), rows),
            "n_pool": np.repeat(answer.n_pool, columns),
            "n_labelled": np.repeat(answer.n_labelled, columns),
            "mean": answer.mean.ravel(),
            "low": answer.low.ravel(),
            "high": answer.high.ravel(),
        }
    )
