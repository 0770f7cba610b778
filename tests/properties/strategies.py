"""What hypothesis builds: recipes, attributes, members of every family, events, tables.

Settings are here too: examples are the same in every run, so that a test that passes keeps passing.
"""

from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import settings
from hypothesis import strategies as st

import spotheight as estimators
import spotheight as policies
import spotheight as tasks
from spotheight import metrics
from spotheight.arms import MISSING, Attribute, Recipe, bin_names
from spotheight.campaign.spec import Spec
from spotheight.guesses import CalFull, CalRaw, CalTemp
from spotheight.history import events as log
from spotheight.pool import Roles, Scene, Service
from spotheight.pool.layout import Layout
from spotheight.questions import quantities

FEW = settings(max_examples=8, deadline=None, derandomize=True)
"""Where an example asks an engine."""
SOME = settings(max_examples=15, deadline=None, derandomize=True)
"""Where an example reads a table into memory."""
MANY = settings(max_examples=100, deadline=None, derandomize=True)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
shares = st.floats(0, 1)
positive_shares = st.floats(0.01, 1)
positives = st.floats(1e-6, 1e6)
numbers = st.floats(allow_nan=False, allow_infinity=False)

# Attributes


@st.composite
def edges(draw: st.DrawFn) -> tuple[float, ...]:
    """Finite edges that grow."""
    return tuple(sorted(draw(st.sets(numbers, min_size=1, max_size=5))))


def recipes() -> st.SearchStrategy[Recipe]:
    """Recipes as a user can write them."""
    names = words.filter(lambda name: ":" not in name)
    level = words.filter(lambda name: "," not in name)
    orders = st.lists(level, min_size=2, max_size=4, unique=True).map(tuple)
    return st.one_of(
        st.builds(Recipe, names),
        st.builds(Recipe, names, bins=st.integers(2, 99)),
        st.builds(Recipe, names, widths=st.integers(2, 99)),
        st.builds(Recipe, names, edges=edges()),
        st.builds(Recipe, names, order=orders),
    )


@st.composite
def attributes(draw: st.DrawFn) -> Attribute:
    """Attributes of either kind, with or without a level for missing values."""
    missing = draw(st.sampled_from([(), (MISSING,)]))
    name = draw(words)
    if draw(st.booleans()):
        cuts = draw(edges())
        return Attribute(name, name, (*bin_names(cuts), *missing), cuts, True, True)
    levels = draw(st.lists(words.filter(lambda w: w != MISSING), min_size=1, unique=True))
    return Attribute(name, name, (*levels, *missing), is_ordered=draw(st.booleans()))


@st.composite
def code_rows(draw: st.DrawFn, most: int = 4) -> np.ndarray:
    """Rows of level numbers below ``most``."""
    width = draw(st.integers(0, 6))
    row = st.lists(st.integers(0, most - 1), min_size=width, max_size=width)
    rows = draw(st.lists(row, min_size=1, max_size=30))
    return np.array(rows, dtype=np.int64).reshape(len(rows), width)


# Members of families


@st.composite
def latent_estimators(draw: st.DrawFn) -> estimators.BetaGP:
    """Every combination that makes sense; those with a name come as often as the others."""
    parameters = draw(st.sampled_from(["bernoulli", "mean-scale", "alpha-beta"]))
    can = parameters == "mean-scale"
    supervision = draw(st.sampled_from(["none", "dirichlet", "gamma"] if can else ["none"]))
    role = draw(st.sampled_from(["belief", "prior"] if supervision == "none" else ["belief"]))
    return estimators.BetaGP(
        parameters,
        supervision,
        draw(st.sampled_from(["none", "kernel", "equal"])),
        role,
        pseudo_count=draw(shares),
        inputs=draw(st.sampled_from(["one-hot", "integer", "index"])),
        embedding=draw(st.lists(st.integers(1, 64), max_size=2).map(tuple)),
        inducing=draw(st.integers(1, 99)),
        device=draw(st.sampled_from(["cpu", "cuda", "cuda:1"])),
        seed=draw(st.integers(0, 99)),
    )


