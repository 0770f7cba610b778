"""What a case is, apart from what methods make of it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from bench.vetting.cases import Case, Material
from bench.vetting.flips import true_labels
from spotheight.campaign import Campaign
from spotheight.campaign.spec import Spec
from spotheight.pool import ColumnPool

ABOUT = "facts.json"


@dataclass(frozen=True)
class Facts:
    """A case as its results introduce it.

    Args:
        title: What a reader calls it.
        about: What was left out or made up.
        items: In the pool.
        listed: Items that the metric looks at, of which shares vetted are reckoned.
        categories: Of items.
        truth: The true mean over categories of each service.
    """

    title: str
    about: str
    items: int
    listed: int
    categories: int
    truth: Mapping[str, float]

    @classmethod
    def of(cls, case: Case, pairs: Material, pool: ColumnPool, listed: int) -> "Facts":
        """Vet everything, once."""
        task = case.task(pairs)
        campaign = Campaign(pool, Spec(task=task))
        campaign.tell(true_labels(pairs))
        answer = campaign.answer(task)
        means = [round(one.mean, 4) for one in answer.overall]
        truth = dict(zip(answer.services, means, strict=True))
        size = len(answer.categories)
        return cls(case.title, pairs.about, len(pool), listed, size, truth)

    def encoded(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)
