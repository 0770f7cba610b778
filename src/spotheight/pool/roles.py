"""Roles: which column of the user's table plays which part."""

from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass, field
from typing import Any

from spotheight.arms import Recipe
from spotheight.errors import InputError, did_you_mean
from spotheight.pool.names import LEFT_OVER, prediction_of, probability_of, score_of

SOLE = "service"
"""What the only service is called when nobody named it."""


YES, NO = "yes", "no"
"""The levels of a guessed attribute that has one column of chances: whether it is there."""


def whether(column: str) -> tuple[tuple[str, str], ...]:
    """Levels and columns of an attribute from the chance that it is there."""
    return ((YES, column), (NO, f"{LEFT_OVER}{column}"))


@dataclass(frozen=True, slots=True)
class Threshold:
    """Answers that are read off a score: one word from a value on, another below it."""

    value: float
    positive: str
    negative: str

    def __post_init__(self) -> None:
        if self.value != self.value:  # only NaN differs from itself
            raise InputError("The threshold is no number; give one such as .5.")
        if self.positive == self.negative:
            raise InputError(
                f"The answer is {self.positive!r} on both sides of the threshold; name two words."
            )


@dataclass(frozen=True, slots=True)
class Service:
    """The columns in which one service answers.

    Args:
        prediction: Its answer; absent where only verdicts or scores are known.
        score: How sure it said it was: any finite number.
        verdict: How good its answer was, in [0,1], where that is known already.
        probabilities: Pairs of a class and the column with its probability.
        words: Pairs of the service's word and the word that labels use for it.
        threshold: How its answer is read off its score, where it has no column of answers.
    """

    name: str
    prediction: str | None = None
    score: str | None = None
    verdict: str | None = None
    probabilities: tuple[tuple[str, str], ...] = ()
    words: tuple[tuple[str, str], ...] = ()
    threshold: Threshold | None = None

    def __post_init__(self) -> None:
        if self.threshold is None:
            return
        if self.score is None:
            raise InputError(
                f"An answer by threshold needs the score of {self.name!r}; name its column with "
                f"--score, and of several services each threshold, as in --threshold a=.5."
            )
        if self.prediction is not None:
            raise InputError(
                f"The service {self.name!r} has a column of answers and a threshold; name one."
            )
        if self.words:
            raise InputError(
                f"The answers of {self.name!r} are the words of its threshold; leave --map away."
            )

    @property
    def answers(self) -> bool:
        """Whether it says what it takes an item for."""
        return self.prediction is not None or self.threshold is not None


