"""Table 7: every pair of classes of a case compared."""

from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.random import Generator

from bench.assessment.data import Case, Groups, class_names
from spotheight.policies.passive import Random
from spotheight.policies.sureness import ExpectedLambda
from spotheight.simulate.many.duels import Duels
from spotheight.types import FloatArray

SUPERCLASSES = """
beaver dolphin otter seal whale
aquarium_fish flatfish ray shark trout
orchid poppy rose sunflower tulip
bottle bowl can cup plate
apple mushroom orange pear sweet_pepper
clock keyboard lamp telephone television
bed chair couch table wardrobe
bee beetle butterfly caterpillar cockroach
bear leopard lion tiger wolf
bridge castle house road skyscraper
cloud forest mountain plain sea
camel cattle chimpanzee elephant kangaroo
fox porcupine possum raccoon skunk
crab lobster snail spider worm
baby boy girl man woman
crocodile dinosaur lizard snake turtle
hamster mouse rabbit shrew squirrel
maple_tree oak_tree palm_tree pine_tree willow_tree
bicycle bus motorcycle pickup_truck train
lawn_mower rocket streetcar tank tractor
"""
"""Of CIFAR-100, a line each."""

PEOPLE, TREES = 14, 17


def superclasses(classes: Groups, names: list[str]) -> Groups:
    """Predicted classes of CIFAR-100 put together, scores by their items."""
    rows = [line.split() for line in SUPERCLASSES.strip().splitlines()]
    members = [[names.index(name) for name in row] for row in rows]
    items = np.stack([classes.items[row].sum(axis=0) for row in members])
    scores = np.array([np.average(classes.centre[r, 0], weights=classes.size[r]) for r in members])
    return Groups.of_hits(items[:, 0], items.sum(axis=1), scores)


def compared_groups(case: Case, folder: Path) -> Groups:
    """What is compared: superclasses of CIFAR-100, else predicted classes."""
    if case.name != "cifar100":
        return case.classes
    return superclasses(case.classes, class_names(folder, case.name))


def run_duels(groups: Groups, prior: str, policy: str, rng: Generator) -> dict[str, FloatArray]:
    """Labels of every pair, and whether it got there before its items ended; (1, pairs)."""
    centre = groups.centre if prior[0] == "I" else np.full(groups.items.shape, 0.5)
    pseudo = float(prior[1:]) * centre
    pairs = np.array(list(combinations(range(len(groups.items)), 2)))
    duels = Duels(groups.items[pairs], pseudo[pairs])
    labels, is_early = duels.run(Random() if policy == "random" else ExpectedLambda(), rng)
    return {
        f"labels|{prior}": labels[None].astype(float),
        f"reached|{prior}": is_early[None] * 1.0,
    }
