"""From raw readings to docs/assessment.json."""

from collections.abc import Sequence
from typing import Any

from bench.assessment.found import curves, finders, found_rows
from bench.assessment.passes import Study
from bench.assessment.plan import COSTS, COUNTED, SERVICES, SOFTMAX
from bench.assessment.reading import Reader, Row, Source, cells_of
from bench.assessment.store import Store


def summary(store: Store) -> dict[str, Any]:
    """All tables that have runs."""
    reader = Reader(store)
    every, items = (*COUNTED, *SOFTMAX, *SERVICES), (*SOFTMAX, *SERVICES)
    tables = {
        "3": _estimates(reader, "accuracy", "estimate", every, 100),
        "4": _estimates(reader, "confusion", "estimate", SOFTMAX, 1),
        "5": _estimates(reader, "bins", "estimate-ece", items, 100),
        "6": [row for case in every for row in found_rows(reader, finders(case, "accuracy"))],
        "7": _duels(reader),
        "8": _estimates(reader, "bins", "estimate-rmse", items, 100),
        "9": [row for case in items for row in found_rows(reader, finders(case, "calibration"))],
        "10": _costs(reader, "human"),
        "11": _costs(reader, "topic"),
    }
    return {"tables": tables, "curves": curves(reader)}


def _estimates(
    reader: Reader, question: str, reading: str, cases: Sequence[str], scale: float
) -> list[Row]:
    priors = {"UPrior": "U1", "IPrior": "I1"}
    if question != "confusion":
        priors = {"UPrior": "U0", "UPrior (1,1)": "U2", "IPrior": "I2"}
    rows = []
    for case in cases:
        own = priors["IPrior"]
        random, active = (Study(case, question, "estimate", p, own) for p in ("random", "ts"))
        sources = [Source(name, random, f"{reading}|{p}") for name, p in priors.items()]
        sources.append(Source("IPrior+TS", active, f"{reading}|{own}"))
        found = reader.columns(sources)
        for place, times in enumerate((2, 5, 10)):
            values = {name: scale * array[place] for name, array in found.items()}
            if values:
                rows.append({"case": case, "labels": times, **cells_of(values)})
    return rows


def _costs(reader: Reader, kind: str) -> list[Row]:
    rows = []
    for cost in COSTS:
        rows += found_rows(reader, finders("20news", kind, cost), cost=cost)
    return rows


def _duels(reader: Reader) -> list[Row]:
    rows = []
    for case in (*COUNTED, "20news"):
        columns = {
            "UPrior": ("random", "U2"), "IPrior": ("random", "I2"), "IPrior+TS": ("lambda", "I2"),
        }  # fmt: skip
        found, missed = {}, {}
        for name, (policy, prior) in columns.items():
            readings = reader.readings(Study(case, "compare", "estimate", policy, prior))
            if readings:
                found[name] = readings[f"labels|{prior}"][0]
                missed[name] = float(1 - readings[f"reached|{prior}"].mean())
        if found:
            rows.append({"case": case, **cells_of(found), "missed": missed})
    return rows
