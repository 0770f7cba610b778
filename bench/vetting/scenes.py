"""Objects in images: COCO boxes with made-up noise, and real masks with perturbed systems."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from faster_coco_eval.core import mask as tool
from numpy.random import Generator, default_rng
from scipy import ndimage

from bench.vetting.data import NOISE
from spotheight.exchange.coco import KINDS, LABEL, coco_roles, read_coco
from spotheight.pool import ColumnPool, open_pool
from spotheight.types import FloatArray

Row = dict[str, Any]

OVERLAPS = f"{0.5:g} to {0.95:g}"
"""COCO's: average precision is the mean over ten of them."""

JITTERED = 0.05
"""The standard deviation of noise on the scores of systems that are made from another."""


@dataclass(frozen=True, eq=False)
class Scenery:
    """Objects and detections of one run.

    Args:
        table: A row per object and per detection, with the true outline as label.
        services: Who detected.
        about: What was made up, in sentences.
    """

    table: pa.Table = field(repr=False)
    services: tuple[str, ...]
    about: str

    def pool(self) -> ColumnPool:
        """As a pool."""
        pool = open_pool(self.table, coco_roles(self.services))
        assert isinstance(pool, ColumnPool)
        return pool

    def labels(self) -> dict[str, str]:
        """What vetting every object would say."""
        rows = zip(*(self.table[name].to_pylist() for name in ("id", LABEL)), strict=True)
        return {item: label for item, label in rows if label is not None}


def _table(rows: Iterator[Row]) -> pa.Table:
    kept = list(rows)
    columns = {name: [row.get(name) for row in kept] for name in KINDS}
    return pa.table(columns, schema=pa.schema(list(KINDS.items())))


YOLACT = ("yolact_base", "yolact_darknet53", "yolact_im700", "yolact_resnet50")


@dataclass(frozen=True)
class Boxes:
    """Four YOLACT models on 100 images of COCO: true boxes, and the same with jittered edges.

    Args:
        jitter: The deviation of every edge, as a share of the box's side.
    """

    jitter: float
    files = (
        "coco_val2017_dets_yolact4_100img.parquet",
        "coco_val2017_gt_boxes.parquet",
        "coco_val2017_images.parquet",
    )
    varies = True

    def pairs(self, folder: Path, seed: int) -> Scenery:
        detections, boxes, images = (pd.read_parquet(folder / file) for file in self.files)
        boxes = boxes[boxes["image_id"].isin(set(detections["image_id"]))]
        sizes = {row.image_id: (row.height, row.width) for row in images.itertuples()}
        rng = default_rng([NOISE, seed])
        rows = [*self._objects(boxes, sizes, rng), *_boxes_seen(detections)]
        return Scenery(_table(iter(rows)), YOLACT, self._about())

    def _objects(self, boxes: pd.DataFrame, sizes: Any, rng: Generator) -> Iterator[Row]:
        row: Any
        for number, row in enumerate(boxes.itertuples()):
            edges = np.array([row.x1, row.y1, row.x2, row.y2], dtype=float)
            sides = np.tile(edges[2:] - edges[:2], 2)
            moved = edges + rng.normal(0, self.jitter, 4) * sides
            yield {
                "id": f"{number:04}",
                **_place(row.image_id, row.category, sizes[row.image_id]),
                "box": _box(moved),
                "crowd": 0,
                LABEL: _box(edges),
            }

    def _about(self) -> str:
        return (
            f"Box average precision at IoU {OVERLAPS} of four YOLACT models on 100 images of COCO. "
            f"The noisy boxes are the true ones with every edge moved by a normal deviation of "
            f"{100 * self.jitter:g}% of the side: this noise is made up, anew in every run, the "
            f"same for all methods. Vetting an object shows its true box. Crowds are not marked in "
            f"these data and count as objects."
        )


def _box(edges: FloatArray) -> str:
    low, high = np.minimum(edges[:2], edges[2:]), np.maximum(edges[:2], edges[2:])
    return json.dumps([*low.tolist(), *np.maximum(high - low, 1.0).tolist()])


def _place(image: object, category: object, size: tuple[Any, Any]) -> Row:
    kind = {"image": str(image), "category": str(category)}
    return {**kind, "height": int(size[0]), "width": int(size[1])}


def _boxes_seen(detections: pd.DataFrame) -> Iterator[Row]:
    row: Any
    for number, row in enumerate(detections.itertuples()):
        corners = [float(one) for one in (row.x, row.y, row.w, row.h)]
        yield {
            "id": f"d{number}",
            "service": str(row.model),
            **_place(row.image_id, row.category, (row.img_h, row.img_w)),
            "score": float(row.score),
            "box": json.dumps(corners),
        }


SYSTEMS = {"demo": 0, "thin": 3, "fat": 3, "shifted": 3, "blunt": 8}
"""The demo system, and what is made of it: by so many pixels at most."""


@dataclass(frozen=True)
class Masks:
    """Real masks on 100 images of COCO, a demo system, and systems made by perturbing its masks."""

    files = (
        "coco_mask_example/instances_val2014_100.json",
        "coco_mask_example/instances_val2014_fakesegm100_results.json",
    )
    varies = True

    def pairs(self, folder: Path, seed: int) -> Scenery:
        truth, demo = (folder / file for file in self.files)
        table = read_coco(truth, {"demo": demo})
        rows = table.to_pylist()
        rng = default_rng([NOISE, seed])
        seen = [row for row in rows if row["service"]]
        made = [row for name in list(SYSTEMS)[1:] for row in _perturbed(seen, name, rng)]
        return Scenery(_table(iter([*rows, *made])), tuple(SYSTEMS), self._about())

    def _about(self) -> str:
        return (
            f"Mask average precision at IoU {OVERLAPS} on 100 images of COCO: boxes are the noisy "
            "annotation, real masks the vetted one. Only the demo system is the field's own (and "
            "made up itself); the others are made from it, anew in every run: masks made thinner, "
            "fatter or shifted by up to 3 pixels, or blunted by up to 8, a tenth of the detections "
            f"dropped, scores jittered by {JITTERED:g}."
        )


def _perturbed(seen: list[Row], name: str, rng: Generator) -> Iterator[Row]:
    for row in seen:
        if rng.random() < 0.1:
            continue
        code = json.loads(row["mask"])
        pixels = tool.decode({"size": code["size"], "counts": code["counts"].encode()})
        reach = int(rng.integers(0, SYSTEMS[name] + 1))
        changed = _changed(pixels.astype(bool), name, reach, rng)
        packed = tool.encode(np.asfortranarray(changed, dtype=np.uint8))
        yield {
            **row,
            "id": f"{name}/{row['id']}",
            "service": name,
            "score": float(np.clip(row["score"] + rng.normal(0, JITTERED), 0, 1)),
            "mask": json.dumps({"size": code["size"], "counts": packed["counts"].decode()}),
            "box": json.dumps([float(one) for one in tool.toBbox([packed])[0]]),
        }


def _changed(pixels: Any, name: str, reach: int, rng: Generator) -> Any:
    """A mask that is thinner, fatter, moved, or without its fine parts; never an empty one."""
    if not reach:
        return pixels
    if name == "thin":
        found = ndimage.binary_erosion(pixels, iterations=reach)
    elif name == "fat":
        found = ndimage.binary_dilation(pixels, iterations=reach)
    elif name == "shifted":
        found = np.roll(pixels, rng.integers(-reach, reach + 1, 2), axis=(0, 1))
    else:
        found = ndimage.binary_opening(pixels, iterations=reach)
    return found if found.any() else pixels
