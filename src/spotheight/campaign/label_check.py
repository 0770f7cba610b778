"""Label check: labels on their way in, what is new of them, and what is refused."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from spotheight.campaign.spec import Spec
from spotheight.errors import InputError, ItemError
from spotheight.evidence.listing import as_truth
from spotheight.evidence.objects import outline_text
from spotheight.guesses import Levels, new_levels
from spotheight.history.events import Attributed, Corrected, Label, Told
from spotheight.history.labels import read_label
from spotheight.history.ledger import Ledger
from spotheight.history.receipt import Receipt
from spotheight.pool.look import answers_of
from spotheight.pool.protocol import Pool
from spotheight.questions import is_about_items


@dataclass(frozen=True, eq=False)
class LabelCheck:
    """What one annotator has to say, held against what may be said and was said before."""

    pool: Pool
    spec: Spec
    ledger: Ledger
    annotator: str

    def read(self, labels: Mapping[str, object]) -> dict[str, Label]:
        """Labels as the campaign keeps them; raise for what is no label or no item of the pool."""
        read: dict[str, Label] = {}
        for item, value in labels.items():
            try:
                read[str(item)] = self._read_one(str(item), value)
            except InputError as error:
                raise ItemError(str(item), f"Item {item!r}: {error}") from None
        self._require_items(read)
        return read

    def _require_items(self, items: Mapping[str, object]) -> None:
        """Raise for items that the pool does not have."""
        unknown = [item for item in items if item not in self.ledger.told]
        if unknown:
            self.pool.rows(unknown)

    def _read_one(self, item: str, value: object) -> Label:
        """A label that the metric can use: one that it refuses must not get into the log."""
        if self.pool.scenes is not None:
            return outline_text(value, self.pool.scenes, item)
        label = self._trimmed(read_label(value, self.spec.metric.reads, self.pool.roles))
        if self._is_truth:
            as_truth(label)  # refuses what is neither yes nor no
        if isinstance(label, float):
            self.spec.metric.hit(np.array([None]), np.array([label]))
        return label

    def _trimmed(self, label: Label) -> Label:
        """A word without the blanks around it, unless some service answers it with them."""
        if not isinstance(label, str) or label == label.strip() or label in self._answers:
            return label
        if not label.strip():
            raise InputError("The label is empty.")
        return label.strip()

    @cached_property
    def _answers(self) -> frozenset[str]:
        return frozenset(answers_of(self.pool))

    @cached_property
    def _is_truth(self) -> bool:
        """Whether labels are yes or no: asked of the task once, for the answer takes its time."""
        return is_about_items(self.spec.task)

    def told(self, labels: Mapping[str, object], at: str) -> tuple[Told | None, Receipt]:
        """What telling would record; ``None`` when everything was told before."""
        read, fresh = self.read(labels), dict[str, Label]()
        for item, label in read.items():
            before = self._before(item)
            if before is None or _adds(before, label):
                fresh[item] = label
            elif not _same(before, label):
                raise ItemError(
                    item,
                    f"Item {item!r} was labelled {before!r} before, now {label!r}; "
                    f"if this is a correction, say so (--correct).",
                )
        receipt = Receipt(new=len(fresh), repeated=len(read) - len(fresh))
        return (Told(fresh, self.annotator, at) if fresh else None), receipt

    def corrected(self, labels: Mapping[str, object], at: str) -> tuple[Corrected | None, Receipt]:
        """What correcting would record; raise where there is nothing to be corrected."""
        read, changed = self.read(labels), dict[str, Label]()
        for item, label in read.items():
            before = self._before(item)
            if before is None:
                raise ItemError(item, f"Item {item!r} has no label to be corrected; tell it first.")
            if not _same(before, label):
                changed[item] = label
        receipt = Receipt(corrected=len(changed), repeated=len(read) - len(changed))
        return (Corrected(changed, self.annotator, at) if changed else None), receipt

    def attributed(self, levels: Levels, at: str, *, is_correction: bool) -> Attributed | None:
        """What telling true levels of guessed attributes would record."""
        attributes, who = self.pool.layout.attributes, self.annotator
        fresh = new_levels(levels, attributes, self.ledger, who, is_correction=is_correction)
        self._require_items(fresh)
        return Attributed(fresh, who, at) if fresh else None

    def _before(self, item: str) -> Label | None:
        return self.ledger.told.get(item, {}).get(self.annotator)


def _same(before: Label, label: Label) -> bool:
    if isinstance(before, Mapping) and isinstance(label, Mapping):
        return all(before.get(name) == said for name, said in label.items())
    return before == label


def _adds(before: Label, label: Label) -> bool:
    """Whether a verdict on a further service comes in, without touching the others."""
    if not (isinstance(before, Mapping) and isinstance(label, Mapping)):
        return False
    shared = {name: said for name, said in label.items() if name in before}
    return len(shared) < len(label) and _same(before, shared)
