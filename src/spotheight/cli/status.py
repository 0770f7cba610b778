"""``spotheight status``."""

import json
from pathlib import Path
from typing import Any

import click

from spotheight.cli.options import campaign_argument, estimand_option, json_option
from spotheight.cli.progress import working
from spotheight.questions.numbers import tidy_json
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
    with Workspace.open(path) as work, working("fitting the surface"):
        status = work.status(estimand)
    facts = status.plain()
    if is_json:
        click.echo(json.dumps(tidy_json(facts), ensure_ascii=False, indent=1))
        return
    services = facts.pop("services", {})
    facts |= {
        name: f"{facts[name]} ({said})" for name, said in status.words.items() if name in facts
    }
    for name, value in (*facts.items(), *services.items()):
        click.echo(f"{'levels told' if name == 'levels_told' else name:<12} {_words(value)}")


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
