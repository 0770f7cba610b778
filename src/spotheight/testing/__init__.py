"""Contract suites: what estimators, policies, questions, pools and readers of any package promise.

Subclass one in the tests of your package and say what is to be tried; pytest finds the rest::

    class TestMine(spotheight.testing.EstimatorContract):
        def make(self):
            return Mine(depth=3)

The suites are plain asserts and load no test runner. Our own algorithms run the very same ones.
"""

from spotheight.testing.estimators import EstimatorContract
from spotheight.testing.policies import PolicyContract, TurnPolicyContract
from spotheight.testing.pools import PoolContract
from spotheight.testing.questions import QuestionContract
from spotheight.testing.readers import ReaderContract

__all__ = [
    "EstimatorContract",
    "PolicyContract",
    "PoolContract",
    "QuestionContract",
    "ReaderContract",
    "TurnPolicyContract",
]
