"""Options whose help lists the names of algorithms, those of installed packages too."""

import re

import click

from spotheight.registry import FAMILIES

_PLACE = re.compile(r"\{(\+?)([a-z ]+)\}")
"""``{policy}`` for all names, ``{+task}`` for those of installed packages alone."""


class NamesOption(click.Option):
    """Option with names in its help: looked up when help is shown, for nothing else needs them."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """The option and its help, as click prints them."""
        text = self.help or ""
        nouns = [noun for _, noun in _PLACE.findall(text)]
        refused = [said for noun in nouns for said in FAMILIES[noun].refused]
        self.help = " ".join([_PLACE.sub(_names, text), *refused])
        shown = super().get_help_record(ctx)
        self.help = text
        return shown


def _names(place: re.Match[str]) -> str:
    family = FAMILIES[place[2]]
    if not place[1]:
        return ", ".join(family.names)
    return f" Of installed packages: {', '.join(family.outside)}." if family.outside else ""
