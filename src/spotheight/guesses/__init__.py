"""Attributes that are only guessed: what people told of them, and how guesses are calibrated."""

from spotheight.guesses.calibration import CalFull, Calibrator, CalRaw, CalTemp
from spotheight.guesses.gold import Gold, Levels, new_levels, read_level, told_codes
from spotheight.guesses.reliability import Trust, reliability

__all__ = [
    "CalFull",
    "CalRaw",
    "CalTemp",
    "Calibrator",
    "Gold",
    "Levels",
    "Trust",
    "new_levels",
    "read_level",
    "reliability",
    "told_codes",
]
