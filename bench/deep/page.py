"""docs/deep.md: everything in it comes from the summary, and what others printed."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]

PUBLISHED = {
    "betagp": ((10.33, 10.88, 11.37, 11.73, 11.92, 11.91, 11.72, 11.34, 10.85, 10.29),
               (0.052, 1.011, 1.063), 0.67),
    "betagp-sl": ((1.49, 1.42, 1.59, 9.64, 10.40, 10.42, 9.58, 1.59, 1.42, 1.49),
                  (0.051, 1.010, 1.061), 0.68),
    "betagp-slp": ((1.72, 1.63, 1.92, 9.63, 10.38, 10.27, 9.48, 1.93, 1.53, 1.62),
                   (0.095, 0.221, 0.316), 1.87),
}  # fmt: skip
"""Tables 8 and 9 of Piratla et al. 2021, and the lengths in its text."""

PUBLIC = {
    "imagenet-resnet50": (4.3, 8.6),
    "audiomnist-google": (2.5, 9.2),
    "expw-microsoft": (3.8, 22.0),
}
"""The best of the public code's estimators after 2000 random labels: macro, worst-50."""

TITLES = {
    "imagenet-resnet50": "ImageNet-X, ResNet50",
    "audiomnist-google": "AudioMNIST, Google",
    "expw-microsoft": "ExpW faces, Microsoft",
}

INTRODUCTION = """# The BetaGP family

`berngp`, `betagp`, `betagp-sl`, `betagp-slp` and `betagp-ab` (Piratla et al. 2021; extra `deep`) on
made-up and real arms. This page is written by `make bench` from `docs/deep.json`; only the results
of others, in italics, were typed by hand. To run it again:

    python -m bench.deep                          # all of it
    python -m bench.deep --part speed             # one part: simple, speed or cases
    python -m bench.deep --minutes 0              # only write this page anew

What the two processes stand for, and what is read off them:

- The accuracy of an arm is Beta with mean mu and scale psi, which follow from two functions that
  are smooth over arms. In `betagp` and `betagp-ab` that Beta says how much like arms differ, so an
  arm's own labels update it: its rate is Beta(mu psi + hits, (1 - mu) psi + misses), averaged over
  what is believed of mu and psi (`beta=prior`). The published reading leaves the update out
  (`beta=belief`): mean E[mu], variance E[mu (1 - mu) / (psi + 1)] + Var(mu).
- In `betagp-sl` and `betagp-slp` the scale is taught to be the number of labels, so the Beta
  already is what is believed and is read as published. Their intervals hardly get narrower
  than ten labels would make them, for counts above ten are taught as ten.
- `berngp` has no Beta: arms that look alike are alike, and its intervals know of no other spread.
- Scales are taught by the gamma form, which made the published numbers; with
  `scale_supervision=dirichlet` by eq. (11), the logarithm of the gamma of the sum standing once.
"""


def page(kept: Mapping[str, Any]) -> str:
    """The whole page as Markdown."""
    lines = [INTRODUCTION]
    lines += _simple(kept.get("simple", ()))
    lines += _speed(kept.get("speed", ()))
    lines += _cases(kept.get("cases", ()))
    return "\n".join(lines).rstrip() + "\n"


def _simple(rows: Sequence[Row]) -> Iterator[str]:
    if not rows:
        return
    yield "## The simple setting: Tables 8 and 9\n"
    yield (
        "Ten arms in a line with 1 or 20 labels, 20 seeds. *Adam*: 200 steps with the link, start"
        " and rate of the public code. How its likelihood, KL divergence and prior of the mean are"
        " weighed is not printed; of some twenty ways tried, this one (likelihood by arms, the"
        " others by labels) fits the supervised scales best. *To the top*: the same objective by"
        " our optimiser until nothing is gained.\n"
    )
    yield from _table(
        ["", "scales of arms 1 to 10", "bias2 / variance / sum", "length"],
        [line for kind in PUBLISHED for line in _simple_lines(kind, rows)],
    )
    yield from _chances(rows)
    yield (
        "The scales of plain BetaGP are not reproduced. Adam has not settled after 200 steps: at"
        " the top of this objective they are many times higher, for only the prior holds them; they"
        " depend on details of the climb that are not known.\n"
    )


