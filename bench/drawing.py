"""SVG of the plots: what all of them have in common."""

from collections.abc import Iterable
from io import StringIO
from typing import Any

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import ScalarFormatter

SETTINGS: Any = {  # newer versions would want the names as literals
    "svg.hashsalt": "spotheight",  # or the names inside would change with every drawing
    "svg.fonttype": "none",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def svg(figure: Figure, title: str) -> str:
    """A drawing as text; the same one gives the same letters every time."""
    text = StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None, "Title": title})
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines()) + "\n"


def plain_numbers(axis: Axis) -> None:
    """Ticks of a logarithmic axis as numbers, not as powers of ten."""
    axis.set_major_formatter(ScalarFormatter())
    axis.set_minor_formatter(ScalarFormatter())


def grid(axes: Axes) -> None:
    """Pale lines behind what is drawn."""
    axes.grid(color="#eeeeee")
    axes.set_axisbelow(True)


def shared_legend(figure: Figure, panels: Iterable[Axes]) -> None:
    """One legend for panels that draw the same things."""
    handles = dict(
        pair
        for axes in panels
        for pair in zip(*reversed(axes.get_legend_handles_labels()), strict=True)
    )
    figure.legend(handles.values(), handles.keys(), loc="outside right upper", frameon=False)
