"""Text tables of answers about groups, comparisons, calibration and confusion."""

import numpy as np

from spotheight.beliefs import Reading
from spotheight.questions import Unit
from spotheight.questions.calibration import Calibrated
from spotheight.questions.certainty import NOT_DECIDED
from spotheight.questions.compare import Compared
from spotheight.questions.confusion import ConfusionMatrix
from spotheight.questions.cost import Costed
from spotheight.questions.identify import Identified
from spotheight.questions.rank import Ranked
from spotheight.questions.values import GroupRow, GroupValues
from spotheight.terminal.text import chance, count, counted, interval, percent, points, table_text

AS_PAIRS_TELL = (
    "The number of each service is as these pairs tell it, so that it goes with the difference; "
    "`status` and `surface` read it from one service alone, and may differ a little."
)

WIDEST_MATRIX = 5
"""More true classes than this do not fit beside each other."""

SHARE = Unit("share")


def amount(value: float) -> str:
    """A cost, with at most three decimals, fewer for large ones.

    >>> amount(0.12345), amount(12.345), amount(12345.6), amount(float("nan"))
    ('0.123', '12.3', '12,346', 'no estimate')
    """
    if value != value:
        return "no estimate"
    digits = 3 if abs(value) < 1 else 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0
    return f"{value:,.{digits}f}"


def written(value: float, unit: Unit) -> str:
    """A number of a unit: shares in percent, costs as they are.

    >>> written(0.8567, Unit("accuracy")), written(0.8567, Unit("cost", is_share=False))
    ('85.7%', '0.857')
    """
    return percent(value) if unit.is_share else amount(value)


def _between(row: GroupRow | Reading, unit: Unit) -> str:
    return f"{written(row.low, unit)} to {written(row.high, unit)}"


def _change(value: float, unit: Unit) -> str:
    """A difference, with its sign."""
    return points(value) if unit.is_share else f"{'+' if value > 0 else ''}{amount(value)}"


def _cells(name: str, row: GroupRow | Reading, unit: Unit) -> list[str]:
    sizes = count(row.n_pool), count(row.n_labelled)
    return [name, *sizes, written(row.mean, unit), _between(row, unit)]


def _value_cells(values: GroupValues, group: int, unit: Unit) -> list[str]:
    return _cells(values.groups.name(group), values.reading(group), unit)


def _value_columns(number: str) -> list[str]:
    return ["group", "items", "labelled", number, "interval"]


def more_rows(hidden: int, what: str) -> str:
    """How many rows are not shown, and how to see them; nothing where all are."""
    shown = f"--most, --csv or --json shows {'it' if hidden == 1 else 'them'}"
    return f"\n({counted(hidden, f'more {what}')}: {shown})" if hidden > 0 else ""


def _labels_alone(value: float) -> str:
    return "-" if value != value else percent(value)


def identified_text(answer: Identified, most: int) -> str:
    """Groups by the probability of being among those looked for; ties by value."""
    value, unit = answer.values.mean, answer.basis.unit
    order = np.lexsort((-value if answer.is_high else value, -answer.probability))[:most]
    rows = [
        [*_value_cells(answer.values, int(group), unit), chance(answer.probability[group])]
        for group in order
    ]
    table = table_text([*_value_columns(unit.heading), "chance"], rows)
    return table + more_rows(len(value) - len(order), "group")


def ranked_text(answer: Ranked, most: int) -> str:
    """Groups from the best to the worst, with credible ranks."""
    unit = answer.basis.unit
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
    columns = [*_value_columns(unit.heading), "mean rank", "interval", "is best", "is worst"]
    return table_text(columns, rows) + more_rows(len(answer.mean) - len(rows), "group")


def costed_text(answer: Costed, most: int) -> str:
    """Expected costs, the highest first."""
    order, unit = answer.order[:most], answer.basis.unit
    rows = [_value_cells(answer.values, int(group), unit) for group in order]
    rows.append(_cells("all items", answer.overall, unit))
    hidden = len(answer.values) - len(order)
    return table_text(_value_columns("cost"), rows) + more_rows(hidden, "group")


# Comparisons.


def compared_text(answer: Compared, most: int) -> str:
    """Both sides, their difference, three verdicts, the decision, and of services the outcomes."""
    unit, names, gap = answer.basis.unit, answer.names, answer.difference
    rows = [_cells(name, side, unit) for name, side in zip(names, answer.sides, strict=True)]
    points_word = " points" if unit.is_share else ""
    difference = (
        f"{names[0]} minus {names[1]}: {_change(gap.mean, unit)}{points_word}, "
        f"{gap.level:.0%} interval {_change(gap.low, unit)} to {_change(gap.high, unit)}."
    )
    table = table_text(["", "items", "labelled", unit.heading, "interval"], rows)
    verdicts = table_text(["verdict", "probability"], _verdicts(answer))
    parts = [table, difference, verdicts, decision_words(answer)]
    if answer.outcomes:
        seen = [[_named(said, names), count(items)] for said, items in answer.outcomes.items()]
        parts += [table_text(["on the labelled items", "items"], seen), AS_PAIRS_TELL]
    return "\n\n".join(parts)


