"""What a case is, apart from what methods make of it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Published:
    """What others reached: the lowest and the highest of each measure."""

    name: str
    policy: str
    budget: int
    ranges: Mapping[str, tuple[float, float]]


@dataclass(frozen=True, kw_only=True)
class Facts:
    """A case as its results introduce it.

    Args:
        title: What a reader calls it.
        service: Whose answers are judged.
        attributes: What cuts it into arms.
        has_score: Whether the service said how sure it was.
        is_key: Whether it comes first, and gets plots.
        items: In the pool.
        arms: That occur.
        judged_arms: Those with enough items to be judged.
        accuracy: Over all items.
        published: What others reached.
    """

    title: str
    service: str
    attributes: tuple[str, ...]
    has_score: bool
    is_key: bool
    items: int
    arms: int
    judged_arms: int
    accuracy: float
    published: tuple[Published, ...] = ()

    def encoded(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)

    @classmethod
    def decoded(cls, data: Mapping[str, Any]) -> "Facts":
        """From what ``encoded`` gave, through a file or not."""
        published = tuple(
            Published(**{**one, "ranges": {k: tuple(v) for k, v in one["ranges"].items()}})
            for one in data["published"]
        )
        return cls(**{**data, "attributes": tuple(data["attributes"]), "published": published})
