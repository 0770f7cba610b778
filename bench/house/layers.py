"""Imports that point up, by the very table that the test of the architecture holds."""

import importlib.util
from pathlib import Path
from types import ModuleType

from bench.house.figures import Figure

WHAT = "imports that point up"


def pointing_up(test: Path) -> Figure:
    """Parts that import from a line below their own; no count where the test tells it otherwise."""
    try:
        found = _upward(_loaded(test))
    except (ImportError, AttributeError, KeyError, OSError, TypeError):
        return Figure(f"{WHAT} (see {test.name})", None, aim=0, was=0)
    return Figure(WHAT, len(found), aim=0, was=0, which=tuple(found))


def _loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("house_layers", path)
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _upward(table: ModuleType) -> list[str]:
    rank = table.RANK
    return [
        f"{table.named(path)} imports {name}"
        for path in table.FILES
        for here in [table.home(path)]
        if here != "__init__"
        for name in sorted(table.imports(path) - {here})
        if rank[name] >= rank[here]
    ]
