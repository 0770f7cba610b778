"""docs/deep.md: everything in it comes from the summary, and what others printed."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bench.deep.words import (
    DEVICES,
    FOUND,
    GAINED,
    INTRODUCTION,
    MODEST,
    SIMPLE,
    SPEED,
    TITLES,
)
from bench.markdown import filled, table
from bench.published import PUBLIC_BEST, RATE, SCALES, STEPS

Row = Mapping[str, Any]


def page(kept: Mapping[str, Any]) -> str:
    """The whole page as Markdown."""
    lines = [INTRODUCTION]
    lines += _simple(kept.get("simple", ()))
    lines += _speed(kept.get("speed", ()))
    lines += _modest(kept.get("modest", ()))
    lines += _devices(kept.get("devices", ()))
    lines += _cases(kept.get("cases", ()))
    lines += _changes(kept.get("changes", ()))
    return "\n".join(lines).rstrip() + "\n"


def _simple(rows: Sequence[Row]) -> Iterator[str]:
    if not rows:
        return
    yield "## The simple setting: Tables 8 and 9\n"
    yield filled(SIMPLE, steps=STEPS, rate=RATE)
    yield from table(
        ["", "scales of arms 1 to 10", "bias2 / variance / sum", "length"],
        [line for kind in SCALES for line in _simple_lines(kind, rows)],
    )
    yield from _chances(rows)
    yield from _found(rows)


def _simple_lines(kind: str, rows: Sequence[Row]) -> Iterator[list[str]]:
    scales, errors, length = SCALES[kind]
    yield [f"*{kind}, published*", _scales(scales), _errors(errors), f"{length:.2f}"]
    for row in rows:
        if row["kind"] == kind:
            name = "GPyTorch, Adam" if row["optimiser"] == "adam" else "to the top"
            parts = [row[part] for part in ("bias", "variance", "sum")]
            yield [
                f"{kind}, {name}",
                _scales(row["scales"]),
                _errors(parts),
                f"{row['length']:.2f}",
            ]


def _chances(rows: Sequence[Row]) -> Iterator[str]:
    lines = []
    for row in rows:
        if not row["chance"]:
            continue
        chance, (scales, errors, length) = row["chance"], SCALES[row["kind"]]
        off = [_off(chance[name], scales) for name in ("scales", "medians")]
        away = [
            f"{(value - chance[name]['mean']) / chance[name]['deviation']:+.1f}"
            for name, value in zip(("bias", "variance", "sum"), errors, strict=True)
        ]
        away.append(f"{(length - chance['length']['mean']) / chance['length']['deviation']:+.1f}")
        fallen = f"{chance['fallen']} of {row['tables'] * row['seeds']}"
        lines.append([row["kind"], str(row["tables"]), *off, fallen, *away])
    if lines:
        yield (
            "How far the published figures lie from such tables of 20 seeds with Adam: the largest"
            " difference of a scale, from the mean and from the median of seeds, and errors and"
            " length in standard deviations of a table.\n"
        )
        head = ["scales", "medians", "fallen seeds", "bias2", "variance", "sum", "length"]
        yield from table(["", "tables", *head], lines)


def _found(rows: Sequence[Row]) -> Iterator[str]:
    """What is reproduced; nothing where a kind has no further tables to be held against."""
    chances = {row["kind"]: row["chance"] for row in rows if row["chance"]}
    if chances.keys() < SCALES.keys():
        return
    pooled, (published, _, _) = chances["betagp-slp"]["scales"], SCALES["betagp-slp"]
    medians = chances["betagp"]["medians"]
    (plain,) = (row for row in rows if row["kind"] == "betagp" and row["chance"])
    yield filled(
        FOUND,
        steps=STEPS,
        off={kind: _largest(chance["scales"], SCALES[kind][0]) for kind, chance in chances.items()},
        left=" and ".join(f"{scale:.2f}" for scale in published[:2]),
        others=_largest(pooled[2:], published[2:]),
        ends=max(
            1 - ours / theirs for ours, theirs in zip(medians, SCALES["betagp"][0], strict=True)
        ),
        fallen=chances["betagp"]["fallen"],
        seeds=plain["tables"] * plain["seeds"],
    )


def _off(ours: Sequence[float], theirs: Sequence[float]) -> str:
    return f"{_largest(ours, theirs):.1%}"


def _largest(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """The largest relative difference."""
    return max(abs(a / b - 1) for a, b in zip(ours, theirs, strict=True))


def _speed(rows: Sequence[Row]) -> Iterator[str]:
    if not rows:
        return
    yield "## Speed\n"
    yield SPEED
    head = ["arms", "labels", "GPyTorch and Adam, s", "bound"]
    for name in ("passes it", "at last", "at last, single"):
        head += [f"ours {name}, s", "bound", "times faster"]
    yield from table(
        head,
        [
            [
                str(row["arms"]), f"{row['labels']:.0f}",
                f"{row['peer_seconds']:.1f}", f"{row['peer_bound']:.1f}",
                *_leg(row, "passed"), *_leg(row, "last"), *_leg(row, "single"),
            ]
            for row in rows
        ],
    )  # fmt: skip


def _leg(row: Row, name: str) -> list[str]:
    if f"{name}_seconds" not in row:
        return ["", "", ""]
    seconds = row[f"{name}_seconds"]
    faster = f"**{row['peer_seconds'] / seconds:.0f}**"
    return [f"{seconds:.2f}", f"{row[f'{name}_bound']:.1f}", faster]


def _devices(rows: Sequence[Row]) -> Iterator[str]:
    if not rows:
        return
    yield "### On a GPU\n"
    yield DEVICES
    yield from table(
        ["arms", "labels", "device", "one thread, s", "device, s", "times faster"],
        [
            [
                str(row["arms"]), f"{row['labels']:.0f}", row["device"],
                f"{row['cpu_seconds']:.2f}", f"{row['device_seconds']:.2f}",
                f"**{row['cpu_seconds'] / row['device_seconds']:.1f}**",
            ]
            for row in rows
        ],
    )  # fmt: skip


def _modest(rows: Sequence[Row]) -> Iterator[str]:
    """What an embedding makes of arms that differ modestly."""
    if not rows:
        return
    yield "## With an embedding where arms differ modestly\n"
    yield MODEST
    head = ["arms", "deviation", "labels", "estimator", "seeds", "macro"]
    head += ["spread of estimates", "90% intervals hold", "seconds"]
    yield from table(
        head,
        [
            [
                str(row["arms"]), f"{row['deviation']:g}", str(row["labels"]),
                f"`{row['estimator']}`", str(row["seeds"]), f"{row['macro']:.2f}",
                f"{row['spread']:.3f}",
                "" if row["holds"] is None else f"{100 * row['holds']:.1f}%",
                f"{row['seconds']:.1f}",
            ]
            for row in rows
        ],
    )  # fmt: skip


def _cases(rows: Sequence[Row]) -> Iterator[str]:
    if not rows:
        return
    yield "## Real tables\n"
    yield (
        "After 2000 random labels; errors are squared, times 100, over arms with at least 5 items."
        " The public code's best macro and worst-50 errors stand in italics. Bold: the lowest.\n"
    )
    for case, best in PUBLIC_BEST.items():
        found = [row for row in rows if row["case"] == case]
        if found:
            yield f"### {TITLES[case]}\n"
            yield from _case(found, **best)
            yield _against_public(found, **best)


def _case(rows: Sequence[Row], macro: float, worst50: float) -> Iterator[str]:
    best = {name: min(r[name]["mean"] for r in rows) for name in ("macro_mse", "worst50_mse")}
    lines = [
        [
            f"`{row['estimator']}`", str(row["seeds"]),
            _number(row["macro_mse"], best["macro_mse"]),
            _number(row["worst50_mse"], best["worst50_mse"]),
            f"{100 * row['coverage90']['mean']:.1f}%", f"{row['width90']['mean']:.3f}",
        ]
        for row in sorted(rows, key=lambda row: row["macro_mse"]["mean"])
    ]  # fmt: skip
    lines.append(["*public code, best*", "", f"*{macro:g}*", f"*{worst50:g}*", "", ""])
    head = ["estimator", "seeds", "macro", "worst-50", "90% intervals hold", "width"]
    yield from table(head, lines)


def _against_public(rows: Sequence[Row], macro: float, worst50: float) -> str:
    """By how much the best of the family is lower."""
    family = [row for row in rows if "gp" in row["estimator"]]
    best = [min(row[name]["mean"] for row in family) for name in ("macro_mse", "worst50_mse")]
    return (
        f"The best of the BetaGP family has {100 * best[0] / macro:.0f}% of the public code's best"
        f" macro error and {100 * best[1] / worst50:.0f}% of its worst-50 error.\n"
    )


def _changes(rows: Sequence[Row]) -> Iterator[str]:
    """What single fields change."""
    if not rows:
        return
    yield "## What single fields change\n"
    yield (
        "Macro and worst-50 errors with the named setting less those without it, on the same seeds,"
        " with standard errors: above 0 the usual setting is better. The first is plain BetaGP read"
        " as published, without the update by an arm's own labels.\n"
    )
    lines = []
    for estimator in dict.fromkeys(row["estimator"] for row in rows):
        found = {row["case"]: row for row in rows if row["estimator"] == estimator}
        usual = next(iter(found.values()))["usual"]
        changes = [_change(found.get(case)) for case in PUBLIC_BEST]
        lines.append([f"`{estimator}`", f"`{usual}`", *changes])
    yield from table(["with", "against", *(TITLES[case] for case in PUBLIC_BEST)], lines)
    yield GAINED


def _change(row: Row | None) -> str:
    if row is None:
        return ""
    parts = [_signed(row[name]) for name in ("macro_mse", "worst50_mse")]
    return f"{' / '.join(parts)} ({row['seeds']})"


def _signed(cell: Row) -> str:
    return f"{cell['mean']:+.2f}" + ("" if cell["error"] is None else f" ± {cell['error']:.2f}")


def _number(cell: Row, best: float) -> str:
    error = "" if cell["error"] is None else f" ± {cell['error']:.2f}"
    text = f"{cell['mean']:.2f}{error}"
    return f"**{text}**" if cell["mean"] == best else text


def _scales(values: Sequence[float]) -> str:
    return " ".join(f"{value:.2f}" for value in values)


def _errors(values: Sequence[float]) -> str:
    return " / ".join(f"{value:.3f}" for value in values)
