"""A report as JSON, for programs and for the record."""

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from math import isfinite
from typing import Any

from spotheight.report.values import HeatMap, Report
from spotheight.types import Json

DIGITS = 6
"""Behind the point: more than any interval warrants, few enough to be the same everywhere."""


def report_json(report: Report) -> str:
    """All numbers of a report, keys in their order of reading; an unknown number is null."""
    return json.dumps(_plain(report), ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _plain(value: Any) -> Json:
    if isinstance(value, Report):
        named = [{"share": share, "value": _plain(at)} for share, at in value.quantiles]
        return {**_fields(value), "quantiles": named}
    if isinstance(value, HeatMap):
        cells = [
            {"row": row, "column": column, **_fields(cell)}
            for (row, column), cell in value.cells.items()
        ]
        return {**_fields(value), "cells": cells}
    if is_dataclass(value):
        return _fields(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return round(value, DIGITS) if isfinite(value) else None
    return value


def _fields(value: Any) -> dict[str, Json]:
    return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
