"""docs/benchmarks.md: the page that people read, from the summary and the race of the peers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from statistics import median
from typing import Any

from bench.facts import Facts
from bench.markdown import filled, table
from bench.plan import HOLDOUT, Method
from bench.standing import Pair, Standing, average, averages
from bench.summary import Average, Summary
from bench.tables import BAND, COVERAGE, HELD, MACRO, OFF, Measure, cell, columns_of, seeds, written
from bench.words import COVERED, FRONT, HELD_OUT, KEY, MISSES, PUBLIC, RACE, SPEED, STANDS
from spotheight.errors import listed

FOLDER = PurePosixPath("benchmarks")
"""Beside the page: where its plots and the tables lie."""

RANDOM, GAIN = Method("additive", "random"), Method("additive", "gain")
RIVAL_RANDOM, RIVAL_GAIN = Method("eb-beta", "random"), Method("eb-beta", "gain")
POOLED = Method("pooled", "random")

KEY_METHODS = (GAIN, RANDOM, RIVAL_GAIN, RIVAL_RANDOM, POOLED)
KEY_LABELS = (100, 500, 2000)

DUELS = (
    *((RANDOM, RIVAL_RANDOM, labels) for labels in KEY_LABELS),
    *((GAIN, RIVAL_GAIN, labels) for labels in (100, 500)),
    *((RANDOM, POOLED, labels) for labels in KEY_LABELS),
)
"""Who is held against whom over all cases, after how many labels."""

COVERED_AT = ((RANDOM, 100), (RANDOM, 500), (RANDOM, 2000), (GAIN, 100), (GAIN, 500),
              (RIVAL_RANDOM, 500), (RIVAL_GAIN, 500))  # fmt: skip

WORST = Measure("worst50", "Worst-50 error")

FEW_HELD = 0.8
"""An overall number that fewer of its intervals hold is named among the misses."""

SETTLED = 500
"""Labels after which misses are looked for, beside the first hundred."""


def page(summary: Summary, races: Sequence[Mapping[str, Any]] = ()) -> str:
    """The whole page as Markdown; ``races`` are timed fits beside a peer's, if there are any."""
    parts = [
        filled(FRONT, cases=len(summary.cases), seeds=_seeds(summary)),
        *_key(summary),
        *_standing(summary),
        *_covered(summary),
        *_speed(summary, races),
        *_misses(summary),
    ]
    return "\n".join(parts).rstrip() + "\n"


def _seeds(summary: Summary) -> str:
    methods = {GAIN, RANDOM, RIVAL_GAIN, RIVAL_RANDOM}
    return seeds(
        [entry.seeds for (study, _), entry in summary.entries.items() if study.method in methods]
        or [0]
    )


def _plot(name: str, alt: str) -> str:
    return f"![{alt}]({FOLDER / name}.svg)\n"


def _key(summary: Summary) -> Iterator[str]:
    """The key cases beside all rivals."""
    key = {name: facts for name, facts in summary.cases.items() if facts.is_key}
    yield filled(KEY)
    yield _plot("key-cases", "Macro error against labels on the key cases")
    head = [f"{method.estimator}, {method.policy}" for method in KEY_METHODS]
    rows = (row for name, facts in key.items() for row in _key_rows(summary, name, facts))
    yield from table(["case", "labels", *head, "*AAA, public code*"], rows)
    shares, held = (_on_key(summary, value) for value in (_beside_public, _held_out))
    if shares:
        yield filled(PUBLIC, labels=KEY_LABELS[0], shares=shares)
    if held:
        yield filled(HELD_OUT, labels=SETTLED, errors=held)


def _key_rows(summary: Summary, name: str, facts: Facts) -> Iterator[list[str]]:
    columns = columns_of(summary, name)
    for labels in KEY_LABELS:
        column = {m: e for m, e in columns.get(labels, {}).items() if m in KEY_METHODS}
        cells = [cell(method, column, MACRO) for method in KEY_METHODS]
        yield [facts.title, f"{labels:,}", *cells, _others(facts, labels)]


def _on_key(summary: Summary, value: Callable[[Summary, str, Facts], str]) -> str:
    """Something said of every key case that has it, in their order."""
    found = [value(summary, name, one) for name, one in summary.cases.items() if one.is_key]
    return "; ".join(text for text in found if text)


def _beside_public(summary: Summary, name: str, facts: Facts) -> str:
    """Our error with the fewest labels as a share of the lowest of others."""
    ours = average(summary, name, GAIN, KEY_LABELS[0], MACRO.name)
    lowest = [published.ranges[MACRO.name][0] for published in facts.published]
    return f"{ours.mean / min(lowest):.0%}" if ours and lowest else ""


def _held_out(summary: Summary, name: str, facts: Facts) -> str:
    """The errors by items that no campaign sees, ours and the rival's."""
    found = [
        average(summary, name, replace(method, holdout=HOLDOUT), SETTLED, MACRO.name)
        for method in (GAIN, RIVAL_GAIN)
    ]
    return " and ".join(f"{one.mean:.2f}" for one in found if one) if all(found) else ""


def _others(facts: Facts, labels: int) -> str:
    ranges = [p.ranges[MACRO.name] for p in facts.published if p.budget == labels]
    return ", ".join(f"*{low:g} to {high:g}*" for low, high in ranges)


