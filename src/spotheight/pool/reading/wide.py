"""Long to wide: a table with a row per item and service becomes one with a row per item."""

from dataclasses import replace
from typing import Any

from spotheight.errors import InputError, require_column
from spotheight.pool.names import LEFT_OVER
from spotheight.pool.reading.canonical import text
from spotheight.pool.reading.embedded import Column, Table
from spotheight.pool.reading.fetch import fetched
from spotheight.pool.roles import Roles, Service


def widened(table: Table, roles: Roles) -> tuple[Table, Roles]:
    """The wide table, and roles that name its columns; a wide table comes back as it is."""
    if roles.system is None:
        return table, roles
    require_column(roles.system, table.columns)
    systems = text(table, roles.system)
    keys = [key for key in (roles.id, roles.category) if key]
    template = roles.services[0]
    kept = [name for name in _kept_columns(roles) if name not in keys]
    for name in (*keys, *kept, *_columns(template)):
        require_column(name, table.columns)
    services = tuple(_renamed(template, name) for name in _service_names(table, systems))
    _require_one_value(table, keys, kept, systems)
    wide = {name: table[name].max() for name in kept}
    for service in services:
        for old, new in zip(_columns(template), _columns(service), strict=True):
            wide[new] = table[old].max(where=systems == service.name)
    grouped = table.group_by(keys).aggregate(**wide)
    return grouped, replace(roles, services=services, system=None)


def _service_names(table: Table, systems: Column) -> list[str]:
    found = fetched(table.select(name=systems).distinct())["name"].to_pylist()
    if not found:
        raise InputError("The table has no rows.")
    if any(name is None for name in found):
        raise InputError("Some rows do not say which service answered; fill the system column.")
    return sorted(found)


def _kept_columns(roles: Roles) -> list[str]:
    single = [roles.label, *roles.noisy_label, roles.weight, roles.price, *roles.payload]
    recipes = [r.column for r in roles.attributes if not r.is_built_in]
    guesses = [
        column.removeprefix(LEFT_OVER) for pairs in roles.guesses.values() for _, column in pairs
    ]
    plain = [name for name in recipes if not roles.guesses.get(name)]
    kept = (*single, *plain, *guesses, *roles.gold.values())
    return list(dict.fromkeys(name for name in kept if name is not None))


def _columns(service: Service) -> list[str]:
    plain = (service.prediction, service.score, service.verdict)
    return [name for name in plain if name is not None] + [c for _, c in service.probabilities]


def _renamed(template: Service, name: str) -> Service:
    plain = {part: getattr(template, part) for part in ("prediction", "score", "verdict")}
    columns: dict[str, Any] = {
        part: f"{column}@{name}" for part, column in plain.items() if column is not None
    }
    pairs = tuple((cls, f"{column}@{name}") for cls, column in template.probabilities)
    return replace(template, name=name, probabilities=pairs, **columns)


def _require_one_value(table: Table, keys: list[str], kept: list[str], systems: Column) -> None:
    """An item says the same about itself in each of its rows, and each service speaks once."""
    spread = {name: table[name].nunique() for name in kept}
    spread["_rows"] = table.count()
    spread["_systems"] = systems.nunique()
    grouped = table.group_by(keys).aggregate(**spread)
    twice = grouped.filter(grouped["_rows"] != grouped["_systems"])
    for row in fetched(twice.limit(1)).to_pylist():
        raise InputError(f"A service answers twice for item {row[keys[0]]!r}; keep one row each.")
    for name in kept:
        for row in fetched(grouped.filter(grouped[name] > 1).limit(1)).to_pylist():
            raise InputError(
                f"Item {row[keys[0]]!r} has different values in column {name!r}; "
                f"in long form its rows must agree."
            )
