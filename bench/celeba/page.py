"""docs/celeba.md: everything in it comes from the summary and the statistics of the replica."""

from collections.abc import Iterator

from bench.celeba.found import said
from bench.celeba.plan import (
    ESTIMATORS,
    EXPLORING,
    FIRST_TRIED,
    METHODS,
    READ_AT,
    SETTINGS,
    TABLE_AT,
    Setting,
    methods_of,
)
from bench.celeba.reading import (
    average_of,
    by_labels,
    cell,
    column_of,
    has,
    has_guesses,
    is_explored,
    mean_over_settings,
    plain,
    share,
)
from bench.celeba.surface import QUANTILES, THRESHOLDS, Statistics
from bench.celeba.words import COVERAGE, FOUND, INTRODUCTION, KNOWN, MEASURES, METHOD
from bench.markdown import table
from bench.plan import Method
from bench.published import ACTIVE_ARMS, FORMS, MF_CELEBA, NAMES
from bench.summary import Summary
from spotheight.terminal.text import count, percent

FOLDER = "celeba"
"""Beside the page: where its plots and the statistics lie."""


def page(summary: Summary, statistics: Statistics) -> str:
    """The whole page as Markdown."""
    parts = [INTRODUCTION, *_surface(statistics), *_models(statistics), METHOD]
    for service in dict.fromkeys(setting.service for setting in SETTINGS):
        parts += _estimation(summary, service)
    for section in (_exploration, _calibration, _forms):
        parts += section(summary)
    parts += [*said(FOUND, summary, statistics), *_times(summary), *_absent(summary)]
    return "\n".join(parts).rstrip() + "\n"


def _surface(statistics: Statistics) -> Iterator[str]:
    yield "## The surface\n"
    yield (
        f"{count(statistics.arms)} of {count(statistics.combinations)} combinations occur, "
        f"{count(statistics.judged_arms)} with at least 5 items (the paper's Table 13: "
        f"*{ACTIVE_ARMS}*). Over these arms:\n"
    )
    yield f"![Accuracy of arms, by service]({FOLDER}/surface.svg)\n"
    head = ["service", "all items", "arms alike", *(f"{100 * q:g}%" for q in QUANTILES)]
    head += [f"below {100 * mark:g}%" for mark in THRESHOLDS]
    rows = (
        [name, *map(percent, (one.accuracy, one.macro, *one.quantiles, *one.below))]
        for name, one in statistics.services.items()
    )
    yield "Accuracy, its quantiles, and the share of arms below a mark:\n"
    yield from table(head, rows)


def _models(statistics: Statistics) -> Iterator[str]:
    yield "## The attribute models\n"
    rows = (
        [
            f"`{name}`",
            percent(one.share),
            percent(one.accuracy),
            percent(one.skill),
            f"{100 * one.calibration_error:.1f}",
        ]
        for name, one in statistics.models.items()
    )
    head = ["attribute", "items that have it", "accuracy", "variance explained"]
    yield from table([*head, "calibration error, in points"], rows)
    yield (
        f"Taken apart, the likelier levels of all twelve are right at once for "
        f"{percent(statistics.likeliest_is_right)} of the items; an item's own arm gets a chance "
        f"of {percent(statistics.chance_of_own)} on average. A picture would tell a hat or glasses "
        f"at once; from other attributes they can hardly be told, so that guessed attributes are "
        f"harder here than in the paper. Chances are near the truth one attribute at a time, so "
        f"that temperatures have little to mend; what is left to a joint potential is how "
        f"attributes go together.\n"
    )


def _estimation(summary: Summary, service: str) -> Iterator[str]:
    settings = [one for one in SETTINGS if one.service == service and has(summary, one)]
    yield f"## Estimation: the {service} service\n"
    yield f"{TABLE_AT} labels, drawn at random; {_seeds(summary, settings)}.\n"
    if settings:
        yield f"![Worst-50 error against labels, {service}]({FOLDER}/estimation-{service}.svg)\n"
    methods = [m for m in _random() if any(_is_run(summary, one, m) for one in settings)]
    for measure, title in MEASURES.items():
        columns = [column_of(summary, one, methods, measure, TABLE_AT) for one in settings]
        rows = [
            [
                method.estimator,
                *(cell(method, column) for column in columns),
                _paper(method.estimator, measure),
            ]
            for method in methods
        ]
        yield f"**{title}**\n"
        yield from table(["estimator", *(KNOWN[s.knowledge] for s in settings), "paper"], rows)
    rows = [[m.estimator, *(share(summary, one, m, TABLE_AT) for one in settings)] for m in methods]
    yield f"**{COVERAGE}**\n"
    yield from table(["estimator", *(KNOWN[one.knowledge] for one in settings)], rows)


