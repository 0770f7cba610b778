"""Anderson mixing: a map's fixed point, found sooner than by following the map."""

from collections.abc import Sequence

import numpy as np

from spotheight.types import FloatArray

REMEMBERED = 4
"""Places looked back at. A map that swings about its end does so along a line or two."""


def next_place(places: Sequence[FloatArray], moves: Sequence[FloatArray]) -> FloatArray:
    """Anderson's next iterate, from where a map was tried and how far it went from there.

    Followed blindly, a map whose steps are too long swings about its end, or never gets there. The
    last places say how its steps change with the place (Anderson's mixing; Walker & Ni 2011).

    >>> halfway, near = np.array([0.0]), np.array([3.0])  # a map from x to 3 - 2x, at home at 1
    >>> next_place([halfway, near], [np.array([3.0]), np.array([-6.0])])
    array([1.])
    """
    place, move = places[-1], moves[-1]
    if len(places) == 1:
        return place + move
    went, turned = (np.diff(each[-REMEMBERED:], axis=0).T for each in (places, moves))
    share = np.linalg.lstsq(turned, move, rcond=1e-10)[0]
    return np.asarray(place + move - (went + turned) @ share, dtype=float)