estimator = st.one_of(
    st.builds(estimators.Additive, draws=st.integers(50, 9999)),
    st.just(estimators.Pooled()),
    st.just(estimators.EmpiricalBeta()),
    st.just(estimators.Frequencies()),
    latent_estimators(),
    st.builds(
        estimators.Beta,
        prior=st.sampled_from(["uninformed", "jeffreys", "informed", "overall"]),
        strength=positives,
    ),
)
class_estimator = st.builds(
    estimators.Dirichlet, strength=positives, prior=st.sampled_from(["scores", "even"])
)
item_estimator = st.one_of(
    st.just(estimators.Learned()),
    st.just(estimators.Naive()),
    st.just(estimators.VettedOnly()),
    st.builds(estimators.Counted, strength=positives),
    st.builds(estimators.KernelVectors, cost=positives),
)
turn_policy = st.recursive(
    st.one_of(
        st.just(policies.Random()),
        st.builds(policies.Gain, share=shares),
        st.just(policies.Uniform()),
        st.builds(policies.Proportional, floor=shares),
        st.builds(policies.Thompson, draws=st.integers(1, 999)),
        st.builds(policies.TopTwo, first=positive_shares, draws=st.integers(1, 999)),
        st.just(policies.MultiplePlay()),
        st.just(policies.Variance()),
        st.builds(policies.EpsilonGreedy, epsilon=shares),
        st.builds(policies.BayesUCB, share=st.floats(0.5, 0.99)),
        st.just(policies.ExpectedLambda()),
        st.just(policies.ExpectedChange()),
        st.just(policies.ConfidentMistake()),
        st.just(policies.RandomImages()),
    ),
    lambda inner: st.builds(policies.Mix, share=shares, first=inner, second=inner),
    max_leaves=4,
)
policy = turn_policy
metric = st.one_of(
    st.just(metrics.Accuracy()),
    st.just(metrics.Agreement()),
    st.just(metrics.Verdict()),
    st.builds(metrics.Recall, cls=texts),
    st.builds(metrics.Precision, cls=texts),
    st.builds(metrics.FalsePositiveRate, cls=texts),
    st.builds(metrics.Closeness, scale=positives),
    st.builds(metrics.Number, low=st.floats(-9, 0), high=st.floats(1, 9)),
)
slices = st.one_of(
    st.dictionaries(texts, st.one_of(texts, st.lists(texts, min_size=1).map(tuple))),
    st.just("accent=german|english,gender=f or age=<18"),
)


@st.composite
def costs(draw: st.DrawFn) -> quantities.Costs:
    """A matrix of any size."""
    true, answers = (tuple(draw(st.lists(texts, min_size=1, unique=True))) for _ in range(2))
    row = st.lists(numbers, min_size=len(answers), max_size=len(answers)).map(tuple)
    values = draw(st.lists(row, min_size=len(true), max_size=len(true)))
    return quantities.Costs(true, answers, tuple(values))


many_texts = st.lists(texts).map(tuple)
binned = {
    "by": many_texts,
    "bins": st.integers(2, 99),
    "cut_by": st.sampled_from(["width", "weight"]),
    "service": texts,
}
quantity = st.one_of(
    st.builds(quantities.HitRate, by=many_texts, service=texts),
    st.builds(quantities.CalibrationError, **binned),
    st.builds(quantities.ExpectedCost, costs=costs(), by=many_texts, service=texts),
)
list_task = st.one_of(
    st.builds(tasks.PrecisionAt, k=st.integers(1, 99), services=many_texts),
    st.builds(tasks.Detection, services=many_texts),
    st.builds(
        tasks.AveragePrecision,
        known_positives=st.dictionaries(texts, positives),
        services=many_texts,
        level=shares,
    ),
)
plain_task = st.one_of(
    st.builds(tasks.Estimate, partition=st.lists(texts).map(tuple), service=texts),
    st.builds(tasks.Identify, worst=st.integers(1, 99), best=st.integers(0, 9), of=quantity),
    st.builds(tasks.Rank, of=quantity, level=shares),
    st.builds(tasks.Calibration, **binned, level=shares),
    st.builds(tasks.Cost, costs=costs(), by=many_texts, service=texts),
    st.builds(tasks.CompareServices, first=texts, second=texts, rope=shares),
    st.builds(tasks.Confusion, service=texts, level=shares),
    list_task,
    st.builds(tasks.RankSystems, by=list_task),
)
task = st.one_of(
    plain_task,
    st.builds(tasks.Compare, first=slices, second=slices, rope=shares, of=quantity),
)
calibration = st.one_of(
    st.just(CalRaw()),
    st.builds(CalTemp, fewest=st.integers(1, 99)),
    st.builds(
        CalFull,
        fewest=st.integers(1, 99),
        pool=st.sampled_from(["expected", "predicted", "none"]),
        sampled=st.booleans(),
    ),
)
spec = st.builds(
    Spec,
    calibration=calibration,
    estimator=estimator,
    class_estimator=class_estimator,
    item_estimator=item_estimator,
    policy=policy,
    task=task,
    metric=metric,
    service=texts,
    seed=st.integers(0, 2**63 - 1),
    budget=st.none() | st.integers(1, 10**9),
    level=st.floats(0.01, 0.99),
)

