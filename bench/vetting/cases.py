"""The cases: a world of pairs, and what is measured on its lists."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from bench.vetting.data import (
    CATEGORY,
    IMAGE,
    MAJORITY,
    NOISY,
    TRUTH,
    Pairs,
    Raters,
    Tags,
)
from bench.vetting.scenes import Boxes, Masks, Scenery
from spotheight.pool import ColumnPool, read_pool
from spotheight.questions.averageprecision import AveragePrecision
from spotheight.questions.detection import Detection
from spotheight.questions.precision import PrecisionAt

Measured = Literal["precision@48", "precision@200", "average-precision", "detection"]

ListMetric = PrecisionAt | AveragePrecision | Detection

Material = Pairs | Scenery


class World(Protocol):
    """Where pairs, or objects and detections, come from."""

    @property
    def files(self) -> tuple[str, ...]:
        """What has to be in the folder of data."""
        ...

    @property
    def varies(self) -> bool:
        """Whether every run has noise of its own."""
        ...

    def pairs(self, folder: Path, seed: int) -> Material:
        """The table of one run."""
        ...


@dataclass(frozen=True)
class Case:
    """Lists of one world, by one metric.

    Args:
        name: What files and options call it.
        title: What a reader calls it.
        world: Where the pairs come from.
        measured: The metric by name; ``detection`` is average precision of detectors.
        is_key: Whether it comes first.
    """

    name: str
    title: str
    world: World
    measured: Measured
    is_key: bool = False

    def task(self, pairs: Material) -> ListMetric:
        """The question about the lists; average precision knows how many pairs are true."""
        if isinstance(pairs, Scenery):
            return Detection()
        if self.measured == "average-precision":
            return AveragePrecision(known_positives=pairs.positives)
        return PrecisionAt(int(self.measured.split("@")[1]))

    def is_present(self, folder: Path) -> bool:
        """Whether its files are there."""
        return all((folder / file).is_file() for file in self.world.files)


def pool_of(pairs: Material, *, is_majority: bool) -> ColumnPool:
    """The pairs as a pool in memory; raters' shares as they are, or cut at the majority."""
    if isinstance(pairs, Scenery):
        return pairs.pool()
    pool = read_pool(
        pairs.table,
        id=IMAGE,
        category=CATEGORY,
        score={service: service for service in pairs.services},
        noisy_label=MAJORITY if is_majority else NOISY,
        label=TRUTH,
        in_memory=True,
    )
    assert isinstance(pool, ColumnPool)
    return pool


USUAL, SCARCE = Tags(0.38, 0.01), Tags(0.10, 0.001)
YES, MAYBE = Raters(("n_answer2",), "yes"), Raters(("n_answer1", "n_answer2"), "yes or maybe")
VOTED = Raters(("n_answer2",), "yes", shows_share=False)

CASES = (
    Case("tags-38-precision200", f"{USUAL}, Prec@200", USUAL, "precision@200", True),
    Case("imagenet-yes", "ImageNet, raters' yes, Prec@48", YES, "precision@48", True),
    Case("tags-38-ap", f"{USUAL}, AP", USUAL, "average-precision", True),
    Case("imagenet-maybe", "ImageNet, raters' yes or maybe, Prec@48", MAYBE, "precision@48"),
    Case("imagenet-most", "ImageNet, most raters' yes, Prec@48", VOTED, "precision@48"),
    Case("tags-38-precision48", f"{USUAL}, Prec@48", USUAL, "precision@48"),
    Case("tags-10-precision200", f"{SCARCE}, Prec@200", SCARCE, "precision@200"),
    Case("tags-10-precision48", f"{SCARCE}, Prec@48", SCARCE, "precision@48"),
    Case("tags-10-ap", f"{SCARCE}, AP", SCARCE, "average-precision"),
    Case("coco-boxes-10", "COCO boxes, edges off by 10%, four detectors", Boxes(0.1), "detection"),
    Case("coco-boxes-20", "COCO boxes, edges off by 20%, four detectors", Boxes(0.2), "detection"),
    Case("coco-masks", "COCO masks, five systems made from one", Masks(), "detection"),
)
"""All of them, the key cases first."""
