"""Values to text and back: the only place where algorithms have names."""

from spotheight.registry.families import (
    CALIBRATIONS,
    CLASS_ESTIMATORS,
    ESTIMATORS,
    EVENTS,
    ITEM_ESTIMATORS,
    METRICS,
    POLICIES,
    QUANTITIES,
    TASKS,
    Family,
)
from spotheight.registry.toml import read_spec, write_spec
from spotheight.registry.values import decode, describe, dumps, encode, loads, parse

__all__ = [
    "CALIBRATIONS",
    "CLASS_ESTIMATORS",
    "ESTIMATORS",
    "EVENTS",
    "ITEM_ESTIMATORS",
    "METRICS",
    "POLICIES",
    "QUANTITIES",
    "TASKS",
    "Family",
    "decode",
    "describe",
    "dumps",
    "encode",
    "loads",
    "parse",
    "read_spec",
    "write_spec",
]
