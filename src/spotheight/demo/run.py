"""Demo: a whole assessment on the digits, with the true labels as the annotator."""

import shutil
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.parquet

from spotheight import demo
from spotheight.arms import Recipe
from spotheight.beliefs import Surface
from spotheight.campaign.spec import Spec
from spotheight.errors import InputError, StoreError
from spotheight.pool.roles import SOLE, Roles, Service
from spotheight.types import FloatArray
from spotheight.workspace import LabelLog, Workspace

ATTRIBUTES = ("ink:bins=4", "slant", "size:ordered=small,medium,large", "holes")
BATCH = 12
ANNOTATOR = "demo"
"""Who labels here: the true digits."""


@dataclass(frozen=True, eq=False)
class DemoResult:
    """Where the demo's files are, what was found, and what was true."""

    work: Workspace
    surface: Surface
    truth: FloatArray
    overall_truth: float


def run_demo(
    folder: Path, labels: int, progress: Callable[[int, int], None] | None = None
) -> DemoResult:
    """Start a campaign in ``folder`` and label until ``labels`` are spent."""
    pool, campaign = folder / "digits.parquet", folder / "digits.db"
    _lay_out(folder, pool, campaign)
    roles = Roles(
        id="id",
        services=(Service(SOLE, "prediction", "score"),),
        attributes=tuple(Recipe.parse(text) for text in ATTRIBUTES),
        payload=("image",),
        classes=tuple("0123456789"),
    )
    work, _ = Workspace.create(campaign, pool, roles, Spec(seed=7, budget=labels), at="")
    truth = _true_labels(pool)
    while queries := work.ask(BATCH, at=""):  # the same file whenever it is made
        said = {query.item: truth[query.item] for query in queries}
        work.tell(said, annotator=ANNOTATOR, at="")
        if progress:
            progress(len(work.campaign.ledger.told), labels)
    surface = work.campaign.surface()
    per_arm, overall = _true_accuracy(work, truth)
    return DemoResult(work, surface, per_arm, overall)


def _lay_out(folder: Path, pool: Path, campaign: Path) -> None:
    """Fresh copies of the shipped files; only the demo's own files are replaced."""
    _require_own(pool, campaign)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        campaign.unlink(missing_ok=True)
        shutil.copyfile(demo.table(), pool)
        with zipfile.ZipFile(demo.images()) as archive:
            archive.extractall(folder / "images")
    except OSError as error:
        raise StoreError(f"Cannot write to {str(folder)!r}: {error.strerror or error}.") from error


def _require_own(pool: Path, campaign: Path) -> None:
    """Raise where a file of the demo's name is somebody else's, or somebody labelled in it."""
    if pool.exists() and pool.read_bytes() != demo.table().read_bytes():
        raise InputError(f"{str(pool)!r} is not the demo's; name another folder with -o.")
    with zipfile.ZipFile(demo.images()) as archive:
        for name in archive.namelist():
            image = pool.parent / "images" / name
            if image.is_file() and image.read_bytes() != archive.read(name):
                raise InputError(f"{str(image)!r} is not the demo's; name another folder with -o.")
    if not campaign.exists():
        return
    told = LabelLog.read(campaign).ledger.told
    if {name for by in told.values() for name in by} - {ANNOTATOR}:
        raise InputError(
            f"{str(campaign)!r} holds labels that are not the demo's; name another folder with -o."
        )


def _true_labels(pool: Path) -> dict[str, str]:
    table = pyarrow.parquet.read_table(pool, columns=["id", "label"])
    return dict(zip(table["id"].to_pylist(), table["label"].to_pylist(), strict=True))


def _true_accuracy(work: Workspace, truth: dict[str, str]) -> tuple[FloatArray, float]:
    """What labelling everything would have shown, by telling everything to a campaign in memory."""
    everything = type(work.campaign)(work.campaign.pool, Spec())
    everything.tell(truth)
    surface = everything.surface()
    return surface.mean, float(np.average(surface.mean, weights=surface.cells.mass))
