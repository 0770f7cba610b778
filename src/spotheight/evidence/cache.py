"""Cache of counts that labels do not change."""

from dataclasses import dataclass, field, replace

from spotheight.evidence import ItemEvidence
from spotheight.evidence.objects import SceneEvidence
from spotheight.pool.chances import ArmChances
from spotheight.pool.placement import GuessedPlacement
from spotheight.pool.strata import Strata
from spotheight.types import FloatArray


@dataclass(frozen=True)
class PoolCache:
    """Counts of a pool by what was asked, to be shared by all moments of a campaign.

    Args:
        strata: What items are drawn from.
        chances: Where items belong by the guesses, by the true levels that calibration learned
            from; ``None`` is before any.
        placed: Where items belong after so many tellings of true levels; of the last moment only.
        scores: The mean probability of each class in each arm.
        lists: Items one by one, without their truths.
        scenes: Objects in images, without their outlines.
        overlaps: Of objects with all detections, by their outlines.
    """

    strata: dict[tuple[object, ...], Strata] = field(default_factory=dict)
    chances: dict[tuple[object, ...] | None, ArmChances] = field(default_factory=dict)
    placed: dict[tuple[object, ...], GuessedPlacement] = field(default_factory=dict)
    scores: dict[tuple[object, ...], FloatArray] = field(default_factory=dict)
    lists: dict[tuple[object, ...], ItemEvidence] = field(default_factory=dict)
    scenes: dict[tuple[str, ...], SceneEvidence] = field(default_factory=dict)
    overlaps: dict[tuple[str, ...], dict[tuple[str, ...], FloatArray]] = field(default_factory=dict)

    def for_other_labels(self) -> "PoolCache":
        """What holds for any campaign on the same pool, whatever it is told."""
        return replace(self, chances={None: self.chances.get(None, ArmChances())}, placed={})

    def forget_guesses(self) -> None:
        """Let go of what earlier calibrations made of guesses; it takes much room."""
        self.chances.clear()
        self.placed.clear()
