"""How often a noisy label is flipped, as far as a campaign knows."""

from math import ceil

import numpy as np

from bench.vetting.data import CATEGORY, IMAGE, TRUTH, Pairs
from bench.vetting.scenes import Scenery
from spotheight.beliefs import ItemBelief
from spotheight.campaign import Campaign
from spotheight.campaign.spec import Spec
from spotheight.models.lists.noisy import Learned
from spotheight.policies.change import ExpectedChange
from spotheight.pool import ColumnPool
from spotheight.pool.names import JOINT
from spotheight.questions.precision import PrecisionAt
from spotheight.types import FloatArray

AT = 0.25
"""The share vetted at which flip rates are read."""


def true_labels(pairs: Pairs | Scenery) -> dict[str, str]:
    """What vetting every pair would say."""
    if isinstance(pairs, Scenery):
        return pairs.labels()
    table = pairs.table
    names = table[IMAGE].astype(str) + JOINT + table[CATEGORY].astype(str)
    return dict(zip(names, table[TRUTH], strict=True))


def flip_rates(
    pairs: Pairs, pool: ColumnPool, task: PrecisionAt, *, seed: int, batch: int
) -> dict[str, float]:
    """Errors of the rates at which true and false items are tagged, greedy items, a quarter vetted.

    ``seen_error`` and ``false_error`` by the chances of all items, ``seen_counted`` and
    ``false_counted`` by counting vetted items alone, which a greedy policy biases.
    """
    truth = true_labels(pairs)
    spec = Spec(task=task, policy=ExpectedChange(), item_estimator=Learned(), seed=seed)
    campaign = Campaign(pool, spec)
    items = len(task.evidence(campaign.records()))
    while (left := ceil(AT * items) - len(campaign.ledger.told)) > 0:
        queries = campaign.ask(min(batch, left))
        campaign.tell({query.item: truth[query.item] for query in queries})
    belief = campaign.believe(task)
    assert isinstance(belief, ItemBelief)
    return _errors(belief, np.array([float(truth[str(item)]) for item in belief.evidence.ids]))


def _errors(belief: ItemBelief, truth: FloatArray) -> dict[str, float]:
    tagged, vetted = belief.evidence.guess, belief.evidence.is_vetted
    errors = {}
    for name, true, chance in (
        ("seen", truth, belief.chance),
        ("false", 1 - truth, 1 - belief.chance),
    ):
        right = np.average(tagged, weights=true)
        errors[f"{name}_error"] = abs(np.average(tagged, weights=chance) - right)
        counted = np.average(tagged[vetted], weights=true[vetted])
        errors[f"{name}_counted"] = abs(counted - right)
    return {name: float(value) for name, value in errors.items()}
