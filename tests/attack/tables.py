"""Tables that nobody would make on purpose, and commands that read them.

A case starts a campaign on an odd table, with roles that its columns could play, and goes on as a
person would: ask, tell the answers, look at the surface, write the report.
"""

import csv
import datetime
import decimal
import io
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

from tests.attack.odd import NAMES, NUMBERS, WORDS, damaged

Columns = dict[str, list[Any]]


def case(folder: Path, rng: random.Random) -> list[list[str]]:
    """Write an odd table into a folder; gives the command lines to try on it."""
    ending = rng.choice((".csv", ".csv", ".tsv", ".jsonl", ".parquet", ".arrow"))
    path = folder / f"table{ending}"
    columns = _columns(rng)
    data = _WRITERS[ending](columns, rng)
    if rng.random() < 0.4:
        data = damaged(data, rng)
    elif rng.random() < 0.05:
        data = rng.choice((b"", b"\n", b"\x00" * 100, b"[" * 100_000, b'{"a":' * 50_000, b"PAR1",
                           b"id,pred\n", b"\xef\xbb\xbf", b'"' * 999, b"ARROW1\x00\x00",
                           b'{"id":' + b"9" * 5000 + b"}"))  # fmt: skip
    path.write_bytes(data)
    roles = _roles([*columns], rng)
    name = path.name
    if rng.random() < 0.15:
        return [["simulate", name, *roles, "--label", rng.choice([*columns]), "--budget", "6",
                 "--seeds", "1", "--workers", "1", "--estimator", "beta"]]  # fmt: skip
    init = ["init", name, *roles, "-o", "new.db", *rng.choice(([], ["--json"], ["--dry-run"]))]
    then = [["ask", "new.db", "-n", "3"], ["status", "new.db"], ["surface", "new.db"],
            ["export", "new.db", "--to", "parquet", "-o", "out.parquet"],
            ["report", "new.db"], ["verify", "new.db"], ["rank", "new.db"],
            ["confusion", "new.db"], ["calibration", "new.db"]]  # fmt: skip
    return [init, rng.choice(then)]


def _columns(rng: random.Random) -> Columns:
    rows = rng.choice((0, 1, 2, 5, 12, 12, 12, 30))
    fixed = {"id": "id", "pred": "answer", "conf": "score", "kind": "word", "age": "number"}
    for name in list(fixed):
        if rng.random() < 0.15:
            fixed[rng.choice(NAMES)] = fixed.pop(name)
    for _ in range(rng.choice((0, 0, 1, 2))):
        fixed[rng.choice(NAMES)] = rng.choice(("answer", "word", "odd", "number"))
    return {name: _values(what, rows, rng) for name, what in fixed.items()}


def _values(what: str, rows: int, rng: random.Random) -> list[Any]:
    plain: Callable[[int], Any] = {
        "id": lambda n: f"i{n}",
        "answer": lambda n: "yes" if n % 3 else "no",
        "score": lambda n: round(n * 0.37 % 1, 2),
        "word": lambda n: "abc"[n % 3],
        "number": lambda n: n * 7 % 50,
        "odd": lambda n: rng.choice(WORDS),
    }[what]
    odds = rng.choice((0, 0, 0.1, 0.9))
    pool = rng.choice((WORDS, NUMBERS, ("", "a"), (None, "a"), ("x" * 70_000,)))
    return [rng.choice(pool) if rng.random() < odds else plain(n) for n in range(rows)]


def _roles(names: list[str], rng: random.Random) -> list[str]:
    def column(usual: str) -> str:
        return usual if usual in names and rng.random() < 0.85 else rng.choice([*names, "gone"])

    roles = ["--id", column("id"), "--prediction", column("pred")]
    if rng.random() < 0.7:
        roles += ["--score", column("conf")]
    for usual in rng.sample(("kind", "age", "pred", "conf"), rng.randrange(3)):
        cut = rng.choice(("", "", "", ":bins=3", ":widths=4", ":edges=1,2", ":ordered=a,b,c"))
        roles += ["--attribute", column(usual) + cut]
    for option, usual in (("--payload", "kind"), ("--weight", "age"), ("--price", "age"),
                          ("--label", "pred"), ("--category", "kind"), ("--noisy-label", "conf"),
                          ("--attribute", "@prediction"), ("--attribute", "@score:bins=3"),
                          ("--guessed", "kind"), ("--system", "kind")):  # fmt: skip
        if rng.random() < 0.1:
            roles += [option, usual if usual.startswith("@") else column(usual)]
    return [part.replace("\x00", "?") for part in roles]  # no command line can hold a NUL


