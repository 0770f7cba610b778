"""Column names of a canonical table."""

from collections.abc import Iterable

ID, CATEGORY, LABEL, WEIGHT, PRICE = "id", "category", "label", "weight", "price"
JOINT = "|"
"""Between id and category in an item's name."""
LEFT_OVER = "1 - "
"""Before a column of chances: what it leaves for the only other level."""

prediction_of = "prediction:{}".format
"""A service's answers."""
score_of = "score:{}".format
"""A service's scores."""
verdict_of = "verdict:{}".format
"""Known verdicts on a service's answers."""
probability_of = "probability:{}:{}".format
"""By service and class: the class's probability."""
noisy_of = "noisy:{}".format
"""A doubtful label, by the user's column, like what follows."""
payload_of = "payload:{}".format
"""Something to show to the person who labels."""
attribute_of = "attribute:{}".format
"""An attribute's raw values."""
guess_of = "guess:{}".format
"""The chances of one level of an attribute that is only guessed."""
gold_of = "gold:{}".format
"""The true levels of a guessed attribute."""


def truth_columns(columns: Iterable[str]) -> list[str]:
    """The columns that hold labels, verdicts or true levels known from the start."""
    return [name for name in columns if name == LABEL or name.startswith(("verdict:", "gold:"))]
