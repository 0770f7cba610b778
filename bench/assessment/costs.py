"""Cost matrices for 20 Newsgroups, made as the paper made its own for CIFAR-100."""

import numpy as np

from spotheight.types import FloatArray

TOPICS = (
    "religion", "computers", "computers", "computers", "computers", "computers", "sale", "leisure",
    "leisure", "leisure", "leisure", "science", "science", "science", "science", "religion",
    "politics", "politics", "politics", "religion",
)  # fmt: skip
"""Of the twenty groups in the order of their names, alt.atheism to talk.religion.misc."""

HUMAN = ("religion", "politics")
"""Where posts are about people: in the place of the paper's man, woman, boy, girl and baby."""


def cost_matrix(kind: str, expensive: float) -> FloatArray:
    """What each answer costs for each true class: 0, 1, or as much as an expensive mistake.

    Args:
        kind: ``human``: mistaking a post about people for anything else is expensive; ``topic``:
            leaving the topic is.
        expensive: The cost of such a mistake.
    """
    topic = np.array(TOPICS)
    if kind == "human":
        is_expensive = np.broadcast_to(np.isin(topic, HUMAN), (len(topic), len(topic)))
    else:
        is_expensive = topic[:, None] != topic[None, :]
    return np.where(np.eye(len(topic), dtype=bool), 0.0, np.where(is_expensive, expensive, 1.0))