def named_services(**fields: Mapping[str, Any]) -> tuple[Service, ...]:
    """A service for every name, from what each field of ``Service`` is for which name.

    >>> named_services(prediction={"a": "pred_a", "b": "pred_b"}, score={"b": "conf"})[1].score
    'conf'
    """
    names = dict.fromkeys(name for named in fields.values() for name in named)
    return tuple(
        Service(name, **{field: named[name] for field, named in fields.items() if name in named})
        for name in names
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """The columns of a table with a row per object in an image, and a row per detection.

    Args:
        service: Who detected it; empty where the row is an object that people annotated.
        box: x, y, width and height as JSON text; of an object that is not vetted, roughly.
        mask: A run-length code as JSON text; may be empty, for all detections or for none.
        score: Of a detection.
        crowd: 1 where an annotation is a region with many objects: these are not vetted.
        height: Of the image, in pixels.
        width: Likewise.
    """

    service: str = "service"
    image: str = "image"
    category: str = "category"
    box: str = "box"
    mask: str = "mask"
    score: str = "score"
    crowd: str = "crowd"
    height: str = "height"
    width: str = "width"


@dataclass(frozen=True, kw_only=True)
class Roles:
    """What each column of the user's table means.

    Args:
        id: The item's name; with ``category`` the two together are.
        services: Who answered, and where.
        attributes: How arms are cut.
        system: In a table with a row per item and service, the column that names the service.
        guesses: For an attribute that is only guessed, levels and the columns with their chances;
            nothing where the attribute's own column is a bare guess. ``1 - COL`` is what is left
            over by the chance of the only other level.
        gold: For an attribute that is only guessed, the column with its true level, where known.
        noisy_label: Doubtful labels, from 0 to 1, one or several sources of them.
        classes: The labels that may be told; empty when anything may.
        judge: Whether people judge answers instead of naming the truth.
        scene: Where objects and detections are, in a table of these.
    """

    id: str | None
    services: tuple[Service, ...]
    attributes: tuple[Recipe, ...] = ()
    system: str | None = None
    guesses: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    gold: Mapping[str, str] = field(default_factory=dict)
    label: str | None = None
    noisy_label: tuple[str, ...] = ()
    category: str | None = None
    weight: str | None = None
    price: str | None = None
    payload: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    judge: bool = False
    scene: Scene | None = None

    def __post_init__(self) -> None:
        if not self.services:
            raise InputError(
                "No service is named; say which column holds its answer (--prediction COL)."
            )
        if self.system is not None and self.id is None:
            raise InputError(
                f"Several rows of the table are one item (the service is in {self.system!r}); "
                f"say which column names the item (--id COL)."
            )
        if self.system is not None and len(self.services) > 1:
            raise InputError(
                f"The column {self.system!r} names the services; give --prediction and --score one "
                f"column each, without NAME=."
            )
        names = [service.name for service in self.services]
        # Engines do not see upper and lower case in the names of columns.
        cases = [name.lower() for name in names]
        doubled = sorted(name for name in names if cases.count(name.lower()) > 1)
        if doubled:
            raise InputError(f"The service {doubled[0]!r} is named twice; give each its own name.")
        columns = [recipe.column for recipe in self.attributes]
        doubled = sorted({name for name in columns if columns.count(name) > 1})
        if doubled:
            raise InputError(f"The attribute {doubled[0]!r} is named twice; name it once.")
        self._check_guesses(columns)

    def _check_guesses(self, columns: Sequence[str]) -> None:
        for name in self.guesses:
            if name not in columns:
                raise InputError(
                    f"The guessed attribute {name!r} is not among the attributes; "
                    f"{did_you_mean(name, columns)}"
                )
            self._check_guess(name)
        for name in self.gold:
            if name not in self.guesses:
                hint = did_you_mean(name, self.guesses)
                if not self.guesses:
                    hint = "name it with --guessed, or its chances with --attribute-probabilities."
                raise InputError(
                    f"True levels are told of attributes that are only guessed, and {name!r} is "
                    f"none; {hint}"
                )

    def _check_guess(self, name: str) -> None:
        """Levels that have chances are named once each, and are not cut from a number."""
        recipe = next(recipe for recipe in self.attributes if recipe.column == name)
        if recipe.is_built_in:
            raise InputError(f"{name} is what the service itself says, and cannot be guessed.")
        levels = [level for level, _ in self.guesses[name]]
        doubled = [level for level in levels if levels.count(level) > 1]
        if doubled:
            raise InputError(
                f"The level {doubled[0]!r} of the attribute {name!r} has two columns of chances; "
                f"name one for each level."
            )
        if levels and recipe != Recipe(name):
            raise InputError(
                f"The attribute {name!r} has chances for its levels and cannot be cut as well "
                f"({recipe}); name it once."
            )

    def service(self, name: str | None = None) -> Service:
        """One service by its name; the first when none is given."""
        names = [service.name for service in self.services]
        if name is not None and name not in names:
            raise InputError(f"There is no service {name!r}; {did_you_mean(name, names)}")
        return self.services[0 if name is None else names.index(name)]


def require_prediction(roles: Roles, service: str) -> str:
    """The canonical column of a service's answers; raise when it gives none."""
    if not roles.service(service).answers:
        raise InputError(
            f"The service {service!r} has no answers to choose items by; "
            f"name their column with --prediction."
        )
    return prediction_of(service)


def require_score(roles: Roles, service: str) -> str:
    """The canonical column of a service's scores; raise when it gives none."""
    if roles.service(service).score is None:
        raise InputError(
            f"The service {service!r} has no score to order items by; name one with --score."
        )
    return score_of(service)


def require_one_service(services: Sized, probabilities: Sized) -> None:
    """Raise where class probabilities would be taken for those of several services."""
    if len(services) > 1 and len(probabilities):
        raise InputError(
            "Class probabilities (--probability CLASS=COL) are those of one service, and "
            f"{len(services)} are named; give that one a campaign of its own."
        )


def require_guesses(roles: Roles, said: str) -> None:
    """Raise unless some attribute is only guessed; ``said`` begins the sentence."""
    if not roles.guesses:
        raise InputError(
            f"{said} is for attributes that are only guessed, and none is; "
            f"name one with --attribute-probabilities NAME=COL, or with --guessed NAME."
        )


def probability_columns(roles: Roles, service: str) -> tuple[str, ...]:
    """The canonical columns of a service's class probabilities, in the order of its classes."""
    return tuple(probability_of(service, cls) for cls, _ in roles.service(service).probabilities)