def _random() -> list[Method]:
    return [Method(name, "random") for name in ESTIMATORS]


def _is_run(summary: Summary, setting: Setting, method: Method) -> bool:
    return average_of(summary, setting, method, "macro", TABLE_AT) is not None


def _seeds(summary: Summary, settings: list[Setting]) -> str:
    names = {setting.name for setting in settings}
    found = {e.seeds for (study, _), e in summary.entries.items() if study.case in names}
    if len(found) < 2:
        return f"{max(found, default=0)} seeds"
    return f"{min(found)} to {max(found)} seeds"


def _paper(estimator: str, measure: str) -> str:
    value = MF_CELEBA[measure].get(estimator)
    return "" if value is None else f"*{NAMES[estimator]} {value:g}*"


def _exploration(summary: Summary) -> Iterator[str]:
    yield "## Exploration\n"
    yield "Macro error against labels, the first 500 of them random.\n"
    explored = {method.estimator for method in EXPLORING}
    methods = [m for m in METHODS if m.estimator in explored]
    for setting in SETTINGS:
        if is_explored(summary, setting):
            alt = f"Macro error against labels, {setting.name}"
            yield f"![{alt}]({FOLDER}/exploration-{setting.name}.svg)\n"
            yield f"**{_title(setting)}**\n"
            yield from by_labels(summary, setting, methods, "macro")


def _calibration(summary: Summary) -> Iterator[str]:
    method = FIRST_TRIED
    rows = [
        [_title(setting), *(plain(summary, setting, method, budget) for budget in READ_AT)]
        for setting in sorted(SETTINGS, key=lambda one: one.service)
        if has(summary, setting) and FIRST_TRIED in methods_of(setting)
    ]
    yield "## Calibration of the attribute models\n"
    yield f"Macro error of `{method.estimator}` with random labels.\n"
    if has_guesses(summary):
        yield f"![Macro error by calibration]({FOLDER}/calibration.svg)\n"
    yield from table(["attributes", *map(str, READ_AT)], rows)


def _forms(summary: Summary) -> Iterator[str]:
    at = tuple(FORMS["betagp"])
    rows = [
        [f"{name}, {_title(setting)}", *(plain(summary, setting, method, budget) for budget in at)]
        for setting in SETTINGS
        for name in FORMS
        if column_of(summary, setting, [method := Method(name, "random")], "macro", TABLE_AT)
    ]
    rows += [[f"*{name}, paper*", *(f"*{one[b]:g}*" for b in at)] for name, one in FORMS.items()]
    yield "## Mean and scale, or alpha and beta\n"
    yield "Macro error with random labels (Table 7).\n"
    yield from table(["form", *map(str, at)], rows)


def _times(summary: Summary) -> Iterator[str]:
    """Seconds of a fit and of an ask."""
    yield "## Time\n"
    yield (
        "Seconds by the clock of a fit and of an ask, means over settings, seeds and machines; a "
        "busy machine makes them longer. One thread, but for those of the BetaGP family with "
        "guessed attributes, which share a GPU.\n"
    )
    rows = []
    for method in METHODS:
        fit = mean_over_settings(summary, method, "fit_seconds")
        ask = mean_over_settings(summary, method, "ask_seconds")
        if fit:
            rows.append([str(method), fit, ask])
    yield from table(["method", f"fit, {TABLE_AT} labels", "ask of 12"], rows)


def _absent(summary: Summary) -> Iterator[str]:
    """What the plan has and nobody has run."""
    waiting = {
        setting: [
            str(method) for method in methods_of(setting) if not _is_run(summary, setting, method)
        ]
        for setting in SETTINGS
    }
    lines = [
        f"- {_title(one)}: "
        f"{', '.join(names) if len(names) < len(methods_of(one)) else 'all methods'}."
        for one, names in waiting.items()
        if names
    ]
    if lines:
        yield "## Not run yet\n"
        yield from lines


def _title(setting: Setting) -> str:
    return f"{setting.service}, {KNOWN[setting.knowledge]}"
