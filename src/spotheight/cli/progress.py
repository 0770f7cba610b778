"""Progress on standard error, when it is a terminal; Rich is loaded only then."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer

PATIENCE = 1.0
"""Seconds before it is said that work goes on: what ends sooner needs no word."""


@contextmanager
def progress_bar(text: str) -> Iterator[Callable[[int, int], None]]:
    """Gives a function (done, of how many) to call along the way; silent when nobody looks."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn(text), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(text, total=None)

        def update(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield update


@contextmanager
def working(text: str) -> Iterator[None]:
    """Says after a while what is being done, and for how long, where its end is not known."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn(text), TimeElapsedColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    bar.add_task(text, total=None)
    timer = Timer(PATIENCE, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()  # it may be about to start what is stopped here
        if bar.live.is_started:
            bar.stop()
