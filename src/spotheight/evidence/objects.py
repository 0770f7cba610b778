"""Detection evidence: objects in images, what every detector makes of them, some true outlines."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from spotheight.errors import InputError
from spotheight.numerics.ranking.ranks import mid_ranks
from spotheight.numerics.sums import turns
from spotheight.pool.cells import Cells, single_cells
from spotheight.pool.scenes import SceneRows, Scenes, Size
from spotheight.pool.shapes import Shape, known_shape, merged, overlaps, read_shape
from spotheight.types import BoolArray, FloatArray, IntArray, TextArray

ABSENT = "none"
"""What people say of an annotated object that is not there."""

MOST_DETECTIONS = 100
"""Of one service in one image and category; COCO counts no more."""


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


def scene_evidence(
    scenes: Scenes, services: Sequence[str], prices: Mapping[str, float]
) -> SceneEvidence:
    """Everything but the vetted outlines."""
    objects = scenes.objects
    categories = tuple(sorted({str(name) for name in objects.category}, key=natural))
    code = {name: number for number, name in enumerate(categories)}
    images = tuple(sorted(scenes.sizes, key=natural))
    place = {name: number for number, name in enumerate(images)}
    kinds = np.array([code[str(name)] for name in objects.category], dtype=np.int64)
    order = np.lexsort((objects.ids.astype(str), kinds))
    ids, category = objects.ids[order], kinds[order]
    unit = np.array([place[str(name)] for name in objects.image[order]], dtype=np.int64)
    shapes = [objects.shapes[one] for one in order]
    found = _sorted(scenes.detections, services, code, place)
    looks = _Looks(scenes, images, shapes, unit * len(code) + category)
    detections, pairs = looks.met(found, looks.crowds(code, place), len(code))
    agreed = _agreements(pairs, detections, [scenes.size(images[one]) for one in unit], len(code))
    pairs = replace(pairs, agreed=agreed)
    return SceneEvidence(
        ids, category, categories, tuple(services), unit, images,
        np.array([prices[str(item)] for item in ids], dtype=float),
        np.array([shape.box[2:] for shape in shapes], dtype=float).reshape(-1, 2),
        detections, pairs, scenes, *np.zeros((2, len(ids)), dtype=bool),
    )  # fmt: skip


def _agreements(
    pairs: Pairs, detections: Detections, size: Sequence[Size | None], categories: int
) -> FloatArray:
    """How far each pair's detection overlaps those of other services that are near the object."""
    agreed = np.full(len(pairs), np.nan)
    near = np.flatnonzero(pairs.noisy > 0)
    start = np.searchsorted(pairs.item[near], np.arange(len(size) + 1))
    for item, (begin, end) in enumerate(pairwise(start)):
        mine = near[begin:end]
        seen = pairs.detection[mine]
        service = detections.list_of[seen] // categories
        # The nearest of each service; of equals the surest, which comes first.
        order = np.lexsort((seen, -pairs.noisy[mine], service))
        names, first = np.unique(service[order], return_index=True)
        if len(names) < 2:
            continue
        nearest = [detections.shapes[one] for one in seen[order[first]]]
        found = overlaps([detections.shapes[one] for one in seen], nearest, size[item])
        others = service[:, None] != names
        agreed[mine] = np.where(others, found, 0.0).sum(axis=1) / others.sum(axis=1)
    return agreed


def natural(text: str) -> tuple[int, float, str]:
    """Numbers by size, before words."""
    return (0, float(text), text) if text.isdigit() else (1, 0.0, text)


def _sorted(
    rows: SceneRows, services: Sequence[str], code: Mapping[str, int], place: Mapping[str, int]
) -> Detections:
    """Detections in the order of their lists, as if there were no crowds."""
    own = {name: services.index(name) * len(code) for name in services}
    names = zip(rows.service, rows.category, strict=True)
    known = ((own.get(who), code.get(what)) for who, what in names)
    list_of = np.array([-1 if a is None or b is None else a + b for a, b in known], dtype=np.int64)
    image = np.array([place[str(name)] for name in rows.image], dtype=np.int64)
    kept = np.flatnonzero((list_of >= 0) & _first(list_of, image, rows.score))
    order = kept[np.lexsort((kept, image[kept], -rows.score[kept], list_of[kept]))]
    shapes = [rows.shapes[one] for one in order]
    return Detections(list_of[order], image[order], rows.score[order], shapes, np.zeros(len(order)))


def _first(list_of: IntArray, image: IntArray, score: FloatArray) -> BoolArray:
    """The surest of each list and image, as many as count."""
    order = np.lexsort((np.arange(len(score)), -score, image, list_of))
    corner = list_of * (int(image.max(initial=0)) + 1) + image
    kept = np.zeros(len(order), dtype=bool)
    kept[order] = turns(corner[order]) < MOST_DETECTIONS
    return kept


@dataclass(frozen=True, eq=False)
class _Looks:
    """Overlaps, image by image and category by category."""

    scenes: Scenes
    images: tuple[str, ...]
    shapes: list[Shape]
    corner: IntArray
    """The image and category of each object, as one number."""

    def crowds(self, code: Mapping[str, int], place: Mapping[str, int]) -> dict[int, list[Shape]]:
        """By image and category."""
        found: dict[int, list[Shape]] = {}
        rows = self.scenes.crowds
        for image, category, shape in zip(rows.image, rows.category, rows.shapes, strict=True):
            if str(category) in code:
                key = place[str(image)] * len(code) + code[str(category)]
                found.setdefault(key, []).append(shape)
        return found

    def met(
        self, seen: Detections, crowds: Mapping[int, list[Shape]], categories: int
    ) -> tuple[Detections, Pairs]:
        """Every detection with every object of its image and category."""
        crowd = np.zeros(len(seen))
        parts: list[list[FloatArray]] = []
        corner = seen.image * categories + seen.list_of % categories
        for key, mine, theirs in _together(corner, self.corner):
            size = self.scenes.size(self.images[key // categories])
            shapes = [seen.shapes[one] for one in mine]
            if key in crowds:
                crowd[mine] = overlaps(shapes, crowds[key], size, is_crowd=True).max(axis=1)
            objects = [self.shapes[one] for one in theirs]
            noisy, boxed = (overlaps(shapes, objects, by) for by in (size, None))
            grid = np.meshgrid(mine, theirs, indexing="ij")
            parts.append([one.ravel().astype(float) for one in (grid[1], grid[0], noisy, boxed)])
        return replace(seen, crowd=crowd), _joined(parts)


def _joined(parts: list[list[FloatArray]]) -> Pairs:
    """Pairs from the columns of every image and category, by object."""
    nothing = [np.zeros(0)] * 4
    item, detection, noisy, boxed = (
        np.concatenate(one) for one in zip(nothing, *parts, strict=True)
    )
    order = np.lexsort((detection, item))
    item, detection = (one[order].astype(np.int64) for one in (item, detection))
    return Pairs(item, detection, noisy[order], boxed[order], *np.full((2, len(order)), np.nan))


def _together(first: IntArray, second: IntArray) -> Iterator[tuple[int, IntArray, IntArray]]:
    """For each key of the first the places of both sides that have it."""
    orders = [np.argsort(side, kind="stable") for side in (first, second)]
    sides = [side[order] for side, order in zip((first, second), orders, strict=True)]
    for key in np.unique(first):
        mine, theirs = (
            order[np.searchsorted(side, key) : np.searchsorted(side, key, side="right")]
            for side, order in zip(sides, orders, strict=True)
        )
        yield int(key), mine, theirs
