"""BetaGP: Gaussian processes over arms, which need the extra ``deep``."""

from spotheight.models.betagp.estimator import BetaGP

__all__ = ["BetaGP"]
