"""Ranked lists of a pool as items one by one, and what people say of a tag."""

from collections.abc import Mapping, Sequence

import numpy as np

from spotheight.arms import CATEGORY, Recipe
from spotheight.errors import InputError
from spotheight.evidence import ItemEvidence
from spotheight.history.events import Label
from spotheight.history.ledger import agreed
from spotheight.pool import coding
from spotheight.pool import names as c
from spotheight.pool.protocol import Pool
from spotheight.types import FloatArray, IntArray


def listed_evidence(pool: Pool, services: tuple[str, ...], n: int | None) -> ItemEvidence:
    """Ranked lists of a pool, without any truth."""
    category = pool.resolve(Recipe(CATEGORY), services[0])
    columns = pool.listed((category,), services, n)
    codes = coding.level_codes(columns, (category,), services[0])[:, 0]
    scores = np.column_stack([columns[c.score_of(name)] for name in services])
    _require_scores(scores, codes, category.levels)
    size = coding.length(columns)
    noisy = [columns[c.noisy_of(name)] for name in pool.roles.noisy_label]
    return ItemEvidence(
        columns[c.ID],
        codes,
        category.levels,
        services,
        scores,
        np.column_stack(noisy) if noisy else np.zeros((size, 0)),
        np.full(size, np.nan),
        columns[c.PRICE],
    )


_YES, _NO = {"1", "true", "yes", "y"}, {"0", "false", "no", "n"}


def as_truth(label: object) -> float:
    """Whether a tag is true, as people write it."""
    if label in ("0", "1"):
        return float(label == "1")  # nearly always; the rest is slow in a simulation
    word = str(label).strip().lower()
    if word in _YES | _NO:
        return float(word in _YES)
    try:
        value = float(word)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise InputError(f"The label {label!r} does not say whether the tag is true; use 1 or 0.")
    return value


def _require_scores(scores: FloatArray, category: IntArray, names: Sequence[str]) -> None:
    """Raise where no service gives any score in a category."""
    scored = np.bincount(category[~np.isnan(scores).all(axis=1)], minlength=len(names))
    if (scored == 0).any():
        empty = names[int(np.argmin(scored))]
        raise InputError(
            f"The category {empty!r} has no item with a score; "
            f"leave it out of the table, or name the column with --score."
        )


def agreed_truth(by: Mapping[str, Label]) -> float:
    """Vote of annotators on one tag."""
    # Truths vote, not words: 1 and yes are the same.
    truths = [as_truth(label) for label in by.values()]
    if len(truths) == 1:
        return truths[0]  # nearly always; the rest is slow in a simulation
    return sum(float(truth) * share for truth, share in agreed(truths, "").items())