def _standing(summary: Summary) -> Iterator[str]:
    """All cases: how often the default is ahead, and by how much."""
    yield filled(STANDS)
    yield _plot("all-cases", "Error of additive as a share of that of eb-beta, case by case")
    rows = []
    for ours, theirs, labels in DUELS:
        duel = Standing.of(summary, ours, theirs, labels=labels, measure=MACRO.name)
        if duel.pairs:
            lower, level, higher = duel.counts()
            middle, low, high = duel.ratios()
            rows.append(
                [
                    f"{ours.estimator}, {ours.policy}", f"{theirs.estimator}, {theirs.policy}",
                    f"{labels:,}", str(lower), str(level), str(higher),
                    f"{middle:.2f}", f"{low:.2f} to {high:.2f}",
                ]
            )  # fmt: skip
    head = ["error of", "beside", "labels", "lower", "level", "higher", "median ratio", "from, to"]
    yield from table(head, rows)


def _covered(summary: Summary) -> Iterator[str]:
    low, high = BAND
    yield filled(COVERED, low=low, high=high)
    yield _plot("coverage", "Coverage of 90% intervals, case by case")
    rows = []
    for method, labels in COVERED_AT:
        found = [one.mean for _, one in averages(summary, method, labels, COVERAGE.name)]
        if found:
            inside = sum(low <= value <= high for value in found)
            rows.append(
                [
                    f"{method.estimator}, {method.policy}", f"{labels:,}",
                    written(Average.of(found), COVERAGE), f"{inside} of {len(found)}",
                    f"{100 * min(found):.0f} to {100 * max(found):.0f}",
                ]
            )  # fmt: skip
    head = ["method", "labels", "mean over cases", "cases in the band", "lowest, highest case"]
    yield from table(head, rows)


def _speed(summary: Summary, races: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield filled(SPEED)
    rows = []
    for method in (GAIN, RIVAL_GAIN):
        fit, ask = (
            [one.mean for _, one in averages(summary, method, SETTLED, f"{what}_seconds")]
            for what in ("fit", "ask")
        )
        if fit and ask:
            times = [f"{value:.3f}" for some in (fit, ask) for value in (median(some), max(some))]
            rows.append([f"{method.estimator}, {method.policy}", *times])
    head = ["method", "fit, median case", "slowest case", "ask, median case", "slowest case"]
    yield from table(head, rows)
    won = [race for race in races if race["last_bound"] >= race["peer_bound"]]
    if won:
        yield filled(
            RACE,
            ratios=listed([f"{race['peer_seconds'] / race['last_seconds']:.0f}" for race in won]),
            arms=listed([f"{race['arms']:,}" for race in won]),
        )


def _misses(summary: Summary) -> Iterator[str]:
    """Where the default is behind, or its intervals are not what they claim."""
    low, high = BAND
    held = averages(summary, GAIN, SETTLED, HELD.name)
    seldom = [f"{case} {100 * one.mean:.0f}%" for case, one in held if one.mean < FEW_HELD]
    off = [one.mean for _, one in averages(summary, GAIN, SETTLED, OFF.name)]
    outside = [
        f"{case} {100 * one.mean:.0f}%"
        for case, one in averages(summary, GAIN, SETTLED, COVERAGE.name)
        if not low <= one.mean <= high
    ]
    yield filled(
        MISSES,
        behind=_listed(_behind(summary, GAIN, RIVAL_GAIN, MACRO)),
        worst=_listed(_behind(summary, GAIN, RIVAL_GAIN, WORST)),
        pooled=_listed(_behind(summary, RANDOM, POOLED, MACRO)),
        settled=SETTLED,
        ahead=_listed(_ahead(summary)),
        outside=_listed(outside),
        low=low,
        high=high,
        few=FEW_HELD,
        seldom=_listed(seldom),
        off=median(off) * 100 if off else float("nan"),
    )


def _behind(summary: Summary, ours: Method, theirs: Method, measure: Measure) -> Iterator[str]:
    """Where a rival is ahead beyond chance, at any number of labels."""
    for labels in (100, 200, SETTLED):
        duel = Standing.of(summary, ours, theirs, labels=labels, measure=measure.name)
        for pair in duel.pairs:
            if pair.is_higher:
                yield f"{_against(pair)}, {labels} labels"


def _ahead(summary: Summary) -> Iterator[str]:
    """Other ways to choose labels for the same estimator that are ahead of ``gain``."""
    policies = {study.method.policy for study, _ in summary.entries} - {GAIN.policy}
    for policy in sorted(policies):
        rival = Method(GAIN.estimator, policy)
        duel = Standing.of(summary, GAIN, rival, labels=SETTLED, measure=MACRO.name)
        yield from (f"`{policy}` on {_against(pair)}" for pair in duel.pairs if pair.is_higher)


def _against(pair: Pair) -> str:
    """The figures of a miss: the rival's first."""
    theirs, ours = (written(one, MACRO).partition(" ")[0] for one in (pair.theirs, pair.ours))
    return f"{pair.case} {theirs} against {ours}"


def _listed(items: Iterator[str] | Sequence[str]) -> str:
    return "; ".join(items) or "none"
