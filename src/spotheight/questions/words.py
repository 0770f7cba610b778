"""Number formats: shares, chances, intervals, costs and counts as sentences have them."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from math import floor, isnan, log10

from spotheight.questions.numbers import tidy

Write = Callable[[float], str]
"""How a number is written."""

RARE = 0.001
"""Below this a chance is easier read as one in so many."""

MINUS = "\N{MINUS SIGN}"


def percent(value: float, digits: int = 0) -> str:
    """A share in percent; only what is exactly 0 or 1 is written as 0% or 100%.

    >>> percent(0.857), percent(0.9972), percent(0.99996), percent(0.9999999999999998)
    ('86%', '99.7%', '>99.9%', '100%')
    """
    return "no estimate" if isnan(value) else f"{_hundredths(tidy(value), digits)}%"


def _hundredths(value: float, digits: int) -> str:
    text = f"{100 * value:.{digits}f}"
    if not 0 < value < 1 or 0 < float(text) < 100:
        return text
    fine = f"{100 * value:.1f}"
    return {"0.0": "<0.1", "100.0": ">99.9"}.get(fine, fine)


def one_in(chance: float) -> str:
    """A small chance as people read it.

    >>> one_in(6.67e-05), one_in(0.0005)
    ('1 in 15,000', '1 in 2,000')
    """
    turns = 1 / chance
    return f"1 in {round(turns, 2 - len(str(int(turns)))):,.0f}"


def chance(probability: float) -> str:
    """A probability that comes from draws, so that neither 0 nor 1 is certain.

    >>> chance(0.0), chance(0.27), chance(6.67e-05), chance(1.0)
    ('<0.1%', '27%', '1 in 15,000', '>99.9%')
    """
    if 0 < probability < RARE:
        return one_in(probability)
    return percent(min(max(probability, 1e-9), 1 - 1e-9))


def interval(low: float, high: float) -> str:
    """Both ends in percent, with a decimal where they would otherwise look the same.

    >>> interval(0.84, 0.88), interval(0.861, 0.869)
    ('84 to 88%', '86.1 to 86.9%')
    """
    if isnan(low) or isnan(high):
        return "no interval"
    digits = digits_for(low, high)
    return f"{100 * low:.{digits}f} to {100 * high:.{digits}f}%"


def digits_for(low: float, high: float) -> int:
    """Decimals that a number with this interval deserves, in percent."""
    return 1 if 0 < high - low < 0.02 else 0


def points(value: float) -> str:
    """A difference of shares, in points with its sign; a dash where it is not known."""
    if value != value:
        return "-"
    return f"{100 * value:+.1f}".replace("-", MINUS).replace("+0.0", "0.0")


def costs_like(values: Iterable[float]) -> Write:
    """A way to write costs, all with the digits that the largest of them needs.

    >>> write = costs_like([3.164, 0.0408])
    >>> write(3.164), write(0.0408), write(-12.5)
    ('3.16', '0.04', '\N{MINUS SIGN}12.50')
    """
    largest = max((abs(value) for value in values), default=1.0)
    digits = 2 - floor(log10(largest)) if largest > 0 else 0
    return partial(_fixed, digits=min(max(digits, 0), 6))


def _fixed(value: float, digits: int) -> str:
    text = f"{value:,.{digits}f}"
    return (text if float(text.replace(",", "")) else text.lstrip("-")).replace("-", MINUS)


def number(value: float) -> str:
    """A mark on an axis of costs.

    >>> number(0.5), number(-2000)
    ('0.5', '\N{MINUS SIGN}2,000')
    """
    return f"{value:,.6g}".replace("-", MINUS)


def count(number: float) -> str:
    """A count with thousands set apart; expected counts keep one digit.

    >>> count(12000.0), count(2.75)
    ('12,000', '2.8')
    """
    # Expected items are sums of many chances, and whole only up to the last digits.
    return f"{number:,.0f}" if round(float(number), 6).is_integer() else f"{number:,.1f}"


def counted(number: float, noun: str) -> str:
    """A number of things.

    >>> counted(0, "label"), counted(1, "item")
    ('no labels', '1 item')
    """
    return f"{count(number) if number else 'no'} {noun}{'' if number == 1 else 's'}"


def listed(names: Sequence[str], link: str = "and") -> str:
    """Names in a row, as one says them.

    >>> listed(["ink", "size", "slant"])
    'ink, size and slant'
    """
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {link} {names[-1]}"
