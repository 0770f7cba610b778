"""What the columns of a canonical table are called."""

from collections.abc import Iterable

ID, CATEGORY, LABEL, WEIGHT, PRICE = "id", "category", "label", "weight", "price"
JOINT = "|"
"""Between id and category in an item's name."""
LEFT_OVER = "1 - "
"""Before a column of chances: what it leaves for the only other level."""


def prediction_of(service: str) -> str:
    """The column of a service's answers."""
    return f"prediction:{service}"


def score_of(service: str) -> str:
    """The column of a service's scores."""
    return f"score:{service}"


def verdict_of(service: str) -> str:
    """The column of known verdicts on a service's answers."""
    return f"verdict:{service}"


def probability_of(service: str, cls: str) -> str:
    """The column of a class's probability."""
    return f"probability:{service}:{cls}"


def noisy_of(column: str) -> str:
    """The column of a doubtful label."""
    return f"noisy:{column}"


def payload_of(column: str) -> str:
    """The column of something to show to the person who labels."""
    return f"payload:{column}"


def attribute_of(column: str) -> str:
    """The column of an attribute's raw values."""
    return f"attribute:{column}"


def guess_of(column: str) -> str:
    """The column of the chances of one level of an attribute that is only guessed."""
    return f"guess:{column}"


def gold_of(attribute: str) -> str:
    """The column of the true levels of a guessed attribute."""
    return f"gold:{attribute}"


def truth_columns(columns: Iterable[str]) -> list[str]:
    """The columns that hold labels, verdicts or true levels known from the start."""
    return [name for name in columns if name == LABEL or name.startswith(("verdict:", "gold:"))]
