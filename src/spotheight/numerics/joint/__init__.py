"""Joint distribution of several guessed attributes: exact or sampled sums, spread and fit.

``fit`` is imported where it is used, for SciPy's optimiser takes longer to load than most commands
work.
"""

from spotheight.numerics.joint.chances import EXACT_ARMS, Joint, exact
from spotheight.numerics.joint.spread import Spread

__all__ = ["EXACT_ARMS", "Joint", "Spread", "exact"]
