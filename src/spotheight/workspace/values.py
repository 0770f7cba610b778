"""Results of the verbs: frozen values that draw and print nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from math import isfinite
from pathlib import Path
from typing import Any

import pyarrow as pa

from spotheight.beliefs import Reading, Surface
from spotheight.beliefs.contrasts import Contrast
from spotheight.guesses import Trust
from spotheight.history.receipt import Receipt


@dataclass(frozen=True, slots=True)
class FileReceipt:
    """Receipt of a file of labels.

    Args:
        receipt: How many were new, repeated or corrected.
        empty: Rows that say nothing.
        labelled: Items that are labelled by now.
        hints: Sentences about what is odd: a column that was not read, a word that is no answer.
    """

    receipt: Receipt
    empty: int
    labelled: int
    hints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SkipReceipt:
    """Receipt of a skip.

    Args:
        new: Items that were not skipped before.
        total: Items that are skipped by now.
        labelled: Those of the skipped ones that have a label, which stays.
    """

    new: int
    total: int
    labelled: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Status:
    """Where a campaign stands; what it is not about is ``None``.

    Args:
        arms: Groups: combinations of attribute levels.
        listed: Items that ranked lists hold.
        categories: A ranked list each.
        levels_told: Items whose true levels of guessed attributes were told.
        out: Items that were asked for and have not come back.
        budget: How many labels there is money for; ``None`` for no limit.
        metric: Of the numbers below.
        task: The question about ranked lists.
        overall: The metric over all items.
        services: Its mean over the lists of each service.
        words: What arms, estimator and policy are, for those who meet them here first.
    """

    campaign: str
    pool: str
    items: int
    arms: int | None = None
    listed: int | None = None
    categories: int | None = None
    labelled: int
    levels_told: int | None = None
    out: int
    skipped: int
    budget: int | None
    service: str | None = None
    metric: str
    task: str | None = None
    estimator: str
    policy: str
    events: int
    overall: Reading | None = None
    services: Mapping[str, Reading] | None = None
    words: Mapping[str, str] = field(default_factory=dict, repr=False)

    def plain(self) -> dict[str, Any]:
        """As a mapping for JSON, without what the campaign is not about."""
        found = {each.name: getattr(self, each.name) for each in fields(self)}
        del found["words"]
        if self.overall is not None:
            found["overall"] = _numbers_of(self.overall)
        if self.services is not None:
            of = f"mean {found.pop('metric')}"
            found["services"] = {
                name: {**_numbers_of(one), "of": of} for name, one in self.services.items()
            }
        return {name: one for name, one in found.items() if one is not None or name == "budget"}


def _numbers_of(reading: Reading) -> dict[str, Any]:
    shown = ("estimand", "mean", "low", "high", "level")
    return {name: getattr(reading, name) for name in shown}


@dataclass(frozen=True, slots=True)
class SurfaceNumbers:
    """A surface at one level: its arms, or the slices of it that were asked for.

    Args:
        surface: Where they were read.
        level: Of the intervals.
        readings: A number for each slice, and for another population, by name.
        contrasts: Slices against each other.
    """

    surface: Surface
    level: float
    readings: Mapping[str, Reading] = field(default_factory=dict)
    contrasts: tuple[Contrast, ...] = ()

    @property
    def estimand(self) -> str:
        """Which estimands were read: another population's number is a rate at all times."""
        read = dict.fromkeys(reading.estimand for reading in self.readings.values())
        return " and ".join(read) or self.surface.estimand

    def plain(self) -> dict[str, Any]:
        """As a mapping for JSON: slices by name, or overall and a row an arm."""
        if not self.readings:
            overall = asdict(self.surface.overall(self.level))
            rows = self.surface.frame(self.level).to_pylist()
            named = {"estimand": self.surface.estimand, "level": self.level}
            return {**named, "overall": overall, "arms": rows}
        found: dict[str, Any] = {name: asdict(one) for name, one in self.readings.items()}
        if self.contrasts:
            found["contrasts"] = [asdict(contrast) for contrast in self.contrasts]
        return found

    def frame(self) -> pa.Table:
        """A row an arm, or a row a number, whose ``against`` names the second slice."""
        if not self.readings:
            return self.surface.frame(self.level)
        rows = [_row(name, "", "mean", reading) for name, reading in self.readings.items()]
        for one in self.contrasts:
            rows.append(_row(one.slice, one.against, "difference", one.difference))
            rows.append(_row(one.slice, one.against, "ratio", one.ratio))
        return pa.Table.from_pylist(rows)


def _row(name: str, against: str, number: str, reading: Reading) -> dict[str, Any]:
    sizes = {"n_pool": reading.n_pool, "n_labelled": reading.n_labelled}
    return {
        "slice": name,
        "against": against,
        "number": number,
        "estimand": reading.estimand,
        **{name: size if isfinite(size) else None for name, size in sizes.items()},
        "mean": reading.mean,
        "low": reading.low,
        "high": reading.high,
    }


@dataclass(frozen=True, slots=True)
class CheckedSlice:
    """One number against the bar."""

    slice: str
    mean: float
    low: float
    high: float
    estimand: str
    passed: bool


@dataclass(frozen=True, slots=True)
class Checked:
    """Every slice against the bar.

    Args:
        slices: Or all items, or every service of a campaign about ranked lists.
        failure: What is said of a number that does not reach the bar.
    """

    slices: tuple[CheckedSlice, ...]
    failure: str = ""

    @property
    def passed(self) -> bool:
        """Whether every slice reaches it."""
        return all(one.passed for one in self.slices)

    def plain(self) -> list[dict[str, Any]]:
        """As rows for JSON."""
        return [asdict(one) for one in self.slices]


@dataclass(frozen=True, slots=True)
class AttributeTrust:
    """How far guessed attributes can be believed, by the true levels told so far.

    Args:
        calibration: What is made of guesses, in its short form.
        used: Items that it is learned from; none where models are taken at their word.
        attributes: A row a guessed attribute.
    """

    calibration: str
    used: int
    attributes: Sequence[Trust]

    def plain(self) -> dict[str, Any]:
        """As a mapping for JSON, which has no word for a number that is not known but null."""
        rows = [
            {name: None if value != value else value for name, value in asdict(row).items()}
            for row in self.attributes
        ]
        return {"calibration": self.calibration, "used": self.used, "attributes": rows}


@dataclass(frozen=True, slots=True)
class Verified:
    """What came of recomputing every ask.

    Args:
        asks: How many there were.
        same: Those that came out the same.
        earlier_pool: Those from before the pool's file changed, which cannot be recomputed.
        first_difference: What the first other one asked for then and asks for now.
    """

    asks: int
    same: int
    earlier_pool: int
    first_difference: str = ""


@dataclass(frozen=True, slots=True)
class Written:
    """A file that was written.

    Args:
        path: Where.
        damage: Why it holds part of the labels only, where the campaign's file is damaged.
        is_nameless: Whether the campaign cannot say any more what its columns are called.
    """

    path: Path
    damage: str = ""
    is_nameless: bool = False
