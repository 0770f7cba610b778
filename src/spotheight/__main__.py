"""Lets ``python -m spotheight`` work."""

from spotheight.cli import main

main()
