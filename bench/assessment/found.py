"""Labels until groups are found, and how rankings got there."""

from typing import Any

import numpy as np
from numpy.random import default_rng

from bench.assessment.passes import EVERY, Study
from bench.assessment.plan import COUNTED, most_of
from bench.assessment.reading import Reader, Row, Source, best_of
from spotheight.types import FloatArray

FOUND = 0.99
"""Groups count as found where the mean reciprocal rank over runs exceeds this."""

RESAMPLES = 200
"""Their spread is known to one part in twenty."""

SHARES = (1, 2, 5, 10, 20, 30, 50, 75, 90)
"""Percent of the pool at which curves are printed."""


def finders(case: str, question: str, cost: int = 0) -> list[tuple[int, list[Source]]]:
    """For the worst class and for several: columns."""
    own = "I2" if question in ("accuracy", "calibration") else "I1"
    aim = "estimate" if question == "accuracy" else "find1"
    random = Study(case, question, aim, "random", own, cost)
    priors = {
        "accuracy": {"UPrior": "U0", "UPrior (1,1)": "U2", "IPrior": "I2"},
        "calibration": {"IPrior": "I2"},
    }.get(question, {"UPrior": "U1", "IPrior": "I1"})
    found = []
    for plays in sorted({1, most_of(case)}):
        sources = [Source(name, random, f"find{plays}|{p}") for name, p in priors.items()]
        policy = "ts" if plays == 1 else "mp"
        active = Study(case, question, f"find{plays}", policy, own, cost)
        found.append((plays, [*sources, Source("IPrior+TS", active, f"find{plays}|{own}")]))
    return found


def found_rows(reader: Reader, tables: list[tuple[int, list[Source]]], **more: Any) -> list[Row]:
    """A row for each number of groups looked for; ``more`` goes into every row."""
    rows = []
    for plays, sources in tables:
        found = reader.columns(sources)
        if found:
            cells = {name: _identified(array) for name, array in found.items()}
            settled = {name: _settled(array) for name, array in found.items()}
            case = sources[0].study.case
            rows.append(
                {"case": case, "most": plays, **more, "cells": cells, "best": _best(settled, cells)}
            )
    return rows


def _best(settled: dict[str, FloatArray], cells: dict[str, Row]) -> str:
    """The column that is told from the next one, if its printed number is the lowest too."""
    best = best_of(settled)
    is_lowest = best and cells[best]["mean"] <= min(cell["mean"] for cell in cells.values())
    return best if is_lowest else ""


def _identified(curves: FloatArray) -> Row:
    """The share of the pool after which the mean over runs is high enough, in percent."""
    ticks, runs = curves.shape
    weight = default_rng(0).multinomial(runs, np.full(runs, 1 / runs), RESAMPLES) / runs
    resampled = _crossing(curves @ weight.T)
    mean = curves.mean(axis=1, keepdims=True)
    return {
        "mean": float(_crossing(mean)[0]),
        "error": float(resampled.std()),
        "runs": runs,
        "is_found": bool((mean > FOUND).any()),
        "labels": round(float(_crossing(mean)[0]) / 100 * ticks * EVERY),
    }


def _crossing(means: FloatArray) -> FloatArray:
    """Of every column: where it first exceeds the mark; the whole pool where it never does."""
    is_above = means > FOUND
    first = np.where(is_above.any(axis=0), is_above.argmax(axis=0) + 1, len(means))
    return 100 * first / len(means)


def _settled(curves: FloatArray) -> FloatArray:
    """When each run named the right groups for good, for the paired test."""
    is_below = curves <= FOUND
    last = len(curves) - is_below[::-1].argmax(axis=0)
    return np.where(is_below.any(axis=0), last + 1, 1).astype(float)


def curves(reader: Reader) -> list[Row]:
    """Mean reciprocal rank of the worst class, or of several, at shares of the pool."""
    rows = []
    for study in _drawn_studies():
        policy = "random" if study.policy == "random" else study.policy
        for name, array in reader.readings(study).items():
            aim, prior = name.split("|")
            if aim.startswith("find") and (study.policy == "random" or aim == study.aim):
                mean = array.mean(axis=1)
                at = [max(0, round(share / 100 * len(mean)) - 1) for share in SHARES]
                rows.append(
                    {"case": study.case, "question": study.question, "aim": aim, "policy": policy,
                     "prior": prior, "cost": study.cost, "runs": array.shape[1],
                     "shares": list(SHARES), "ranks": [round(float(mean[i]), 4) for i in at]}
                )  # fmt: skip
    return rows


def _drawn_studies() -> list[Study]:
    found = []
    for case in (*COUNTED, "20news"):
        found.append(Study(case, "accuracy", "estimate", "random", "I2"))
        for prior in ("I2", "U2", "I5", "I10", "I100"):
            found += [Study(case, "accuracy", "find1", "ts", prior)]
            found += [Study(case, "accuracy", f"find{most_of(case)}", "mp", prior)]
        for policy, prior in (("ttts", "I2"), ("greedy", "U2"), ("ucb", "U2")):
            found.append(Study(case, "accuracy", "find1", policy, prior))
        for policy in ("greedy", "ucb"):
            found.append(Study(case, "accuracy", f"find{most_of(case)}", policy, "U2"))
    for prior in ("I2", "I5", "I10"):
        found += [Study("20news", "calibration", "find1", "ts", prior)]
        found += [Study("20news", "calibration", "find3", "mp", prior)]
    found.append(Study("20news", "calibration", "find1", "random", "I2"))
    for kind in ("human", "topic"):
        found.append(Study("20news", kind, "find1", "random", "I1", 10))
        found.append(Study("20news", kind, "find1", "ts", "I1", 10))
        found.append(Study("20news", kind, "find3", "mp", "I1", 10))
    return found
