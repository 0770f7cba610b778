"""Make the demo's table and images from scikit-learn's handwritten digits.

A logistic regression learns from 178 tidy digits: upright, dark, clear of the sides. All other
digits are the pool, and there it fails where a service that learned from tidy inputs would:
nothing in its answers is planted. But its training part and penalty were picked, among some
hundred tried, for clear weak spots in this pool: good for a demo, no evidence about a method.
No step draws random numbers, so a second run on the same versions writes the same bytes.

Example: python scripts/make_demo.py --out /tmp/demo
"""

import argparse
import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image
from scipy import ndimage
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
Columns = dict[str, npt.NDArray[Any]]

HOME = Path(__file__).resolve().parents[1] / "src" / "spotheight" / "demo"
SLANTS = np.array(["left", "upright", "right"], dtype=object)
SIZES = np.array(["small", "medium", "large"], dtype=object)
LEAN = 0.1  # columns per row; wider, and too few digits would lean to the right
HALF_DARK = 0.5  # at 0.25 three boxes in five would be of one size
LAST_SMALL, LAST_MEDIUM = 32, 40  # pixels of 64: a quarter small, a half medium, a quarter large
PAPER = 0.4  # lighter is paper; here more eights show both loops than at 0.3 or 0.5
LEAST_HOLE = 3  # in pixels of the enlarged image; less is a ragged stroke, not a loop
TIDY_INK = 0.3  # a little below the median
EVERY = 3  # one tidy digit in three teaches, the others stay in the pool as its easy part
ENLARGED = 6  # 48 pixels a side: readable on a labelling page, a few hundred bytes as PNG


def main() -> None:
    """Write both files, then say what the pool looks like."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=HOME, help="the folder to write to")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    digits = load_digits()
    images, labels = digits.images / 16, digits.target
    teaches = training_part(attributes(images))
    table = whole_table(images, labels, teaches)
    pool = {name: column[~teaches] for name, column in table.items()}
    write_table(pool, folder / "digits.parquet")
    write_images(pool["image"], images[~teaches], folder / "digits_images.zip")
    print(summary(pool))


def whole_table(images: FloatArray, labels: IntArray, teaches: BoolArray) -> Columns:
    """Every column for every digit; an id tells the digit's place in scikit-learn's set."""
    ids = [f"digit-{place:04d}" for place in range(len(labels))]
    return (
        {"id": np.array(ids)}
        | answers(images, labels, teaches)
        | attributes(images)
        | {"label": labels.astype(str), "image": np.array([f"{name}.png" for name in ids])}
    )


def attributes(images: FloatArray) -> Columns:
    """What can be seen of each digit without knowing which one it is."""
    return {
        "ink": images.mean(axis=(1, 2)),
        "slant": SLANTS[np.digitize(lean(images), [-LEAN, LEAN])],
        "size": SIZES[np.digitize(box_area(images), [LAST_SMALL, LAST_MEDIUM], right=True)],
        "holes": np.array([holes(image) for image in images], dtype=np.int32),
        # Only the sides tell: nearly every digit was scaled to fill the height.
        "touches_edge": (images[:, :, [0, -1]] > 0).any(axis=(1, 2)),
    }


def lean(images: FloatArray) -> FloatArray:
    """How many columns the ink moves to the right per row upwards, from second moments."""
    row, column = np.mgrid[:8, :8]
    mass = images.sum(axis=(1, 2))
    down = row - ((images * row).sum(axis=(1, 2)) / mass)[:, None, None]
    right = column - ((images * column).sum(axis=(1, 2)) / mass)[:, None, None]
    return -(images * right * down).sum(axis=(1, 2)) / (images * down**2).sum(axis=(1, 2))


def box_area(images: FloatArray) -> IntArray:
    """Pixels of the smallest upright box around everything at least half dark."""
    dark = images >= HALF_DARK
    return extent(np.any(dark, axis=2)) * extent(np.any(dark, axis=1))


def extent(occupied: BoolArray) -> IntArray:
    """From the first occupied place to the last, both counted, a row at a time."""
    before, after = occupied.argmax(axis=1), occupied[:, ::-1].argmax(axis=1)
    return (occupied.shape[1] - before - after).astype(np.int64)


def holes(image: FloatArray) -> int:
    """How many regions of paper the ink encloses."""
    paper = np.pad(ndimage.zoom(image, 4, order=1) < PAPER, 1, constant_values=True)
    region, count = ndimage.label(paper)
    sizes = np.bincount(region.ravel(), minlength=count + 1)[1:]
    return int((sizes >= LEAST_HOLE).sum()) - 1  # one of them is the paper around


def training_part(columns: Columns) -> BoolArray:
    """Which digits teach the classifier: every third tidy one."""
    tidy = (columns["slant"] == "upright") & (columns["ink"] > TIDY_INK) & ~columns["touches_edge"]
    teaches = np.zeros(tidy.size, dtype=bool)
    teaches[np.flatnonzero(tidy)[::EVERY]] = True
    return teaches


def answers(images: FloatArray, labels: IntArray, teaches: BoolArray) -> Columns:
    """The classifier's prediction, score and class probabilities for every digit."""
    pixels = images.reshape(len(images), -1)
    # So far converged that another build of the same solver gives the same answers.
    model = LogisticRegression(C=10, tol=1e-9, max_iter=5000).fit(pixels[teaches], labels[teaches])
    chance = model.predict_proba(pixels).astype(np.float32)
    prediction = model.classes_[chance.argmax(axis=1)].astype(str)
    classes = {f"p{digit}": chance[:, place] for place, digit in enumerate(model.classes_)}
    return {"prediction": prediction, "score": chance.max(axis=1)} | classes


