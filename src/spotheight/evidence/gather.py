"""Builder of evidence from a moment of a campaign: which labels lie where, and what they say."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from spotheight.arms import MISSING, PREDICTION, SCORE, Recipe
from spotheight.errors import InputError
from spotheight.evidence import ClassEvidence, Cut, Evidence, ItemEvidence, PairedEvidence, Rows
from spotheight.evidence.listing import agreed_truth, listed_evidence
from spotheight.evidence.moment import CAMPAIGN, Moment
from spotheight.evidence.objects import SceneEvidence
from spotheight.evidence.overlapping import scene_evidence
from spotheight.evidence.scoring import hits_of, share_table
from spotheight.history.ledger import Shares, agreed
from spotheight.metrics import Accuracy, Metric
from spotheight.pool import coding
from spotheight.pool import names as c
from spotheight.pool.cells import Cells
from spotheight.pool.coding import Columns
from spotheight.pool.strata import Strata
from spotheight.types import FloatArray, TextArray

SCORE_PARTS = 5
"""Of an arm, where two services are paired: most of what a choice by score can spoil goes with
five parts (Cochran 1968: nine tenths)."""

FINE_ARMS = 2000
"""A surface over more arms takes seconds, and each of them has hardly a label."""

PAIRED = ("both right", "only the first right", "only the second right", "neither right")


@dataclass(frozen=True, eq=False)
class EvidenceBuilder(Moment):
    """Builds the evidence of one moment of a campaign; satisfies ``Source``."""

    @cached_property
    def _labelled(self) -> Columns:
        return self.pool.rows(list(self.ledger.told))

    def _said(self, service: str) -> tuple[Columns, list[Shares]]:
        """The labelled items that have a label for this service, and what it is."""
        shares = [agreed(by.values(), service) for by in self.ledger.told.values()]
        known = np.array([bool(share) for share in shares], dtype=bool)
        columns = {name: values[known] for name, values in self._labelled.items()}
        return columns, [share for share in shares if share]

    def evidence(
        self,
        partition: Sequence[Recipe] | None = None,
        metric: Metric | None = None,
        service: str | None = None,
    ) -> Evidence:
        service, metric = service or self.service, metric or self.metric
        strata = self.strata(Cut(None if partition is None else tuple(partition), metric, service))
        columns, shares = self._said(service)
        counted, hit = hits_of(_answers(columns, service), shares, metric)
        cells, rows = self._placed(columns, strata)
        return Evidence(cells, rows, hit[rows.item], counted[rows.item], metric.always_counts)

    def _placed(self, columns: Columns, strata: Strata) -> tuple[Cells, Rows]:
        """The pool's cells, and where the labelled items lie in them.

        Those outside the metric's population are left out.
        """
        inside, kept = np.flatnonzero(strata.holds(columns)), strata.some(columns)
        attributes, service = strata.cells.partition.attributes, strata.cells.service
        placement = self.placement(attributes)
        cells, spread = placement.cells(strata), placement.spread(kept, attributes, service)
        arm = cells.partition.find(spread.codes)
        bins = coding.score_bins(kept, strata.cells.score_cells, service)[spread.row]
        item = inside[spread.row]
        chance = [self.ledger.chance(str(name)) for name in columns[c.ID]]
        chances = np.array([np.nan if value is None else value for value in chance], dtype=float)
        return cells, Rows(item, arm, cells.find(arm, bins), spread.weight, chances[item])

    def class_evidence(
        self,
        service: str | None = None,
        partition: Sequence[Recipe] | None = None,
        classes: Sequence[str] = (),
    ) -> ClassEvidence:
        if self.metric.reads != "class":
            raise InputError(
                f"What the true classes are is not known from labels for the {self.metric}; "
                f"a confusion matrix and costs need labels that are classes."
            )
        service = service or self.service
        recipes = (Recipe(PREDICTION),) if partition is None else tuple(partition)
        cut = Cut(recipes, Accuracy(), service)  # all answers count
        strata = self.strata(cut)
        columns, shares = self._said(service)
        outcomes = self._outcomes(strata.cells, shares, classes)
        cells, rows = self._placed(columns, strata)
        spread = share_table(shares, outcomes)[rows.item]
        prior = self._class_scores(cells, outcomes)
        hits = self.evidence(self._finer(cut, CAMPAIGN), Accuracy(), service)
        return ClassEvidence(cells, rows, spread, outcomes, prior, hits=hits)

    def finer(self, cut: Cut, chosen: Cut) -> Evidence | None:
        """Hits over arms cut as labels were chosen too; none where the question's own do."""
        if cut == chosen or (cut.partition is None and chosen.partition is None):
            return None
        asked = self.pool.roles.attributes if cut.partition is None else cut.partition
        recipes = self._finer(cut._replace(partition=asked), chosen)
        return None if recipes == asked else self.evidence(recipes, *cut[1:])

    def _finer(self, cut: Cut, chosen: Cut) -> tuple[Recipe, ...]:
        """Arms cut by the campaign's attributes too, by which its policy may have chosen labels.

        Not where that makes many more arms than the campaign has and takes too much time.
        """
        # Score cells are inside all arms already, so labels chosen by the score need no cut by it.
        groups = (recipe for recipe in chosen.partition or () if recipe.column != SCORE)
        asked, by = cut.partition or (), (*self.pool.roles.attributes, *groups)
        own, named = {recipe.column: recipe for recipe in by}, {recipe.column for recipe in asked}
        finer = (*asked, *(recipe for column, recipe in own.items() if column not in named))
        arms = self.arms(cut._replace(partition=finer))
        return finer if len(finer) == len(own) or arms <= FINE_ARMS else asked

    def _outcomes(
        self, cells: Cells, shares: Sequence[Shares], classes: Sequence[str]
    ) -> tuple[str, ...]:
        """The classes that may be told; else all that were told, predicted or named."""
        if self.pool.roles.classes:
            return self.pool.roles.classes
        told = {str(label) for share in shares for label in share}
        predicted = cells.partition.attribute(PREDICTION)[1].levels
        scored = [cls for cls, _ in self.pool.roles.service(cells.service).probabilities]
        return tuple(sorted((told | set(predicted) | set(classes) | set(scored)) - {MISSING}))

    def _class_scores(self, cells: Cells, outcomes: tuple[str, ...]) -> FloatArray | None:
        """The mean probability of each class in each arm, where the service gives them."""
        given = [cls for cls, _ in self.pool.roles.service(cells.service).probabilities]
        if not given:
            return None
        partition = cells.partition
        key = (partition.attributes, partition.codes.tobytes(), cells.service)
        if key not in self.cache.scores:
            self.cache.scores[key] = self.pool.class_scores(cells)
        means = np.zeros((cells.arms, len(outcomes)))
        for cls, mean in zip(given, self.cache.scores[key].T, strict=True):
            if cls in outcomes:
                means[:, outcomes.index(cls)] = mean
        return means

    def paired_evidence(self, first: str, second: str) -> PairedEvidence:
        if not self.metric.always_counts or self.metric.only_predicted is not None:
            raise InputError(
                f"Services cannot be paired by the {self.metric}, for which only some items count; "
                f"compare their surfaces, or choose the accuracy."
            )
        strata = self.strata(Cut(self._scored_arms()))
        columns, said = self._said(first)
        others, said_second = self._said(second)
        _require_both(columns[c.ID], others[c.ID], first, second)
        one = hits_of(_answers(columns, first), said, self.metric)[1]
        two = hits_of(_answers(columns, second), said_second, self.metric)[1]
        both = np.minimum(one, two)
        shares = np.column_stack([both, one - both, two - both, 1 - np.maximum(one, two)])
        cells, rows = self._placed(columns, strata)
        return PairedEvidence(cells, rows, shares[rows.item], PAIRED)

    def _scored_arms(self) -> tuple[Recipe, ...]:
        """The campaign's arms cut by score, where there is one and few arms come of it.

        Labels are chosen by arm and score, so the labelled items of an arm alone are no random
        sample of it.
        """
        recipes = self.pool.roles.attributes
        if self.pool.roles.service(self.service).score is None:
            return recipes
        if any(recipe.column == SCORE for recipe in recipes):
            return recipes
        finer = (*recipes, Recipe(SCORE, bins=SCORE_PARTS))
        return finer if self.arms(Cut(finer)) <= FINE_ARMS else recipes

    def item_evidence(self, services: Sequence[str] = (), n: int | None = None) -> ItemEvidence:
        names = tuple(services) or self._scoring()
        key = (names, n)
        if key not in self.cache.lists:
            self.cache.lists[key] = listed_evidence(self.pool, names, n)
        listed = self.cache.lists[key]
        return listed.vetted({item: agreed_truth(by) for item, by in self.ledger.told.items()})

    def _scoring(self) -> tuple[str, ...]:
        """The services that have scores, the campaign's own first."""
        if self.pool.scenes is not None:
            raise InputError(
                "Objects in images are in no ranked list of tags; ask for the task detection "
                "(spotheight average-precision)."
            )
        scored = [one.name for one in self.pool.roles.services if one.score is not None]
        if not scored:
            raise InputError("Ranked lists need the services' scores; name them with --score.")
        return tuple(sorted(scored, key=lambda name: name != self.service))

    def scene_evidence(self, services: Sequence[str] = ()) -> SceneEvidence:
        scenes = self.pool.scenes
        if scenes is None:
            raise InputError(
                "This pool has no detections in images; start a campaign with init --coco-truth."
            )
        given = [service.name for service in self.pool.roles.services]
        names = tuple(services) or tuple(sorted(given, key=lambda name: name != self.service))
        if names not in self.cache.scenes:
            columns = self.pool.rows([str(item) for item in scenes.objects.ids])
            prices = dict(zip(columns[c.ID], columns[c.PRICE], strict=True))
            self.cache.scenes[names] = scene_evidence(scenes, names, prices)
        told = {item: tuple(map(str, by.values())) for item, by in self.ledger.told.items()}
        known = self.cache.overlaps.setdefault(names, {})
        return self.cache.scenes[names].vetted(told, known)


def _require_both(items: Iterable[str], others: Iterable[str], first: str, second: str) -> None:
    """Raise where people judged the answer of one service only."""
    of_first, of_second = set(items), set(others)
    alone = sorted(of_first ^ of_second)
    if not alone:
        return
    lacking = second if alone[0] in of_first else first
    number = f"{len(alone)} item{'s' * (len(alone) > 1)}"
    raise InputError(
        f"{number} with a verdict on only one of {first!r} and {second!r}: "
        f"{alone[0]!r} lacks one on {lacking!r}; tell both of every item to compare them."
    )


def _answers(columns: Columns, service: str) -> TextArray:
    nothing = np.full(coding.length(columns), None, dtype=object)
    return columns.get(c.prediction_of(service), nothing)
