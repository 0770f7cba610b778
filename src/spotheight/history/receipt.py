"""Receipt of a tell: how many labels were new, repeated or corrected."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Receipt:
    """How many labels became what; ``attributed`` counts items with new true levels."""

    new: int = 0
    repeated: int = 0
    corrected: int = 0
    attributed: int = 0

    def __str__(self) -> str:
        parts = [
            f"{self.new} new label{'s' * (self.new != 1)}",
            f"{self.corrected} corrected" if self.corrected else "",
            f"{self.repeated} told before, nothing changed" if self.repeated else "",
            f"true levels of {self.attributed} item{'s' * (self.attributed != 1)}"
            if self.attributed
            else "",
        ]
        return ", ".join(part for part in parts if part) + "."
