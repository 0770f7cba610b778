"""Registry of names: algorithms to text and back, built in or of installed packages."""

from spotheight.registry.families import (
    CALIBRATIONS,
    CLASS_ESTIMATORS,
    ESTIMATORS,
    EVENTS,
    FAMILIES,
    ITEM_ESTIMATORS,
    METRICS,
    POLICIES,
    QUANTITIES,
    TASKS,
    Family,
)
from spotheight.registry.plugins import NotInstalledError
from spotheight.registry.toml import read_spec, write_spec
from spotheight.registry.values import decode, describe, dumps, encode, loads, parse

__all__ = [
    "CALIBRATIONS",
    "CLASS_ESTIMATORS",
    "ESTIMATORS",
    "EVENTS",
    "FAMILIES",
    "ITEM_ESTIMATORS",
    "METRICS",
    "POLICIES",
    "QUANTITIES",
    "TASKS",
    "Family",
    "NotInstalledError",
    "decode",
    "describe",
    "dumps",
    "encode",
    "loads",
    "parse",
    "read_spec",
    "write_spec",
]
