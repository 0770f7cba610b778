"""Sheet: the headings of a file that people fill in, and which column holds what."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from spotheight.metrics import Metric
from spotheight.pool import names as c
from spotheight.pool.roles import Roles

LABEL, WHY, CHANCE, ANSWER, ANNOTATOR = "label", "why", "chance", "answer", "annotator"
ITEM, CATEGORY, GROUP = "item", "category", "group"
"""Fallback headings of id and category, where theirs are reserved or clash."""

TRUTH = "truth"
"""Where earlier versions had the label when the table had a column ``label`` of its own."""

_PAYLOAD = "payload:"


def level_column(attribute: str) -> str:
    """The column for the true level of an attribute that is only guessed."""
    return f"true:{attribute}"


def is_ours(name: str) -> bool:
    """Whether a name is reserved, so that no column of a user's has it."""
    prefixes = (f"{LABEL}:", f"{ANSWER}:", level_column(""), _PAYLOAD)
    return name in (LABEL, WHY, CHANCE, ANSWER, ANNOTATOR) or name.startswith(prefixes)


@dataclass(frozen=True)
class Sheet:
    """The headings of items to be labelled.

    Args:
        id: Over the items' names.
        category: Over their categories, where these belong to the name.
        payload: Over what people get to see, by the user's name of the column.
        answers: Over what each service answered, where people judge that.
        labels: Over labels, by service; the same one for all but verdicts on several.
        levels: Over true levels of guessed attributes.
        had_truth: Whether earlier versions had the label under ``truth``.
    """

    id: str
    category: str | None
    payload: Mapping[str, str]
    answers: Mapping[str, str]
    labels: Mapping[str, str]
    levels: Mapping[str, str]
    had_truth: bool = False

    @classmethod
    def of(cls, roles: Roles, metric: Metric) -> "Sheet":
        """The sheet of a campaign; where a user's column has a name of ours, ours wins."""
        assert roles.id is not None
        id_ = ITEM if is_ours(roles.id) else roles.id
        category = roles.category
        if category is not None and (is_ours(category) or category == id_):
            category = CATEGORY if id_ != CATEGORY else GROUP
        own: dict[str, str | None] = {roles.id: id_}
        if roles.category is not None:
            own[roles.category] = category
        is_verdict, several = metric.reads == "verdict", len(roles.services) > 1
        answering = [s.name for s in roles.services if s.answers and is_verdict]
        return cls(
            id_,
            category,
            {name: own.get(name) or _shown(name, own.values()) for name in roles.payload},
            {name: f"{ANSWER}:{name}" if several else ANSWER for name in answering},
            {
                s.name: f"{LABEL}:{s.name}" if is_verdict and several else LABEL
                for s in roles.services
            },
            {name: level_column(name) for name in roles.guesses},
            LABEL in (roles.id, roles.category, *roles.payload),
        )

    @property
    def headings(self) -> list[str]:
        """All of them, in order."""
        keys = [self.id, self.category] if self.category else [self.id]
        shown = (*self.payload.values(), *self.answers.values(), WHY, CHANCE)
        return list(dict.fromkeys((*keys, *shown, *self.labels.values(), *self.levels.values())))

    def named(self, item: str) -> dict[str, str]:
        """The item's key split into its columns."""
        if self.category is None:
            return {self.id: item}
        name, _, category = item.rpartition(c.JOINT)
        return {self.id: name, self.category: category}

    def renamed(self, roles: Roles) -> dict[str, str]:
        """Columns of the user's that stand under another heading, and which."""
        keys = [(roles.id, self.id), (roles.category, self.category), *self.payload.items()]
        return {name: shown for name, shown in keys if name and shown and name != shown}


def _shown(name: str, taken: Collection[str | None]) -> str:
    return f"{_PAYLOAD}{name}" if is_ours(name) or name in taken else name
