"""Vet the items whose label would move the estimate most."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from spotheight.beliefs import ItemBelief
from spotheight.errors import InputError
from spotheight.policies.view import Choice, View


@dataclass(frozen=True)
class ExpectedChange:
    """Maximum expected estimator change: deterministic, so no item has a chance."""

    def choose(self, view: View, n: int, rng: Generator) -> tuple[Choice, ...]:
        belief = view.belief
        if not isinstance(belief, ItemBelief) or not hasattr(view.task, "item_reward"):
            raise InputError(
                f"Expected change cannot serve the task {type(view.task).__name__}; "
                f"it is for ranked lists, such as Precision@K."
            )
        ids = belief.evidence.ids
        order = np.argsort(-view.task.item_reward(belief), kind="stable")
        best = [str(item) for item in ids[order] if item not in view.taken][:n]
        why = "its label would change the estimate most"
        return tuple(Choice(None, item, None, why) for item in best)
