"""Answers as the page shows them: figures drawn, numbers and sentences written."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from spotheight.page import figures, verdicts
from spotheight.page.charts import chance, digits_for, interval, percent
from spotheight.page.drawing import Axis, text_of
from spotheight.page.figures import CHANCES, Estimate, dot, scale
from spotheight.page.lists import drawn_lists
from spotheight.page.verdicts import number
from spotheight.report.answers import Answer, Unanswered
from spotheight.report.basis import Measure
from spotheight.report.calibration import Calibrations, Reliability
from spotheight.report.comparison import Comparison
from spotheight.report.confusion import ConfusionTable
from spotheight.report.expense import Expense
from spotheight.report.lists import ListTable
from spotheight.report.ranking import Ranking, RankRow
from spotheight.report.rows import SILENT, GroupRow
from spotheight.report.shortlist import Shortlist
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

COST = Measure("expected cost", is_share=False, is_bad_high=True)

Drawn = dict[str, Any]


def drawn(answer: Answer, report: Report) -> Drawn:
    """All that the template needs of an answer; ``kind`` names the macro that shows it."""
    match answer:
        case ConfusionTable():
            return _confusion(answer, report)
        case ListTable():
            return drawn_lists(answer)
        case Unanswered():
            return {"kind": "unanswered", "title": answer.question, "finding": answer.reason}
    return _drawn_groups(answer)


def _drawn_groups(answer: Reliability | Ranking | Shortlist | Comparison | Expense) -> Drawn:
    match answer:
        case Reliability():
            return _reliability(answer)
        case Ranking():
            return _ranking(answer)
        case Shortlist():
            return _shortlist(answer)
        case Comparison():
            return _comparison(answer)
        case Expense():
            return _expense(answer)


def _reliability(found: Reliability) -> Drawn:
    by = verdicts.by_words(found.by)
    return {
        "kind": "calibration",
        "title": f"Calibration by {by}" if by else "Calibration",
        "basis": verdicts.basis_words(found.basis),
        "finding": verdicts.calibration_finding(found),
        "plain": verdicts.plain_words(found),
        "diagram": figures.reliability(found.bins, _diagram_words(found)),
        "histogram": figures.histogram(found.bins, "How many items have which score"),
        "density": _error_density(found),
        "by": by,
        **(_groups(found, by) if found.groups else {"groups": ()}),
    }


def _diagram_words(found: Reliability) -> str:
    bins = "; ".join(map(figures.bin_words, found.bins))
    return f"Reliability diagram: accuracy against score\n{bins}."


def _error_density(found: Reliability) -> str:
    error, curve = found.whole.error, found.error
    estimate = Estimate(error.mean, error.low, error.high, found.whole.plain)
    axis = Axis.around([0.0, curve.values[-1], error.high, found.whole.plain])
    words = (
        f"Where the calibration error lies\n{percent(error.mean, 1)} "
        f"({interval(error.low, error.high)}); {verdicts.plain_words(found)}"
    )
    return text_of(figures.density(curve, axis, estimate, words))


def _groups(found: Reliability, by: str) -> Drawn:
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


def _standing_out(rows: Sequence[Calibrations]) -> dict[str, str]:
    """The least and the most accurate ones by name."""
    most = min(STANDING_OUT, max(1, len(rows) // 3))
    names = [each.error.name for each in rows]
    others = dict.fromkeys(names, "other") if len(names) <= ALL_NAMED else {}
    return others | dict.fromkeys(names[-most:], "fine") | dict.fromkeys(names[:most], "poor")


def _group(each: Calibrations, axes: tuple[Axis, Axis]) -> Drawn:
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


def _confusion(found: ConfusionTable, report: Report) -> Drawn:
    is_accuracy = report.metric == "accuracy"
    overall = report.overall.mean if is_accuracy else float("nan")
    return {
        "kind": "confusion",
        "title": "What is mistaken for what",
        "basis": verdicts.basis_words(found.basis),
        "finding": verdicts.confusion_finding(found),
        "warning": verdicts.confusion_warning(found, overall),
        "classes": found.classes,
        "rows": _confusion_rows(found) if found.mean else (),
        "largest": found.largest,
        "n_answers": len(found.answers),
    }


def _confusion_rows(found: ConfusionTable) -> list[Drawn]:
    wrong = [
        share
        for answer, row in zip(found.answers, found.mean, strict=True)
        for cls, share in zip(found.classes, row, strict=True)
        if cls != answer and answer != SILENT
    ]
    cell = partial(_confusion_cell, found, max(wrong, default=1.0))
    return [
        {
            "name": answer,
            "cells": [cell(row, column) for column in range(len(found.classes))],
            "n_pool": found.n_pool[row],
            "n_labelled": found.n_labelled[row],
        }
        for row, answer in enumerate(found.answers)
    ]


def _confusion_cell(found: ConfusionTable, most: float, row: int, column: int) -> tuple[str, ...]:
    """Class, number and tooltip; what only the prior allows for is left blank."""
    answer, cls = found.answers[row], found.classes[column]
    share = found.mean[row][column]
    words = (
        f"called {answer}, truly {cls}: {percent(share)} "
        f"({interval(found.low[row][column], found.high[row][column])})"
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


def _ranking(found: Ranking) -> Drawn:
    axis = Axis.around([1, max(2, len(found.rows))], finest=1)
    is_named = len(found.rows) <= NAMED_RANKS
    words = f"Ranks by {found.measure.name}\n{verdicts.ranking_finding(found)}"
    ends = (found.rows[:RANK_ENDS], found.rows[-RANK_ENDS:])
    values = _values((row.group for row in found.rows), found.measure)
    return {
        "kind": "ranking",
        "title": f"Ranks by {found.measure.name}",
        "basis": verdicts.basis_words(found.basis),
        "finding": verdicts.ranking_finding(found),
        "noun": found.noun,
        "measure": found.measure.name,
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


def _values(rows: Iterable[GroupRow], measure: Measure) -> dict[str, tuple[str, str]]:
    """The number and the interval of each row by its name, costs with the same digits."""
    rows = list(rows)
    if measure.is_share:
        return {row.name: _share(row) for row in rows}
    write = verdicts.costs_like(row.high for row in rows)
    return {row.name: (write(row.mean), f"{write(row.low)} to {write(row.high)}") for row in rows}


def _share(row: GroupRow) -> tuple[str, str]:
    return percent(row.mean, digits_for(row.low, row.high)), interval(row.low, row.high)


def _shortlist(found: Shortlist) -> Drawn:
    values = _values((each.group for each in found.candidates), found.measure)
    rows = [
        {
            "name": each.group.name,
            "bar": figures.chance(
                each.probability, f"{each.group.name}: {percent(each.probability)}"
            ),
            "probability": chance(each.probability),
            "value": values[each.group.name],
            "group": each.group,
            "is_chosen": each.group.name in found.chosen,
        }
        for each in found.candidates
    ]
    return {
        "kind": "shortlist",
        "title": verdicts.shortlist_title(found),
        "basis": verdicts.basis_words(found.basis),
        "finding": verdicts.shortlist_finding(found),
        "extreme": verdicts.place_words(found),
        "measure": found.measure.name,
        "scale": scale(CHANCES),
        "rows": rows,
        "left_out": found.n_groups - len(rows),
    }


def _comparison(found: Comparison) -> Drawn:
    difference = found.difference
    estimate = Estimate(difference.mean, difference.low, difference.high)
    words = f"Where the difference lies\n{verdicts.comparison_finding(found)}"
    write = _points_mark if found.measure.is_share else number
    chances = (
        (f"{found.first} is better", found.first_better),
        ("practically equivalent", found.equivalent),
        (f"{found.second} is better", found.second_better),
    )
    return {
        "kind": "comparison",
        "title": verdicts.comparison_title(found),
        "basis": verdicts.basis_words(found.basis),
        "finding": verdicts.comparison_finding(found),
        "rope": verdicts.rope_words(found),
        "figure": figures.difference(found.density, estimate, found.rope, words, write),
        "unit": "in points" if found.measure.is_share else "",
        "scale": scale(CHANCES),
        "chances": [
            (name, figures.chance(share, f"{name}: {chance(share)}"), chance(share))
            for name, share in chances
        ],
    }


def _points_mark(value: float) -> str:
    return f"{100 * value:+.6g}".replace("-", "\N{MINUS SIGN}").replace("+0", "0", 1)


def _expense(found: Expense) -> Drawn:
    rows = thinned(found.rows, LISTED_GROUPS)
    ends = [value for row in rows for value in (row.low, row.high)]
    axis = Axis.around([0.0, *ends], finest=1e-6)
    costs = _values(rows, COST)
    by = verdicts.by_words(found.by)
    return {
        "kind": "expense",
        "title": f"Expected cost by {by}",
        "basis": verdicts.basis_words(found.basis),
        "finding": verdicts.expense_finding(found),
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
