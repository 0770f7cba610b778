"""``spotheight rank``."""

from pathlib import Path
from typing import Any

import click
import pyarrow as pa

from spotheight.campaign import Campaign
from spotheight.cli import notice
from spotheight.cli.basis import show
from spotheight.cli.lists import answer_lists, basis_of, reader, require_lists, say_estimator
from spotheight.cli.options import campaign_argument
from spotheight.cli.questions import (
    Question,
    by_option,
    level_of,
    most_option,
    quantity_options,
    question_options,
    require_groups,
)
from spotheight.cli.subject import own_lists
from spotheight.errors import InputError
from spotheight.questions import (
    AveragePrecision,
    Detection,
    Gap,
    ListTask,
    PrecisionAt,
    Rank,
    require_pool,
)
from spotheight.terminal.list_tables import gaps_text, list_services_text
from spotheight.terminal.tables import ranked_text
from spotheight.workspace import Workspace


@click.command()
@campaign_argument
@click.option("--systems", is_flag=True, help="Rank the services by their lists instead.")
@click.option(
    "-k",
    "k",
    type=int,
    help="With --systems: by Precision@K. [default: the campaign's task, else average precision]",
)
@by_option
@quantity_options
@most_option
@question_options
def command(path: Path, systems: bool, k: int | None, **options: Any) -> None:
    """Rank the groups, and say how sure each rank is.

    Rank 1 is the best. Each group has an interval of its rank and the chances that it is the best
    and the worst of all. With --systems services are ranked by their lists, on the same labels.

    Example: spotheight rank calls.db --by accent
    """
    if systems:
        _require_plain(options)
        with Workspace.open(path) as work:
            _rank_systems(work.campaign, k, options)
        return
    if k is not None:
        raise InputError("-k is for --systems; add that, or leave it away.")
    with Workspace.open(path) as work:
        question = Question.read(work.campaign, options)
        answer = question.answer(Rank(of=question.of, level=question.level))
    require_groups(len(answer.values))
    text = ranked_text(answer, question.unit, options["most"])

    def content() -> dict[str, Any]:
        return {"groups": answer.frame().to_pylist()}

    show(options, question.basis, text, answer.frame, content)
    way = "lowest" if question.is_bad_high else "highest"
    notice(f"Rank 1 is the best, the {way} {question.unit.name}.")


def _rank_systems(campaign: Campaign, k: int | None, options: dict[str, Any]) -> None:
    """Services by their lists, each gap with its interval."""
    require_lists(campaign)
    campaign = reader(campaign, options["estimator"])
    answer = answer_lists(campaign, _by(campaign, k), level_of(campaign, options))
    if len(answer.services) < 2:
        raise InputError(
            f"Only {answer.services[0]} has scores; there is nothing to rank it against."
        )
    text = f"{list_services_text(answer)}\n\n{gaps_text(answer)}"
    gaps = [_gap(gap) for gap in answer.ordered_gaps]
    order = [answer.services[place] for place in answer.order]
    content = {"metric": answer.metric, "order": order, "gaps": gaps}

    def table() -> pa.Table:
        return pa.Table.from_pylist(gaps)

    show(options, basis_of(campaign, answer), text, table, lambda: content)
    say_estimator(campaign)


def _by(campaign: Campaign, k: int | None) -> ListTask:
    if k is not None:
        return PrecisionAt(k)
    usual = AveragePrecision() if campaign.pool.scenes is None else Detection()
    return own_lists(campaign) or usual


def _gap(gap: Gap) -> dict[str, Any]:
    difference = gap.difference
    has_draws = difference.low == difference.low
    return {
        "first": gap.first,
        "second": gap.second,
        "difference": difference.mean,
        "low": difference.low,
        "high": difference.high,
        "first_above": gap.first_above if has_draws else None,
        "tie": gap.tie if has_draws else None,
    }


def _require_plain(options: dict[str, Any]) -> None:
    """Services are ranked by their lists over all categories."""
    for name in ("by", "costs", "service"):
        if options[name]:
            raise InputError(f"--{name} is not used with --systems; leave it away.")
    if options["of"] != "metric":
        raise InputError("--systems ranks services by their lists; leave --of away.")
    require_pool(options["estimand"])
