"""Tables of (image, category) pairs: scores of services, a noisy label, and the truth."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import default_rng

from spotheight.types import BoolArray

IMAGE, CATEGORY, TRUTH = "image", "category", "truth"

NOISY = "noisy"
"""The noisy label as it came: 0 or 1, or the share of raters who said so."""

MAJORITY = "majority"
"""The same, 1 where it is more than one half, for methods that know only yes and no."""

NOISE = 5
"""Begins the seed of made-up noise, a stream of its own."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """All pairs that some service returned.

    Args:
        table: A row a pair: image, category, a score for each service, noisy labels, truth.
        services: Whose scores are columns, NaN where a pair was not returned.
        positives: The true pairs of each category, returned or not.
        about: What was left out or made up, in sentences.
    """

    table: pd.DataFrame = field(repr=False)
    services: tuple[str, ...]
    positives: Mapping[str, float] = field(repr=False)
    about: str = ""


TAGGERS = ("Google", "Microsoft", "EveryPixel")


@dataclass(frozen=True)
class Tags:
    """Tags of three services on PASCAL VOC, with made-up noise.

    Args:
        seen: The chance that a true tag is among the noisy ones.
        false: The chance that a false one is.
    """

    seen: float
    false: float
    files = ("tags_pascal_api_preds.parquet", "tags_pascal_truth.parquet")
    varies = True

    def __str__(self) -> str:
        """As titles call it: both chances in percent."""
        return f"Tags at {100 * self.seen:g}/{100 * self.false:g}%"

    def pairs(self, folder: Path, seed: int) -> Pairs:
        tags, truth = (pd.read_parquet(folder / file) for file in self.files)
        wide = tags.pivot_table(index=["image", "label"], columns="service", values="score")
        table = wide.reset_index().rename(columns={"label": CATEGORY})
        keys = pd.MultiIndex.from_frame(truth[["image", "label"]])
        is_true = pd.MultiIndex.from_frame(table[[IMAGE, CATEGORY]]).isin(keys)
        chance = np.where(is_true, self.seen, self.false)
        noisy = (default_rng([NOISE, seed]).random(len(table)) < chance).astype(float)
        labels: dict[str, Any] = {NOISY: noisy, MAJORITY: noisy, TRUTH: _written(is_true)}
        table = table.assign(**labels)
        positives = _counts(truth["label"])
        return Pairs(table, TAGGERS, positives, self._about(len(truth), int(is_true.sum())))

    def _about(self, true: int, returned: int) -> str:
        return (
            f"A true tag is seen with {100 * self.seen:g}%, a false one with "
            f"{100 * self.false:g}%: this noise is made up, anew in every run, the same for all "
            f"methods. The items are the pairs that any service returned; {true - returned} of "
            f"{true} true tags are not among them. Average precision divides by the number of all "
            f"true tags of a category, returned or not, which is taken as known."
        )


MODELS = ("ResNet50", "ViT", "DINO", "SimCLR")

RATERS = 5

FEWEST = 48
"""Categories are kept where some model's list is at least so long."""


@dataclass(frozen=True)
class Raters:
    """Four models on ImageNet, and what five raters said of each (image, category).

    Args:
        answers: The columns that count answers which speak for a pair.
        words: What these answers are.
        shows_share: Whether methods see the share of such answers, or only whether most are.
    """

    answers: tuple[str, ...]
    words: str
    shows_share: bool = True
    files = ("imagenet_real_pairs.parquet", "imagenet_val_x_factors_4models.parquet")
    varies = False

    def pairs(self, folder: Path, seed: int) -> Pairs:
        rated, models = (pd.read_parquet(folder / file) for file in self.files)
        table, predictions = rated, 0
        for model in MODELS:
            columns = {f"pred_{model}": "label", f"prob_{model}": model}
            said = models[["val_index", *columns]].rename(columns=columns)
            table = table.merge(said, on=["val_index", "label"], how="left")
            predictions += len(said)
        known = int(table[list(MODELS)].notna().to_numpy().sum())
        table = self._labelled(_long_lists(table))
        categories = table[CATEGORY].nunique()
        positives = _counts(table.loc[table[TRUTH] == "1", CATEGORY])
        return Pairs(table, MODELS, positives, self._about(predictions, known, categories))

    def _labelled(self, table: pd.DataFrame) -> pd.DataFrame:
        share = table[list(self.answers)].sum(axis=1) / RATERS
        majority = (share > 0.5).astype(float)
        columns: dict[str, Any] = {
            IMAGE: table["val_index"].astype(str),
            CATEGORY: table["label"].astype(str),
            NOISY: share if self.shows_share else majority,
            MAJORITY: majority,
            TRUTH: _written(table["in_real"].to_numpy()),
        }
        return table[list(MODELS)].assign(**columns)

    def _about(self, predictions: int, known: int, categories: int) -> str:
        seen = (
            f"the share of five raters who said {self.words}, for `naive` and `counted` whether at "
            f"least three did"
            if self.shows_share
            else f"whether at least three of five raters said {self.words}, for all methods"
        )
        return (
            f"A model's list of a category holds the images it predicts as that category, by "
            f"probability. The noisy label is {seen}; the truth is the ReaL label, which "
            f"was made from the same raters, so that the noise is not independent of it. "
            f"{predictions - known} of {predictions} predictions were never shown to the raters "
            f"(most of them easy) and are left out. Of the 1000 categories those {categories} are "
            f"kept where some model's list has at least {FEWEST} pairs; shorter lists are read at "
            f"their own length."
        )


def _long_lists(table: pd.DataFrame) -> pd.DataFrame:
    """Pairs that some model predicted, of categories with a long list."""
    scores = list(MODELS)
    table = table[table[scores].notna().any(axis=1)]
    longest = table.groupby("label")[scores].count().max(axis=1)
    return table[table["label"].isin(longest.index[longest >= FEWEST])]


def _written(is_true: BoolArray) -> list[str]:
    return [str(int(one)) for one in is_true]


def _counts(names: "pd.Series[Any]") -> dict[str, float]:
    return {str(name): float(number) for name, number in names.value_counts().items()}
