"""Small images with objects and detectors, as COCO files; and what pycocotools makes of them."""

import contextlib
import copy
import io
import json

import numpy as np
from numpy.random import default_rng
from pycocotools import mask as tool
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

SIZE = (60, 80)
CATEGORIES = ("cat", "dog", "kite")


def ellipse(box):
    """A mask that touches all sides of a box."""
    x, y, width, height = box
    rows, columns = np.mgrid[: SIZE[0], : SIZE[1]] + 0.5
    inside = ((columns - x - width / 2) / width) ** 2 + ((rows - y - height / 2) / height) ** 2
    return packed((inside <= 0.25).astype(np.uint8))


def packed(pixels):
    code = tool.encode(np.asfortranarray(pixels))
    return {"size": list(code["size"]), "counts": code["counts"].decode()}


def box_of(code):
    return [float(one) for one in tool.toBbox(code)]


def world(images=12, seed=0, *, crowds=2):
    """A truth, and two detectors: one good, one poor, with false alarms and doubled detections."""
    rng = default_rng(seed)
    annotations = []
    for number in range(images * 3):
        width, height = rng.integers(12, 34, 2)
        box = [int(rng.integers(0, SIZE[1] - width)), int(rng.integers(0, SIZE[0] - height))]
        box += [int(width), int(height)]
        annotations.append(
            {
                "id": number + 1,
                "image_id": int(number % images) + 1,
                "category_id": int(rng.integers(1, 4)),
                "bbox": box,
                "area": width * height * 0.78,
                "iscrowd": int(number < crowds),
                "segmentation": ellipse(box),
            }
        )
    truth = {
        "images": [{"id": i + 1, "height": SIZE[0], "width": SIZE[1]} for i in range(images)],
        "categories": [{"id": i + 1, "name": name} for i, name in enumerate(CATEGORIES)],
        "annotations": json.loads(json.dumps(annotations, default=float)),
    }
    return truth, {"good": detected(truth, rng, 0.05), "poor": detected(truth, rng, 0.2)}


def detected(truth, rng, noise):
    found = []
    for row in truth["annotations"]:
        for _ in range(rng.choice([0, 1, 1, 1, 2])):
            x, y, width, height = row["bbox"]
            moved = [
                x + rng.normal(0, noise * width),
                y + rng.normal(0, noise * height),
                width * np.exp(rng.normal(0, noise)),
                height * np.exp(rng.normal(0, noise)),
            ]
            # Scores are rounded, so that some are tied.
            score = round(float(np.clip(rng.normal(0.6, 0.2), 0, 1)), 1)
            kind = row["category_id"] if rng.random() < 0.9 else int(rng.integers(1, 4))
            place = {"image_id": row["image_id"], "category_id": kind}
            found.append({**place, "score": score, "segmentation": ellipse(moved)})
    return found


def boxed(truth):
    """The same with nothing vetted: objects have boxes alone, crowds what they had."""
    other = copy.deepcopy(truth)
    for row in other["annotations"]:
        if not row["iscrowd"]:
            row["segmentation"] = []
    return other


def outlines(truth):
    """What people would say of each object."""
    rows = truth["annotations"]
    return {str(r["id"]): json.dumps(r["segmentation"]) for r in rows if not r["iscrowd"]}


def evaluated(truth, results, kind="segm"):
    """AP of each category by the field's tool, NaN where there is nothing to find."""
    truth = copy.deepcopy(truth)
    for row in truth["annotations"]:
        if not row["segmentation"]:
            x, y, w, h = row["bbox"]
            row["segmentation"] = [[x, y, x + w, y, x + w, y + h, x, y + h]]
    with contextlib.redirect_stdout(io.StringIO()):
        known = COCO()
        known.dataset = {"info": {}, **truth}
        known.createIndex()
        judge = COCOeval(known, known.loadRes(copy.deepcopy(results)), kind)
        judge.evaluate()
        judge.accumulate()
    precision = judge.eval["precision"][:, :, :, 0, -1]
    return np.where(precision > -1, precision, np.nan).mean(axis=(0, 1))


def write(folder, truth, results):
    """The files of a world; gives their options."""
    (folder / "truth.json").write_text(json.dumps(truth))
    options = ["--coco-truth", "truth.json"]
    for name, rows in results.items():
        (folder / f"{name}.json").write_text(json.dumps(rows))
        options += ["--coco-results", f"{name}={name}.json"]
    return options
