"""Replay: every ask recomputed from the pool, the spec and the log before it."""

from collections.abc import Callable

from spotheight.campaign import Campaign
from spotheight.history.events import Asked, Relinked
from spotheight.workspace.values import Verified


def verified(campaign: Campaign, progress: Callable[[int, int], None] | None = None) -> Verified:
    """Every ask of the log against the one that comes next after the log before it."""
    log = campaign.log
    replay = Campaign(campaign.pool, campaign.spec)
    moved = [i for i, e in enumerate(log) if isinstance(e, Relinked) and e.has_grown]
    start = moved[-1] if moved else 0
    asks = same = earlier = 0
    difference = ""
    for place, event in enumerate(log):
        if isinstance(event, Asked):
            asks += 1
            if place < start:
                earlier += 1
            elif (said := _difference(replay, event, place)) == "":
                same += 1
            else:
                difference = difference or said
        replay.record(event)
        if progress:
            progress(place + 1, len(log))
    return Verified(asks, same, earlier, difference)


def _difference(replay: Campaign, event: Asked, place: int) -> str:
    planned = replay.plan_ask(
        event.size,
        annotator=event.annotator,
        until=event.until,
        now=event.at or None,
        seen=event.seen,
    )
    if planned.queries == event.queries:
        return ""
    ours = ", ".join(query.item for query in planned.queries[:3])
    theirs = ", ".join(query.item for query in event.queries[:3])
    return f"event {place + 1} asked {theirs} ..., recomputed {ours} ..."
