"""Answers to questions as a terminal shows them."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from spotheight.beliefs import Reading
from spotheight.questions import (
    NOT_DECIDED,
    Calibrated,
    Compared,
    ConfusionMatrix,
    Costed,
    GroupValues,
    Identified,
    Ranked,
)
from spotheight.terminal.text import chance, count, counted, interval, percent, points, table_text

AS_PAIRS_TELL = (
    "The number of each service is as these pairs tell it, so that it goes with the difference; "
    "`status` and `surface` read it from one service alone, and may differ a little."
)

WIDEST_MATRIX = 5
"""More true classes than this do not fit beside each other."""


@dataclass(frozen=True)
class Unit:
    """How numbers of a quantity are written: shares in percent, costs as they are.

    >>> Unit("accuracy").number(0.8567), Unit("cost", is_share=False).number(0.8567)
    ('85.7%', '0.857')
    """

    name: str
    is_share: bool = True

    def number(self, value: float) -> str:
        """A number of this unit."""
        return percent(value) if self.is_share else amount(value)

    def between(self, low: float, high: float) -> str:
        """An interval."""
        return f"{self.number(low)} to {self.number(high)}"

    def change(self, value: float) -> str:
        """A difference, with its sign."""
        if self.is_share:
            return points(value)
        return f"{'+' if value > 0 else ''}{amount(value)}"

    def size(self, value: float) -> str:
        """How large a difference is."""
        return f"{100 * value:g} points" if self.is_share else f"{value:g}"


COST = Unit("cost", is_share=False)


def amount(value: float) -> str:
    """A cost, with three digits that matter.

    >>> amount(0.12345), amount(12.345), amount(12345.6), amount(float("nan"))
    ('0.123', '12.3', '12,346', 'no estimate')
    """
    if value != value:
        return "no estimate"
    digits = 3 if abs(value) < 1 else 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0
    return f"{value:,.{digits}f}"


def _value_cells(values: GroupValues, group: int, unit: Unit) -> list[str]:
    return [
        values.groups.name(group),
        count(values.n_pool[group]),
        count(values.n_labelled[group]),
        unit.number(values.mean[group]),
        unit.between(values.low[group], values.high[group]),
    ]


def _value_columns(unit: Unit) -> list[str]:
    return ["group", "items", "labelled", unit.name, "interval"]


def more_rows(hidden: int, what: str) -> str:
    """How many rows are not shown, and how to see them; nothing where all are."""
    shown = f"--most, --csv or --json shows {'it' if hidden == 1 else 'them'}"
    return f"\n({counted(hidden, f'more {what}')}: {shown})" if hidden > 0 else ""


def _labels_alone(value: float) -> str:
    return "-" if value != value else percent(value)


def identified_text(answer: Identified, unit: Unit, is_high: bool, most: int) -> str:
    """Groups with the chance that each is among those looked for, which are high or low."""
    value = answer.values.mean
    order = np.lexsort((-value if is_high else value, -answer.probability))[:most]
    rows = [
        [*_value_cells(answer.values, int(group), unit), chance(answer.probability[group])]
        for group in order
    ]
    table = table_text([*_value_columns(unit), "chance"], rows)
    return table + more_rows(len(value) - len(order), "group")


def ranked_text(answer: Ranked, unit: Unit, most: int) -> str:
    """Groups from the best to the worst, with credible ranks."""
    rows = [
        [
            *_value_cells(answer.values, int(group), unit),
            f"{answer.mean[group]:.1f}",
            f"{answer.low[group]:.0f} to {answer.high[group]:.0f}",
            chance(answer.first[group]),
            chance(answer.last[group]),
        ]
        for group in answer.order[:most]
    ]
    columns = [*_value_columns(unit), "mean rank", "interval", "is best", "is worst"]
    return table_text(columns, rows) + more_rows(len(answer.mean) - len(rows), "group")


def costed_text(answer: Costed, unit: Unit, most: int) -> str:
    """Expected costs, the highest first."""
    order = np.argsort(-answer.values.mean, kind="stable")[:most]
    rows = [_value_cells(answer.values, int(group), unit) for group in order]
    rows.append(_side("all items", answer.overall, unit))
    return table_text(_value_columns(unit), rows) + more_rows(
        len(answer.values) - len(order), "group"
    )


def _side(name: str, reading: Reading, unit: Unit) -> list[str]:
    return [
        name,
        count(reading.n_pool),
        count(reading.n_labelled),
        unit.number(reading.mean),
        unit.between(reading.low, reading.high),
    ]


# Comparisons.


def compared_text(
    answer: Compared, names: tuple[str, str], sides: tuple[Reading, Reading], unit: Unit
) -> str:
    """Both sides, their difference, three verdicts, and the decision."""
    rows = [_side(name, side, unit) for name, side in zip(names, sides, strict=True)]
    gap = answer.difference
    points_word = " points" if unit.is_share else ""
    difference = (
        f"{names[0]} minus {names[1]}: {unit.change(gap.mean)}{points_word}, "
        f"{gap.level:.0%} interval {unit.change(gap.low)} to {unit.change(gap.high)}."
    )
    table = table_text(["", "items", "labelled", unit.name, "interval"], rows)
    verdicts = table_text(["verdict", "probability"], _verdicts(answer, names, unit))
    return f"{table}\n\n{difference}\n\n{verdicts}\n\n{decision_words(answer, names)}"


def _verdicts(answer: Compared, names: tuple[str, str], unit: Unit) -> list[list[str]]:
    by = f" by more than {unit.size(answer.rope)}" if answer.rope else ""
    alike = f"they differ by no more than {unit.size(answer.rope)}" if answer.rope else "both alike"
    return [
        [f"{names[0]} is better{by}", percent(answer.first_better)],
        [alike, percent(answer.equivalent)],
        [f"{names[1]} is better{by}", percent(answer.second_better)],
    ]


def decision_words(answer: Compared, names: tuple[str, str]) -> str:
    """The decision with the names of both sides, and how sure it is."""
    # A share of draws is never certain.
    sure = "more than 99.9%" if answer.sureness > 0.999 else percent(answer.sureness)
    said = f"{_named(answer.likeliest, names)}, {sure} sure."
    if answer.decision != NOT_DECIDED:
        return f"Decision: {said}"
    return (
        f"Not decided; likeliest is: {said} More labels would tell better (a verdict takes "
        f"{percent(answer.certainty)}: --certainty)."
    )


def pairs_text(outcomes: Mapping[str, float], names: tuple[str, str]) -> str:
    """Who was right on how many of the labelled items."""
    rows = [[_named(outcome, names), count(items)] for outcome, items in outcomes.items()]
    table = table_text(["on the labelled items", "items"], rows)
    return f"{table}\n\n{AS_PAIRS_TELL}"


def _named(text: str, names: tuple[str, str]) -> str:
    """What is said of the first and the second, with their names."""
    word = "the first" if "the first" in text else "the second"
    return text.replace(word, names[0] if word == "the first" else names[1])


# Calibration.


def calibrated_text(answer: Calibrated, metric: str, most: int) -> str:
    """The overall numbers and the reliability table."""
    errors, accuracy = answer.errors, answer.accuracy
    facts = {
        "ECE": f"{percent(errors.mean[0])} ({interval(errors.low[0], errors.high[0])}); "
        f"from the labels alone: {percent(answer.plain[0])}",
        metric: f"{percent(accuracy.mean[0])} ({interval(accuracy.low[0], accuracy.high[0])})",
        "mean score": percent(answer.score[0]),
    }
    width = max(map(len, facts))
    lines = [f"{name:<{width}}  {words}" for name, words in facts.items()]
    rows = [_bin_cells(answer, place, metric) for place in range(min(most, len(answer.bins)))]
    columns = ["score", "items", "labelled", metric, "interval", "mean score", "labels alone"]
    table = table_text(columns, rows) + more_rows(len(answer.bins) - len(rows), "bin")
    return "\n".join(lines) + "\n\n" + table


def _bin_cells(answer: Calibrated, place: int, metric: str) -> list[str]:
    return [
        *_value_cells(answer.bins, place, Unit(metric)),
        percent(answer.bin_score[place]),
        _labels_alone(answer.bin_plain[place]),
    ]


def calibrated_groups_text(answer: Calibrated, metric: str, most: int) -> str:
    """A row a group, the least calibrated first."""
    errors, accuracy = answer.errors, answer.accuracy
    order = np.argsort(-errors.mean, kind="stable")[:most]
    rows = [
        [
            *_value_cells(errors, int(group), Unit("ECE")),
            _labels_alone(answer.plain[group]),
            percent(accuracy.mean[group]),
            interval(accuracy.low[group], accuracy.high[group]),
            percent(answer.score[group]),
        ]
        for group in order
    ]
    columns = [*_value_columns(Unit("ECE")), "labels alone", metric, "interval", "mean score"]
    return table_text(columns, rows) + more_rows(len(errors) - len(order), "group")


# Confusion.


def confusion_text(answer: ConfusionMatrix, most: int) -> str:
    """The matrix where it fits on a line, else the largest confusions."""
    if len(answer.classes) <= WIDEST_MATRIX:
        return _matrix_text(answer)
    return _largest_text(answer, most)


def _matrix_text(answer: ConfusionMatrix) -> str:
    """Answers in the order of the classes, so that what is right stands on the diagonal."""
    place = {name: number for number, name in enumerate(answer.classes)}
    order = sorted(
        range(len(answer.answers)), key=lambda row: place.get(answer.answers[row], len(place))
    )
    rows = [
        [
            answer.answers[row],
            count(answer.n_pool[row]),
            count(answer.n_labelled[row]),
            *(_cell(answer, row, column) for column in range(len(answer.classes))),
        ]
        for row in order
    ]
    return table_text(
        ["answer", "items", "labelled", *(f"truly {name}" for name in answer.classes)], rows
    )


def _cell(answer: ConfusionMatrix, row: int, column: int) -> str:
    low, high = answer.low[row, column], answer.high[row, column]
    return f"{percent(answer.mean[row, column])} ({100 * low:.0f} to {100 * high:.0f})"


def _largest_text(answer: ConfusionMatrix, most: int) -> str:
    """Wrong pairs by how many items are expected to be such."""
    is_wrong = np.array([[a != t for t in answer.classes] for a in answer.answers])
    items = np.where(is_wrong, answer.mean * answer.n_pool[:, None], -1.0)
    pairs = int(is_wrong.sum())
    order = np.argsort(-items, axis=None, kind="stable")[: min(most, pairs)]
    rows = [_confusion(answer, *divmod(int(place), len(answer.classes))) for place in order]
    columns = ["answer", "truth", "items", "labelled", "share", "interval", "expected"]
    return table_text(columns, rows) + more_rows(pairs - len(rows), "pair")


def _confusion(answer: ConfusionMatrix, row: int, column: int) -> list[str]:
    mean = answer.mean[row, column]
    return [
        answer.answers[row],
        answer.classes[column],
        count(answer.n_pool[row]),
        count(answer.n_labelled[row]),
        percent(mean),
        interval(answer.low[row, column], answer.high[row, column]),
        f"{mean * answer.n_pool[row]:,.1f} items",
    ]
