"""``spotheight status``."""

import json
from pathlib import Path
from typing import Any

import click

from spotheight import registry as codec
from spotheight.campaign.spec import Spec
from spotheight.cli.lists import answer_lists
from spotheight.cli.options import campaign_argument, estimand_option, json_option
from spotheight.cli.progress import working
from spotheight.cli.subject import own_lists
from spotheight.evidence import ItemEvidence
from spotheight.evidence.objects import SceneEvidence
from spotheight.questions import require_pool
from spotheight.questions.numbers import tidy_json
from spotheight.report.basis import in_words
from spotheight.terminal.text import estimand_words, interval, percent
from spotheight.workspace import Workspace


@click.command()
@campaign_argument
@estimand_option
@json_option
def command(path: Path, estimand: str, is_json: bool) -> None:
    """Say where a campaign stands.

    Example: spotheight status calls.db
    """
    with Workspace.open(path) as work:
        is_about_lists = own_lists(work.campaign) is not None
        facts = _list_facts(work, estimand) if is_about_lists else _facts(work, estimand)
        said = _explained(work.campaign.spec, is_about_lists)
    if is_json:
        click.echo(json.dumps(tidy_json(facts), ensure_ascii=False, indent=1))
        return
    services = facts.pop("services", {})
    facts |= {name: f"{facts[name]} ({said[name]})" for name in said if name in facts}
    for name, value in (*facts.items(), *services.items()):
        click.echo(f"{'levels told' if name == 'levels_told' else name:<12} {_words(value)}")


def _explained(spec: Spec, is_about_lists: bool) -> dict[str, str]:
    """What words mean that people meet here first."""
    used = spec.item_estimator if is_about_lists else spec.estimator
    return {
        "arms": "groups: combinations of attribute levels",
        "estimator": in_words(used).rstrip("."),
        "policy": in_words(spec.policy).rstrip("."),
    }


def _facts(work: Workspace, estimand: str) -> dict[str, Any]:
    campaign = work.campaign
    ledger, spec = campaign.ledger, campaign.spec
    with working("fitting the surface"):
        surface = campaign.surface(estimand)
        overall = surface.overall(spec.level)
    return {
        "campaign": str(work.path),
        "pool": str(work.source.absolute),
        "items": surface.cells.size,
        "arms": surface.cells.arms,
        "labelled": len(ledger.told),
        **({"levels_told": len(ledger.gold)} if campaign.pool.roles.guesses else {}),
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


def _list_facts(work: Workspace, estimand: str) -> dict[str, Any]:
    """Where a campaign about ranked lists stands, with the mean of every service."""
    require_pool(estimand)
    campaign, task = work.campaign, own_lists(work.campaign)
    assert task is not None
    ledger, spec = campaign.ledger, campaign.spec
    answer = answer_lists(campaign, task, spec.level)
    listed = task.evidence(campaign.records())
    assert isinstance(listed, (ItemEvidence, SceneEvidence))
    return {
        "campaign": str(work.path),
        "pool": str(work.source.absolute),
        "items": campaign.records().cells()[1].size,
        "listed": len(listed),
        "categories": len(answer.categories),
        "labelled": len(ledger.told),
        "out": len(ledger.out),
        "skipped": len(ledger.skipped),
        "budget": spec.budget,
        "task": codec.describe(spec.task),
        "estimator": codec.describe(spec.item_estimator),
        "policy": codec.describe(spec.policy),
        "events": len(campaign.log),
        "services": {
            name: {"estimand": "pool", "mean": one.mean, "low": one.low, "high": one.high,
                   "level": one.level, "of": f"mean {answer.metric}"}
            for name, one in zip(answer.services, answer.overall, strict=True)
        },
    }  # fmt: skip


def _words(value: Any) -> str:
    if isinstance(value, dict):
        of = f"{value['of']} " if "of" in value else ""
        return (
            f"{of}{percent(value['mean'])} ({value['level']:.0%} interval "
            f"{interval(value['low'], value['high'])}), estimand: "
            f"{estimand_words(value['estimand'])}"
        )
    if value is None:
        return "no limit"
    return f"{value:,}" if isinstance(value, int) else str(value)
