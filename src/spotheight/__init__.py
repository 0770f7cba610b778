"""Draw a black-box service's accuracy as a surface over attributes, from few labels."""

from importlib import import_module
from typing import Any

_NAMES = "spotheight.registry.names"
"""The table of public names; ``__init__.pyi`` is made of it by ``scripts/make_stub.py``."""

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used, so that ``spotheight --help`` is instant."""
    if name.startswith("__"):
        raise AttributeError(f"module 'spotheight' has no attribute {name!r}")
    names = import_module(_NAMES)
    if name not in names.public():
        raise AttributeError(f"module 'spotheight' has no attribute {name!r}")
    return names.load(names.public()[name])


def __dir__() -> list[str]:
    return list(import_module(_NAMES).public())
