"""The package as it lies in files: its modules, read once."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

Function = ast.FunctionDef | ast.AsyncFunctionDef

TEXTS = (".py", ".pyi", ".html", ".js")
"""Files in which a name has to be added by hand when something new comes in."""


@dataclass(frozen=True)
class Module:
    """One Python file, read and parsed.

    Args:
        name: Its path inside the package, such as ``pool/read.py``.
        text: What stands in it.
    """

    name: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @property
    def lines(self) -> int:
        return len(self.text.splitlines())

    @property
    def part(self) -> str:
        """The part of the package it belongs to: its folder, or its own name at the top level."""
        return self.name.split("/")[0].removesuffix(".py")

    def functions(self) -> Iterator[Function]:
        for node in ast.walk(self.tree):
            if isinstance(node, Function):
                yield node

    def classes(self) -> list[str]:
        """Names of its classes that others may use."""
        names = (node.name for node in ast.walk(self.tree) if isinstance(node, ast.ClassDef))
        return [name for name in names if not name.startswith("_")]

    def calls(self) -> Iterator[ast.Call]:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call):
                yield node


@dataclass(frozen=True)
class Tree:
    """A package on disk.

    Args:
        root: The folder of the package.
        modules: Its Python files, in the order of their names.
    """

    root: Path
    modules: tuple[Module, ...]

    @classmethod
    def read(cls, root: Path) -> "Tree":
        """Read every Python file below a folder."""
        paths = sorted(root.rglob("*.py"))
        texts = {
            path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in paths
        }
        return cls(root, tuple(Module(name, text) for name, text in texts.items()))

    def mentioning(self, pattern: str) -> list[str]:
        """Files in which a pattern is found, stubs and templates included."""
        found = re.compile(pattern)
        paths = (path for path in sorted(self.root.rglob("*")) if path.suffix in TEXTS)
        named = ((path.relative_to(self.root).as_posix(), path) for path in paths)
        return [name for name, path in named if found.search(path.read_text(encoding="utf-8"))]


def body_lines(function: Function) -> int:
    """Lines of a function below its docstring."""
    has_docstring = ast.get_docstring(function) is not None
    code = function.body[has_docstring:]
    return (code[-1].end_lineno or 0) - code[0].lineno + 1 if code else 0


def first_line(function: Function) -> int:
    """Where a function begins for the interpreter: at its first decorator."""
    return min([function.lineno, *(node.lineno for node in function.decorator_list)])
