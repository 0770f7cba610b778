"""docs/assessment.md: everything in it comes from the summary, and what others printed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from typing import Any

from bench.assessment.found import FOUND
from bench.assessment.passes import NONE
from bench.assessment.plan import COUNTED
from bench.assessment.published import COARSER, OTHERWISE
from bench.assessment.published import TABLES as PUBLISHED
from bench.assessment.reliability import section
from bench.assessment.words import FARTHEST, GAP, INTRODUCTION, NOTES, TITLES
from bench.markdown import filled, table

FOLDER = "assessment"
"""Beside the page: where its plots lie."""

DIAGRAM = "figure-17.svg"

COLUMNS = ("UPrior", "UPrior (1,1)", "IPrior", "IPrior+TS")

NAMES = {
    "cifar100": "CIFAR-100", "svhn": "SVHN", "20news": "20 Newsgroups", "cifar10": "CIFAR-10",
    "mnist": "MNIST", "imdb": "IMDB", "resnet_110": "CIFAR-10, ResNet-110",
    "densenet_bc_L190_k40": "CIFAR-10, DenseNet", "expw-microsoft": "ExpW, Microsoft",
    "audiomnist-google": "AudioMNIST, Google", "command-microsoft": "Commands, Microsoft",
    "preresnet_110": "CIFAR-10, PreResNet-110", "vgg16_keras": "CIFAR-10, VGG-16",
    "ferplus-google": "FER+, Google", "rafdb-facepp": "RAF-DB, Face++",
    "digit-ibm": "Spoken digits, IBM",
}  # fmt: skip

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Figure:
    """A figure of the paper: its curves by question, policies and priors."""

    name: str
    title: str
    question: str
    lines: tuple[tuple[str, str], ...]
    cost: int = 0


FIGURES = (
    Figure("11", "TS against TTTS", "accuracy", (("ts", "I2"), ("ttts", "I2"))),
    Figure("15", "TS, epsilon-greedy, Bayes-UCB", "accuracy",
           (("ts", "U2"), ("mp", "U2"), ("greedy", "U2"), ("ucb", "U2"))),
    Figure("16", "Informed and uninformed priors", "accuracy",
           (("ts", "I2"), ("mp", "I2"), ("ts", "U2"), ("mp", "U2"))),
    Figure("18", "Strengths of the prior, accuracy", "accuracy",
           (("ts", "I2"), ("mp", "I2"), ("ts", "I5"), ("mp", "I5"), ("ts", "I10"), ("mp", "I10"),
            ("ts", "I100"), ("mp", "I100"), ("random", "U0"))),
    Figure("19", "Strengths of the prior, calibration", "calibration",
           (("ts", "I2"), ("mp", "I2"), ("ts", "I5"), ("mp", "I5"), ("ts", "I10"), ("mp", "I10"),
            ("random", "I2"))),
    Figure("3-human", "Most costly classes, human-like costs", "human",
           (("random", "U1"), ("random", "I1"), ("ts", "I1"), ("mp", "I1")), 10),
    Figure("3-topic", "Most costly classes, superclass-like costs", "topic",
           (("random", "U1"), ("random", "I1"), ("ts", "I1"), ("mp", "I1")), 10),
)  # fmt: skip

POLICIES = {"ts": "TS", "mp": "TS", "ttts": "TTTS", "greedy": "epsilon-greedy", "ucb": "Bayes-UCB"}
NONE_WRITTEN = f"{NONE:g}".replace("e-0", "e-")
PRIORS = {"U0": NONE_WRITTEN, "U2": "(1,1)", "U1": "even"}


def page(kept: Mapping[str, Any]) -> str:
    """The whole page as Markdown."""
    parts = [filled(INTRODUCTION, none=NONE_WRITTEN)]
    for name, rows in kept["tables"].items():
        if rows:
            parts += [
                f"## Table {name}: {TITLES[name]}\n",
                *_table(name, rows),
                _note(name, rows),
            ]
    for figure in FIGURES:
        parts += _figure(figure, chosen_curves(kept, figure))
        if figure.name == "16" and kept.get("reliability"):
            parts += section(kept["reliability"], NAMES, f"{FOLDER}/{DIAGRAM}")
    return "\n".join(parts).rstrip() + "\n"


def plot_name(figure: Figure) -> str:
    """The file of a plot, in the folder beside the page."""
    return f"figure-{figure.name}.svg"


def chosen_curves(kept: Mapping[str, Any], figure: Figure) -> list[Row]:
    """The curves of a figure, in the order of its lines."""
    return [
        curve
        for policy, prior in figure.lines
        for curve in kept["curves"]
        if (curve["question"], curve["policy"], curve["prior"], curve["cost"])
        == (figure.question, policy, prior, figure.cost)
    ]


def line_name(curve: Row) -> str:
    """Policy and prior in words."""
    prior = PRIORS.get(curve["prior"], f"informed, {curve['prior'][1:]}")
    return f"{POLICIES.get(curve['policy'], curve['policy'])}, {prior}"


def _table(name: str, rows: Sequence[Row]) -> Iterator[str]:
    columns = [c for c in COLUMNS if any(c in row["cells"] for row in rows)]
    head = ["case", _row_head(rows[0]), *columns, "runs", "*published*"]
    yield from table(head, list(_rows(name, rows, columns)))


def _rows(name: str, rows: Sequence[Row], columns: Sequence[str]) -> Iterator[list[str]]:
    place: dict[str, int] = {}
    for row in rows:
        case = row["case"]
        printed = PUBLISHED.get(name, {}).get(case, [])
        turn = place[case] = place.get(case, -1) + 1
        others = " / ".join(f"{v:g}" for v in printed[turn].values()) if turn < len(printed) else ""
        cells = [_cell(row, column) for column in columns]
        runs = {str(cell["runs"]) for cell in row["cells"].values()}
        known = f"*{others}*" if others else ""
        yield [NAMES[case], _row_name(row), *cells, " to ".join(sorted(runs)), known]


def _note(name: str, rows: Sequence[Row]) -> str:
    """What is said below a table."""
    gaps = [gap for case in COUNTED if (gap := _gap(name, case, rows))]
    far = FARTHEST.format(gaps="; ".join(gaps)) if gaps else ""
    return filled(NOTES.get(name, ""), found=FOUND, farthest=far)


def _gap(name: str, case: str, rows: Sequence[Row]) -> str:
    """The number of a case that is farthest from the published one."""
    if case in OTHERWISE.get(name, ()):
        return ""
    spread = hypot(1, COARSER.get(name, 1))
    found = [
        (abs(cell["mean"] - theirs) / (spread * cell["error"]), column, row, theirs)
        for row, others in zip(
            (row for row in rows if row["case"] == case),
            PUBLISHED.get(name, {}).get(case, ()),
            strict=False,
        )
        for column, theirs in others.items()
        if (cell := row["cells"].get(column)) is not None and cell["error"]
    ]
    if not found:
        return ""
    far, column, row, theirs = max(found, key=lambda one: one[0])
    which = {"labels": "{} labels a group", "most": "worst {}"}
    where = next((words.format(row[key]) for key, words in which.items() if key in row), "")
    ours = row["cells"][column]["mean"]
    return GAP.format(
        case=NAMES[case], far=far, place=", ".join(filter(None, (column, where))),
        ours=ours, theirs=theirs,
    )  # fmt: skip


def _row_head(row: Row) -> str:
    heads = {"labels": "labels a group", "cost": "cost, worst", "most": "worst", "missed": "missed"}
    return next(word for key, word in heads.items() if key in row)


def _row_name(row: Row) -> str:
    if "cost" in row:
        return f"{row['cost']}, {row['most']}"
    if "missed" in row:
        return " / ".join(f"{100 * share:.1f}%" for share in row["missed"].values())
    return str(row.get("labels", row.get("most")))


def _cell(row: Row, column: str) -> str:
    cell = row["cells"].get(column)
    if cell is None:
        return ""
    digits = 3 if 0 < cell["mean"] < 1 else 1
    text = f"{cell['mean']:.{digits}f} ± {cell['error']:.{digits}f}"
    text = text if cell.get("is_found", True) else "never"
    return f"**{text}**" if row["best"] == column else text


def _figure(figure: Figure, curves: Sequence[Row]) -> Iterator[str]:
    if not curves:
        return
    yield f"## Figure {figure.name}: {figure.title}\n"
    yield f"![{figure.title}: mean reciprocal rank against labels]({FOLDER}/{plot_name(figure)})\n"
    yield "Mean reciprocal rank at shares of the pool, in percent.\n"
    rows = [
        [
            NAMES[curve["case"]],
            curve["aim"].removeprefix("find"),
            line_name(curve),
            str(curve["runs"]),
            *(f"{rank:.2f}" for rank in curve["ranks"]),
        ]
        for curve in sorted(curves, key=lambda c: (c["case"], int(c["aim"][4:])))
    ]
    shares = (f"{share}%" for share in curves[0]["shares"])
    yield from table(["case", "worst", "line", "runs", *shares], rows)
