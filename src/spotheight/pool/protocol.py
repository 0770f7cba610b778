"""Pool protocol: what every pool can do; statistics meet a pool only through its cells."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from spotheight.arms import Attribute, Recipe
from spotheight.pool.cells import Cells
from spotheight.pool.coding import Columns
from spotheight.pool.layout import Layout
from spotheight.pool.roles import Roles
from spotheight.pool.scenes import Scenes
from spotheight.types import FloatArray


class Pool(Protocol):
    """Items with answers and attributes, in memory or in an engine; inside a cell ordered by id."""

    @property
    def roles(self) -> Roles:
        """Which column plays which part."""
        ...

    @property
    def layout(self) -> Layout:
        """The campaign's attributes and score cells."""
        ...

    @property
    def fingerprint(self) -> str:
        """Changes when the pool changes."""
        ...

    @property
    def scenes(self) -> Scenes | None:
        """Objects and detections, where items are objects in images."""
        ...

    def resolve(self, recipe: Recipe, service: str) -> Attribute:
        """Fix the levels of an attribute that a task asks for."""
        ...

    def cells(self, attributes: Sequence[Attribute], service: str) -> Cells:
        """Count items by arm and score cell; a guessed attribute counts by its likeliest level."""
        ...

    def blocks(self) -> Iterable[Columns]:
        """All items, some at a time, so that memory stays flat; without what people are shown."""
        ...

    def class_scores(self, cells: Cells) -> FloatArray:
        """The mean probability that the service gave each class, (arms, its classes).

        NaN where no item of an arm has one; a guessed attribute counts by its likeliest level.
        """
        ...

    def pick(
        self, cells: Cells, ranks: Mapping[int, Sequence[int]], without: Collection[str]
    ) -> dict[tuple[int, int], str]:
        """The ids at these ranks of these cells, items in ``without`` left out of the count."""
        ...

    def listed(
        self, attributes: Sequence[Attribute], services: Sequence[str], n: int | None
    ) -> Columns:
        """The items among the ``n`` of highest score in their arm, by any of some services.

        All items where ``n`` is ``None``. Ordered by arm, then by id; ties of scores go by id.
        """
        ...

    def rows(self, items: Sequence[str]) -> Columns:
        """All canonical columns of these items, in this order; unknown ids are refused."""
        ...

    def sample(self, n: int) -> Columns:
        """At most ``n`` items, evenly spaced in the order of their ids."""
        ...

    def silences(self, service: str) -> int:
        """On how many items a service gave no answer; 0 where only verdicts on it are known."""
        ...

    def id_buckets(self) -> dict[str, int]:
        """How many ids fall into each bucket of their hash, to notice lost rows later.

        Rows beside the items, such as detections in images, are counted too.
        """
        ...

    def known(self) -> Columns:
        """The items that come with a label or a verdict."""
        ...

    def only(self, service: str, prediction: str) -> "Pool":
        """The part of the pool on which a service answered this."""
        ...
