"""Ground truth in the pool: labels and true levels that a table itself brings."""

from collections.abc import Mapping
from typing import Any

from spotheight.history.events import Label
from spotheight.pool import names as c
from spotheight.pool.protocol import Pool
from spotheight.pool.roles import Roles


def known_labels(pool: Pool) -> dict[str, Label]:
    """Labels, or verdicts by service, that the table itself brings."""
    known = pool.known()
    if pool.roles.judge:
        return _known_verdicts(known, pool.roles)
    labels = known.get(c.LABEL)
    if labels is None:
        return {}
    pairs = zip(known[c.ID], labels, strict=True)
    return {str(item): label for item, label in pairs if label is not None}


def known_levels(pool: Pool) -> dict[str, dict[str, str]]:
    """True levels of guessed attributes that the table itself brings."""
    known, levels = pool.known(), dict[str, dict[str, str]]()
    for name in pool.roles.gold:
        for item, level in zip(known[c.ID], known[c.gold_of(name)], strict=True):
            if level is not None:
                levels.setdefault(str(item), {})[name] = str(level)
    return levels


def _known_verdicts(known: Mapping[str, Any], roles: Roles) -> dict[str, Label]:
    verdicts: dict[str, Label] = {}
    for place, item in enumerate(known[c.ID]):
        said = {
            service.name: float(known[c.verdict_of(service.name)][place])
            for service in roles.services
            if service.verdict is not None
        }
        finite = {name: value for name, value in said.items() if value == value}
        if finite:
            verdicts[str(item)] = finite
    return verdicts