def _simple_lines(kind: str, rows: Sequence[Row]) -> Iterator[list[str]]:
    scales, errors, length = PUBLISHED[kind]
    yield [f"*{kind}, published*", _scales(scales), _errors(errors), f"{length:.2f}"]
    for row in rows:
        if row["kind"] == kind:
            name = "Adam" if row["optimiser"] == "adam" else "to the top"
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
        chance, (scales, errors, length) = row["chance"], PUBLISHED[row["kind"]]
        off = max(abs(a / b - 1) for a, b in zip(chance["scales"], scales, strict=True))
        away = [
            f"{(value - chance[name]['mean']) / chance[name]['deviation']:+.1f}"
            for name, value in zip(("bias", "variance", "sum"), errors, strict=True)
        ]
        away.append(f"{(length - chance['length']['mean']) / chance['length']['deviation']:+.1f}")
        lines.append([row["kind"], str(row["tables"]), f"{100 * off:.1f}%", *away])
    if lines:
        yield (
            "How far the published figures lie from such tables of 20 seeds with Adam: the largest"
            " difference of a scale, and errors and length in standard deviations of a table.\n"
        )
        yield from _table(["", "tables", "scales", "bias2", "variance", "sum", "length"], lines)


def _speed(rows: Sequence[Row]) -> Iterator[str]:
    if not rows:
        return
    yield "## Speed\n"
    yield (
        "One thread, one run, seconds of processor time on a busy machine; 20-dimensional embedding"
        " and 50 inducing points, all learned. The peer is the bare objective in GPyTorch (single"
        " precision) with two phases of 1000 Adam steps. Both solutions are judged by one function:"
        " eq. (9) and (15), the full KL divergence, 20 by 20 nodes. Our start, nodes and tolerances"
        " were chosen on these two worlds, and counts are whole, which is the quick case; the"
        " estimator's own settings are stricter. *Passes it*: stopped where the peer's bound was"
        " passed, which one knows only after the peer ran.\n"
    )
    yield from _table(
        ["arms", "labels", "GPyTorch and Adam, s", "bound", "ours passes it, s", "bound",
         "times faster", "ours at last, s", "bound", "times faster"],
        [
            [
                str(row["arms"]), f"{row['labels']:.0f}",
                f"{row['peer_seconds']:.1f}", f"{row['peer_bound']:.1f}",
                *_leg(row, "passed"), *_leg(row, "last"),
            ]
            for row in rows
        ],
    )  # fmt: skip


def _leg(row: Row, name: str) -> list[str]:
    seconds = row[f"{name}_seconds"]
    faster = f"**{row['peer_seconds'] / seconds:.0f}**"
    return [f"{seconds:.2f}", f"{row[f'{name}_bound']:.1f}", faster]


def _cases(rows: Sequence[Row]) -> Iterator[str]:
    if not rows:
        return
    yield "## Real tables\n"
    yield (
        "After 2000 random labels; errors are squared, times 100, over arms with at least 5 items."
        " The public code's best macro and worst-50 errors stand in italics. Bold: the lowest.\n"
    )
    for case, (macro, worst) in PUBLIC.items():
        found = [row for row in rows if row["case"] == case]
        if found:
            yield f"### {TITLES[case]}\n"
            yield from _case(found, macro, worst)


def _case(rows: Sequence[Row], macro: float, worst: float) -> Iterator[str]:
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
    lines.append(["*public code, best*", "", f"*{macro:g}*", f"*{worst:g}*", "", ""])
    head = ["estimator", "seeds", "macro", "worst-50", "90% intervals hold", "width"]
    yield from _table(head, lines)


def _number(cell: Row, best: float) -> str:
    error = "" if cell["error"] is None else f" ± {cell['error']:.2f}"
    text = f"{cell['mean']:.2f}{error}"
    return f"**{text}**" if cell["mean"] == best else text


def _scales(values: Sequence[float]) -> str:
    return " ".join(f"{value:.2f}" for value in values)


def _errors(values: Sequence[float]) -> str:
    return " / ".join(f"{value:.3f}" for value in values)


def _table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|" + "---|" * len(head)
    yield from (f"| {' | '.join(line)} |" for line in lines)
    yield ""
