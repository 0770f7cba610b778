"""Which model made a row: a row of an earlier one is run again, and does not count until then."""

import ast
import hashlib
from functools import cache
from pathlib import Path

import spotheight
from bench.plan import Study
from bench.store import Campaign, Row, Store

MARK = "model"
"""The name of the mark in a row."""

REGRESSION = "numerics/regression"
OF_TAGS = {"learned": ("models/lists/features", f"{REGRESSION}/blocks", f"{REGRESSION}/sampled")}
OF_OBJECTS = {
    "learned": ("models/objects/overlaps", "models/objects/steps", f"{REGRESSION}/multilevel")
}
"""Where the models that are still at work are written; others are done and have no mark."""

CHOICE_OF_TAGS = {"gain": ("beliefs/listgains",)}
"""Likewise the choice of items by what such a model believes."""


def mark_of(study: Study) -> str:
    """Changes with the model of a study, not with what is said about it."""
    method = study.method
    if study.case.startswith("coco"):
        return _mark(OF_OBJECTS.get(method.estimator, ()))
    model = OF_TAGS.get(method.estimator, ())
    return _mark((*model, *(CHOICE_OF_TAGS.get(method.policy, ()) if model else ())))


@cache
def _mark(modules: tuple[str, ...]) -> str:
    home = Path(spotheight.__file__).parent
    said = [_bare(home / f"{module}.py") for module in modules]
    return hashlib.sha256("\n".join(said).encode()).hexdigest()[:8] if said else ""


def _bare(path: Path) -> str:
    """A module without comments, docstrings and imports: what it does, wherever it lies."""
    return ast.dump(_Silent().visit(ast.parse(path.read_text(encoding="utf-8"))))


class _Silent(ast.NodeTransformer):
    def visit_Import(self, node: ast.Import) -> None:
        return None

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        return None

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        is_text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if is_text else node


def current(store: Store, study: Study) -> list[Campaign]:
    """Campaigns of a study by the model as it is now."""
    mark = mark_of(study)
    return [one for one in store.campaigns(study) if all(_is(row, mark) for row in one.rows)]


def _is(row: Row, mark: str) -> bool:
    return row.get(MARK, "") == mark
