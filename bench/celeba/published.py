"""What Piratla et al. 2021 report for MF-CelebA, the task that the replica is modelled on.

Their pictures, services and attribute models are not to be had, so that only the order of methods
and the size of the effects can be compared. Mean squared errors times 100 with 2000 labels, in the
order of their Tables 15 to 18. Tables 17 and 18 name the rows of MF-CelebA and MF-IMDB the other
way round than Table 2 does; here Table 2 decides.
"""

from collections.abc import Mapping

NAMES = {
    "pooled": "CPredictor",
    "beta:prior=overall": "Beta-I",
    "berngp": "BernGP",
    "betagp": "BetaGP",
    "betagp-sl": "BetaGP-SL",
    "betagp-slp": "BetaGP-SLP",
}
"""Our estimators, and what the paper calls theirs."""

PUBLISHED: Mapping[str, Mapping[str, float]] = {
    measure: dict(zip(NAMES, values, strict=True))
    for measure, values in {
        "macro": (5.2, 4.7, 4.9, 4.6, 4.1, 4.3),
        "micro": (0.8, 0.7, 0.7, 0.7, 0.9, 1.2),
        "worst50": (35.9, 30.3, 28.1, 25.9, 22.6, 23.3),
        "infrequent50": (11.7, 11.3, 11.4, 11.0, 9.3, 9.4),
    }.items()
}

FORMS: Mapping[str, Mapping[int, float]] = {
    "betagp": {1000: 5.4, 2000: 4.6, 3500: 4.6},
    "betagp-ab": {1000: 6.6, 2000: 6.2, 3500: 6.1},
}
"""Table 7: macro error by labels, with a mean and a scale, or with alpha and beta."""

ACTIVE_ARMS = 398
"""Table 13: arms with at least 5 items."""
