"""Boxes and masks, and how far they overlap, by the field's own tool (faster-coco-eval).

A box is x, y, width and height in pixels. A mask is a run-length code: a mapping of ``size``, the
image's height and width, and ``counts``, runs of pixels outside and inside by turns, column by
column; as a list, or packed into text. A polygon is a list of rings, x and y by turns.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np

from spotheight.errors import InputError
from spotheight.types import FloatArray

Code = dict[str, Any]
"""A mask as the tool holds it."""

FAR = 10
"""Times the size of an image: a polygon that reaches further belongs to another one."""


@dataclass(frozen=True, eq=False)
class Shape:
    """Where an object is: a box, and a mask where it is known.

    Args:
        box: x, y, width, height.
        mask: The tool's run-length code; ``None`` for a box alone.
    """

    box: tuple[float, float, float, float]
    mask: Code | None = None

    def code(self, size: tuple[int, int]) -> Code:
        """As a mask: a box is all its pixels."""
        if self.mask is not None:
            return self.mask
        return _tool().frPyObjects(np.array([self.box], dtype=float), *size)[0]

    @cached_property
    def area(self) -> float:
        """In pixels."""
        if self.mask is None:
            return self.box[2] * self.box[3]
        return float(_tool().area([self.mask])[0])


def overlaps(
    first: Sequence[Shape],
    second: Sequence[Shape],
    size: tuple[int, int] | None,
    is_crowd: bool = False,
) -> FloatArray:
    """Intersection over union of every two shapes, (first, second).

    ``size`` is the image's, to compare masks; ``None`` compares boxes. With ``is_crowd`` the second
    are regions with many objects: the intersection is then measured against the first alone.
    """
    if not len(first) or not len(second):
        return np.zeros((len(first), len(second)))
    tool, flags = _tool(), [int(is_crowd)] * len(second)
    if size is None:
        sides = [np.array([one.box for one in side], dtype=float) for side in (first, second)]
        return np.asarray(tool.iou(*sides, flags), dtype=float)
    codes = [[one.code(size) for one in side] for side in (first, second)]
    return np.asarray(tool.iou(*codes, flags), dtype=float)


def _require_near(rings: Any, size: tuple[int, int] | None) -> None:
    """The tool walks along every edge, so that one far away would take all memory."""
    if size is None:
        raise InputError("A polygon needs the height and the width of its image.")
    furthest = max(abs(float(one)) for ring in rings for one in ring)
    if furthest > FAR * max(size):
        raise InputError(f"The polygon reaches {furthest:g}, far outside its image of {size}.")


def merged(shapes: Sequence[Shape], size: tuple[int, int] | None) -> Shape:
    """Majority vote on an outline: pixels that more than half of several people chose.

    Of boxes, where there is no image to draw in, the middle of each number.
    """
    if len(shapes) == 1:
        return shapes[0]
    if size is None:
        box = np.median([one.box for one in shapes], axis=0)
        return Shape(tuple(map(float, box)))  # type: ignore[arg-type]
    drawn = _tool().decode([one.code(size) for one in shapes])
    chosen = np.asfortranarray(drawn.mean(axis=2) > 0.5, dtype=np.uint8)
    return _of_code(_tool().encode(chosen))


def read_shape(said: object, size: tuple[int, int] | None) -> Shape:
    """A box, a polygon or a run-length code, or the JSON text of one; raise for anything else.

    >>> read_shape("[10, 20, 30, 40]", None).box
    (10.0, 20.0, 30.0, 40.0)
    """
    value = _parsed(said) if isinstance(said, str) else said
    if isinstance(value, Mapping):
        return _of_code(_checked(value, size))
    if _are_numbers(value) and len(value) == 4:  # type: ignore[arg-type]
        return Shape(read_box(value))
    if isinstance(value, (list, tuple)) and value and all(map(_is_ring, value)):
        _require_near(value, size)
        rings = _tool().frPyObjects([list(map(float, ring)) for ring in value], *(size or ()))
        return _of_code(_tool().merge(rings))
    raise InputError(
        f"{_short(value)} is no shape; give a box [x, y, width, height], polygons "
        f'[[x, y, x, y, x, y], ...], or a run-length code {{"size": [h, w], "counts": ...}}.'
    )


def known_shape(text: str, size: tuple[int, int]) -> Shape:
    """A shape from JSON text that was checked before, which need not be done again."""
    code = known_code(text)
    return read_shape(text, size) if code is None else _of_code(code)


def known_code(text: str) -> Code | None:
    """A packed run-length code from such text, without the tool; nothing where it is none."""
    value = json.loads(text)
    if isinstance(value, dict) and isinstance(value["counts"], str):
        return {"size": value["size"], "counts": value["counts"].encode()}
    return None


def read_box(value: Any) -> tuple[float, float, float, float]:
    """Four numbers that can be a box; raise otherwise."""
    if not _are_numbers(value) or len(value) != 4:
        raise InputError(f"{_short(value)} is no box; it needs x, y, width and height.")
    x, y, width, height = map(float, value)
    if width < 0 or height < 0:
        raise InputError(
            f"The box {_short(value)} has a negative size; it needs x, y, width and height."
        )
    return x, y, width, height


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise InputError(f"{_short(text)} is no JSON, so it is no shape.") from None


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return text if len(text) <= 60 else text[:57] + "..."


def _are_numbers(value: object) -> bool:
    return isinstance(value, (list, tuple)) and all(
        isinstance(one, (int, float)) and not isinstance(one, bool) and np.isfinite(one)
        for one in value
    )


def _is_ring(value: object) -> bool:
    return _are_numbers(value) and len(value) >= 6 and len(value) % 2 == 0  # type: ignore[arg-type]


def _of_code(code: Code) -> Shape:
    box = tuple(float(one) for one in _tool().toBbox([code])[0])
    return Shape(box, code)  # type: ignore[arg-type]


def _checked(value: Mapping[str, Any], size: tuple[int, int] | None) -> Code:
    """The tool crashes on runs that do not fill the image, so they are counted first."""
    said, counts = value.get("size"), value.get("counts")
    if not _are_numbers(said) or len(said) != 2 or min(said) < 1:  # type: ignore[arg-type]
        raise InputError(f"The run-length code has the size {_short(said)}; it needs [h, w].")
    height, width = (int(one) for one in said)  # type: ignore[union-attr]
    if size is not None and (height, width) != size:
        raise InputError(
            f"The run-length code is for an image of {height} x {width} pixels (height x width); "
            f"this one has {size[0]} x {size[1]}."
        )
    runs = unpacked(counts) if isinstance(counts, (str, bytes)) else counts
    if not _are_numbers(runs) or any(one < 0 or one != int(one) for one in runs):  # type: ignore[union-attr]
        raise InputError(f"The run-length code has no readable counts: {_short(counts)}.")
    total = int(sum(runs))  # type: ignore[arg-type]
    if total != height * width:
        raise InputError(
            f"The run-length code fills {total} pixels of {height * width} "
            f"({height} x {width}); it is damaged, or belongs to another image."
        )
    whole = {"size": [height, width], "counts": [int(one) for one in runs]}  # type: ignore[union-attr]
    return _tool().frPyObjects(whole, height, width)


def unpacked(counts: str | bytes) -> list[int] | None:
    """Decoded run lengths: five bits a letter, differences from the third run on.

    ``None`` where the text cannot be such a code.

    >>> unpacked("358")
    [3, 5, 8]
    """
    data = counts.encode() if isinstance(counts, str) else counts
    runs: list[int] = []
    value, shift = 0, 0
    for letter in data:
        part = letter - 48
        if not 0 <= part < 64 or shift > 60:
            return None
        value |= (part & 31) << shift
        shift += 5
        if part & 32:
            continue
        if part & 16:
            value -= 1 << shift
        runs.append(value + (runs[-2] if len(runs) > 2 else 0))
        value, shift = 0, 0
    return runs if not shift else None


def _tool() -> Any:
    """The tool's functions on masks; an extra, so that it is loaded when it is needed."""
    try:
        return import_module("faster_coco_eval.core.mask")
    except ImportError:
        raise InputError(
            "Boxes and masks need the extra `coco`; run pip install 'spotheight[coco]'."
        ) from None