def _verdicts(answer: Compared) -> list[list[str]]:
    rope = answer.rope
    size = f"{100 * rope:g} points" if answer.basis.unit.is_share else f"{rope:g}"
    by = f" by more than {size}" if rope else ""
    alike = f"they differ by no more than {size}" if rope else "both alike"
    return [
        [f"{answer.names[0]} is better{by}", percent(answer.first_better)],
        [alike, percent(answer.equivalent)],
        [f"{answer.names[1]} is better{by}", percent(answer.second_better)],
    ]


def decision_words(answer: Compared) -> str:
    """The decision with the names of both sides, and how sure it is."""
    # A share of draws is never certain.
    sure = "more than 99.9%" if answer.sureness > 0.999 else percent(answer.sureness)
    said = f"{_named(answer.likeliest, answer.names)}, {sure} sure."
    if answer.decision != NOT_DECIDED:
        return f"Decision: {said}"
    return (
        f"Not decided; likeliest is: {said} More labels would tell better (a verdict takes "
        f"{percent(answer.certainty)}: --certainty)."
    )


def _named(text: str, names: tuple[str, str]) -> str:
    """What is said of the first and the second, with their names."""
    word = "the first" if "the first" in text else "the second"
    return text.replace(word, names[0] if word == "the first" else names[1])


# Calibration.


def calibrated_text(answer: Calibrated, most: int) -> str:
    """A row a group; without groups the overall numbers and the reliability table."""
    return _groups_text(answer, most) if answer.by else _bins_text(answer, most)


def _bins_text(answer: Calibrated, most: int) -> str:
    errors, accuracy, metric = answer.errors, answer.accuracy, answer.basis.metric
    facts = {
        "ECE": f"{percent(errors.mean[0])} ({interval(errors.low[0], errors.high[0])}); "
        f"from the labels alone: {percent(answer.plain_errors[0])}",
        metric: f"{percent(accuracy.mean[0])} ({interval(accuracy.low[0], accuracy.high[0])})",
        "mean score": percent(answer.score[0]),
    }
    width = max(map(len, facts))
    lines = [f"{name:<{width}}  {words}" for name, words in facts.items()]
    rows = [
        [
            *_value_cells(answer.bins, place, SHARE),
            percent(answer.bin_score[place]),
            _labels_alone(answer.bin_plain[place]),
        ]
        for place in range(min(most, len(answer.bins)))
    ]
    columns = ["score", "items", "labelled", metric, "interval", "mean score", "labels alone"]
    table = table_text(columns, rows) + more_rows(len(answer.bins) - len(rows), "bin")
    return "\n".join(lines) + "\n\n" + table


def _groups_text(answer: Calibrated, most: int) -> str:
    """The least calibrated first."""
    errors, accuracy = answer.errors, answer.accuracy
    order = np.argsort(-errors.mean, kind="stable")[:most]
    rows = [
        [
            *_value_cells(errors, int(group), SHARE),
            _labels_alone(answer.plain_errors[group]),
            percent(accuracy.mean[group]),
            interval(accuracy.low[group], accuracy.high[group]),
            percent(answer.score[group]),
        ]
        for group in order
    ]
    more = ["labels alone", answer.basis.metric, "interval", "mean score"]
    columns = [*_value_columns("ECE"), *more]
    return table_text(columns, rows) + more_rows(len(errors) - len(order), "group")


# Confusion.


def confusion_text(answer: ConfusionMatrix, most: int) -> str:
    """The matrix where it fits on a line, else the largest confusions."""
    if len(answer.classes) <= WIDEST_MATRIX:
        return _matrix_text(answer)
    return _largest_text(answer, most)


def _matrix_text(answer: ConfusionMatrix) -> str:
    """Answers in the order of the classes, so that what is right stands on the diagonal."""
    rows = [
        [
            answer.answers[row],
            count(answer.n_pool[row]),
            count(answer.n_labelled[row]),
            *(_cell(answer, row, column) for column in range(len(answer.classes))),
        ]
        for row in answer.order
    ]
    classes = [f"truly {name}" for name in answer.classes]
    return table_text(["answer", "items", "labelled", *classes], rows)


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
