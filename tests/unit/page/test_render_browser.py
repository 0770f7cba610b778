"""What only a browser can tell about a page; skipped where there is none."""

import re
import shutil
import subprocess
from collections.abc import Callable
from itertools import combinations, product
from pathlib import Path

import pytest

from spotheight.beliefs.reading import Reading
from spotheight.page import render_html
from spotheight.report import ArmRow, HeatMap, HistoryPoint, Report, ServiceRow

CHROMIUM = shutil.which("chromium")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium; scripts/install-browser gets it"),
]
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--no-first-run",
    "--hide-scrollbars",  # as on a phone, where they take no room
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
)
LEVELS = {
    "ink": ("faint", "heavy"),
    "size": ("small", "medium", "large"),
    'odd & <"name">=': ("\u05d0\u05d1", "a\u2028b", "</script>", ""),
}
PHONE = 390
MEASURE = """
const boxes = [...root.querySelectorAll(".scroll")].map((box) => box.clientWidth);
const widest = Math.max(...boxes);
Object.assign(document.body.dataset, { width: root.scrollWidth, widest, ...heat });
"""
CHOOSE = """
frame.contentWindow.onhashchange = () => Object.assign(document.body.dataset, heat);
const select = root.querySelector("#heat-controls select");
select.value = "size";
select.dispatchEvent(new Event("change"));
"""


def row(name: str, mean: float, n_labelled: int) -> ArmRow:
    status = "estimated" if n_labelled else "insufficient evidence"
    return ArmRow(name, (name,), 20, n_labelled, mean, mean - 0.1, mean + 0.05, status)


def heat_map(rows: str, columns: str) -> HeatMap:
    pairs = list(product(LEVELS[rows], LEVELS[columns]))
    # The last combination does not occur, the first lacks labels.
    cells = {pair: row("x".join(pair), 0.6 + 0.02 * k, k) for k, pair in enumerate(pairs[:-1])}
    return HeatMap(rows, columns, LEVELS[rows], LEVELS[columns], cells)


def make_report() -> Report:
    overall = Reading(0.74, 0.7, 0.78, 0.9, "pool")
    arms = tuple(row("long arm name " * 3 + str(k), 0.6 + 0.003 * k, k % 5) for k in range(96))
    return Report(
        title="A report with a long name that does not fit on one line of a small screen",
        service="service_with_a_name_that_has_no_place_to_break_a_line_anywhere",
        metric="accuracy",
        estimand="pool",
        estimator="eb-beta",
        policy="proportional",
        level=0.9,
        n_pool=1920,
        n_labelled=190,
        n_arms=96,
        overall=overall,
        quantiles=((0.1, 0.62), (0.5, 0.74), (0.9, 0.86)),
        arms=arms,
        worst=arms[:25],
        lacking=tuple(arm for arm in arms if not arm.n_labelled),
        arms_without_labels=20,
        items_in_arms_without_labels=400,
        margins={name: tuple(row(x, 0.8, 3) for x in xs) for name, xs in LEVELS.items()},
        heat_maps=tuple(heat_map(a, b) for a, b in combinations(LEVELS, 2)),
        history=tuple(HistoryPoint(n, 0.74, 0.74 - 1 / n, 0.74 + 1 / n) for n in (10, 50, 190)),
        services=(ServiceRow("one", overall, 0, None), ServiceRow("two", overall, 3, overall)),
        notes=(),
        provenance={"fingerprint": "f" * 64, "spec": "seed = 7\n" + "x" * 300},
    )


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """Loads ``page.html`` or a neighbour from disk and gives the document once its script ran."""
    folder = tmp_path_factory.mktemp("browser")
    (folder / "page.html").write_text(render_html(make_report()), encoding="utf-8")
    (folder / "phone.html").write_text(framed(MEASURE), encoding="utf-8")
    (folder / "hand.html").write_text(framed(CHOOSE), encoding="utf-8")

    def load(address: str) -> str:
        target = f"{folder.as_uri()}/{address}"
        profile = tmp_path_factory.mktemp("profile")
        # The wrappers look into their frame, which is a file too; time is the page's, not ours.
        settings = ["--allow-file-access-from-files", "--virtual-time-budget=2000", "--dump-dom"]
        command = [str(CHROMIUM), *FLAGS, f"--user-data-dir={profile}", *settings, target]
        done = subprocess.run(command, capture_output=True, timeout=60, check=True)
        return done.stdout.decode()

    return load


