import json
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from itertools import combinations, product

import numpy as np
import pytest

from spotheight.beliefs.reading import Reading
from spotheight.page import render_html
from spotheight.page.drawing import Axis
from spotheight.page.html import finding, lead_words, thinned
from spotheight.questions.words import interval, percent
from spotheight.report import ArmRow, HeatMap, HistoryPoint, Report, ServiceRow

NAN = float("nan")
VOID = {"meta", "link", "br", "hr", "img", "input"}
SECTIONS = [
    "finding",
    "notes",
    "services",
    "attributes",
    "heat-map",
    "worst",
    "quantiles",
    "arms",
    "missing",
    "history",
    "meaning",
    "provenance",
]
DIGITS = {
    "ink": ("faint", "light", "medium", "heavy"),
    "slant": ("left", "upright", "right"),
    "size": ("small", "large"),
    "group": ("round", "straight", "open", "mixed"),
}
HOSTILE = {
    "</script><b>&\"'": ("<img src=x onerror=alert(1)>", "a\u2028b", "]]>"),
    "\u05e9\u05e4\u05d4": ("\u0639\u0631\u0628\u064a", "\u05e2\u05d1\u05e8\u05d9\u05ea"),
    "\U0001f600 mood": ("\U0001f680", "{{ report.title }}", ""),
}


def merged(name: str, rows: Sequence[ArmRow]) -> ArmRow:
    """Arms taken together: means and ends weighted by items, which is enough for a picture."""
    pool, labelled = (
        sum(getattr(row, field) for row in rows) for field in ("n_pool", "n_labelled")
    )
    ends = (
        sum(getattr(row, f) * row.n_pool for row in rows) / pool for f in ("mean", "low", "high")
    )
    return ArmRow(name, (name,), pool, labelled, *ends, "estimated" if labelled > 1 else LACKING)


LACKING = "insufficient evidence"


def arm_rows(attributes: dict[str, tuple[str, ...]], seed: int = 5) -> list[ArmRow]:
    rng = np.random.default_rng(seed)
    rows = []
    for levels in product(*attributes.values()):
        if rng.random() < 0.04:
            continue
        n_pool = int(rng.integers(2, 40))
        n_labelled = int(rng.binomial(n_pool, 0.16))
        mean = float(rng.beta(12, 2))
        half = 0.9 / np.sqrt(n_labelled + 5)
        name = ", ".join(f"{k}={v}" for k, v in zip(attributes, levels, strict=True))
        ends = (max(0.0, mean - half), min(1.0, mean + half))
        status = "estimated" if n_labelled else LACKING
        rows.append(ArmRow(name, levels, n_pool, n_labelled, mean, *ends, status))
    return rows


def heat_map(arms: list[ArmRow], names: list[str], pair: tuple[int, int]) -> HeatMap:
    groups: dict[tuple[str, str], list[ArmRow]] = {}
    for arm in arms:
        groups.setdefault((arm.levels[pair[0]], arm.levels[pair[1]]), []).append(arm)
    cells = {key: merged(" x ".join(key), rows) for key, rows in groups.items()}
    levels = (tuple(dict.fromkeys(key[side] for key in cells)) for side in (0, 1))
    return HeatMap(names[pair[0]], names[pair[1]], *levels, cells)


def make_report(attributes: dict[str, tuple[str, ...]], **changes: object) -> Report:
    arms = arm_rows(attributes)
    names = list(attributes)
    groups = {
        name: tuple(
            merged(level, [arm for arm in arms if arm.levels[side] == level])
            for level in attributes[name]
        )
        for side, name in enumerate(names)
    }
    means = sorted(arm.mean for arm in arms)
    bare = [arm for arm in arms if not arm.n_labelled]
    n_pool, n_labelled = (int(sum(getattr(a, f) for a in arms)) for f in ("n_pool", "n_labelled"))
    overall = Reading(0.861, 0.836, 0.884, 0.9, "pool", n_pool, n_labelled)
    report = Report(
        title="Handwritten digits",
        service="digits",
        metric="accuracy",
        estimand="pool",
        estimator="eb-beta",
        policy="proportional",
        level=0.9,
        n_pool=n_pool,
        n_labelled=n_labelled,
        n_arms=len(arms),
        overall=overall,
        quantiles=tuple(
            (q, float(np.quantile(means, q))) for q in (0.05, 0.1, 0.25, 0.5, 0.75, 0.9)
        ),
        arms=tuple(arms),
        worst=tuple(sorted(arms, key=lambda arm: arm.mean)[:25]),
        lacking=tuple(bare),
        arms_without_labels=len(bare),
        items_in_arms_without_labels=sum(arm.n_pool for arm in bare),
        margins=groups,
        heat_maps=tuple(heat_map(arms, names, p) for p in combinations(range(len(names)), 2)),
        history=tuple(
            HistoryPoint(n, 0.86 + 0.2 / n, 0.86 - 0.5 / n**0.5, min(1.0, 0.86 + 0.4 / n**0.5))
            for n in range(12, 252, 12)
        ),
        services=(
            ServiceRow("digits", overall, 0, None),
            ServiceRow(
                "rival", overall, 14, Reading(-0.031, -0.052, -0.011, 0.9, "pool"), 0.0, 1.0
            ),
            ServiceRow("third", overall, 3, Reading(0.004, -0.012, 0.021, 0.9, "pool"), 0.65, 0.35),
        ),
        notes=("The attribute ink has 3 missing values; they are a level of their own.",),
        provenance={
            "pool fingerprint": "9f2c51d0c1",
            "log length": "41",
            "spec": 'seed = 7\n\n[estimator]\nname = "eb-beta"\n',
        },
    )
    return replace(report, **changes)


