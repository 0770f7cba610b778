"""The table: attributes as annotated, and what small models of other attributes make of them.

CelebA has 40 attributes. Twelve are the arms (Table 10 of Piratla et al. 2021); one of these twelve
is ``Male``, which is also what services predict, as in that paper. The other 28 are all that models
get to see: in alphabetical order the first, third, fifth, ... belong to the services, the second,
fourth, ... to the attribute models, so that neither knows what the other looks at.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import default_rng
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from spotheight.types import FloatArray

FILE = "celeba_attributes.parquet"

ID, LABEL = "image", "truth"

TARGET = "Male"

ARMS = ("Black_Hair", "Blond_Hair", "Brown_Hair", "Smiling", "Male", "Chubby", "Mustache",
        "No_Beard", "Wearing_Hat", "Blurry", "Young", "Eyeglasses")  # fmt: skip
"""In the order of Table 10."""

SEEN_BY_SERVICES = (
    "5_o_Clock_Shadow", "Attractive", "Bald", "Big_Lips", "Bushy_Eyebrows", "Goatee",
    "Heavy_Makeup", "Mouth_Slightly_Open", "Oval_Face", "Pointy_Nose", "Rosy_Cheeks",
    "Straight_Hair", "Wearing_Earrings", "Wearing_Necklace",
)  # fmt: skip

SEEN_BY_ATTRIBUTE_MODELS = (
    "Arched_Eyebrows", "Bags_Under_Eyes", "Bangs", "Big_Nose", "Double_Chin", "Gray_Hair",
    "High_Cheekbones", "Narrow_Eyes", "Pale_Skin", "Receding_Hairline", "Sideburns", "Wavy_Hair",
    "Wearing_Lipstick", "Wearing_Necktie",
)  # fmt: skip

TRAINING_ROWS = 50_000
POOL_ROWS = 150_000

SHUFFLE = 2021
"""The seed of the split into training rows, pool, and what is left over."""

LAST_CHANCE = 1e-6
"""A model is never surer than this: a logit must stay finite."""


@dataclass(frozen=True)
class Predictor:
    """A service that tells men from women by a few attributes of a face.

    Args:
        name: As options and columns call it.
        kind: What is trained.
        sees: The attributes that it is given.
        rows: How many of the training rows it is given, from the first.
    """

    name: str
    kind: type
    sees: tuple[str, ...]
    rows: int


SERVICES = (
    Predictor("strong", HistGradientBoostingClassifier, SEEN_BY_SERVICES, TRAINING_ROWS),
    Predictor("weak", LogisticRegression, SEEN_BY_SERVICES[::2], 1_000),
)
"""The second is given every other attribute and a fiftieth of the rows."""


def guess_of(attribute: str) -> str:
    """The column with the chance that an attribute holds."""
    return f"{attribute}_p"


def prediction_of(service: str) -> str:
    """The column with a service's answer."""
    return f"pred_{service}"


def score_of(service: str) -> str:
    """The column with the chance that a service gives its answer."""
    return f"score_{service}"


def replica(faces: pd.DataFrame, training: int = TRAINING_ROWS, rows: int = POOL_ROWS) -> Any:
    """The pool: ids, the twelve attributes and their guessed chances, both services, the truth.

    The same rows give the same table.
    """
    order = default_rng(SHUFFLE).permutation(len(faces))
    train = faces.iloc[order[:training]]
    pool = faces.iloc[np.sort(order[training : training + rows])]
    columns: dict[str, Any] = {ID: pool[ID].to_numpy()}
    columns |= {name: pool[name].to_numpy() for name in ARMS}
    columns |= _guesses(train, pool)
    for service in SERVICES:
        columns |= _answers(service, train, pool)
    columns[LABEL] = _sex(pool[TARGET].to_numpy())
    return pd.DataFrame(columns)


def read_replica(data: Path, cache: Path) -> Path:
    """Where the table lies, after making it if it is not there."""
    if not cache.exists():
        cache.parent.mkdir(parents=True, exist_ok=True)
        beside = cache.with_name(f".{cache.name}.new")
        replica(pd.read_parquet(data / FILE)).to_parquet(beside, index=False)
        beside.replace(cache)
    return cache


def _guesses(train: pd.DataFrame, pool: pd.DataFrame) -> Mapping[str, FloatArray]:
    sees = list(SEEN_BY_ATTRIBUTE_MODELS)
    return {
        guess_of(name): _chance(LogisticRegression(), train[sees], train[name], pool[sees])
        for name in ARMS
    }


def _answers(service: Predictor, train: pd.DataFrame, pool: pd.DataFrame) -> Mapping[str, Any]:
    some, sees = train.iloc[: service.rows], list(service.sees)
    chance = _chance(_made(service.kind), some[sees], some[TARGET], pool[sees])
    is_male = chance >= 0.5
    return {
        prediction_of(service.name): _sex(is_male),
        score_of(service.name): np.where(is_male, chance, 1 - chance),
    }


def _made(kind: type) -> Any:
    return kind(random_state=0)


def _chance(model: Any, seen: pd.DataFrame, holds: pd.Series, asked: pd.DataFrame) -> FloatArray:
    model.fit(seen.to_numpy(dtype=float), holds.to_numpy())
    chance = model.predict_proba(asked.to_numpy(dtype=float))[:, 1]
    return np.clip(chance, LAST_CHANCE, 1 - LAST_CHANCE)


def _sex(is_male: Any) -> Any:
    return np.where(is_male, "male", "female")
