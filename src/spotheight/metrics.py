"""What counts, and what is a hit: from a label and an answer to a number in [0,1]."""

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from spotheight.errors import InputError
from spotheight.types import BoolArray, FloatArray, TextArray

Kind = Literal["class", "number", "verdict"]
Labels = NDArray[Any]
"""Classes as text, or numbers, as the metric reads them."""


class Metric(Protocol):
    """Two questions about a label and an answer: does it count, and is it a hit?"""

    @property
    def reads(self) -> Kind:
        """What a label is: a class, a number, or a verdict on the answer itself."""
        ...

    @property
    def only_predicted(self) -> str | None:
        """The answer to which the metric is restricted, where that is known before labelling."""
        ...

    @property
    def always_counts(self) -> bool:
        """Whether every item of that population counts, whatever its label."""
        ...

    @property
    def is_error(self) -> bool:
        """Whether a hit is bad news."""
        ...

    def counts(self, prediction: TextArray, label: Labels) -> BoolArray:
        """Whether each pair counts."""
        ...

    def hit(self, prediction: TextArray, label: Labels) -> FloatArray:
        """How much of a hit each pair is, from 0 to 1; an empty answer is a miss."""
        ...


class _Plain:
    """Every item counts and labels are classes: what most metrics say."""

    reads: Kind = "class"
    only_predicted: str | None = None
    always_counts = True
    is_error = False
    words = ""
    """What it is called, with the values of its fields."""

    def __str__(self) -> str:
        return self.words.format(**vars(self))

    def counts(self, prediction: TextArray, label: Labels) -> BoolArray:
        return np.ones(len(prediction), dtype=bool)


@dataclass(frozen=True)
class Accuracy(_Plain):
    """The share of items on which the answer is the label.

    >>> Accuracy().hit(np.array(["a", None]), np.array(["a", "b"]))
    array([1., 0.])
    """

    words = "accuracy"

    def hit(self, prediction: TextArray, label: Labels) -> FloatArray:
        return np.asarray(prediction == label, dtype=float)


@dataclass(frozen=True)
class Recall(_Plain):
    """Of the items that truly are ``cls``, the share that the service found."""

    words = "recall of {cls}"
    cls: str
    always_counts = False

    def counts(self, prediction: TextArray, label: Labels) -> BoolArray:
        return np.asarray(label == self.cls, dtype=bool)

    def hit(self, prediction: TextArray, label: Labels) -> FloatArray:
        return np.asarray(prediction == self.cls, dtype=float)


@dataclass(frozen=True)
class Precision(_Plain):
    """Of the items that the service calls ``cls``, the share that truly are."""

    words = "precision of {cls}"
    cls: str

    @property
    def only_predicted(self) -> str | None:  # type: ignore[override]
        return self.cls

    def hit(self, prediction: TextArray, label: Labels) -> FloatArray:
        return np.asarray(label == self.cls, dtype=float)


@dataclass(frozen=True)
class FalsePositiveRate(_Plain):
    """Of the items that truly are not ``cls``, the share that the service calls so."""

    words = "false-positive rate of {cls}"
    cls: str
    always_counts = False
    is_error = True

    def counts(self, prediction: TextArray, label: Labels) -> BoolArray:
        return np.asarray(label != self.cls, dtype=bool)

    def hit(self, prediction: TextArray, label: Labels) -> FloatArray:
        return np.asarray(prediction == self.cls, dtype=float)


@dataclass(frozen=True)
class Agreement(_Plain):
    """How many words of answer and label agree: the F1 of their words, in [0,1].

    For single words it is the accuracy without regard to case.

    >>> Agreement().hit(np.array(["the red car"]), np.array(["a red car"])).round(2)
    array([0.67])
    """

    words = "agreement of words"

    def hit(self, prediction: TextArray, label: Labels) -> FloatArray:
        pairs = zip(prediction, label, strict=True)
        return np.array([_shared_words(answer, truth) for answer, truth in pairs])


def _shared_words(answer: str | None, truth: str | None) -> float:
    ours, theirs = (Counter(re.findall(r"\w+", (text or "").lower())) for text in (answer, truth))
    shared = (ours & theirs).total()
    both = ours.total() + theirs.total()
    return 2 * shared / both if both else 0.0


@dataclass(frozen=True)
class Closeness(_Plain):
    """How near a numeric answer is to a numeric label: 1 - |answer - label| / scale, at least 0."""

    words = "closeness within {scale:g}"
    scale: float = 1.0
    reads = "number"

    def __post_init__(self) -> None:
        if not self.scale > 0:
            raise InputError(f"The scale of closeness must be positive, got {self.scale}.")

    def hit(self, prediction: TextArray, label: Labels) -> FloatArray:
        answer = np.array([_number(text) for text in prediction])
        near = 1 - np.abs(answer - np.asarray(label, dtype=float)) / self.scale
        return np.nan_to_num(np.clip(near, 0, 1))


def _number(text: str | None) -> float:
    try:
        return float(text) if text is not None else float("nan")
    except ValueError:
        return float("nan")


@dataclass(frozen=True)
class Number(_Plain):
    """A number per item, such as a rating, scaled from [low, high] to [0,1]."""

    words = "number from {low:g} to {high:g}"
    low: float = 0.0
    high: float = 1.0
    reads = "number"

    def __post_init__(self) -> None:
        if not self.high > self.low:
            raise InputError(f"A number needs low < high, got {self.low:g} and {self.high:g}.")

    def hit(self, prediction: TextArray, label: Labels) -> FloatArray:
        values = np.asarray(label, dtype=float)
        outside = (values < self.low) | (values > self.high)
        if outside.any():
            raise InputError(
                f"The number {values[outside][0]:g} lies outside {self.low:g} to {self.high:g}."
            )
        return (values - self.low) / (self.high - self.low)


@dataclass(frozen=True)
class Verdict(_Plain):
    """What people said of the answer itself, from 0 to 1: for free text, where no key exists."""

    words = "share judged right"
    reads = "verdict"

    def hit(self, prediction: TextArray, label: Labels) -> FloatArray:
        return np.asarray(label, dtype=float)
