"""Mean reciprocal rank against labels, as SVG."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure

from bench.assessment.page import DIAGRAM, FIGURES, NAMES, chosen_curves, line_name, plot_name
from bench.assessment.page import Figure as Drawn
from bench.assessment.reliability import diagram
from bench.drawing import SETTINGS, svg
from bench.files import write_whole

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#777777", "#e69f00", "#56b4e9")


def write_plots(kept: Mapping[str, Any], folder: Path) -> None:
    """A plot for each figure that has curves."""
    for figure in FIGURES:
        curves = chosen_curves(kept, figure)
        if curves:
            write_whole(folder / plot_name(figure), plot(figure, curves))
    if kept.get("reliability"):
        write_whole(folder / DIAGRAM, diagram(kept["reliability"], NAMES))


def plot(figure: Drawn, curves: Sequence[Mapping[str, Any]]) -> str:
    """One panel for each case and number of groups looked for; the same letters every time."""
    panels = sorted({(one["case"], int(one["aim"].removeprefix("find"))) for one in curves})
    with rc_context(SETTINGS):
        drawing = Figure(figsize=(6.4, 2.6 * ((len(panels) + 1) // 2)), layout="constrained")
        for place, (case, most) in enumerate(panels):
            axes = drawing.add_subplot((len(panels) + 1) // 2, 2, place + 1)
            inside = [c for c in curves if (c["case"], c["aim"]) == (case, f"find{most}")]
            for colour, curve in zip(COLOURS, inside, strict=False):
                line = "--" if curve["policy"] == "random" else "-"
                axes.plot(
                    curve["shares"], curve["ranks"], color=colour, linestyle=line, marker="o",
                    markersize=2.5, linewidth=1.2, label=line_name(curve),
                )  # fmt: skip
            axes.set_title(f"{case}, worst {most}", loc="left")
            axes.set_ylim(0, 1.03)
            axes.set_xlabel("percent of the pool labelled")
            axes.grid(color="#eeeeee")
            axes.legend(frameon=False, fontsize=7)
        return svg(drawing, figure.title)
