"""The campaign's metric by arm, or by the levels of one attribute."""

from dataclasses import dataclass

import numpy as np

from spotheight.beliefs import Surface
from spotheight.questions.quantities import Groups, HitRate


@dataclass(frozen=True)
class OwnRate(HitRate):
    """The campaign's metric in every group.

    Args:
        attribute: Read the surface over all arms at each level of this attribute, so that the
            numbers are those of its slices; empty for the groups of ``by``.
    """

    attribute: str = ""

    def groups(self, belief: Surface) -> Groups:
        if not self.attribute:
            return super().groups(belief)
        place, attribute = belief.partition.attribute(self.attribute)
        found, level = np.unique(belief.partition.codes[:, place], return_inverse=True)
        names = tuple(f"{attribute.name}={attribute.levels[code]}" for code in found)
        return Groups(level, labels=names)
