"""BLAS on one thread, for matrices too small to be shared out.

Ours have some tens to some hundreds of columns. Threads that wait for each other over those cost
more than they bring, several times so on a machine that has other work to do.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import RLock

import scipy.linalg  # noqa: F401  its library is to be there when libraries are counted
from threadpoolctl import ThreadpoolController

_HELD = RLock()


@contextmanager
def one_thread() -> Iterator[None]:
    """Let BLAS work on one core inside; afterwards the caller's setting is back.

    The setting is the whole process's, so one thread of Python at a time decides. Another that
    comes meanwhile finds it as it should be, and must not take it for the caller's.
    """
    if not _HELD.acquire(blocking=False):
        yield
        return
    try:
        with _libraries().limit(limits=1, user_api="blas"):
            yield
    finally:
        _HELD.release()


@cache
def _libraries() -> ThreadpoolController:
    """Looked for once: that takes milliseconds, setting them takes microseconds."""
    return ThreadpoolController()
