"""Slices of a surface, slices against each other, and another population's mix."""

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path

from spotheight.beliefs import Surface
from spotheight.beliefs.contrasts import Contrast
from spotheight.campaign import Campaign
from spotheight.errors import InputError
from spotheight.workspace.subject import Parts, slices_of
from spotheight.workspace.values import SurfaceNumbers

Slices = Mapping[str, Parts]


def sliced(
    campaign: Campaign, slices: Sequence[str], against: Sequence[str], service: str | None
) -> tuple[Slices, Slices]:
    """Slices and those they are compared with, before anything is fitted."""
    if against and not slices:
        raise InputError("--against compares slices with another one; name them with --slice.")
    return slices_of(campaign, slices, service), slices_of(campaign, against, service)


def numbers_of(
    surface: Surface, sides: tuple[Slices, Slices], mix: Path | None, level: float
) -> SurfaceNumbers:
    """What a surface says of slices, of each against each other side, and of another mix."""
    first, second = sides
    readings = {
        text: surface.slice(*parts, level=level)
        for text, parts in (*first.items(), *second.items())
    }
    if mix is not None:
        readings[f"mix of {mix.name}"] = surface.under(mix, level=level)
    contrasts = (
        Contrast(
            one,
            other,
            surface.difference(first[one], second[other], level=level),
            surface.ratio(first[one], second[other], level=level),
        )
        for one, other in product(first, second)
    )
    return SurfaceNumbers(surface, level, readings, tuple(contrasts))
