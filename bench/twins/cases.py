"""A twin: the items of a case, with hits drawn from one surface that its labels make plausible."""

from collections import Counter
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.random import default_rng

from bench.cases import Case
from spotheight.campaign import Campaign
from spotheight.campaign.spec import Spec
from spotheight.metrics import Accuracy
from spotheight.models.additive.bank import AdditivePosterior
from spotheight.models.additive.model import AdditiveModel
from spotheight.pool import ColumnPool, coding
from spotheight.pool import names as c
from spotheight.simulate.truth import ALL, Truth
from spotheight.types import BoolArray, FloatArray, TextArray

TWINS = 5
"""Of each case."""

MOST_LABELS = 30_000
"""That a case's surface is fitted to: more hardly move it."""

MARK = "~"
"""Between the name of a case and the number of its twin."""


@dataclass(frozen=True, kw_only=True)
class Twin(Case):
    """A case whose labels come from the model, at scales and terms that the real labels tell.

    Args:
        real: The case.
        number: Which of the drawn surfaces it has.
    """

    real: Case
    number: int

    @classmethod
    def of(cls, case: Case, number: int) -> "Twin":
        """One of a case's twins."""
        real = replace(case, published=(), is_key=False)
        same = {field.name: getattr(real, field.name) for field in fields(Case)}
        return cls(**same | {"name": f"{case.name}{MARK}{number}"}, real=real, number=number)

    def pool(self, folder: Path) -> ColumnPool:
        """The same items; right answers are labelled as predicted, others as something else."""
        truth, chances = _plausible_chances(self.real, folder)
        answers = truth.source.columns[c.prediction_of(self.service)]
        chance = chances[:, self.number]
        is_hit = default_rng([self.number, 1]).random(len(chance)) < chance
        labels = np.where(is_hit & _is_told(answers), answers, _wrong(answers, truth.said[ALL]))
        source = truth.source
        return replace(source, columns={**source.columns, c.LABEL: labels})


@lru_cache(maxsize=1)
def _plausible_chances(case: Case, folder: Path) -> tuple[Truth, FloatArray]:
    """What is true of a case, and every item's chance of a hit on each drawn surface."""
    truth = Truth.of(case.pool(folder), Accuracy(), [case.service])
    campaign = Campaign(truth.pool, Spec(service=case.service))
    ids = default_rng(0).permutation(truth.pool.columns[c.ID])[:MOST_LABELS]
    campaign.tell({str(item): truth.label(str(item)) for item in ids})
    posterior = campaign.surface(service=case.service).pool
    assert isinstance(posterior, AdditivePosterior)
    model: AdditiveModel = posterior.model
    place = coding.place_in_cells(truth.pool.columns, model.cells)
    return truth, model.draw_chances(TWINS, default_rng(0))[place].astype(float)


def _is_told(answers: TextArray) -> BoolArray:
    """Whether the service said anything: silence is never right."""
    return np.array([answer not in (None, "") and answer == answer for answer in answers])


def _wrong(answers: TextArray, labels: TextArray) -> TextArray:
    """For every item one of the two commonest labels that is not what the service answered."""
    (first, _), (second, _) = Counter(labels).most_common(2)
    return np.where(answers == first, second, first).astype(object)
