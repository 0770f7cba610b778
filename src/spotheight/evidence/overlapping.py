"""Overlaps of detections with objects, crowds and each other, image by image."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from spotheight.evidence.objects import Detections, Pairs, SceneEvidence
from spotheight.numerics.sums import turns
from spotheight.pool.scenes import SceneRows, Scenes, Size
from spotheight.pool.shapes import Shape, overlaps
from spotheight.types import BoolArray, FloatArray, IntArray

MOST_DETECTIONS = 100
"""Of one service in one image and category; COCO counts no more."""


def scene_evidence(
    scenes: Scenes, services: Sequence[str], prices: Mapping[str, float]
) -> SceneEvidence:
    """Detection evidence of a pool, all but the vetted outlines."""
    objects = scenes.objects
    categories = tuple(sorted({str(name) for name in objects.category}, key=natural))
    code = {name: number for number, name in enumerate(categories)}
    images = tuple(sorted(scenes.sizes, key=natural))
    place = {name: number for number, name in enumerate(images)}
    sizes = [scenes.size(name) for name in images]
    kinds = np.array([code[str(name)] for name in objects.category], dtype=np.int64)
    order = np.lexsort((objects.ids.astype(str), kinds))
    ids, category = objects.ids[order], kinds[order]
    unit = np.array([place[str(name)] for name in objects.image[order]], dtype=np.int64)
    shapes = [objects.shapes[one] for one in order]
    seen = _sorted(scenes.detections, services, code, place)
    seen = replace(seen, crowd=_in_crowds(seen, scenes.crowds, sizes, code, place))
    pairs = _met(seen, shapes, unit * len(code) + category, sizes, len(code))
    agreed = _agreements(pairs, seen, [sizes[image] for image in unit], len(code))
    pairs = replace(pairs, agreed=agreed)
    return SceneEvidence(
        ids, category, categories, tuple(services), unit, images,
        np.array([prices[str(item)] for item in ids], dtype=float),
        np.array([shape.box[2:] for shape in shapes], dtype=float).reshape(-1, 2),
        seen, pairs, scenes, *np.zeros((2, len(ids)), dtype=bool),
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
    """Sort key in natural order: numbers by size, before words."""
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


def _corner(seen: Detections, categories: int) -> IntArray:
    """The image and category of each detection, as one number."""
    return seen.image * categories + seen.list_of % categories


def _in_crowds(
    seen: Detections,
    crowds: SceneRows,
    sizes: Sequence[Size | None],
    code: Mapping[str, int],
    place: Mapping[str, int],
) -> FloatArray:
    """How much of each detection lies in a crowd of its category."""
    kept = [one for one, name in enumerate(crowds.category) if str(name) in code]
    pairs = ((str(crowds.image[one]), str(crowds.category[one])) for one in kept)
    corner = np.array([place[image] * len(code) + code[name] for image, name in pairs], np.int64)
    crowd = np.zeros(len(seen))
    for key, mine, theirs in _together(_corner(seen, len(code)), corner):
        if len(theirs):
            shapes = [seen.shapes[one] for one in mine]
            regions = [crowds.shapes[kept[one]] for one in theirs]
            found = overlaps(shapes, regions, sizes[key // len(code)], is_crowd=True)
            crowd[mine] = found.max(axis=1)
    return crowd


def _met(
    seen: Detections,
    objects: Sequence[Shape],
    corner: IntArray,
    sizes: Sequence[Size | None],
    categories: int,
) -> Pairs:
    """Every detection with every object of its image and category."""
    parts: list[list[FloatArray]] = []
    for key, mine, theirs in _together(_corner(seen, categories), corner):
        shapes, others = [seen.shapes[one] for one in mine], [objects[one] for one in theirs]
        noisy, boxed = (overlaps(shapes, others, by) for by in (sizes[key // categories], None))
        grid = np.meshgrid(mine, theirs, indexing="ij")
        parts.append([one.ravel().astype(float) for one in (grid[1], grid[0], noisy, boxed)])
    return _joined(parts)


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