def write_table(pool: Columns, path: Path) -> None:
    """Write the pool as Parquet, one column for each name."""
    table = pa.table({name: pa.array(column) for name, column in pool.items()})
    pq.write_table(table, path, compression="zstd", compression_level=19)


def write_images(files: npt.NDArray[Any], images: FloatArray, path: Path) -> None:
    """Write one archive of PNG files; they are compressed already, so it only stores them."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, image in zip(files, images, strict=True):
            entry = zipfile.ZipInfo(str(name))  # its default date is 1980, so bytes repeat
            entry.create_system, entry.external_attr = 3, 0o644 << 16
            archive.writestr(entry, png(image))


def png(image: FloatArray) -> bytes:
    """Dark ink on white paper, each pixel enlarged to a square."""
    grey = np.round(255 * (1 - image)).astype(np.uint8)
    enlarged = grey.repeat(ENLARGED, axis=0).repeat(ENLARGED, axis=1)
    stream = io.BytesIO()
    Image.fromarray(enlarged).save(stream, "PNG", optimize=True)
    return stream.getvalue()


def summary(pool: Columns) -> str:
    """Accuracy over all and by level, and the arms that two choices of attributes give."""
    hit = pool["prediction"] == pool["label"]
    edges = np.quantile(pool["ink"], [0.25, 0.5, 0.75])
    levels: Columns = {"ink": np.digitize(pool["ink"], edges)}
    levels |= {name: pool[name] for name in ("slant", "size", "holes", "touches_edge")}
    lines = [f"{hit.size} items, accuracy {hit.mean():.3f}, mean score {pool['score'].mean():.3f}"]
    for last in ("holes", "touches_edge"):
        lines.append(arms_line({name: levels[name] for name in ("ink", "slant", "size", last)}))
    for name, level in levels.items():
        parts = [
            f"{one} {hit[level == one].mean():.2f} ({(level == one).sum()})"
            for one in sorted(set(level.tolist()))
        ]
        lines.append(f"{name}: " + ", ".join(parts))
    return "\n".join(lines)


def arms_line(levels: Columns) -> str:
    """How many arms occur, and how large they are."""
    rows = list(zip(*(level.tolist() for level in levels.values()), strict=True))
    count = [rows.count(arm) for arm in set(rows)]
    low, middle, high = (int(n) for n in np.quantile(count, [0.25, 0.5, 0.75]))
    sizes = f"{min(count)} to {max(count)} items, quartiles {low}, {middle}, {high}"
    return f"{' x '.join(levels)}: {len(count)} arms of {sizes}"


if __name__ == "__main__":
    main()
