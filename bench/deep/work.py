"""Running what is missing of a plan, in this process or in several."""

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context
from pathlib import Path

from bench.deep.plan import Plan, Study


def work_off(plan: Plan, folder: Path, processes: int, is_over: Callable[[], bool]) -> None:
    """Run studies that have no row yet until none is left, or no more is to be started."""
    missing = (study for study in plan.studies() if not study.path(folder).exists())
    if processes > 1:
        _in_processes(plan, missing, folder, processes, is_over)
        return
    for study in missing:
        if is_over():
            return
        study.run(folder)


def _in_processes(
    plan: Plan, missing: Iterator[Study], folder: Path, processes: int, is_over: Callable[[], bool]
) -> None:
    """One study a process at a time; fresh processes, for a fork cannot use a GPU."""
    running: set[Future[None]] = set()
    with ProcessPoolExecutor(processes, get_context("spawn")) as executor:
        for study in missing:
            if is_over():
                break
            running.add(executor.submit(plan.run, study.part, study.name, folder))
            if len(running) == processes:
                running = _awaited(running, FIRST_COMPLETED)
        _awaited(running)


def _awaited(running: set[Future[None]], until: str = "ALL_COMPLETED") -> set[Future[None]]:
    """What still runs; raises what a study that is done raised."""
    done, left = wait(running, return_when=until)
    for future in done:
        future.result()
    return left
