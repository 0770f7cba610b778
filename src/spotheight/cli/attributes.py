"""``spotheight attributes``."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from spotheight.campaign import Campaign
from spotheight.cli import notice
from spotheight.cli.options import campaign_argument, json_option
from spotheight.cli.progress import progress_bar
from spotheight.errors import InputError
from spotheight.guesses import Trust
from spotheight.registry import describe
from spotheight.report.trust import FEWEST, build_trust
from spotheight.terminal.text import counted
from spotheight.terminal.trust import trust_text
from spotheight.workspace import Workspace


@click.command()
@campaign_argument
@json_option
def command(path: Path, is_json: bool) -> None:
    """Say how far guessed attributes can be believed, before and after calibration.

    Holds what attribute models say against the true levels that were told: how often the likeliest
    level is the true one, and how sure the model said it was. What calibration makes of it is
    learned from other items than those it is judged on.

    Example: spotheight attributes faces.db
    """
    with Workspace.open(path) as work:
        campaign = work.campaign
        _require_levels(campaign)
        with progress_bar("calibrating") as progress:
            rows = build_trust(campaign, progress)
        used = campaign.spec.calibration.uses(len(campaign.ledger.gold))
        name = describe(campaign.spec.calibration)
    if is_json:
        found = {"calibration": name, "used": used, "attributes": [_plain(row) for row in rows]}
        click.echo(json.dumps(found, ensure_ascii=False, indent=1))
        return
    click.echo(trust_text(rows))
    if used:
        notice(
            f"The surface uses calibration {name}, learned from the first {counted(used, 'item')} "
            f"whose levels were told; it is learned anew when there are a quarter more."
        )
    else:
        notice("The surface takes the attribute models at their word so far.")


def _plain(row: Trust) -> dict[str, Any]:
    """The row for JSON, which has no word for a number that is not known but null."""
    return {name: None if value != value else value for name, value in asdict(row).items()}


def _require_levels(campaign: Campaign) -> None:
    if not any(attribute.is_guessed for attribute in campaign.pool.layout.attributes):
        raise InputError(
            "No attribute of this campaign is only guessed; "
            "init names such ones with --attribute-probabilities NAME=COL or --guessed NAME."
        )
    told = len(campaign.ledger.gold)
    if told < FEWEST:
        raise InputError(
            f"The true levels of {told} items were told, and at least {FEWEST} are needed; fill "
            f"the columns true:NAME of `spotheight ask` in and tell them."
        )
