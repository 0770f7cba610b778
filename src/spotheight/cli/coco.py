"""What commands share that take COCO files."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
import pyarrow as pa
import pyarrow.parquet as pq

from spotheight.cli.options import read_roles, taken_roles
from spotheight.errors import InputError, StoreError
from spotheight.exchange.coco import coco_roles, read_coco
from spotheight.pool.roles import Roles
from spotheight.store import drafting, publish, require_free

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = [
    click.option(
        "--coco-truth",
        metavar="FILE.json",
        type=click.Path(path_type=Path),
        help="Instead of a table: annotations of objects in images. Boxes are taken as rough; an "
        "outline (segmentation) is taken as vetted.",
    ),
    click.option(
        "--coco-results",
        metavar="NAME=FILE.json",
        multiple=True,
        help="The detections of a service, with boxes or masks; repeatable.",
    ),
]


def coco_options(command: Command) -> Command:
    """Annotations and detections in the place of a table."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def read_source(table: Path | None, options: dict[str, Any]) -> tuple[Path | pa.Table, Roles]:
    """A table's path, or COCO files as a table; and what its columns mean.

    Args:
        table: The path, where one was given.
        options: Those of ``coco_options`` and of ``role_options``, which are taken out.
    """
    truth, results = options.pop("coco_truth"), options.pop("coco_results")
    if truth is None:
        if results:
            raise InputError("--coco-results needs annotations; add --coco-truth FILE.json.")
        if table is None:
            raise InputError("Name a table of predictions, or COCO files with --coco-truth.")
        return table, read_roles(options)
    if table is not None:
        raise InputError(f"Leave {str(table)!r} away, or --coco-truth: one of them is the pool.")
    given = taken_roles(options)
    if given:
        raise InputError(f"{given[0]} is for tables; leave it away with --coco-truth.")
    files = _named(results)
    return read_coco(truth, files), coco_roles(tuple(files))


def _named(results: Sequence[str]) -> dict[str, Path]:
    files: dict[str, Path] = {}
    for text in results:
        name, equals, file = text.partition("=")
        if not equals or not name or not file:
            raise InputError(f"--coco-results {text!r} should read NAME=FILE.json.")
        if name in files:
            raise InputError(f"--coco-results names {name!r} twice; give each its own name.")
        files[name] = Path(file)
    return files


def keep_beside(table: pa.Table, campaign: Path) -> tuple[Path, bool]:
    """The pool of a campaign that comes from COCO files, written beside it; whether it is new."""
    path = campaign.with_suffix(".parquet")
    require_free(campaign)
    with drafting(path) as draft:
        _write(table, draft, path)
        try:
            publish(draft, path)
        except FileExistsError:
            if path.read_bytes() == draft.read_bytes():
                return path, False  # of a start that was cut off, or of another campaign
            raise InputError(
                f"{str(path)!r} already exists, and objects and detections are kept there; "
                f"choose another name with -o, or remove it first."
            ) from None
    return path, True


def _write(table: pa.Table, draft: Path, path: Path) -> None:
    try:
        pq.write_table(table, draft, compression="zstd")
    except OSError as error:
        raise StoreError(f"Cannot write {str(path)!r}: {error}; nothing was changed.") from error
