"""First look at a pool: counts, and oddities to know of before the first label."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

import numpy as np

from spotheight.arms import CATEGORY, MISSING, PREDICTION, Recipe
from spotheight.pool import names as c
from spotheight.pool.cells import SMALL, Cells
from spotheight.pool.coding import filled
from spotheight.pool.protocol import Pool
from spotheight.types import IntArray

MANY_LEVELS = 20
"""Fewer are a choice of the user's, however small the pool is."""

MANY_ANSWERS = 2000
"""More different answers than this are free text, not classes."""

FEW_ANSWERS = 20
"""So many can be named on one line."""


BLANKS = frozenset(("na", "n/a", "#n/a", "nan", "nat", "null", "none", "nil", "-", "?"))
"""What programs and people write where they know no value."""


@dataclass(frozen=True)
class FirstLook:
    """Counts of a pool, and what looks odd.

    Args:
        arms: Combinations of levels that occur; categories, where items are listed by these.
        possible: Combinations there could be.
        sizes: Items in the smallest, the middle and the largest arm.
        small_arms: Arms with fewer than five items.
        missing: Attributes with missing values, and for how many items.
        scores: The range of each service's scores, where it gives any.
        empty_answers: Items on which each service said nothing.
        attributed: Items that come with a true level of a guessed attribute.
        near_misses: Answers that differ by a hair from a class, and the class.
        scattered: Attributes with a level for nearly every item, and how many levels.
        blanks: Attributes with levels that read like a missing value, and these levels.
        strangers: Answers that are no class and look like none.
        unscored: Items without a score of each service; in ranked lists they are not listed.
        answers: What services answer, where nobody named the classes and these are few.
        merged: Attributes that have fewer bins than were asked for, and both numbers.
        thin: Where most arms have fewer than five items: the attribute with the most levels, and
            a cut that would leave more in each.
    """

    items: int
    arms: int
    possible: float
    sizes: tuple[int, int, int]
    small_arms: int
    missing: Mapping[str, int]
    one_valued: tuple[str, ...]
    scores: Mapping[str, tuple[float, float]]
    empty_answers: Mapping[str, int]
    labelled: int
    near_misses: tuple[tuple[str, str], ...]
    noun: str = "arms"
    attributed: int = 0
    scattered: Mapping[str, int] = field(default_factory=dict)
    blanks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    strangers: tuple[str, ...] = ()
    unscored: Mapping[str, int] = field(default_factory=dict)
    answers: tuple[str, ...] = ()
    merged: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    thin: tuple[str, str] | None = None