def framed(script: str) -> str:
    """A page that looks at the report through a frame as wide as a phone."""
    return f"""<!doctype html><iframe src="page.html" width="{PHONE}" height="800"></iframe><script>
    const frame = document.querySelector("iframe");
    frame.onload = () => {{
      const root = frame.contentDocument.documentElement;
      const heat = root.querySelector("#heat-box").dataset;
      {script}
    }};</script>"""


def heat_table(document: str) -> str:
    found = re.search(r'<table class="heat">.*?</table>', document, re.DOTALL)
    assert found
    return found[0]


def test_script_draws_the_same_heat_map_as_the_page(dump: Callable[[str], str]) -> None:
    document = dump("page.html")
    assert 'data-drawn="script" data-rows="ink" data-columns="size"' in document
    assert heat_table(document) == heat_table(render_html(make_report()))
    assert 'id="heat-controls" class="controls">' in document


def test_address_chooses_the_pair_and_may_turn_it(dump: Callable[[str], str]) -> None:
    document = dump("page.html#rows=size&columns=ink")
    assert 'data-drawn="script" data-rows="size" data-columns="ink"' in document
    table = heat_table(document)
    rows = re.findall(r'<th scope="row"><bdi>(.*?)</bdi>', table)
    columns = re.findall(r'<th scope="col"><bdi>(.*?)</bdi>', table)
    assert (rows, columns) == (list(LEVELS["size"]), list(LEVELS["ink"]))
    numbers = re.findall(r"<b>(.*?)</b>", table)
    # Row by row of the turned map: cell k of the map ink x size has a mean of .6 + .02 k.
    assert numbers == ["60% ?", "66%", "62%", "68%", "64%"]
    assert table.count('class="cell absent"') == 1


def test_hostile_names_can_be_chosen_and_stay_text(dump: Callable[[str], str]) -> None:
    table = heat_table(dump("page.html#rows=odd+%26+%3C%22name%22%3E%3D&columns=ink"))
    assert "<bdi>&lt;/script&gt;</bdi>" in table and "<bdi>(empty)</bdi>" in table


@pytest.mark.parametrize("fragment", ["rows=ink&columns=ink", "rows=nothing&columns=ink", "worst"])
def test_an_address_that_names_no_pair_leaves_the_first(
    dump: Callable[[str], str], fragment: str
) -> None:
    assert 'data-rows="ink" data-columns="size"' in dump(f"page.html#{fragment}")


def test_page_does_not_scroll_sideways_on_a_phone(dump: Callable[[str], str]) -> None:
    document = dump("phone.html")
    assert 'data-drawn="script"' in document
    width, widest = (int(x) for x in re.findall(r'data-wid(?:th|est)="(\d+)"', document))
    assert width == PHONE
    assert widest <= PHONE


def test_choosing_by_hand_swaps_rather_than_repeats(dump: Callable[[str], str]) -> None:
    assert '<body data-drawn="script" data-rows="size" data-columns="ink">' in dump("hand.html")


def test_page_prints(tmp_path: Path) -> None:
    page, paper = tmp_path / "page.html", tmp_path / "page.pdf"
    page.write_text(render_html(make_report()), encoding="utf-8")
    command = [str(CHROMIUM), *FLAGS, f"--user-data-dir={tmp_path / 'profile'}"]
    subprocess.run([*command, f"--print-to-pdf={paper}", page.as_uri()], timeout=60, check=True)
    pages = len(re.findall(rb"/Type\s*/Page\b", paper.read_bytes()))
    assert 3 <= pages <= 12
