"""Parser of roles: which column plays which part, as people write it."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from spotheight.arms import Recipe
from spotheight.errors import InputError
from spotheight.exchange.named import by_name
from spotheight.pool.reading.fetch import fetched
from spotheight.pool.reading.source import open_source
from spotheight.pool.roles import (
    SOLE,
    Roles,
    Threshold,
    named_services,
    require_one_service,
    whether,
)

_OPPOSITES = {"yes": "no", "true": "false", "1": "0", "positive": "negative"}

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True)
class WrittenRoles:
    """Which column plays which part, each as a text; ``read`` makes ``Roles`` of it.

    The fields are called like the options of ``spotheight init``, whose help says what they mean.
    """

    id: str | None = None
    prediction: tuple[str, ...] = ()
    score: tuple[str, ...] = ()
    threshold: tuple[str, ...] = ()
    positive: str | None = None
    negative: str | None = None
    verdict: tuple[str, ...] = ()
    probability: tuple[str, ...] = ()
    map: tuple[str, ...] = ()
    system: str | None = None
    attribute: tuple[str, ...] = ()
    attribute_probabilities: tuple[str, ...] = ()
    guessed: tuple[str, ...] = ()
    gold: tuple[str, ...] = ()
    label: str | None = None
    noisy_label: tuple[str, ...] = ()
    category: str | None = None
    weight: str | None = None
    price: str | None = None
    payload: tuple[str, ...] = ()
    classes: str | None = None
    judge: bool = False

    @property
    def given(self) -> list[str]:
        """The options that say something, as they are written."""
        said = (field.name for field in fields(self) if getattr(self, field.name))
        return [f"--{name.replace('_', '-')}" for name in said]

    def read(self) -> Roles:
        """The roles; raise for what cannot be read or does not go together."""
        services = self._services()
        guesses = read_guesses(self.attribute_probabilities, self.guessed)
        attributes = tuple(Recipe.parse(text) for text in self.attribute)
        cut = {recipe.column for recipe in attributes}
        return Roles(
            id=self.id,
            services=named_services(**services),
            attributes=(*attributes, *(Recipe(name) for name in guesses if name not in cut)),
            guesses=guesses,
            gold=by_name(
                self.gold,
                form="--gold {} should read NAME=COL.",
                twice="--gold is given twice for {}; name one column for it.",
            ),
            system=self.system,
            label=self.label,
            noisy_label=self.noisy_label,
            category=self.category,
            weight=self.weight,
            price=self.price,
            payload=self.payload,
            classes=_classes(self.classes),
            judge=self.judge,
        )

    def _services(self) -> dict[str, dict[str, Any]]:
        """What is said of each service, by field and name."""
        columns: dict[str, dict[str, Any]] = {
            name: by_name(
                getattr(self, name),
                twice=f"--{name} is given twice for {{}}; "
                f"name each service: --{name} a=COL --{name} b=COL.",
                sole=SOLE,
            )
            for name in ("prediction", "score", "threshold", "verdict", "map")
        }
        maps = columns.pop("map")
        names = list(dict.fromkeys(name for named in columns.values() for name in named))
        require_one_service(names, self.probability)
        strange = sorted(set(maps) - set(names))
        if strange:
            raise InputError(f"--map names the service {strange[0]!r}, which has no --prediction.")
        pairs = _probabilities(self.probability)
        words = self._words_of_threshold(is_needed=bool(columns["threshold"]))
        return {
            **columns,
            "threshold": {n: _threshold(text, words) for n, text in columns["threshold"].items()},
            "probabilities": dict.fromkeys(names, pairs),
            "words": {name: _words(Path(path)) for name, path in maps.items()},
        }

    def _words_of_threshold(self, *, is_needed: bool) -> tuple[str, str]:
        """The answer from the threshold on, and the one below it."""
        positive, negative = self.positive, self.negative
        if not is_needed:
            if positive or negative:
                raise InputError("--positive and --negative go with --threshold VALUE; add it.")
            return "", ""
        if not positive:
            raise InputError("Say what the answer is from the threshold on, as in --positive yes.")
        others = [cls for cls in _classes(self.classes) if cls != positive]
        other = others[0] if len(others) == 1 else _OPPOSITES.get(positive)
        if not (negative or other):
            raise InputError(
                f"Say what the answer is below the threshold, where it is not {positive!r}: "
                f"--negative WORD."
            )
        return positive, negative or str(other)


def read_guesses(chances: Sequence[str], bare: Sequence[str]) -> dict[str, Pairs]:
    """``NAME=COL`` for whether it is there, ``NAME:LEVEL=COL`` for each of several levels."""
    guesses: dict[str, Pairs] = dict.fromkeys(bare, ())
    whole = set(bare)
    for text in chances:
        left, equals, column = text.partition("=")
        name, colon, level = left.partition(":")
        if not equals or not name or not column or (colon and not level):
            raise InputError(
                f"--attribute-probabilities {text!r} should read NAME=COL or NAME:LEVEL=COL."
            )
        fresh = ((level, column),) if colon else whether(column)
        if name in guesses and (not colon or name in whole):
            raise InputError(f"The guessed attribute {name!r} is named twice; name it once.")
        if not colon:
            whole.add(name)
        guesses[name] = (*guesses.get(name, ()), *fresh)
    return guesses


def _threshold(text: str, words: tuple[str, str]) -> Threshold:
    try:
        return Threshold(float(text), *words)
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"--threshold {text!r} is no number; give one such as .5.") from None


def _probabilities(texts: Sequence[str]) -> Pairs:
    pairs = []
    for text in texts:
        cls, equals, column = text.rpartition("=")
        if not equals:
            raise InputError(f"--probability {text!r} should read CLASS=COL.")
        pairs.append((cls, column))
    return tuple(pairs)


def _words(path: Path) -> Pairs:
    table = fetched(open_source(path))
    if table.num_columns != 2:
        raise InputError(
            f"{str(path)!r} has {table.num_columns} columns; a map has two: the service's word "
            f"and the label's word."
        )
    first, second = (table.column(place).to_pylist() for place in (0, 1))
    return tuple((str(a), str(b)) for a, b in zip(first, second, strict=True))


def _classes(text: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip()) if text else ()
