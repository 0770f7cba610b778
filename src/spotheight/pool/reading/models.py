"""Attribute models that are no table: classifiers and functions that give probabilities."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from spotheight.errors import InputError, require_column
from spotheight.pool.reading.checks import ROUNDING
from spotheight.pool.reading.source import open_source
from spotheight.pool.roles import whether


@dataclass(frozen=True)
class AttributeModel:
    """A model that guesses an attribute from columns of the table.

    Args:
        model: A classifier with ``predict_proba`` and ``classes_``, or a function; either gets the
            columns as an array, (items, columns), or as a pandas frame where it was fitted on named
            columns, and gives the probability of each level back, (items, levels).
        columns: What it looks at.
        levels: The levels in the order of its answer; a classifier knows them itself.
    """

    model: Any
    columns: Sequence[str]
    levels: Sequence[str] = ()

    def named_levels(self) -> tuple[str, ...]:
        """The levels, as text."""
        levels = tuple(self.levels) or tuple(getattr(self.model, "classes_", ()))
        if not levels:
            raise InputError(
                "The attribute model does not say what its levels are; "
                "name them: AttributeModel(model, columns, levels=[...])."
            )
        return tuple(str(level) for level in levels)

    def chances(self, table: pa.Table, name: str) -> np.ndarray:
        """What it says of every row, checked."""
        if not self.columns:
            raise InputError(
                f"The model of the attribute {name!r} looks at no column; "
                f"name some: AttributeModel(model, columns=[...])."
            )
        for column in self.columns:
            require_column(column, table.column_names)
        chances = _numbers(self._predict(name)(self._seen(table)), name)
        wanted = (table.num_rows, len(self.named_levels()))
        if chances.shape != wanted:
            raise InputError(
                f"The model of the attribute {name!r} answered with shape {chances.shape}; "
                f"a row for each of {wanted[0]} items and {wanted[1]} levels is {wanted}."
            )
        _require_chances(chances, name)
        return chances

    def _predict(self, name: str) -> Callable[[Any], Any]:
        predict = getattr(self.model, "predict_proba", self.model)
        if not callable(predict):
            raise InputError(
                f"The model of the attribute {name!r} is {self.model!r}; it must be a classifier "
                f"with predict_proba, or a function."
            )
        return predict

    def _seen(self, table: pa.Table) -> Any:
        """The columns it looks at; a pipeline may pick them by name."""
        if hasattr(self.model, "feature_names_in_"):
            return table.select(list(self.columns)).to_pandas()
        return np.column_stack([table[column].to_numpy() for column in self.columns])


def _numbers(answer: object, name: str) -> np.ndarray:
    try:
        return np.asarray(answer, dtype=float)
    except (TypeError, ValueError):
        raise InputError(
            f"The model of the attribute {name!r} answered {repr(answer)[:60]}, "
            f"not with a row of probabilities for each item."
        ) from None


def _require_chances(chances: np.ndarray, name: str) -> None:
    bad = ~np.isfinite(chances) | (chances < 0) | (chances > 1)
    if bad.any():
        raise InputError(
            f"The model of the attribute {name!r} answered {chances[bad][0]:g}, "
            f"which is no probability."
        )
    total = chances.sum(axis=1)
    if (np.abs(total - 1) > ROUNDING).any():
        worst = total[np.argmax(np.abs(total - 1))]
        raise InputError(
            f"The probabilities that the model of the attribute {name!r} gives add up to "
            f"{worst:.4g} for some item, not to 1."
        )


Guess = str | Mapping[str, str] | AttributeModel | None
"""Where the chances of an attribute's levels come from; nothing where it is a bare guess."""


def guessed_columns(
    source: object, guessed: Mapping[str, Guess]
) -> tuple[object, dict[str, tuple[tuple[str, str], ...]]]:
    """The table with what models say, and by attribute its levels and their columns of chances."""
    guesses: dict[str, tuple[tuple[str, str], ...]] = {}
    for name, guess in guessed.items():
        if isinstance(guess, str):
            guesses[name] = whether(guess)
        elif guess is None or isinstance(guess, Mapping):
            pairs = (guess or {}).items()
            guesses[name] = tuple((str(level), column) for level, column in pairs)
        elif not isinstance(guess, AttributeModel):
            raise InputError(
                f"The guessed attribute {name!r} needs the column with its chances, a column for "
                f"each level, an AttributeModel, or None for a bare guess; got {guess!r}."
            )
    models = {name: g for name, g in guessed.items() if isinstance(g, AttributeModel)}
    if not models:
        return source, guesses
    table: pa.Table = open_source(source).to_pyarrow()
    for name, model in models.items():
        chances = model.chances(table, name)
        guesses[name] = tuple((level, f"{name}={level}") for level in model.named_levels())
        for (_, column), values in zip(guesses[name], chances.T, strict=True):
            table = table.append_column(column, pa.array(values))
    return table, guesses
