"""Scenes: objects in images and what detectors saw, rows beside the items of a pool."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spotheight.errors import InputError, did_you_mean, require_column
from spotheight.pool.reading.embedded import Table
from spotheight.pool.reading.source import open_source
from spotheight.pool.roles import Roles, Scene
from spotheight.pool.shapes import Shape, known_code, read_box, read_shape
from spotheight.types import BoolArray, FloatArray, TextArray

Size = tuple[int, int]


@dataclass(frozen=True, eq=False)
class SceneRows:
    """Some shapes in images: objects, crowds, or detections.

    Args:
        service: Who detected it; ``None`` for objects.
        score: Of a detection, else NaN.
        shapes: Boxes, with masks where they are known.
    """

    ids: TextArray
    image: TextArray
    category: TextArray
    service: TextArray
    score: FloatArray
    shapes: Sequence[Shape] = field(repr=False)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def has_masks(self) -> BoolArray:
        """Which come with a mask."""
        return np.array([shape.mask is not None for shape in self.shapes], dtype=bool)


@dataclass(frozen=True, eq=False)
class Scenes:
    """All images of a pool.

    Args:
        objects: The pool's items, with the boxes they have before they are vetted.
        crowds: Regions in which detections are neither right nor wrong.
        sizes: Height and width of each image.
    """

    objects: SceneRows
    crowds: SceneRows
    detections: SceneRows
    sizes: Mapping[str, Size] = field(repr=False)

    @property
    def is_masked(self) -> bool:
        """Whether overlaps are those of masks, not of boxes."""
        return bool(len(self.detections) and self.detections.has_masks[0])

    def size(self, image: str) -> Size | None:
        """What overlaps in an image are measured with: its size for masks, nothing for boxes."""
        return self.sizes[image] if self.is_masked else None


def split_scenes(raw: Table, roles: Roles, *, is_known: bool) -> tuple[Table, Scenes]:
    """The rows of objects, which are the items; and all rows as scenes.

    ``is_known`` says that the table was checked before.
    """
    scene = roles.scene
    assert scene is not None and roles.id is not None
    for name in (roles.id, *(getattr(scene, part) for part in Scene.__slots__)):
        require_column(name, raw.columns)
    table = raw.to_pyarrow()
    is_detection = _filled(table[scene.service])
    crowd = pc.fill_null(pc.cast(table[scene.crowd], pa.float64()), 0.0)
    is_crowd = pc.and_(pc.greater(crowd, 0.5), pc.invert(is_detection))
    is_object = pc.invert(pc.or_(is_crowd, is_detection))
    parts = [table.filter(one) for one in (is_object, is_crowd, is_detection)]
    objects, crowds, seen = (_rows(part, roles, scene, is_known=is_known) for part in parts)
    scenes = Scenes(objects, crowds, seen, _sizes(table, scene))
    if not is_known:
        _check(scenes, roles)
    return open_source(parts[0]), scenes


def _filled(column: Any) -> Any:
    text = pc.cast(column, pa.string())
    return pc.fill_null(pc.not_equal(text, ""), False)


def _rows(part: pa.Table, roles: Roles, scene: Scene, *, is_known: bool) -> SceneRows:
    ids, images, categories, services, boxes, masks = (
        np.array(pc.cast(part[name], pa.string()).to_pylist(), dtype=object)
        for name in (roles.id, scene.image, scene.category, scene.service, scene.box, scene.mask)
    )
    sizes = _sizes(part, scene)
    shapes = []
    for place, name in enumerate(ids):
        try:
            size = sizes[images[place]]
            shapes.append(_shape(boxes[place], masks[place], size, is_known=is_known))
        except InputError as error:
            raise InputError(f"Row {name!r} of the table: {error}") from None
    score = pc.cast(part[scene.score], pa.float64()).to_numpy(zero_copy_only=False)
    return SceneRows(ids, images, categories, services, np.asarray(score, dtype=float), shapes)


def _shape(box: str | None, mask: str | None, size: Size, *, is_known: bool) -> Shape:
    corners = read_box(json.loads(box or "null"))
    if not mask:
        return Shape(corners)
    code = known_code(mask) if is_known else None
    return Shape(corners, read_shape(mask, size).mask if code is None else code)


def _sizes(table: pa.Table, scene: Scene) -> dict[str, Size]:
    found: dict[str, Size] = {}
    images = pc.cast(table[scene.image], pa.string()).to_pylist()
    heights, widths = (
        pc.cast(table[n], pa.float64()).to_pylist() for n in (scene.height, scene.width)
    )
    for image, height, width in zip(images, heights, widths, strict=True):
        if not height or not width or min(height, width) < 1:
            raise InputError(f"The image {image!r} has no height and width in pixels.")
        size = (int(height), int(width))
        if found.setdefault(image, size) != size:
            raise InputError(f"The image {image!r} has two sizes, {found[image]} and {size}.")
    return found


def _check(scenes: Scenes, roles: Roles) -> None:
    """Raise where a table of objects and detections cannot be used."""
    seen = scenes.detections
    if not len(scenes.objects):
        raise InputError("There is no object to vet; rows of objects have no service.")
    names = [service.name for service in roles.services]
    strange = [name for name in seen.service if name not in names]
    if strange:
        raise InputError(f"There is no service {strange[0]!r}; {did_you_mean(strange[0], names)}")
    if len(seen) and seen.has_masks.any() != seen.has_masks.all():
        bad = seen.ids[int(np.argmin(seen.has_masks))]
        raise InputError(
            f"The detection {bad!r} has no mask and others have; "
            f"give masks for all detections, or for none."
        )
    if not np.isfinite(seen.score).all():
        bad = seen.ids[int(np.argmin(np.isfinite(seen.score)))]
        raise InputError(f"The detection {bad!r} has no finite score.")
