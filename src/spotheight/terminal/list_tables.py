"""Text tables of ranked lists: services, gaps and categories."""

import numpy as np

from spotheight.beliefs.surface import INSUFFICIENT
from spotheight.questions.certainty import CERTAINTY
from spotheight.questions.listanswer import Gap, ListAnswer
from spotheight.terminal.tables import more_rows
from spotheight.terminal.text import chance, count, interval, percent, points, table_text


def lists_text(answer: ListAnswer, most: int) -> str:
    """Services and their gaps, or services and their lists."""
    rest = gaps_text(answer) if answer.ranks_services else list_categories_text(answer, most)
    return f"{list_services_text(answer)}\n\n{rest}"


def list_services_text(answer: ListAnswer) -> str:
    """The mean over categories of every service, the best first."""
    rows = []
    for place in answer.order:
        overall = answer.overall[place]
        rows.append([
            answer.services[place],
            _of(answer.n_vetted[place].sum(), answer.n_items[place].sum()),
            percent(overall.mean),
            _within(overall.low, overall.high),
            *_true_items(answer, float(answer.positives.sum())),
            INSUFFICIENT if answer.overall_status[place] == INSUFFICIENT else "",
        ])  # fmt: skip
    columns = ["service", "vetted of listed", f"mean {answer.metric}", "interval"]
    return table_text([*columns, *_true_column(answer), ""], rows)


def list_categories_text(answer: ListAnswer, most: int) -> str:
    """A row a list, the worst first."""
    status = answer.status
    shown = np.where(answer.n_vetted + answer.is_enough > 0, answer.mean, np.nan)
    order = np.argsort(shown, axis=None, kind="stable")  # what is not known comes last
    rows = []
    for place in order[:most]:
        service, category = divmod(int(place), len(answer.categories))
        at = (service, category)
        rows.append([
            answer.categories[category],
            answer.services[service],
            _of(answer.n_vetted[at], answer.n_items[at]),
            percent(shown[at]),
            _within(answer.low[at], answer.high[at]),
            *_true_items(answer, float(answer.positives[category])),
            str(status[at]),
        ])  # fmt: skip
    columns = ["category", "service", "vetted of listed", answer.metric, "interval"]
    table = table_text([*columns, *_true_column(answer), "status"], rows)
    return table + more_rows(shown.size - len(rows), "list")


def _of(vetted: int, items: int) -> str:
    return f"{count(vetted)} of {count(items)}"


def _within(low: float, high: float) -> str:
    return "-" if low != low else interval(low, high)


def _true_column(answer: ListAnswer) -> list[str]:
    """Average precision depends on how many true items there are, so it is said beside it."""
    if not answer.is_about_positives:
        return []
    return ["true items" if answer.knows_positives else "true items (estimated)"]


def _true_items(answer: ListAnswer, number: float) -> list[str]:
    if not answer.is_about_positives:
        return []
    return [count(number) if answer.knows_positives else f"{number:,.1f}"]


def gaps_text(answer: ListAnswer) -> str:
    """How far services are apart, how sure their order is, and what to make of it."""
    rows = []
    for gap in answer.ordered_gaps:
        between, has_draws = gap.difference, gap.difference.low == gap.difference.low
        rows.append([
            f"{gap.first} - {gap.second}",
            points(between.mean) if between.mean == between.mean else "-",
            f"{points(between.low)} to {points(between.high)}" if has_draws else "-",
            chance(gap.first_above) if has_draws else "-",
            chance(gap.tie) if has_draws else "-",
            gap_words(gap),
        ])  # fmt: skip
    columns = ["gap", "points", "interval", "is above", "is tied", ""]
    return table_text(columns, rows)


def gap_words(gap: Gap) -> str:
    """The verdict on two services, ties said aloud."""
    if gap.difference.mean != gap.difference.mean:
        return "nothing is vetted that could tell"
    if gap.tie > 0.5:
        return f"{gap.first} and {gap.second} are tied"
    if gap.difference.low != gap.difference.low:
        return "no interval, so the order is a guess"
    if gap.first_above < CERTAINTY:
        return f"not decided: {gap.first} may be above {gap.second}"
    return f"{gap.first} is above {gap.second}"
