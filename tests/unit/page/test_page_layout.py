"""A report with long names on a phone, a tablet and a desk, and what axe-core finds on it."""

import html
import json
import re
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from numpy.random import default_rng

import tag_worlds
from reports import report_of
from spotheight import Beta, Campaign, Compare, Identify, Proportional, Spec, read_pool
from spotheight.page import render_html

CHROMIUM = shutil.which("chromium")
AXE = find_spec("axe_core_python")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium; scripts/install-browser gets it"),
]
FLAGS = (
    *("--headless", "--no-sandbox", "--no-first-run", "--hide-scrollbars", "--disable-gpu"),
    *("--disable-quic", "--disable-sync", "--disable-background-networking"),
    *("--disable-component-update", "--disable-dev-shm-usage", "--allow-file-access-from-files"),
)
ACCENTS = ("german", "english", "french", "Swiss German", "Brazilian Portuguese")
DEVICES = (
    *("conference room microphone array", "headset with noise cancellation", "landline", "car"),
    *("smartphone loudspeaker", "satellite telephone", "walkie talkie", "hearing aid"),
    *("telepresence robot", "voice over internet protocol"),
)
WIDTHS = (390, 768, 1280)
NARROWEST = 500
"""Of a window; only a frame is narrower."""

MEASURE = """
const root = frame.contentDocument.documentElement, range = frame.contentDocument.createRange();
const lines = (word) => new Set([...word.getClientRects()].map((box) => Math.round(box.top))).size;
const broken = [];
for (const name of root.querySelectorAll(".heat bdi, .panel bdi")) {
  const text = name.firstChild;
  for (const word of text.textContent.matchAll(/[^ -]+/g)) {
    range.setStart(text, word.index);
    range.setEnd(text, word.index + word[0].length);
    if (lines(range) > 1) broken.push(word[0]);
  }
}
const heat = root.querySelector("#heat-box");
found = { width: root.scrollWidth, inside: heat.scrollWidth, frame: heat.clientWidth, broken };
"""


@cache
def page() -> str:
    """Three attributes with long names, of which many combinations do not occur."""
    rng, rows = default_rng(4), 400
    place = rng.integers(0, len(DEVICES), rows)
    columns = {
        "id": [f"call-{row:03d}" for row in range(rows)],
        "answer": rng.choice(["yes", "no"], rows).tolist(),
        "rival": rng.choice(["yes", "no"], rows).tolist(),
        "score": rng.random(rows).tolist(),
        "accent": [ACCENTS[k // 2] for k in place],
        "device": [DEVICES[k] for k in place],
        "age": rng.integers(16, 80, rows).astype(float).tolist(),
    }
    pool = read_pool(
        pa.table(columns),
        id="id",
        prediction={"one": "answer", "two": "rival"},
        score={"one": "score"},
        attributes=["accent", "device", "age:edges=30,60"],
    )
    campaign = Campaign(pool, Spec(seed=2, estimator=Beta("overall"), policy=Proportional()))
    campaign.tell({query.item: "yes" for query in campaign.ask(60)})
    asked = [Identify(worst=2), Compare("accent=german", "accent=french")]
    return render_html(report_of(campaign, questions=asked))


def list_page() -> str:
    """Ranked lists have a page of their own."""
    return render_html(report_of(tag_worlds.campaign()))


def shown(address: Path, folder: Path, width: int = 1400) -> str:
    """The document of a page once its script ran."""
    settings = ["--virtual-time-budget=20000", "--dump-dom", f"--user-data-dir={folder / 'me'}"]
    command = [str(CHROMIUM), *FLAGS, *settings, f"--window-size={width},900", address.as_uri()]
    return subprocess.run(command, capture_output=True, timeout=120, check=True).stdout.decode()


def found_in(document: str) -> Any:
    """What a script left on the page."""
    (text,) = re.findall(r'data-found="(.*?)"', document)
    return json.loads(html.unescape(text))


@pytest.mark.parametrize("width", WIDTHS)
def test_only_what_is_inside_a_frame_scrolls_sideways(width: int, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(page(), encoding="utf-8")
    wrapper = tmp_path / "wrapper.html"
    wrapper.write_text(
        f"""<!doctype html><iframe src="page.html" width="{width}" height="800"></iframe><script>
        const frame = document.querySelector("iframe");
        frame.onload = () => {{
          let found;
          {MEASURE}
          document.body.dataset.found = JSON.stringify(found);
        }};</script>""",
        encoding="utf-8",
    )
    found = found_in(shown(wrapper, tmp_path))
    assert found["width"] == width, "the page itself scrolls sideways"
    assert found["inside"] > found["frame"] or width > WIDTHS[0], "the map is cut to fit"
    assert found["broken"] == []


@pytest.mark.skipif(AXE is None, reason="no axe-core-python; the group `browser` has it")
@pytest.mark.parametrize("width", [NARROWEST, 1280])
@pytest.mark.parametrize("make", [page, list_page])
def test_axe_finds_nothing(make: Callable[[], str], width: int, tmp_path: Path) -> None:
    """By its rules for WCAG 2 and for good practice, also in what is folded away."""
    assert AXE is not None and AXE.origin is not None
    axe = Path(AXE.origin).with_name("axe.min.js").read_text(encoding="utf-8")
    run = """
    for (const fold of document.querySelectorAll("details")) fold.open = true;
    axe.run().then(({ violations, passes }) => {
      const kept = violations.map(({ id, impact, nodes }) => [id, impact, nodes[0].html]);
      document.body.dataset.found = JSON.stringify({ violations: kept, passes: passes.length });
    });"""
    # The page's own policy lets no other script run; in this copy it has to.
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", make())
    copy = tmp_path / "page.html"
    script = f"<script>{axe}</script><script>{run}</script></body>"
    copy.write_text(text.replace("</body>", script), encoding="utf-8")
    found = found_in(shown(copy, tmp_path, width))
    assert found["passes"] > 20, "axe did not look"
    assert found["violations"] == []
