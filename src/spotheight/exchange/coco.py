"""COCO files: annotations of objects in images, and the results of detectors."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any

import pyarrow as pa

from spotheight.arms import Recipe
from spotheight.errors import InputError
from spotheight.pool.roles import Roles, Scene, Service
from spotheight.pool.shapes import Shape, read_box, read_shape

SCENE = Scene()
ID, LABEL, FILE = "id", "label", "file"
KINDS = {
    ID: pa.string(),
    SCENE.service: pa.string(),
    SCENE.image: pa.string(),
    FILE: pa.string(),
    SCENE.category: pa.string(),
    SCENE.score: pa.float64(),
    SCENE.box: pa.string(),
    SCENE.mask: pa.string(),
    SCENE.crowd: pa.int64(),
    SCENE.height: pa.int64(),
    SCENE.width: pa.int64(),
    LABEL: pa.string(),
}
"""The columns of a table of objects and detections."""

Row = dict[str, Any]


def coco_roles(services: tuple[str, ...]) -> Roles:
    """Which column plays which part in a table that was made from COCO files."""
    return Roles(
        id=ID,
        services=tuple(map(Service, services)),
        attributes=(Recipe(SCENE.category),),
        label=LABEL,
        payload=(SCENE.category, SCENE.image, FILE, SCENE.box),
        scene=SCENE,
    )


def read_coco(truth: Path, results: Mapping[str, Path]) -> pa.Table:
    """Annotations and results as one table: a row per object, crowd and detection.

    Boxes are the noisy annotation. An outline that the truth brings is the label of its object.

    Args:
        truth: Images, categories and annotations.
        results: A file for each service.
    """
    if not results:
        raise InputError("No detector is named; add --coco-results NAME=FILE.json.")
    known = CocoTruth.of(truth)
    rows = [*known.rows()]
    for service, path in results.items():
        rows += known.detected(service, path)
    columns = {name: [row.get(name) for row in rows] for name in KINDS}
    return pa.table(columns, schema=pa.schema(list(KINDS.items())))


@dataclass(frozen=True, eq=False)
class CocoTruth:
    """A truth file, its parts by their ids.

    Args:
        name: Of the file.
        images: Each with its height and width.
        categories: Their names.
        annotations: As the file has them.
    """

    name: str
    images: Mapping[Any, Row] = field(repr=False)
    categories: Mapping[Any, str] = field(repr=False)
    annotations: list[Row] = field(repr=False)

    @classmethod
    def of(cls, path: Path) -> "CocoTruth":
        """Read and check one."""
        data = _read_json(path)
        if not isinstance(data, dict):
            raise InputError(f"{path.name} is no COCO truth: it needs images and annotations.")
        parts = {}
        for part in ("images", "categories", "annotations"):
            if not isinstance(data.get(part), list) or not data[part]:
                raise InputError(f"{path.name} has no list of {part}; a COCO truth needs one.")
            parts[part] = _by_id(data[part], f"{path.name}, {part}")
        names = {key: str(row.get("name", "")) for key, row in parts["categories"].items()}
        doubled = [name for name in names.values() if list(names.values()).count(name) > 1]
        if doubled or "" in names.values():
            raise InputError(f"{path.name}: each category needs a name of its own.")
        images = {key: _image(path.name, key, row) for key, row in parts["images"].items()}
        return cls(path.name, images, names, list(parts["annotations"].values()))

    def rows(self) -> Iterator[Row]:
        """Objects and crowds."""
        for row in self.annotations:
            where = f"{self.name}, annotation {row['id']!r}"
            place = self._place(row, where)
            is_crowd = bool(row.get("iscrowd"))
            shape = _shape(row, place, where)
            with_mask = _packed(shape)
            yield {
                ID: str(row["id"]),
                **place,
                SCENE.box: _box_text(shape),
                SCENE.crowd: int(is_crowd),
                SCENE.mask: with_mask if is_crowd else None,
                LABEL: None if is_crowd else with_mask,
            }

    def detected(self, service: str, path: Path) -> Iterator[Row]:
        """What one service saw."""
        data = _read_json(path)
        if not isinstance(data, list):
            raise InputError(f"{path.name} is no COCO result: it needs to be a list of detections.")
        for number, row in enumerate(data, start=1):
            where = f"{path.name}, detection {number}"
            if not isinstance(row, dict):
                raise InputError(f"{where}: expected an object, got {row!r}.")
            place = self._place(row, where)
            shape = _shape(row, place, where)
            yield {
                ID: f"{service}/{number}",
                SCENE.service: service,
                **place,
                SCENE.score: _score(row, where),
                SCENE.box: _box_text(shape),
                SCENE.mask: _packed(shape),
            }

    def _place(self, row: Row, where: str) -> Row:
        """The image and the category of a row."""
        image, category = row.get("image_id"), row.get("category_id")
        if not _is_key(image) or image not in self.images:
            raise InputError(f"{where}: {self.name} has no image {image!r}.")
        if not _is_key(category) or category not in self.categories:
            raise InputError(f"{where}: {self.name} has no category {category!r}.")
        return {**self.images[image], SCENE.category: self.categories[category]}


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except OSError:
        raise InputError(f"There is no file {str(path)!r} that can be read.") from None
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"{path.name} is no JSON: {error}.") from None


def _is_key(value: object) -> bool:
    return isinstance(value, (int, str)) and not isinstance(value, bool)


def _by_id(rows: list[Any], where: str) -> dict[Any, Row]:
    found: dict[Any, Row] = {}
    for row in rows:
        key = row.get("id") if isinstance(row, dict) else None
        if not _is_key(key):
            raise InputError(f"{where}: each needs an id, got {str(row)[:60]}.")
        if key in found:
            raise InputError(f"{where}: the id {key!r} stands there twice; ids must be unique.")
        found[key] = row
    return found


def _image(name: str, key: Any, row: Row) -> Row:
    size = (row.get("height"), row.get("width"))
    if not all(isinstance(one, int) and one > 0 for one in size):
        raise InputError(f"{name}: the image {key!r} needs a height and a width, got {size}.")
    return {
        SCENE.image: str(key),
        FILE: row.get("file_name"),
        SCENE.height: size[0],
        SCENE.width: size[1],
    }


def _shape(row: Row, place: Row, where: str) -> Shape:
    """The box of a row, with its mask where it has one."""
    try:
        box, outline = row.get("bbox"), row.get("segmentation")
        size = (place[SCENE.height], place[SCENE.width])
        shape = read_shape(outline, size) if outline else None
        corners = read_box(box) if box is not None or shape is None else shape.box
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    return Shape(corners, None if shape is None else shape.mask)


def _score(row: Row, where: str) -> float:
    score = row.get("score")
    if not isinstance(score, (int, float)) or isinstance(score, bool) or not isfinite(score):
        raise InputError(f"{where}: the score is {score!r}; it needs to be a finite number.")
    return float(score)


def _box_text(shape: Shape) -> str:
    return json.dumps([round(one, 4) for one in shape.box])


def _packed(shape: Shape) -> str | None:
    if shape.mask is None:
        return None
    return json.dumps({"size": shape.mask["size"], "counts": shape.mask["counts"].decode()})
