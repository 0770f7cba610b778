"""What every question promises, with few labels, none and all of them."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.random import default_rng

from spotheight.beliefs import Surface
from spotheight.campaign import Campaign
from spotheight.campaign.spec import Spec
from spotheight.evidence import ClassEvidence, Cut, Evidence, ItemEvidence, PairedEvidence
from spotheight.evidence.objects import SceneEvidence
from spotheight.models.beta import Beta
from spotheight.policies import Policy
from spotheight.policies.passive import Random
from spotheight.policies.thompson import Thompson
from spotheight.pool import Pool, read_pool
from spotheight.questions import Answer, GroupTask
from spotheight.report.text import answer_json
from spotheight.testing import worlds
from spotheight.testing.kept import KeptContract, numbers

TABLE = worlds.table(rows=60)
LABELS = worlds.labels(TABLE)
ROLES = {**worlds.ROLES, "attributes": ["accent", "gender"], "classes": worlds.CLASSES}
KINDS = (Evidence, ClassEvidence, PairedEvidence, ItemEvidence, SceneEvidence)
"""The kinds of evidence that there are estimators for."""

SOME = 25
"""Labels, of 60 items."""


class QuestionContract(KeptContract):
    """Subclass it and give ``make``, and ``pool`` where the question needs other columns."""

    field = "task"

    def pool(self, *, in_memory: bool = True) -> Pool:
        """60 items with answers of three classes, scores, accents and genders."""
        return read_pool(TABLE, in_memory=in_memory, **ROLES)

    def labels(self) -> dict[str, Any]:
        """The label of every item of the pool."""
        return LABELS

    def campaign(
        self, labelled: int = SOME, policy: Policy | None = None, *, in_memory: bool = True
    ) -> Campaign:
        """A campaign for the question to be tried, some items being labelled."""
        spec = Spec(estimator=Beta(), task=self.make(), policy=policy or Random())
        campaign = Campaign(self.pool(in_memory=in_memory), spec)
        told = self.labels()
        if labelled:
            campaign.tell({item: told[item] for item in sorted(told)[:labelled]})
        return campaign

    def answers(self, **how: Any) -> Iterator[Any]:
        """The answers for both estimands."""
        campaign = self.campaign(**how)
        for estimand in ("pool", "rate"):
            yield campaign.answer(self.make(), estimand)

    def test_it_names_its_cells_and_its_evidence(self) -> None:
        task, campaign = self.make(), self.campaign()
        assert isinstance(task.cut, Cut)
        assert isinstance(task.evidence(campaign.records()), KINDS)

    def test_the_same_stream_gives_the_same_answer(self) -> None:
        task, belief = self.make(), self.campaign().believe(self.make())
        ours, theirs = (task.answer(belief, default_rng(3)) for _ in range(2))
        require_same(ours, theirs, 0.0)

    def test_both_pools_give_the_same_answer(self) -> None:
        pairs = zip(self.answers(in_memory=True), self.answers(in_memory=False), strict=True)
        for ours, theirs in pairs:
            require_same(ours, theirs, 1e-9)

    def test_there_is_an_answer_without_a_label_and_with_all_of_them(self) -> None:
        for labelled in (0, SOME, len(self.labels())):
            for answer in self.answers(labelled=labelled):
                found = list(numbers(answer))
                assert found
                assert not any(np.isinf(part).any() for part in found)

    def test_an_answer_leaves_the_campaign_as_it_was(self) -> None:
        campaign = self.campaign()
        before = list(campaign.log)
        first, second = (campaign.answer(self.make()) for _ in range(2))
        assert campaign.log == before
        require_same(first, second, 0.0)

    def test_its_answer_can_be_drawn_anywhere(self) -> None:
        """As words, as a table and as JSON; the surface itself is drawn its own way."""
        for answer in self.answers():
            if isinstance(answer, Surface):
                continue
            assert isinstance(answer, Answer)
            assert answer.basis.estimand in ("pool", "rate")
            assert answer.plain().strip()
            assert answer.frame().num_rows >= 1
            assert json.loads(answer_json(answer))

    def test_items_can_be_asked_for_it(self) -> None:
        """By a policy that looks at nothing, and by Thompson's where labels have a worth."""
        policies = [Random(), *([Thompson(draws=16)] if isinstance(self.make(), GroupTask) else [])]
        for policy in policies:
            asked = self.campaign(policy=policy).ask(4)
            assert len({query.item for query in asked}) == 4
            assert len({query.chance is None for query in asked}) == 1

    def test_where_labels_have_a_worth_each_group_has_one(self) -> None:
        task = self.make()
        if isinstance(task, GroupTask):
            belief = self.campaign().believe(task)
            groups = len(task.groups(belief))
            drawn = task.draw(belief, 6, default_rng(2))
            worth = task.worth(belief, drawn)
            expected = task.expected(belief, default_rng(2))
            assert (worth.shape, expected.shape) == ((6, groups), (groups,))
            assert np.isfinite(worth).all()
            assert np.isfinite(expected).all()
            assert task.plays >= 1


def require_same(ours: Any, theirs: Any, tolerance: float) -> None:
    """Raise where two answers differ in a number."""
    one, other = list(numbers(ours)), list(numbers(theirs))
    assert len(one) == len(other) > 0
    for mine, yours in zip(one, other, strict=True):
        np.testing.assert_allclose(mine, yours, rtol=tolerance, atol=tolerance)
