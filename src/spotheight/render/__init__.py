"""Reports as pages: numbers in, one self-contained file out."""

from spotheight.render.html import render_html

__all__ = ["render_html"]
