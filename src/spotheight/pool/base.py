"""Base of both pools: what does not depend on where the rows are."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

from spotheight.arms import Attribute, Recipe
from spotheight.errors import InputError, ItemError, did_you_mean
from spotheight.pool.layout import NO_SCORE, Layout
from spotheight.pool.roles import Roles, require_prediction


@dataclass(frozen=True, eq=False)
class PoolBase(ABC):
    """Roles and layout of some items, and attributes that were looked up."""

    roles: Roles
    layout: Layout
    fingerprint: str
    _resolved: dict[tuple[Recipe, str], Attribute] = field(
        default_factory=dict, init=False, repr=False
    )

    def resolve(self, recipe: Recipe, service: str) -> Attribute:
        if (recipe, service) not in self._resolved:  # each time all rows are read
            self._resolved[recipe, service] = self._looked_up(recipe, service)
        return self._resolved[recipe, service]

    def only(self, service: str, prediction: str) -> Self:
        part = self._answering(require_prediction(self.roles, service), prediction)
        if not len(part):
            raise InputError(f"The service {service!r} never answers {prediction!r} in this pool.")
        return part

    def refuse_unknown(self, unknown: Sequence[str]) -> None:
        """Raise when there is an unknown id, and say which one was probably meant."""
        if not unknown:
            return
        others = f" (and {len(unknown) - 1} more)" if len(unknown) > 1 else ""
        some = self._some_ids(20_000)
        near = did_you_mean(unknown[0], some) if some else ""
        hint = near if near.startswith("did you") else "check that the ids are those of the pool."
        raise ItemError(unknown[0], f"The pool has no item {unknown[0]!r}{others}; {hint}")

    def score_cells(self, service: str) -> Attribute:
        """How the service's score is cut."""
        return self.layout.score_cells.get(service, NO_SCORE)

    @abstractmethod
    def _some_ids(self, n: int) -> list[str]: ...

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def _looked_up(self, recipe: Recipe, service: str) -> Attribute: ...

    @abstractmethod
    def _answering(self, column: str, prediction: str) -> Self: ...
