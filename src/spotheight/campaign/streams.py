"""Random streams of a campaign: each use has its own, which follows from seed and log alone.

So a reloaded campaign asks and answers exactly as it would have. The numbers that end a seed may
never change, or old asks would no longer recompute.
"""

from numpy.random import Generator, default_rng

ANSWERS, VETTING = 1, 4


def for_asking(seed: int, position: int) -> Generator:
    """The draws of an ask that would stand at a position of the log."""
    return default_rng([seed, position])


def for_answers(seed: int, position: int) -> Generator:
    """The draws that answers are read from after so many events, the same for each question."""
    return default_rng([seed, position, ANSWERS])


def for_vetting(seed: int, position: int) -> Generator:
    """The draws of labels that nobody has vetted yet."""
    return default_rng([seed, position, VETTING])
