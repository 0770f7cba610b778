"""JSON of reports and answers, for programs and for the record."""

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from spotheight.questions import Answer, Basis, Unit
from spotheight.questions.numbers import tidy_json
from spotheight.report.basis import basis_content, estimator_of, question_of
from spotheight.report.values import HeatMap, Report
from spotheight.types import Json

DIGITS = 6
"""Behind the point: more than any interval warrants, few enough to be the same everywhere."""


def report_json(report: Report) -> str:
    """All numbers of a report, keys in their order of reading; an unknown number is null."""
    content = tidy_json(_plain(report), DIGITS)
    return json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def answer_json(answer: Answer) -> str:
    """An answer with what it rests on, as the commands print it."""
    found = tidy_json(_plain({**basis_content(answer.basis), **answer.content()}))
    return json.dumps(found, ensure_ascii=False, indent=1, allow_nan=False)


def _plain(value: Any) -> Json:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    if isinstance(value, Answer):
        record = getattr(value, "record", value.content)
        return {"basis": _plain(value.basis), **_plain(record())}
    return _fields(value) if is_dataclass(value) else value


def _fields(value: Any) -> dict[str, Json]:
    """A value by its fields, but for those that a file has in another form."""
    changed: dict[str, Json] = {}
    match value:
        case Basis():
            names = {"question": question_of(value.question), "estimator": estimator_of(value)}
            return {**names, "estimand": value.estimand, "level": value.level}
        case Unit():
            return {n: getattr(value, n) for n in ("name", "is_share", "is_bad_high")}
        case HeatMap():
            cells = value.cells.items()
            changed["cells"] = [{"row": r, "column": c, **_fields(x)} for (r, c), x in cells]
        case Report():
            changed["quantiles"] = [{"share": s, "value": at} for s, at in value.quantiles]
    return {
        f.name: changed[f.name] if f.name in changed else _plain(getattr(value, f.name))
        for f in fields(value)
    }
