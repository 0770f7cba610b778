"""Attributes that are only guessed: what people told of them, and how guesses are calibrated."""

from spotheight.guesses.calibration import CalFull, Calibration, CalRaw, CalTemp
from spotheight.guesses.gold import Gold, Levels, gold_codes, new_levels, read_level
from spotheight.guesses.reliability import Trust, reliability

__all__ = [
    "CalFull",
    "CalRaw",
    "CalTemp",
    "Calibration",
    "Gold",
    "Levels",
    "Trust",
    "gold_codes",
    "new_levels",
    "read_level",
    "reliability",
]
