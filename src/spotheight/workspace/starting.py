"""Starting a campaign: what its pool is, what is decided, and what is refused."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from spotheight import registry as codec
from spotheight.campaign import Campaign
from spotheight.campaign.spec import Spec, require_answers
from spotheight.errors import InputError, StoreError
from spotheight.exchange.coco import coco_roles, read_coco
from spotheight.exchange.named import by_name
from spotheight.exchange.roles import WrittenRoles
from spotheight.metrics import Verdict
from spotheight.pool.look import FirstLook, first_look
from spotheight.pool.protocol import Pool
from spotheight.pool.reading.files import PoolFiles
from spotheight.pool.reading.read import open_pool
from spotheight.pool.roles import Roles, require_guesses
from spotheight.questions.estimate import Estimate
from spotheight.questions.systems import lists_of
from spotheight.registry import dumps
from spotheight.store import Store, drafting, publish, require_free
from spotheight.workspace.known import known_labels, known_levels
from spotheight.workspace.location import meta_of
from spotheight.workspace.subject import default_task
from spotheight.workspace.tasks import read_task

Source: TypeAlias = PoolFiles | pa.Table
"""Where a pool comes from: files, or a table that is to be kept beside the campaign."""


def read_source(
    table: PoolFiles | None, written: WrittenRoles, truth: Path | None, results: Sequence[str]
) -> tuple[Source, Roles]:
    """A table's files, or COCO files as a table; and what its columns mean.

    Args:
        table: Where one was given.
        written: What its columns mean.
        truth: In its place: objects in images.
        results: With it: the detections of each service, as ``NAME=FILE.json``.
    """
    if truth is None:
        if results:
            raise InputError("--coco-results needs annotations; add --coco-truth FILE.json.")
        if table is None:
            raise InputError("Name a table of predictions, or COCO files with --coco-truth.")
        return table, written.read()
    if table is not None:
        path = str(table.path)
        raise InputError(f"Leave {path!r} away, or --coco-truth: one of them is the pool.")
    if given := written.given:
        raise InputError(f"{given[0]} is for tables; leave it away with --coco-truth.")
    named = by_name(
        results,
        form="--coco-results {} should read NAME=FILE.json.",
        twice="--coco-results names {} twice; give each its own name.",
    )
    files = {name: Path(file) for name, file in named.items()}
    return read_coco(truth, files), coco_roles(tuple(files))


def read_spec(
    roles: Roles, texts: Mapping[str, Any], file: Path | None = None, costs: Path | None = None
) -> Spec:
    """The decisions from a file, from short forms, and from the roles where they imply a part.

    Args:
        roles: What the columns mean.
        texts: Fields of ``Spec``, algorithms in their short form; what is empty is not decided.
        file: A spec as TOML, whose fields yield to ``texts``.
        costs: The cost matrix of a task that needs one.
    """
    spec = codec.read_spec(file.read_text(encoding="utf-8")) if file else Spec()
    given = {name: value for name, value in texts.items() if value not in (None, "")}
    if "task" in given or costs:
        given["task"] = read_task(given.get("task", ""), costs)
    elif spec.task == Estimate():
        given["task"] = default_task(roles) or spec.task
    _read_names(given, is_about_lists=lists_of(given.get("task", spec.task)) is not None)
    if "calibration" in given:
        require_guesses(roles, "Calibration")
    if roles.judge and "metric" not in given:
        given["metric"] = Verdict()
    return replace(spec, **given)


def _read_names(given: dict[str, Any], *, is_about_lists: bool) -> None:
    """Parse what is given by name; lists have estimators of their own."""
    if is_about_lists and "estimator" in given:
        given["item_estimator"] = given.pop("estimator")
    families = {
        "metric": codec.METRICS,
        "estimator": codec.ESTIMATORS,
        "item_estimator": codec.ITEM_ESTIMATORS,
        "policy": codec.POLICIES,
        "calibration": codec.CALIBRATIONS,
    }
    for name in families.keys() & given.keys():
        given[name] = codec.parse(given[name], families[name])


def default_path(named: Path, *, is_pattern: bool) -> Path:
    """What the campaign's file is called where nobody says so: like its pool."""
    if is_pattern:
        raise InputError("Say what the campaign's file is called, with -o NAME.db.")
    return Path(f"{named.parent / named.stem}.db")


def require_ready(roles: Roles, spec: Spec) -> None:
    """Raise where a campaign could not be asked for anything."""
    if roles.id is None:
        raise InputError("Say which column names the items, with --id COL.")
    judged = roles.service(spec.service or None).name
    require_answers(roles, [judged], spec.metric, spec.task)


def look_at(source: Source, roles: Roles, spec: Spec) -> FirstLook:
    """A first look at a pool, without starting anything; raise where that would be refused."""
    require_ready(roles, spec)
    return _looked(open_pool(source, roles), spec)


def _looked(pool: Pool, spec: Spec) -> FirstLook:
    """Raise now where the task does not fit the pool or the policy, not at the first ask."""
    if spec.task != Estimate():
        campaign = Campaign(pool, spec)
        campaign.answer(spec.task)
        campaign.plan_ask(1)
    return first_look(pool)


Started = tuple[Store, Campaign, PoolFiles, FirstLook]


def started(path: Path, source: str | Path | Source, roles: Roles, spec: Spec, at: str) -> Started:
    """Write a campaign, and its pool too where that is no file yet: both or neither."""
    require_ready(roles, spec)
    if not isinstance(source, pa.Table):
        return _started(path, PoolFiles.of(source), roles, spec, at)
    with _kept_beside(source, path) as files:
        return _started(path, files, roles, spec, at)


def _started(path: Path, files: PoolFiles, roles: Roles, spec: Spec, at: str) -> Started:
    require_free(path)
    if files.takes(path):
        raise InputError(
            f"{str(path)!r} would be taken for a part of the pool; choose another folder with -o."
        )
    pool = open_pool(files, roles)
    look = _looked(pool, spec)
    campaign = Campaign(pool, spec)
    campaign.records().cells()
    labels, levels = known_labels(pool), known_levels(pool)
    if labels or levels:
        campaign.tell(labels, levels=levels, annotator="table", at=at)
    log = [dumps(event) for event in campaign.log]
    store = Store.create(path, meta_of(path, files, roles, pool, campaign.spec), log)
    return store, campaign, files, look


@contextmanager
def _kept_beside(table: pa.Table, campaign: Path) -> Iterator[PoolFiles]:
    """The pool of a campaign that comes from COCO files, written beside it."""
    path, is_new = campaign.with_suffix(".parquet"), True
    require_free(campaign)
    with drafting(path) as draft:
        _write(table, draft, path)
        try:
            publish(draft, path)
        except FileExistsError:
            if path.read_bytes() != draft.read_bytes():
                raise InputError(
                    f"{str(path)!r} already exists, and objects and detections are kept there; "
                    f"choose another name with -o, or remove it first."
                ) from None
            is_new = False  # of a start that was cut off, or of another campaign
    try:
        yield PoolFiles(path)
    except BaseException:
        if is_new:
            with suppress(OSError):
                path.unlink()
        raise


def _write(table: pa.Table, draft: Path, path: Path) -> None:
    try:
        pq.write_table(table, draft, compression="zstd")
    except OSError as error:
        raise StoreError(f"Cannot write {str(path)!r}: {error}; nothing was changed.") from error
