"""Detection evidence: objects in images, what every detector makes of them, some true outlines."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from spotheight.errors import InputError
from spotheight.numerics.ranking.ranks import mid_ranks
from spotheight.pool.cells import Cells, single_cells
from spotheight.pool.scenes import Scenes
from spotheight.pool.shapes import Shape, known_shape, merged, overlaps, read_shape
from spotheight.types import BoolArray, FloatArray, IntArray, TextArray

ABSENT = "none"
"""What people say of an annotated object that is not there."""


@dataclass(frozen=True, eq=False)
class Detections:
    """What the services saw: list after list, the surest first.

    A list is a service's detections of one category, in all images; lists are numbered service by
    service.

    Args:
        list_of: The list of each.
        shapes: Where exactly.
        crowd: How much of it lies in a crowd of its category, 0 to 1.
    """

    list_of: IntArray
    image: IntArray
    score: FloatArray
    shapes: Sequence[Shape] = field(repr=False)
    crowd: FloatArray = field(repr=False)

    def __len__(self) -> int:
        return len(self.image)

    @cached_property
    def sides(self) -> FloatArray:
        """Width and height of each box."""
        return np.array([one.box[2:] for one in self.shapes], dtype=float).reshape(-1, 2)

    @cached_property
    def area(self) -> FloatArray:
        """Pixels of each mask."""
        return np.array([one.area for one in self.shapes], dtype=float)


@dataclass(frozen=True, eq=False)
class Pairs:
    """Detections and objects of the same image and category, by object.

    Args:
        noisy: Their overlap, by what the object's annotation was before it was vetted.
        boxed: The overlap of their boxes, likewise.
        agreed: How far the detection overlaps what other services have nearest to the object, on
            average; NaN where they have nothing there.
        true: Their overlap by the vetted outline, NaN where it is not known.
    """

    item: IntArray
    detection: IntArray
    noisy: FloatArray
    boxed: FloatArray
    agreed: FloatArray
    true: FloatArray

    def __len__(self) -> int:
        return len(self.item)


@dataclass(frozen=True, eq=False)
class SceneEvidence:
    """Objects one by one: their rough boxes, what all services detected, and some true outlines.

    Args:
        ids: The objects, in the order of their ids inside a category.
        unit: The image of each object, by number.
        boxes: Width and height of each object's rough box.
        pairs: Which detection may have found which object.
        is_absent: Whether it is known not to be there: nothing is to be found, and a detection that
            points to it is wrong.
    """

    ids: TextArray
    category: IntArray
    categories: tuple[str, ...]
    services: tuple[str, ...]
    unit: IntArray
    images: tuple[str, ...] = field(repr=False)
    price: FloatArray = field(repr=False)
    boxes: FloatArray = field(repr=False)
    detections: Detections = field(repr=False)
    pairs: Pairs = field(repr=False)
    scenes: Scenes = field(repr=False)
    is_vetted: BoolArray = field(repr=False)
    is_absent: BoolArray = field(repr=False)

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def pair_list(self) -> IntArray:
        """The list of each pair's detection."""
        return self.detections.list_of[self.pairs.detection]

    @cached_property
    def pair_service(self) -> IntArray:
        """The service of each pair's detection, by number."""
        return self.pair_list // len(self.categories)

    @cached_property
    def standing(self) -> FloatArray:
        """Of each service's detections that overlap an object, the highest mid-rank by score."""
        standing = np.full((len(self), len(self.services)), np.nan)
        detections, pairs = self.detections, self.pairs
        service = detections.list_of // len(self.categories)
        for number in range(len(self.services)):
            rank = mid_ranks(np.where(service == number, detections.score, np.nan))
            mine = (self.pair_service == number) & (pairs.noisy > 0)
            best = np.full(len(self), -np.inf)
            np.maximum.at(best, pairs.item[mine], rank[pairs.detection[mine]])
            standing[:, number] = np.where(np.isfinite(best), best, np.nan)
        return standing

    def cells(self) -> Cells:
        """Every object as a cell of its own, categories as arms."""
        return single_cells(self.category, self.categories, self.price, self.services[0])

    def vetted(
        self, told: Mapping[str, Sequence[str]], known: dict[tuple[str, ...], FloatArray]
    ) -> "SceneEvidence":
        """With the outlines that people gave; ``known`` keeps overlaps from one time to the next.

        Args:
            told: The outlines of each object as JSON text, one or several, or that it is not there.
            known: Overlaps by object and outlines; filled here.
        """
        true = np.full(len(self.pairs), np.nan)
        is_vetted, is_absent = np.zeros((2, len(self)), dtype=bool)
        for number, item in enumerate(self.ids):
            if item not in told:
                continue
            key = (str(item), *told[item])
            if key not in known:
                known[key] = self._true_overlaps(number, told[item])
            true[self._pairs_of(number)] = known[key]
            is_vetted[number] = True
            is_absent[number] = _is_absent(told[item])
        pairs = replace(self.pairs, true=true)
        return replace(self, pairs=pairs, is_vetted=is_vetted, is_absent=is_absent)

    def _pairs_of(self, item: int) -> slice:
        begin, end = np.searchsorted(self.pairs.item, [item, item + 1])
        return slice(int(begin), int(end))

    def _true_overlaps(self, item: int, told: Sequence[str]) -> FloatArray:
        if _is_absent(told):
            return np.zeros(self._pairs_of(item).stop - self._pairs_of(item).start)
        image = self.images[self.unit[item]]
        size = self.scenes.size(image)
        drawn = [text for text in told if text != ABSENT]
        shapes = [known_shape(text, self.scenes.sizes[image]) for text in drawn]
        seen = self.pairs.detection[self._pairs_of(item)]
        mine = [self.detections.shapes[one] for one in seen]
        return overlaps(mine, [merged(shapes, size)], size)[:, 0]


def _is_absent(told: Sequence[str]) -> bool:
    """Whether more than half of those who looked saw nothing."""
    return 2 * sum(text == ABSENT for text in told) > len(told)


def outline_text(said: object, scenes: Scenes, item: str) -> str:
    """An outline as JSON text, or that there is none; raise where a label cannot be either."""
    if isinstance(said, str) and said.strip().lower() == ABSENT:
        return ABSENT
    place = np.flatnonzero(scenes.objects.ids == item)
    # An item that is not there is refused elsewhere.
    size = scenes.sizes[scenes.objects.image[place[0]]] if len(place) else None
    if not read_shape(said, size).area > 0:
        raise InputError(f"The outline is empty; of an object that is not there say {ABSENT}.")
    return said if isinstance(said, str) else json.dumps(said)
