"""Classifiers to be assessed, as counts by predicted class, by score bin, or both."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path

import numpy as np
import pandas as pd

from spotheight.types import BoolArray, FloatArray, IntArray

COUNTS = "ji_groupwise_summary_cifar100_svhn.parquet"
ERRORS, HUMANS = "label_errors_probs.npz", "cifar10h_4models.npz"

BINS = 10


@dataclass(frozen=True, eq=False)
class Groups:
    """Items by group and outcome, and what scores make of each group beforehand.

    Args:
        items: (groups, outcomes).
        centre: The prior mean of each outcome, of the same shape.
    """

    items: IntArray = field(repr=False)
    centre: FloatArray = field(repr=False)

    @classmethod
    def of_hits(cls, hits: IntArray, sizes: IntArray, scores: FloatArray) -> "Groups":
        """Outcomes hit and miss."""
        return cls(np.column_stack([hits, sizes - hits]), np.column_stack([scores, 1 - scores]))

    @property
    def size(self) -> IntArray:
        """Items of each group."""
        return self.items.sum(axis=1)

    @property
    def rate(self) -> FloatArray:
        """The true rate of hits."""
        return self.items[:, 0] / self.size


@dataclass(frozen=True, eq=False)
class Items:
    """What a classifier said of every item: its answer, its score, and the truth.

    Args:
        answer: The predicted class.
        score: Of that class.
        truth: The true class.
        chances: Of every class, where the classifier gave them.
    """

    answer: IntArray = field(repr=False)
    score: FloatArray = field(repr=False)
    truth: IntArray = field(repr=False)
    chances: FloatArray | None = field(default=None, repr=False)

    @classmethod
    def of_chances(cls, chances: FloatArray, truth: IntArray) -> "Items":
        """A classifier that gave all chances; what rounding took from their sum is given back."""
        chances = chances.astype(float)
        chances /= chances.sum(axis=1, keepdims=True)
        return cls(chances.argmax(axis=1), chances.max(axis=1), truth.astype(int), chances)

    @property
    def hit(self) -> BoolArray:
        """Whether the answer is true."""
        return self.answer == self.truth

    @cached_property
    def classes(self) -> IntArray:
        """The answers that occur."""
        return np.unique(self.answer)

    def by_class(self) -> Groups:
        """Hits by predicted class."""
        return self._hits(np.searchsorted(self.classes, self.answer), len(self.classes))

    def by_score(self) -> Groups:
        """Hits in bins of equal size by score."""
        place = np.empty(len(self.score), dtype=int)
        place[np.argsort(self.score, kind="stable")] = np.arange(len(place)) * BINS // len(place)
        return self._hits(place, BINS)

    def _hits(self, group: IntArray, groups: int) -> Groups:
        size, hits, score = (
            np.bincount(group, weight, groups) for weight in (None, self.hit, self.score)
        )
        return Groups.of_hits(hits.astype(int), size, score / np.maximum(size, 1))

    def by_truth(self) -> Groups:
        """True classes by predicted class, for classifiers that gave all chances."""
        assert self.chances is not None
        among = self.chances.shape[1]
        items = np.zeros((len(self.classes), among), dtype=int)
        np.add.at(items, (np.searchsorted(self.classes, self.answer), self.truth), 1)
        centre = np.stack([self.chances[self.answer == k].mean(axis=0) for k in self.classes])
        return Groups(items, centre)

    def by_class_and_score(self) -> tuple[Groups, FloatArray, FloatArray]:
        """Hits in bins of equal width within predicted classes; their mean score and weight.

        Outcomes are hit and miss in each bin.
        """
        rows = np.searchsorted(self.classes, self.answer)
        bin = np.minimum((self.score * BINS).astype(int), BINS - 1)
        flat = self._hits(rows * BINS + bin, len(self.classes) * BINS)
        groups = Groups(flat.items.reshape(-1, BINS * 2), flat.centre.reshape(-1, BINS * 2))
        size = flat.size.reshape(-1, BINS)
        weight = size / size.sum(axis=1, keepdims=True)
        return groups, flat.centre[:, 0].reshape(-1, BINS), weight

    def calibration_error(self, bins: int) -> float:
        """Over bins of equal width, from all items."""
        bin = np.minimum((self.score * bins).astype(int), bins - 1)
        gap = np.bincount(bin, self.hit - self.score, bins)
        return float(np.abs(gap).sum() / len(bin))


@dataclass(frozen=True, eq=False)
class Case:
    """A classifier on a table; some give only counts by predicted class.

    Args:
        name: What files and options call it.
        title: What a reader calls it.
        most: How many of the worst classes are looked for at most.
        classes: Hits by predicted class.
        items: Item by item, where there is such a table.
    """

    name: str
    title: str
    most: int
    classes: Groups = field(repr=False)
    items: Items | None = field(default=None, repr=False)


def _from_counts(name: str, title: str, most: int, folder: Path) -> Case:
    table = pd.read_parquet(folder / COUNTS)
    rows = table[table["dataset"] == name].sort_values("Predicted_Class_k")
    hits, sizes, scores = (rows[column].to_numpy() for column in ("R_k", "N_k", "Conf_k"))
    return Case(name, title, most, Groups.of_hits(hits, sizes, scores))


def class_names(folder: Path, name: str) -> list[str]:
    """The predicted classes of the authors' counts, in the order of their case."""
    table = pd.read_parquet(folder / COUNTS)
    return sorted(table.loc[table["dataset"] == name, "Predicted_Class_k"])