def tiny() -> Report:
    arm = ArmRow("all", (), 7, 0, NAN, NAN, NAN, LACKING)
    return Report(
        title="Tiny",
        service="",
        metric="recall of cat",
        estimand="rate",
        estimator="counts",
        policy="random",
        level=0.95,
        n_pool=7,
        n_labelled=0,
        n_arms=1,
        overall=Reading(NAN, NAN, NAN, 0.95, "rate"),
        quantiles=((0.5, NAN),),
        arms=(arm,),
        worst=(arm,),
        lacking=(arm,),
        arms_without_labels=1,
        items_in_arms_without_labels=7,
        margins={},
        heat_maps=(),
        history=(),
        services=(ServiceRow("", Reading(NAN, NAN, NAN, 0.95, "rate"), 0, None),),
        notes=(),
        provenance={},
    )


def large() -> Report:
    attributes = {
        "city": tuple(f"city {k}" for k in range(50)),
        "device": tuple(f"device {k}" for k in range(25)),
        "hour": ("night", "morning", "noon", "evening"),
    }
    report = make_report(attributes)
    extra = [replace(report.arms[k], name=f"{report.arms[k].name}, again") for k in range(400)]
    return replace(report, arms=(report.arms + tuple(extra))[:5000], n_arms=1_000_000)


REPORTS = {
    "realistic": lambda: make_report(DIGITS),
    "tiny": tiny,
    "hostile": lambda: make_report(
        HOSTILE, title="</title><script>alert(1)</script>", provenance={"<b>": "</pre>\n<i>" * 9}
    ),
    "large": large,
}


