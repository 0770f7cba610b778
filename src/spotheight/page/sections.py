"""Page sections: each kind of answer with its figures drawn, and a table that does for any."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from spotheight.arms import MISSING
from spotheight.page import figures, verdicts
from spotheight.page.drawing import Axis, text_of
from spotheight.page.figures import CHANCES, Spot, dot, scale
from spotheight.page.lists import drawn_lists
from spotheight.questions import Answer, Unit
from spotheight.questions.calibration import Calibrated, CalibrationRow
from spotheight.questions.compare import Compared
from spotheight.questions.confusion import ConfusionMatrix
from spotheight.questions.cost import Costed
from spotheight.questions.identify import Identified
from spotheight.questions.listanswer import ListAnswer
from spotheight.questions.quantities.groups import SILENT, answer_name
from spotheight.questions.rank import Ranked, RankRow
from spotheight.questions.values import GroupRow
from spotheight.questions.words import chance, costs_like, digits_for, interval, number, percent
from spotheight.report.answers import Unanswered
from spotheight.report.basis import question_of
from spotheight.report.values import Report, thinned

STANDING_OUT = 5
"""Groups that stand out at either end of a scatter plot; of few groups a third."""

ALL_NAMED = 12
"""So few groups are all named."""

NAMED_RANKS = 40
"""More rows than this are easier read as one figure, with the ends of the list beside it."""

HALF_A_LABEL = 0.5
"""A share that comes to less among the labelled items was not seen there."""

RANK_ENDS = 8
LISTED_GROUPS = 60
SHADES = 8
"""Of the ramp in page.css."""

Drawn = dict[str, Any]


def drawn(answer: Answer | Unanswered, report: Report) -> Drawn:
    """All that the template needs of an answer; ``kind`` names the macro that shows it."""
    if isinstance(answer, Unanswered):
        return {"kind": "unanswered", "title": answer.question, "finding": answer.reason}
    draw = DRAWN.get(type(answer), _any)
    return {
        "basis": verdicts.basis_words(answer.basis),
        "finding": answer.plain(),
        **draw(answer, report),
    }


def _any(found: Answer, report: Report) -> Drawn:
    """An answer of any kind: its table under its words."""
    table = found.frame()
    rows = [list(row.values()) for row in table.slice(0, LISTED_GROUPS).to_pylist()]
    return {
        "kind": "anything",
        "title": question_of(found.basis.question),
        "columns": table.column_names,
        "rows": [[_written(value) for value in row] for row in rows],
        "left_out": table.num_rows - len(rows),
    }


def _written(value: object) -> str:
    return number(value) if isinstance(value, float) else "" if value is None else str(value)


def _calibration(found: Calibrated, report: Report) -> Drawn:
    by = verdicts.by_words(found.by)
    return {
        "kind": "calibration",
        "title": f"Calibration by {by}" if by else "Calibration",
        "plain": verdicts.plain_words(found),
        "diagram": figures.reliability(found.score_bins, _diagram_words(found)),
        "histogram": figures.histogram(found.score_bins, "How many items have which score"),
        "density": _error_density(found),
        "by": by,
        **(_groups(found, by) if found.groups else {"groups": ()}),
    }


def _diagram_words(found: Calibrated) -> str:
    bins = "; ".join(map(figures.bin_words, found.score_bins))
    return f"Reliability diagram: accuracy against score\n{bins}."


def _error_density(found: Calibrated) -> str:
    error, curve = found.whole.error, found.density
    estimate = Spot(error.mean, error.low, error.high, found.whole.plain)
    axis = Axis.around([0.0, curve.values[-1], error.high, found.whole.plain])
    words = (
        f"Where the calibration error lies\n{percent(error.mean, 1)} "
        f"({interval(error.low, error.high)}); {verdicts.plain_words(found)}"
    )
    return text_of(figures.density(curve, axis, estimate, words))


def _groups(found: Calibrated, by: str) -> Drawn:
    rows = found.groups
    errors = Axis.around([0.0, *(each.error.high for each in rows)])
    ends = [value for each in rows for value in (each.accuracy.low, each.accuracy.high)]
    axes = (errors, Axis.around(ends))
    words = f"Accuracy against calibration error by {by}\n{verdicts.classes_finding(found)}"
    listed = thinned(rows, LISTED_GROUPS)
    return {
        "groups": [_group(each, axes) for each in listed],
        "n_groups": len(rows),
        "classes_finding": verdicts.classes_finding(found),
        "is_crowded": len(rows) > figures.CROWD,
        "scatter": figures.scatter(rows, _standing_out(rows), axes, words),
        "scales": tuple(scale(axis) for axis in reversed(axes)),
    }


def _standing_out(rows: Sequence[CalibrationRow]) -> dict[str, str]:
    """The least and the most accurate ones by name."""
    most = min(STANDING_OUT, max(1, len(rows) // 3))
    names = [each.error.name for each in rows]
    others = dict.fromkeys(names, "other") if len(names) <= ALL_NAMED else {}
    return others | dict.fromkeys(names[-most:], "fine") | dict.fromkeys(names[:most], "poor")


def _group(each: CalibrationRow, axes: tuple[Axis, Axis]) -> Drawn:
    errors, accuracies = axes
    words = figures.calibration_words(each)
    return {
        "name": each.error.name,
        "right": each.accuracy,
        "error": each.error,
        "score": each.score,
        "plain": each.plain,
        "bars": (dot(each.accuracy, accuracies, words), dot(each.error, errors, words)),
    }


def _confusion(found: ConfusionMatrix, report: Report) -> Drawn:
    is_accuracy = report.metric == "accuracy"
    overall = report.overall.mean if is_accuracy else float("nan")
    return {
        "kind": "confusion",
        "title": "What is mistaken for what",
        "warning": verdicts.confusion_warning(found, overall),
        "classes": found.classes,
        "rows": _confusion_rows(found) if found.is_small else (),
        "largest": found.largest,
        "n_answers": len(found.answers),
    }


def _confusion_rows(found: ConfusionMatrix) -> list[Drawn]:
    wrong = [
        found.mean[row, column]
        for row, answer in enumerate(found.answers)
        for column, cls in enumerate(found.classes)
        if cls != answer and answer != MISSING
    ]
    cell = partial(_confusion_cell, found, max(wrong, default=1.0))
    return [
        {
            "name": answer_name(found.answers[row]),
            "cells": [cell(row, column) for column in range(len(found.classes))],
            "n_pool": found.n_pool[row],
            "n_labelled": found.n_labelled[row],
        }
        for row in found.order
    ]


def _confusion_cell(found: ConfusionMatrix, most: float, row: int, column: int) -> tuple[str, ...]:
    """Class, number and tooltip; what only the prior allows for is left blank."""
    answer, cls = answer_name(found.answers[row]), found.classes[column]
    share = found.mean[row, column]
    words = (
        f"called {answer}, truly {cls}: {percent(share)} "
        f"({interval(found.low[row, column], found.high[row, column])})"
    )
    if not found.n_labelled[row]:
        return ("cell unknown", "?", f"no label for the answer {answer}")
    text = percent(share) if share * found.n_labelled[row] >= HALF_A_LABEL else ""
    if cls == answer:
        return ("cell right", text, words)
    if answer == SILENT:  # saying nothing is no confusion
        return ("cell", text, words)
    # From the lightest shade, for hardly ever, to the darkest, for the largest confusion here.
    shade = SHADES - 1 - round((SHADES - 1) * share / (most or 1))
    return (f"cell shade{shade}" if text else "cell", text, words)


def _ranking(found: Ranked, report: Report) -> Drawn:
    axis = Axis.around([1, max(2, len(found.rows))], finest=1)
    is_named = len(found.rows) <= NAMED_RANKS
    words = f"Ranks by {found.basis.unit.name}\n{found.plain()}"
    ends = (found.rows[:RANK_ENDS], found.rows[-RANK_ENDS:])
    values = _values((row.group for row in found.rows), found.basis.unit)
    return {
        "kind": "ranking",
        "title": f"Ranks by {found.basis.unit.name}",
        "noun": found.noun,
        "measure": found.basis.unit.name,
        "n_groups": len(found.rows),
        "scale": scale(axis, figures.rank_mark),
        "figure": "" if is_named else figures.rank_dots(found.rows, words),
        "parts": [
            [_rank(row, axis, values[row.group.name]) for row in part]
            for part in ((found.rows,) if is_named else ends)
        ],
    }


def _rank(row: RankRow, axis: Axis, value: tuple[str, str]) -> Drawn:
    words = f"{row.group.name}: rank {figures.rank_words(row)}"
    return {
        "name": row.group.name,
        "bar": dot(row, axis, words),
        "rank": figures.rank_words(row),
        "value": value,
        "first": chance(row.first),
        "last": chance(row.last),
    }


def _values(rows: Iterable[GroupRow], unit: Unit) -> dict[str, tuple[str, str]]:
    """The number and the interval of each row by its name, costs with the same digits."""
    rows = list(rows)
    if unit.is_share:
        return {row.name: _share(row) for row in rows}
    write = costs_like(row.high for row in rows)
    return {row.name: (write(row.mean), f"{write(row.low)} to {write(row.high)}") for row in rows}


def _share(row: GroupRow) -> tuple[str, str]:
    return percent(row.mean, digits_for(row.low, row.high)), interval(row.low, row.high)


def _shortlist(found: Identified, report: Report) -> Drawn:
    extreme = verdicts.extreme_words(found)
    values = _values((each.group for each in found.candidates), found.basis.unit)
    rows = [
        {
            "name": each.group.name,
            "bar": figures.chance(
                each.probability, f"{each.group.name}: {percent(each.probability)}"
            ),
            "probability": chance(each.probability),
            "value": values[each.group.name],
            "group": each.group,
            "is_chosen": place < len(found.arms),
        }
        for place, each in enumerate(found.candidates)
    ]
    return {
        "kind": "shortlist",
        "title": f"The {extreme} by {found.basis.unit.name}",
        "extreme": f"{'the' if len(found.arms) == 1 else 'among the'} {extreme}",
        "measure": found.basis.unit.name,
        "scale": scale(CHANCES),
        "rows": rows,
        "left_out": len(found.values) - len(rows),
    }


def _comparison(found: Compared, report: Report) -> Drawn:
    difference = found.difference
    estimate = Spot(difference.mean, difference.low, difference.high)
    words = f"Where the difference lies\n{found.plain()}"
    write = _points_mark if found.basis.unit.is_share else number
    chances = (
        (f"{found.names[0]} is better", found.first_better),
        ("practically equivalent", found.equivalent),
        (f"{found.names[1]} is better", found.second_better),
    )
    return {
        "kind": "comparison",
        "title": f"{found.names[0]} against {found.names[1]}, by {found.basis.unit.name}",
        "rope": verdicts.rope_words(found),
        "figure": figures.difference(found.density, estimate, found.rope, words, write),
        "unit": "in points" if found.basis.unit.is_share else "",
        "scale": scale(CHANCES),
        "chances": [
            (name, figures.chance(share, f"{name}: {chance(share)}"), chance(share))
            for name, share in chances
        ],
    }


def _points_mark(value: float) -> str:
    return f"{100 * value:+.6g}".replace("-", "\N{MINUS SIGN}").replace("+0", "0", 1)


def _expense(found: Costed, report: Report) -> Drawn:
    rows = thinned(found.rows, LISTED_GROUPS)
    ends = [value for row in rows for value in (row.low, row.high)]
    axis = Axis.around([0.0, *ends], finest=1e-6)
    costs = _values(rows, found.basis.unit)
    by = verdicts.by_words(found.by)
    return {
        "kind": "expense",
        "title": f"Expected cost by {by}",
        "by": by,
        "scale": scale(axis, number),
        "rows": [
            {
                "name": row.name,
                "bar": dot(row, axis, f"{row.name}: {costs[row.name][0]}"),
                "value": costs[row.name],
                "group": row,
            }
            for row in rows
        ],
        "left_out": len(found.rows) - len(rows),
    }


DRAWN: Mapping[type, Callable[[Any, Report], Drawn]] = {
    Calibrated: _calibration,
    ConfusionMatrix: _confusion,
    Ranked: _ranking,
    Identified: _shortlist,
    Compared: _comparison,
    Costed: _expense,
    ListAnswer: drawn_lists,
}