# The log

label = st.one_of(texts, numbers, st.dictionaries(words, shares, min_size=1, max_size=3))
query = st.builds(log.Query, item=words, why=texts, chance=st.none() | shares, arm=texts)


def events(items: st.SearchStrategy[str], label: st.SearchStrategy[Any]) -> st.SearchStrategy:
    """Events about some items; people are few, so that they meet."""
    who = st.sampled_from(["", "ann", "bob"])
    when = st.sampled_from(["2024-01-01", "2024-01-02", "2024-01-03"])
    some = st.lists(items, max_size=3, unique=True).map(tuple)
    queries = some.flatmap(
        lambda names: st.tuples(
            *(st.builds(log.Query, st.just(n), texts, st.none() | shares) for n in names)
        )
    )
    told = st.dictionaries(items, label, max_size=3)
    levels = st.dictionaries(st.sampled_from(["smiling", "hat"]), texts, max_size=2)
    return st.one_of(
        st.builds(log.Asked, queries, st.integers(0, 99), who, st.none() | when, when),
        st.builds(log.Told, told, who, when),
        st.builds(log.Corrected, told, who, when),
        st.builds(log.Attributed, st.dictionaries(items, levels, max_size=3), who, when),
        st.builds(log.Skipped, some, who, when),
        st.builds(log.Released, some, who, when),
        st.builds(log.Relinked, texts, st.booleans(), when),
    )


# Roles and layouts

service = st.builds(
    Service,
    name=words,
    prediction=st.none() | words,
    score=st.none() | words,
    verdict=st.none() | words,
    probabilities=st.lists(st.tuples(words, words), max_size=2).map(tuple),
    words=st.lists(st.tuples(words, words), max_size=2).map(tuple),
)


@st.composite
def roles(draw: st.DrawFn) -> Roles:
    """Roles whose services and attributes have names of their own."""
    cut = draw(st.lists(recipes(), max_size=3, unique_by=lambda recipe: recipe.column))
    plain = [r.column for r in cut if r == Recipe(r.column) and not r.is_built_in]
    levels = st.lists(st.tuples(words, words), max_size=3, unique_by=lambda pair: pair[0])
    guesses = (
        draw(st.dictionaries(st.sampled_from(plain), levels.map(tuple), max_size=1))
        if plain
        else {}
    )
    return Roles(
        id=draw(words),
        services=tuple(
            draw(st.lists(service, min_size=1, max_size=2, unique_by=lambda s: s.name.lower()))
        ),
        attributes=tuple(cut),
        guesses=guesses,
        gold={name: draw(words) for name in guesses},
        label=draw(st.none() | words),
        payload=tuple(draw(st.lists(words, max_size=2))),
        classes=tuple(draw(st.lists(words, max_size=3))),
        judge=draw(st.booleans()),
        scene=draw(st.none() | st.builds(Scene, image=words)),
    )


layouts = st.builds(
    Layout,
    st.lists(attributes(), max_size=3).map(tuple),
    st.dictionaries(words, attributes(), max_size=2),
)

# Tables


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    """Small pools: few levels and many ties, gaps everywhere, ids that sort oddly."""
    size = draw(st.integers(2, 14))

    def column(values: st.SearchStrategy[Any], kind: pa.DataType) -> pa.Array:
        return pa.array(draw(st.lists(values, min_size=size, max_size=size)), kind)

    ids = st.lists(words, min_size=size, max_size=size, unique=True)
    return pa.table(
        {
            "id": pa.array(draw(ids), pa.string()),
            "prediction": column(st.sampled_from(["a", "b", "", None]), pa.string()),
            "score": column(st.none() | st.sampled_from([0.0, 0.1, 0.3, 1 / 3, 1.0]), pa.float64()),
            "g": column(st.sampled_from(["u", "v", "w w", "", None]), pa.string()),
            "x": column(st.none() | st.floats(-5, 5), pa.float64()),
            "label": column(st.sampled_from(["a", "b"]), pa.string()),
        }
    )