class Page(HTMLParser):
    """Elements and attributes as met; notes tags that are closed out of order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.faults: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.data = ""
        self.feed(text)
        self.close()

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)
        if self.open[-1:] == ["script"] and self.tags[-1][1].get("type") == "application/json":
            self.data += data


@pytest.fixture(scope="module", params=REPORTS)
def case(request: pytest.FixtureRequest) -> tuple[Report, str, Page]:
    report = REPORTS[request.param]()
    text = render_html(report)
    return report, text, Page(text)


def test_every_tag_is_closed_in_order(case: tuple[Report, str, Page]) -> None:
    _, text, page = case
    assert text.startswith("<!doctype html>")
    assert (page.open, page.faults) == ([], [])


def test_nothing_is_fetched(case: tuple[Report, str, Page]) -> None:
    _, text, page = case
    assert "http://" not in text and "https://" not in text and "@import" not in text
    fetched = [a.get(k) for _, a in page.tags for k in ("src", "href") if a.get(k) is not None]
    assert fetched == ["data:,"]


def test_sections_come_in_order(case: tuple[Report, str, Page]) -> None:
    report, _, page = case
    met = [a["id"] for tag, a in page.tags if tag in ("header", "section") and "id" in a]
    absent = {"services"} if len(report.services) < 2 else set()
    absent |= set() if report.notes else {"notes"}
    absent |= set() if len(report.worst) < report.n_arms else {"arms"}  # the worst are all
    assert met == [section for section in SECTIONS if section not in absent]


def test_figures_and_tables_are_named(case: tuple[Report, str, Page]) -> None:
    _, text, page = case
    figures = [a for tag, a in page.tags if tag == "svg" and "viewbox" not in a]
    assert figures and all(a.get("role") == "img" for a in figures)
    assert text.count("<title") == len(figures) + 1 + text.count("<g><title") + text.count(
        '<g class="thin"><title'
    )
    assert text.count("<table") == text.count("<caption")


def test_the_same_report_gives_the_same_page(case: tuple[Report, str, Page]) -> None:
    report, text, _ = case
    assert render_html(report) == text


def test_heat_map_data_reads_back(case: tuple[Report, str, Page]) -> None:
    report, _, page = case
    if not report.heat_maps:
        assert page.data == ""
        return
    assert not set("<>&\u2028\u2029") & set(page.data)
    maps = json.loads(page.data)["maps"]
    assert [(m["rows"], m["columns"]) for m in maps] == [
        (h.rows, h.columns) for h in report.heat_maps
    ]
    for embedded, given in zip(maps, report.heat_maps, strict=True):
        pairs = product(embedded["row_levels"], embedded["column_levels"])
        drawn = [cell for line in embedded["cells"] for cell in line]
        for pair, cell in zip(pairs, drawn, strict=True):
            assert (cell is None) == (pair not in given.cells)
            assert cell is None or cell[1].startswith(percent(given.cells[pair].mean))


def test_hostile_names_stay_text() -> None:
    report = REPORTS["hostile"]()
    page = Page(render_html(report))
    kinds = [tag for tag, _ in page.tags]
    assert kinds.count("script") == 2 and "img" not in kinds and "i" not in kinds
    assert not [a for _, a in page.tags if any(name.startswith("on") for name in a)]
    for name in HOSTILE:
        assert name in page.texts and any(name in text for text in page.texts)
    assert "{{ report.title }}" in page.texts


def test_unknown_numbers_are_said_not_drawn() -> None:
    text = render_html(tiny())
    assert "nan" not in text.lower().replace("provenance", "")
    assert text.count("no estimate") >= 3
    assert finding(tiny()) == (
        "There is no estimate of recall of cat yet, with no labels for 7 items."
    )


def test_five_thousand_arms_stay_small() -> None:
    report = large()
    text = render_html(report)
    assert len(report.arms) == 5000
    assert len(text.encode()) < 2_000_000
    assert "Drawn are 240 of 5,000 arms" in text
    assert "5,000 of the 1,000,000 arms" in text
    assert "20 smaller levels left out" in text
    assert "10 smaller levels of city are left out." in text


def test_few_arms_are_all_named_and_many_are_thinned_evenly() -> None:
    few = make_report({"a": tuple("abcdefgh"), "b": tuple("vwxyz")})
    text = render_html(few)
    assert f"All {len(few.arms)} arms" in text and "plot arms" not in text
    rows = large().arms
    kept = thinned(rows, 240)
    places = [rows.index(row) for row in kept]
    assert (places[0], places[-1], len(places)) == (0, len(rows) - 1, 240)
    assert set(np.diff(places)) <= {20, 21}


def test_hollow_dots_are_the_arms_without_enough_evidence() -> None:
    report = make_report(
        {"a": tuple("abcdefgh"), "b": tuple("xyz")}, worst=(), lacking=(), margins={}
    )
    text = render_html(report)
    assert text.count('class="bar thin"') == sum(arm.status == LACKING for arm in report.arms) > 0


def test_finding_in_plain_words() -> None:
    report = make_report(DIGITS, n_pool=1500, n_labelled=240, services=())
    assert finding(report) == (
        "The service is right on about 86% of this pool (90% interval 84 to 88%), "
        "judged from 240 labels of 1,500 items."
    )
    rate = replace(report, estimand="rate", metric="recall of cat", n_labelled=1500)
    assert finding(rate) == (
        "The recall of cat is about 86% on inputs like these "
        "(90% interval 84 to 88%), judged from labels of all 1,500 items."
    )


@pytest.mark.parametrize(
    ("lead", "ahead", "words"),
    [
        ((0.02, 0.01, 0.03), 0.95, ("+2.0 points (+1.0 to +3.0)", "ahead")),
        ((-0.02, -0.03, -0.01), 0.01, ("\u22122.0 points (\u22123.0 to \u22121.0)", "behind")),
        # An interval of a low level excludes zero early.
        ((0.01, 0.005, 0.02), 0.9, ("+1.0 points (+0.5 to +2.0)", "not decided (ahead: 90%)")),
        ((NAN, NAN, NAN), NAN, ("no estimate", "nothing to compare yet")),
    ],
)
def test_lead_is_called_only_when_it_is_certain_enough(
    lead: tuple[float, float, float], ahead: float, words: tuple[str, str]
) -> None:
    reading = Reading(*lead, 0.9, "pool")
    assert lead_words(ServiceRow("two", reading, 0, reading, ahead, 1 - ahead)) == words


def test_services_are_compared_only_when_there_are_several() -> None:
    several = make_report(DIGITS)
    assert "not decided" in render_html(several)
    alone = replace(several, services=(replace(several.services[1], lead=None),))
    text = render_html(alone)
    assert 'id="services"' not in text and "14, counted as misses" in text


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.0, 0, "0%"),
        (1.0, 0, "100%"),
        (0.0004, 0, "<0.1%"),
        (0.996, 0, "99.6%"),
        (0.5, 1, "50.0%"),
    ],
)
def test_only_exact_ends_look_exact(value: float, digits: int, text: str) -> None:
    assert percent(value, digits) == text


def test_intervals_show_a_decimal_only_when_narrow() -> None:
    assert interval(0.8, 0.9) == "80 to 90%"
    assert interval(0.851, 0.862) == "85.1 to 86.2%"
    assert interval(1.0, 1.0) == "100 to 100%"


@pytest.mark.parametrize(
    "values", [[1.0], [0.0], [0.5, 0.5], [0.0, 1.0], [0.912, 0.938], [NAN], []]
)
def test_axis_holds_its_values_between_round_ends(values: list[float]) -> None:
    axis = Axis.around(values)
    assert 1 <= axis.last - axis.first <= 5
    assert 0 <= axis.marks[0] < axis.marks[-1] <= 1
    assert all(0 <= axis.share(value) <= 1 for value in values if value == value)


def test_counts_axis_starts_at_zero() -> None:
    assert Axis.around([0, 240]).marks == (0, 50, 100, 150, 200, 250)