def _csv(columns: Columns, rng: random.Random, delimiter: str = ",") -> bytes:
    delimiter = rng.choice((delimiter, delimiter, ";", "|"))
    text = io.StringIO()
    quoting = rng.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
    writer = csv.writer(text, delimiter=delimiter, quoting=quoting,
                        lineterminator=rng.choice(("\n", "\n", "\r\n", "\r")))  # fmt: skip
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    if rng.random() < 0.1:
        writer.writerow(["more"] * rng.choice((1, 9)))
    mark = rng.choice(("", "", "", "\ufeff"))
    encoding = rng.choice(("utf-8",) * 8 + ("utf-16", "latin1"))
    return (mark + text.getvalue()).encode(encoding, "replace")


def _json_lines(columns: Columns, rng: random.Random) -> bytes:
    lines = []
    for row in zip(*columns.values(), strict=True):
        record = dict(zip(columns, row, strict=True))
        if rng.random() < 0.1:
            record[rng.choice([*columns])] = rng.choice(
                ([], {}, {"a": 1}, [[1]], True, None, 1e300, float("nan"), 10**400, -5)
            )
        if rng.random() < 0.05:
            record.pop(rng.choice([*record]))
        lines.append(json.dumps(record, ensure_ascii=rng.random() < 0.5))
    return "\n".join(lines).encode("utf-8", "surrogatepass")


_KINDS: tuple[Any, ...] = (
    (pa.int64(), lambda n: n), (pa.uint64(), lambda n: 2**64 - 1 - n),
    (pa.bool_(), lambda n: n % 2 > 0),
    (pa.float64(), lambda n: [float("nan"), float("inf"), -0.0, 1e308][n % 4]),
    (pa.float16(), lambda n: n / 7), (pa.decimal128(38, 5), lambda n: decimal.Decimal(n) / 8),
    (pa.date32(), lambda n: datetime.date(1, 1, 1) + datetime.timedelta(n)),
    (pa.timestamp("ns", "UTC"), lambda n: n), (pa.time64("us"), lambda n: n),
    (pa.duration("s"), lambda n: n), (pa.binary(), lambda n: bytes([n, 255, 0])),
    (pa.list_(pa.int64()), lambda n: [n]), (pa.struct([("a", pa.int8())]), lambda n: {"a": n}),
    (pa.map_(pa.string(), pa.int8()), lambda n: [("k", n)]), (pa.null(), lambda n: None),
    (pa.dictionary(pa.int8(), pa.string()), lambda n: "ab"[n % 2]), (pa.large_string(), str),
    (pa.month_day_nano_interval(), lambda n: pa.scalar((n, 1, 1), pa.month_day_nano_interval())),
)  # fmt: skip


def _arrow(columns: Columns, rng: random.Random) -> pa.Table:
    names, arrays = [], []
    for name, values in columns.items():
        kind, make = rng.choice(_KINDS)
        if rng.random() < 0.25:
            array = pa.array([make(n) for n in range(len(values))], kind)
        else:
            array = pa.array([None if v is None else str(v) for v in values], pa.string())
        if rng.random() < 0.1 and len(array):
            array = pa.concat_arrays([array.slice(1), pa.nulls(1, array.type)])
        names.append(name)
        arrays.append(array)
    if rng.random() < 0.1:
        names[-1] = names[0]  # two columns of one name
    return pa.table(arrays, names=names)


def _parquet(columns: Columns, rng: random.Random) -> bytes:
    sink = io.BytesIO()
    try:
        pa.parquet.write_table(_arrow(columns, rng), sink)
    except (pa.ArrowException, OverflowError):  # not every type can be kept
        pa.parquet.write_table(pa.table({"id": ["a"], "pred": ["b"]}), sink)
    return sink.getvalue()


def _feather(columns: Columns, rng: random.Random) -> bytes:
    sink = io.BytesIO()
    table = _arrow(columns, rng)
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


_WRITERS: dict[str, Callable[[Columns, random.Random], bytes]] = {
    ".csv": _csv,
    ".tsv": lambda columns, rng: _csv(columns, rng, "\t"),
    ".jsonl": _json_lines,
    ".parquet": _parquet,
    ".arrow": _feather,
}