def first_look(pool: Pool) -> FirstLook:
    """Count what there is and point at what looks odd."""
    service, attributes, noun = pool.roles.services[0].name, pool.layout.attributes, "arms"
    if pool.scenes is not None or (pool.roles.category is not None and not attributes):
        noun = "categories"
        attributes = attributes or (pool.resolve(Recipe(CATEGORY), service),)
    cells = pool.cells(attributes, service)
    sizes = np.sort(cells.arm_sum(cells.count)).astype(int)
    known = pool.known()
    truths = c.truth_columns(known)
    told = {name for name in truths if name.startswith(c.gold_of(""))}
    near, strangers = _odd_answers(pool, [str(v) for v in known.get(c.LABEL, ()) if v is not None])
    blanks = {a.name: read_like_blanks(a.levels) for a in pool.layout.attributes}
    scored = _scored(pool)
    return FirstLook(
        items=cells.size,
        arms=cells.arms,
        possible=float(np.prod([len(_present(cells, a.name)) for a in attributes], dtype=float)),
        sizes=(int(sizes[0]), int(sizes[(len(sizes) - 1) // 2]), int(sizes[-1])),
        small_arms=int((sizes < SMALL).sum()),
        missing=_missing(cells),
        one_valued=tuple(
            a.name for a in pool.layout.attributes if len(_present(cells, a.name)) == 1
        ),
        scores=_score_ranges(scored),
        empty_answers=_empty_answers(pool),
        labelled=int(filled(known, set(truths) - told).sum()),
        near_misses=near,
        noun=noun,
        attributed=int(filled(known, told).sum()),
        scattered={
            a.name: len(a.levels)
            for a in pool.layout.attributes
            if len(a.levels) > MANY_LEVELS and len(a.levels) * SMALL > cells.size
        },
        blanks={name: levels for name, levels in blanks.items() if levels},
        strangers=strangers,
        unscored={} if noun == "categories" else _unscored(scored),
        answers=_open_answers(pool),
        merged=_merged(pool),
        thin=_thin(cells) if noun == "arms" else None,
    )


def _present(cells: Cells, name: str) -> IntArray:
    """The levels that items of the first service have: others may belong to another service."""
    place, _ = cells.partition.attribute(name)
    return np.unique(cells.partition.codes[:, place])


def _open_answers(pool: Pool) -> tuple[str, ...]:
    """What services answer, where a word too many might be told and the words are few."""
    roles = pool.roles
    if roles.classes or roles.judge or roles.category or roles.scene:
        return ()
    answers = answers_of(pool)
    return answers if 1 < len(answers) <= FEW_ANSWERS else ()


def _merged(pool: Pool) -> dict[str, tuple[int, int]]:
    """Attributes whose values are so often the same that bins fell together."""
    pairs = zip(pool.roles.attributes, pool.layout.attributes, strict=True)
    cut = {a.name: (r.bins or r.widths, len(a.edges) + 1) for r, a in pairs if r.bins or r.widths}
    return {name: (asked, made) for name, (asked, made) in cut.items() if made < asked}


def _thin(cells: Cells) -> tuple[str, str] | None:
    """The attribute that cuts most finely where most arms are small, and what would help."""
    sizes = cells.arm_sum(cells.count)
    if np.median(sizes) >= SMALL or not cells.partition.attributes:
        return None
    levels = {a.name: len(_present(cells, a.name)) for a in cells.partition.attributes}
    name = max(levels, key=lambda one: levels[one])
    _, attribute = cells.partition.attribute(name)
    bins = int(levels[name] * sizes.mean() / (2 * SMALL))
    is_cut = attribute.is_number or _are_numbers(attribute.levels)
    if not is_cut or not 2 <= bins < levels[name]:
        return name, ""
    return name, f"{name}:bins={bins}"


def _are_numbers(levels: Sequence[str]) -> bool:
    """Whether words read like numbers that nobody cut."""
    try:
        return all(np.isfinite(float(level)) for level in levels if level != MISSING)
    except ValueError:
        return False


def _missing(cells: Cells) -> dict[str, int]:
    missing = {}
    for place, attribute in enumerate(cells.partition.attributes):
        if attribute.levels[-1] == MISSING:
            code = len(attribute.levels) - 1
            inside = cells.partition.codes[cells.arm, place] == code
            missing[attribute.name] = int(cells.count[inside].sum())
    return {name: items for name, items in missing.items() if items}


def _scored(pool: Pool) -> dict[str, Cells]:
    """The score cells of every service that gives scores."""
    named = [service.name for service in pool.roles.services if service.score is not None]
    return {name: pool.cells((), name) for name in named}


def _score_ranges(scored: Mapping[str, Cells]) -> dict[str, tuple[float, float]]:
    known = {name: cells.score[~np.isnan(cells.score)] for name, cells in scored.items()}
    return {
        name: (float(score.min()), float(score.max()))
        for name, score in known.items()
        if len(score)
    }


def _unscored(scored: Mapping[str, Cells]) -> dict[str, int]:
    """Items for which a column of scores is empty."""
    missing = {name: int(one.count[np.isnan(one.score)].sum()) for name, one in scored.items()}
    return {name: items for name, items in missing.items() if items}


def _empty_answers(pool: Pool) -> dict[str, int]:
    """Items on which a service said nothing; a judge decides what that is worth."""
    silences = {service.name: pool.silences(service.name) for service in pool.roles.services}
    return {name: items for name, items in silences.items() if items and not pool.roles.judge}


def near_answers(pool: Pool, labels: Collection[str]) -> dict[str, str]:
    """Labels that are no answer of any service but differ only in spelling from one, and that one.

    Another case, a blank, 1.0 for 1: editors and data frames change such things by themselves.
    """
    answers = set(answers_of(pool))
    spelled = {_spelling(answer): answer for answer in sorted(answers)}
    strange = sorted(set(labels) - answers)
    return {label: spelled[_spelling(label)] for label in strange if _spelling(label) in spelled}


def _spelling(word: str) -> str:
    """What is left of a word without case and blanks, and of a number without its zeros."""
    plain = word.strip().casefold()
    try:
        return repr(float(plain))
    except ValueError:
        return plain


def _odd_answers(
    pool: Pool, labels: Sequence[str]
) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """Answers that are no class but look like one (another case, a blank, a letter), and others.

    Others only where the user named the classes: there may be more than labels have shown.
    """
    classes = set(pool.roles.classes) or set(labels)
    if not classes:
        return (), ()
    strange = [answer for answer in answers_of(pool) if answer not in classes]
    near = {a: like for a in strange if (like := _nearest(a, classes))}
    others = tuple(a for a in strange if a not in near) if pool.roles.classes else ()
    return tuple(near.items()), others


def read_like_blanks(words: Iterable[str]) -> tuple[str, ...]:
    """Words that probably stand for a value that is not known.

    >>> read_like_blanks(["german", "N/A", "none"])
    ('N/A', 'none')
    """
    return tuple(word for word in words if word.strip().casefold() in BLANKS)


def unanswered_blanks(pool: Pool, labels: Collection[str]) -> tuple[str, ...]:
    """Labels that probably stand for no label at all: they read so, and no service answers them."""
    blanks = read_like_blanks(sorted(set(labels)))
    # Answers are looked for in the whole pool, and such words are rare.
    answers = set(answers_of(pool)) if blanks else ()
    return tuple(word for word in blanks if word not in answers)


def answers_of(pool: Pool) -> tuple[str, ...]:
    """What services answer, each answer once; services with too many answers are left out."""
    found: dict[str, None] = {}
    for service in pool.roles.services:
        if service.answers:
            levels = pool.resolve(Recipe(PREDICTION), service.name).levels
            found |= dict.fromkeys(levels if len(levels) <= MANY_ANSWERS else ())
    return tuple(answer for answer in found if answer != MISSING)


def _nearest(answer: str, classes: Collection[str]) -> str | None:
    plain = {cls.strip().casefold(): cls for cls in classes}
    near = get_close_matches(answer.strip().casefold(), plain, n=1, cutoff=0.8)
    return plain[near[0]] if near else None
