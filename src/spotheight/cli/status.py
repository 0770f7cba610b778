"""``spotheight status``."""

import json
from pathlib import Path
from typing import Any

import click

from spotheight import codec
from spotheight.cli.options import campaign_argument, estimand_option
from spotheight.render.text import interval, percent
from spotheight.workspace import Workspace


@click.command()
@campaign_argument
@estimand_option
@click.option("--json", "is_json", is_flag=True, help="Print JSON.")
def command(path: Path, estimand: str, is_json: bool) -> None:
    """Say where a campaign stands.

    Example: spotheight status calls.db
    """
    with Workspace.open(path) as work:
        facts = _facts(work, estimand)
    if is_json:
        click.echo(json.dumps(facts, ensure_ascii=False, indent=1))
        return
    for name, value in facts.items():
        click.echo(f"{name:<12} {_words(name, value)}")


def _facts(work: Workspace, estimand: str) -> dict[str, Any]:
    campaign = work.campaign
    ledger, spec = campaign.ledger, campaign.spec
    surface = campaign.surface(estimand)
    overall = surface.overall(spec.level)
    return {
        "campaign": str(work.path),
        "pool": work.meta["source"],
        "items": surface.cells.size,
        "arms": surface.cells.arms,
        "labelled": len(ledger.told),
        "out": len(ledger.out),
        "skipped": len(ledger.skipped),
        "budget": spec.budget,
        "service": spec.service,
        "metric": str(spec.metric),
        "estimator": codec.describe(spec.estimator),
        "policy": codec.describe(spec.policy),
        "events": len(campaign.log),
        "overall": {
            "estimand": estimand,
            "mean": overall.mean,
            "low": overall.low,
            "high": overall.high,
            "level": overall.level,
        },
    }


def _words(name: str, value: Any) -> str:
    if name == "overall":
        return (
            f"{percent(value['mean'])} ({value['level']:.0%} interval "
            f"{interval(value['low'], value['high'])}), estimand: {value['estimand']}"
        )
    if value is None:
        return "no limit"
    return f"{value:,}" if isinstance(value, int) else str(value)
