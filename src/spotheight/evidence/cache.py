"""What was counted in a pool already."""

from dataclasses import dataclass, field, replace

from spotheight.evidence import ItemEvidence
from spotheight.evidence.objects import SceneEvidence
from spotheight.pool.affiliation import Affiliation, Independent
from spotheight.pool.cells import Cells
from spotheight.pool.protocol import Pool
from spotheight.types import FloatArray


@dataclass(frozen=True)
class Book:
    """What was counted in a pool already, by what was asked: labels that come in change none of it.

    Args:
        cells: A population and its cells.
        mended: Cells after so many tellings of true levels, by the cells as they were before.
        scores: The mean probability of each class in each arm.
        lists: Items one by one, without their truths.
        affiliations: Where items belong, by the true levels that it was learned from.
        scenes: Objects in images, without their outlines.
        overlaps: Of objects with all detections, by their outlines.
    """

    cells: dict[tuple[object, ...], tuple[Pool, Cells]] = field(default_factory=dict)
    mended: dict[Cells, tuple[int, Cells]] = field(default_factory=dict)
    scores: dict[tuple[object, ...], FloatArray] = field(default_factory=dict)
    lists: dict[tuple[object, ...], ItemEvidence] = field(default_factory=dict)
    affiliations: dict[tuple[object, ...], Affiliation] = field(default_factory=dict)
    scenes: dict[tuple[str, ...], SceneEvidence] = field(default_factory=dict)
    overlaps: dict[tuple[str, ...], dict[tuple[str, ...], FloatArray]] = field(default_factory=dict)

    def for_other_labels(self) -> "Book":
        """What holds for any campaign on the same pool, whatever it is told."""
        cells = {
            key: (pool, found)
            for key, (pool, found) in self.cells.items()
            if found.reach is None or key[0] == Independent()
        }
        return replace(self, cells=cells, mended={}, affiliations={})

    def forget_guesses(self) -> None:
        """Let go of what earlier calibrations made of guesses; it takes much room."""
        self.affiliations.clear()
        self.mended.clear()
        for key in [key for key, (_, cells) in self.cells.items() if cells.reach is not None]:
            del self.cells[key]
