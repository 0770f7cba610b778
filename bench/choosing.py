"""What benchmark commands have in common: which cases to run, and until when."""

from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from math import inf
from time import monotonic
from typing import Protocol, TypeVar

from spotheight.cli import notice
from spotheight.cli.progress import progress_bar
from spotheight.errors import InputError, did_you_mean


class Named(Protocol):
    """Something with a name."""

    @property
    def name(self) -> str:
        """What options call it."""
        ...


class Running(Protocol):
    """A plan at work that can be stopped."""

    def run(self, is_over: Callable[[], bool], progress: Callable[[int, int], None]) -> None:
        """Run what is missing until nothing is, or until no more is to be started."""
        ...


Some = TypeVar("Some", bound=Named)


def fitting(cases: Sequence[Some], patterns: Sequence[str]) -> tuple[Some, ...]:
    """The cases whose names fit one of the patterns; all without any."""
    names = [case.name for case in cases]
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise InputError(f"There is no case {pattern!r}; {did_you_mean(pattern, names)}")
    wanted = patterns or ("*",)
    return tuple(c for c in cases if any(fnmatchcase(c.name, pattern) for pattern in wanted))


def run_for(runner: Running, minutes: float | None) -> None:
    """Start nothing after so many minutes; a key press loses nothing either."""
    end = inf if minutes is None else monotonic() + 60 * minutes
    try:
        with progress_bar("campaigns") as progress:
            runner.run(lambda: monotonic() >= end, progress)
    except KeyboardInterrupt:
        notice("Stopped; what was done is kept.")