def _from_items(name: str, title: str, items: Items) -> Case:
    classes = items.by_class()
    return Case(name, title, min(3, len(classes.items) - 1), classes, items)


def _label_errors(name: str, title: str, folder: Path) -> Case:
    with np.load(folder / ERRORS) as arrays:
        chances, truth = arrays[f"{name}_probs_f16"], arrays[f"{name}_labels"]
    return _from_items(name, title, Items.of_chances(chances, truth))


def _cifar10h(model: str, title: str, folder: Path) -> Case:
    with np.load(folder / HUMANS) as arrays:
        items = Items.of_chances(arrays[f"probs_{model}"], arrays["labels"])
    return _from_items(model, title, items)


def _service(file: str, service: str, title: str, folder: Path) -> Case:
    """A commercial service with its score; silence has no score and is left out."""
    columns = [f"pred_{service}", f"conf_{service}", "true_label"]
    table = pd.read_parquet(folder / f"{file}.parquet", columns=columns).dropna()
    answer, score, truth = (table[column].to_numpy() for column in columns)
    names = np.unique(np.concatenate([answer, truth]).astype(str))
    coded = (np.searchsorted(names, part.astype(str)) for part in (answer, truth))
    answer, truth = coded
    name = f"{file.removeprefix('api_')}-{service.lower()}"
    return _from_items(name, title, Items(answer, score.astype(float), truth))


LOADERS: Mapping[str, Callable[[Path], Case]] = {
    "cifar100": partial(_from_counts, "cifar100", "CIFAR-100, the authors' counts", 10),
    "svhn": partial(_from_counts, "svhn", "SVHN, the authors' counts", 3),
    "20news": partial(_label_errors, "20news", "20 Newsgroups"),
    "cifar10": partial(_label_errors, "cifar10", "CIFAR-10"),
    "mnist": partial(_label_errors, "mnist", "MNIST"),
    "imdb": partial(_label_errors, "imdb", "IMDB"),
    "resnet_110": partial(_cifar10h, "resnet_110", "CIFAR-10, ResNet-110"),
    "densenet_bc_L190_k40": partial(_cifar10h, "densenet_bc_L190_k40", "CIFAR-10, DenseNet"),
    "preresnet_110": partial(_cifar10h, "preresnet_110", "CIFAR-10, PreResNet-110"),
    "vgg16_keras": partial(_cifar10h, "vgg16_keras", "CIFAR-10, VGG-16"),
    "expw-microsoft": partial(_service, "api_expw", "Microsoft", "ExpW faces, Microsoft"),
    "audiomnist-google": partial(_service, "api_audiomnist", "Google", "AudioMNIST, Google"),
    "command-microsoft": partial(_service, "api_command", "Microsoft", "Commands, Microsoft"),
    "ferplus-google": partial(_service, "api_ferplus", "Google", "FER+ faces, Google"),
    "rafdb-facepp": partial(_service, "api_rafdb", "FacePP", "RAF-DB faces, Face++"),
    "digit-ibm": partial(_service, "api_digit", "IBM", "Spoken digits, IBM"),
}
"""All of them; with most runs first."""
