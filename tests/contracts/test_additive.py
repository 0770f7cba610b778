"""The additive surface and the gain policy against brute force and their limits."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.polynomial.hermite_e import hermegauss
from numpy.random import default_rng
from scipy import sparse
from scipy.special import expit, logit

import worlds
from spotheight.arms import PREDICTION, Recipe
from spotheight.beliefs.gains import doubts, gains_of
from spotheight.models.additive.bank import AdditivePosterior
from spotheight.models.additive.columns import score_columns
from spotheight.models.additive.estimator import Additive
from spotheight.models.additive.gains import AdditiveGains
from spotheight.models.additive.terms import ANSWERS, ARM, BY_SIZE, PAIR, SIZE_TREND, Terms
from spotheight.models.additive.vectors import Vectors
from spotheight.models.empirical import EmpiricalBeta
from spotheight.numerics.regression.multilevel import laplace
from spotheight.policies.gain import Gain
from spotheight.policies.passive import Random
from spotheight.questions.estimate import Estimate


@pytest.fixture(scope="module")
def played():
    source = worlds.table(rows=160, seed=3)
    pool = worlds.pool(source, "column", **worlds.ROLES)
    campaign = worlds.campaign(pool, seed=5)
    worlds.play(campaign, worlds.labels(source), turns=5, n=8)
    return campaign


@pytest.fixture(scope="module")
def surface(played):
    return Additive().fit(played.records().evidence())


def test_means_lie_inside_intervals_and_the_labelled_are_known(surface):
    for estimand in ("pool", "rate"):
        read = surface.of(estimand)
        low, high = read.interval(0.9)
        assert ((low <= read.mean + 1e-9) & (read.mean <= high + 1e-9)).mean() > 0.95
        assert (low >= 0).all() and (high <= 1).all()
    done = surface.labelled >= surface.cells.mass
    low, high = surface.interval(0.9)
    np.testing.assert_allclose(low[done], high[done])


def test_answers_are_expected_to_differ_more_than_what_was_asked_about(played):
    recipes = (*played.pool.roles.attributes, Recipe(PREDICTION))
    terms = Terms.of(played.records().evidence(recipes).cells)
    scale = dict(zip(terms.names, terms.prior_scale, strict=True))
    others = {scale[a.name] for a in played.pool.layout.attributes if a.name in scale}
    assert len(others) == 1 and scale[PREDICTION] == ANSWERS * others.pop()


def test_a_score_of_zero_is_no_low_score_but_none():
    """Of it there is a column, and the line lies where it lies without such items."""
    score = np.where(np.arange(600) % 3 == 0, 0.0, default_rng(0).uniform(0.4, 0.9, 600))
    held = [score_columns(scored(some)) for some in (score, score[score > 0])]
    (position, line, _), (plain, alone, _) = held
    assert line.shape[1] == alone.shape[1] + 1
    np.testing.assert_array_equal(line[:, 1], position == 0)
    assert np.ptp(position[position != 0]) == pytest.approx(np.ptp(plain), rel=0.05)


def test_a_zero_among_negative_scores_is_one_of_them():
    score = np.where(np.arange(600) % 3 == 0, 0.0, default_rng(0).uniform(-2, 2, 600))
    assert score_columns(scored(score))[1].shape[1] == 1


def scored(score):
    """The cells of two arms with these scores."""
    arms = {"a": np.where(np.arange(len(score)) % 2, "x", "y"), "score": score}
    pool = worlds.small("column", arms, "a", score="score")
    return pool.cells(pool.layout.attributes, "service")


def terms_of(campaign, *attributes):
    """The terms over these attributes, and the prior scale of each family by name."""
    recipes = tuple(Recipe.parse(text) for text in attributes)
    terms = Terms.of(campaign.records().evidence(recipes).cells)
    return terms, dict(zip(terms.names, terms.prior_scale, strict=True))


def test_each_of_few_pairs_has_a_scale_of_its_own(played, monkeypatch):
    _, scale = terms_of(played, "accent", "gender", PREDICTION)
    one = PAIR / np.sqrt(3)
    assert scale["accent by gender"] == pytest.approx(one)
    assert scale[f"accent by {PREDICTION}"] == pytest.approx(ANSWERS * one)
    monkeypatch.setattr("spotheight.models.additive.terms.FEW_PAIRS", 2)
    _, scale = terms_of(played, "gender", "accent", PREDICTION)
    assert scale["pairs of attributes"] == PAIR and "accent by gender" not in scale


def test_the_scale_of_a_pair_that_decides_is_not_that_of_the_others():
    """Right where two attributes agree, as where another service says the same."""
    rng, names = default_rng(8), ("first", "second", "third")
    levels = dict(zip(names, rng.integers(0, 4, (3, 2400)), strict=True))
    chance = np.where(levels["first"] == levels["second"], 0.95, 0.3)
    right = rng.random(2400) < chance
    pool = worlds.small(
        "column", {name: level.astype(str) for name, level in levels.items()}, *names
    )
    campaign = worlds.campaign(pool, seed=1, policy=Random())
    labels = {f"i{row:03d}": "x" if hit else "y" for row, hit in enumerate(right)}
    worlds.play(campaign, labels, turns=2, n=200)
    model = Additive().fit(campaign.records().evidence()).pool.model
    scale = dict(zip(model.terms.names, np.exp(model.mode.log_scale), strict=True))
    others = max(scale["first by third"], scale["second by third"])
    assert scale["first by second"] > 1 > 3 * others


def test_where_pairs_are_the_arms_large_ones_deviate_too(played):
    """The variance of a pair is added to that of an arm, which falls with the arm's size."""
    assert terms_of(played, "accent", "gender", "age:bins=3")[1]["arms"] == ARM
    terms, scale = terms_of(played, "accent", "gender")
    alone = (scale["arms"] * terms.spread) ** 2 - PAIR**2
    size = played.records().evidence((Recipe.parse("accent"), Recipe.parse("gender"))).cells.mass
    np.testing.assert_allclose(alone * np.sqrt(size), (alone * np.sqrt(size))[0])
    assert alone.min() > 0 and np.exp(np.log(alone[size >= 5]).mean()) == pytest.approx(ARM**2)


def columns_of(terms, name):
    """The columns of arms in a family."""
    here = np.flatnonzero(terms.family[: terms.arms.shape[1]] == terms.names.index(name))
    return terms.arms[:, here].toarray()


@pytest.mark.parametrize("limit", ["MOST_BY_SIZE", "FEW_BY_SIZE"])
def test_levels_may_tell_more_in_large_arms_unless_there_are_many(played, monkeypatch, limit):
    terms, _ = terms_of(played, "accent", "gender")
    line = columns_of(terms, SIZE_TREND)
    levels, larger = np.split(columns_of(terms, "accent"), 2, axis=1)
    np.testing.assert_allclose(larger, BY_SIZE * line * levels)
    assert np.abs(larger).max() > 0
    monkeypatch.setattr(f"spotheight.models.additive.terms.{limit}", 1)
    again, _ = terms_of(played, "gender", "accent")
    assert columns_of(again, "accent").shape == levels.shape


def test_a_share_of_items_is_drawn_to_the_last_digit(surface):
    """7 hits of 10 are .7, also where draws are kept in fewer digits: a truth may equal them."""
    size = surface.cells.mass
    for values in (surface.draw(200, default_rng(0)), *surface.interval(0.9)):
        np.testing.assert_array_equal(values, np.rint(values * size) / size)
    where = np.array([3, 1])
    np.testing.assert_array_equal(
        surface.draw(50, default_rng(1), where), surface.draw(50, default_rng(1))[:, where]
    )
    every = surface.draw(len(surface.pool.bank.of["pool"]), default_rng(2))
    np.testing.assert_allclose(surface.pool.variance, every.var(axis=0), atol=1e-12)


def dense(matrix):
    return matrix.toarray() if sparse.issparse(matrix) else matrix


def settled(posterior):
    """With the mode to the last digit: a fit's curvature is that before its last, tiny step."""
    model = posterior.model
    mode = laplace(model.problem, model.mode.log_scale, model.mode, tolerance=0)
    return replace(posterior, bank=replace(posterior.bank, model=replace(model, mode=mode)))


def explicit(model):
    """Features of every cell over weights and arm terms, the joint covariance, and the chances."""
    cells, fit, problem, terms = model.cells, model.mode, model.problem, model.terms
    slope = terms.position[cells.bin][:, None]
    parts = [dense(terms.arms)[cells.arm], terms.curve[cells.bin]]
    parts += [slope * dense(terms.slopes)[cells.arm], np.eye(cells.arms)[cells.arm]]
    whole = np.hstack(parts)
    design = problem.design
    steep = design.slope[:, None] * dense(design.steep)[design.group]
    rows = np.zeros((len(problem.hits), whole.shape[1]))
    rows[:, model.touched] = np.hstack([dense(design.shared)[design.group], design.own, steep])
    rows[:, len(terms.family) :] = np.eye(cells.arms)[model.seen_arms[design.group]]
    mode = np.zeros(whole.shape[1])
    mode[model.touched] = fit.weight
    mode[len(terms.family) + model.seen_arms] = fit.term
    chance = expit(rows @ mode)
    spread = np.concatenate([model.spreads(fit), np.exp(fit.log_scale[-1]) * terms.spread])
    prior = 1 / spread**2
    heat = problem.trials * chance * (1 - chance)
    covariance = np.linalg.inv(rows.T @ (rows * heat[:, None]) + np.diag(prior))
    return whole, covariance, np.clip(expit(whole @ mode), 1e-4, 1 - 1e-4)


@pytest.fixture(scope="module")
def many_levels():
    """A surface over voices of which most have no label: their columns are rare."""
    source = worlds.table(rows=160, seed=3)
    voice = [f"voice-{row % 40:02d}" for row in range(160)]
    roles = {**worlds.ROLES, "attributes": ["voice", "accent", "gender"]}
    pool = worlds.pool(source.append_column("voice", [voice]), "column", **roles)
    campaign = worlds.campaign(pool, seed=5)
    worlds.play(campaign, worlds.labels(source), turns=2, n=4)
    return Additive().fit(campaign.records().evidence())


def test_columns_that_few_arms_have_are_kept_sparse(surface, many_levels):
    """Those of levels and those of slopes: dense, each would cost the square of all columns."""
    held = [Vectors.of_model(one.pool.model) for one in (surface, many_levels)]
    few, many = (len(one.of_arm) for one in held)
    assert many < 2 * few and held[1].rare.shape[0] > 60
    assert held[1].rare.nnz > 60 and held[1].rare_slope.nnz > 60


@pytest.mark.parametrize("weigh", ["arms", "items", "overall"])
@pytest.mark.parametrize("name", ["surface", "many_levels"])
def test_the_gain_of_a_label_is_that_of_the_whole_covariance(name, weigh, request):
    """|J S x + e|^2 / (1/w + x'Sx) over weights and terms together, e for the item itself.

    First, and after each of three labels of a batch, two of them in one arm.
    """
    surface = request.getfixturevalue(name)
    posterior = settled(surface.pool)
    whole, covariance, chance = explicit(posterior.model)
    cells = surface.cells
    targets = Estimate(weigh=weigh).targets(surface).toarray()
    heat = chance * (1 - chance)
    size = cells.arm_sum(cells.count)
    share = posterior.bank.left * heat / size[cells.arm]
    gradient = np.zeros((cells.arms, whole.shape[1]))
    np.add.at(gradient, cells.arm, share[:, None] * whole)
    itself = np.eye(cells.arms)[:, cells.arm] / size[cells.arm]
    gains = AdditiveGains.of_model(posterior.model, posterior.bank.left, sparse.csr_matrix(targets))
    for cell in (0, 1, len(cells) // 2, 0):
        moved = targets @ (gradient @ covariance @ whole.T + itself)
        spread = np.einsum("ci,ij,cj->c", whole, covariance, whole)
        expected = (moved**2).sum(axis=0) / (1 / heat + spread)
        np.testing.assert_allclose(gains.drop(), expected, rtol=1e-6, atol=1e-12)
        column = covariance @ whole[cell]
        covariance = covariance - np.outer(column, column) / (1 / heat[cell] + spread[cell])
        gains.took(cell)


@pytest.mark.parametrize("name", ["surface", "many_levels"])
def test_where_arms_are_very_many_gains_are_those_of_some_of_them(name, request, monkeypatch):
    """Targets and large arms first, those with labels always; in them as if all were looked at."""
    surface = request.getfixturevalue(name)
    cells, seen = surface.cells, surface.pool.model.seen_arms
    wanted = np.flatnonzero(cells.mass == cells.mass.max())[:2]
    targets = sparse.csr_matrix(np.eye(cells.arms)[wanted])
    whole = gains_of(surface, targets)
    monkeypatch.setattr("spotheight.models.additive.gains.MOST_ARMS", 4)
    some = gains_of(surface, targets)
    inside = np.isin(np.arange(len(cells)), some.kept)
    assert set(wanted) | set(seen) <= set(cells.arm[inside]) and not inside.all()
    for cell in (*np.flatnonzero(inside)[:3], np.flatnonzero(~inside)[0]):
        np.testing.assert_allclose(some.drop()[inside], whole.drop()[inside], rtol=1e-8)
        assert not some.drop()[~inside].any()
        some.took(int(cell))
        whole.took(int(cell))


@pytest.mark.parametrize("name", ["surface", "many_levels"])
def test_an_outcome_is_as_doubtful_as_the_mean_of_its_chance_says(name, request):
    """By quadrature over the Gaussian at the mode; MacKay's formula is near it everywhere."""
    surface = request.getfixturevalue(name)
    whole, covariance, chance = explicit(surface.pool.model)
    spread = np.sqrt(np.einsum("ci,ij,cj->c", whole, covariance, whole))
    place, weight = hermegauss(40)
    mean = expit(logit(chance)[:, None] + spread[:, None] * place) @ weight / weight.sum()
    found = doubts(surface, Estimate(weigh="overall").targets(surface))
    np.testing.assert_allclose(found, np.sqrt(mean * (1 - mean)), atol=0.01)


def test_where_arms_are_very_many_doubts_are_looked_up_in_some_of_them(surface, monkeypatch):
    target = Estimate(weigh="overall").targets(surface)
    whole = doubts(surface, target)
    monkeypatch.setattr("spotheight.models.additive.gains.MOST_ARMS", 4)
    inside = np.isin(surface.cells.arm, surface.pool.model.seen_arms)
    some = doubts(surface, target)
    np.testing.assert_allclose(some[inside], whole[inside], rtol=1e-8)
    assert not inside.all() and ((some > 0) & (some <= 0.5)).all()


def test_a_label_in_a_batch_lowers_the_gain_of_the_next_one_there():
    """Where an item is a small part of its arm: what it adds itself another label does not lower.

    In the pool of the other tests that is most of what some items are worth.
    """
    source = worlds.table(rows=1600, seed=3)
    campaign = worlds.campaign(worlds.pool(source, "column", **worlds.ROLES), seed=5)
    worlds.play(campaign, worlds.labels(source), turns=5, n=8)
    surface = Additive().fit(campaign.records().evidence())
    gains = gains_of(surface, Estimate().targets(surface))
    before = gains.drop()
    best = int(np.argmax(before))
    gains.took(best)
    after = gains.drop()
    assert after[best] < before[best]
    assert after.sum() < before.sum()


def test_items_alike_to_a_surface_have_the_same_chance(played):
    """Scores mean nothing to it, so an arm's items of low score must not stand for the arm."""
    surface = EmpiricalBeta().fit(played.records().evidence())
    cells = surface.cells
    held = worlds.view(cells, surface, left=cells.count)
    weight = Gain(share=0.0).turns(held, default_rng(0)).weights(cells.count)
    taken = np.unique(cells.arm[weight > 0])
    assert (np.bincount(cells.arm)[taken] > 1).any(), "an arm with items of several scores"
    inside = np.isin(cells.arm, taken) * cells.count
    np.testing.assert_allclose(weight, inside / inside.sum())


def test_gains_work_on_surfaces_without_shared_terms(played):
    surface = EmpiricalBeta().fit(played.records().evidence())
    gains = gains_of(surface, Estimate().targets(surface))
    drop = gains.drop()
    assert (drop >= 0).all() and drop.max() > 0


def test_gain_records_a_chance_for_every_item():
    source = worlds.table(rows=90, seed=1)
    pool = worlds.pool(source, "column", **worlds.ROLES)
    campaign = worlds.campaign(pool, seed=2, estimator=Additive(), policy=Gain(share=0.25))
    queries = campaign.ask(8)
    assert len({query.item for query in queries}) == 8
    assert all(query.chance is not None and query.chance > 0 for query in queries)


def test_without_score_or_attributes_it_still_answers():
    rng = default_rng(0)
    for attributes, score in ((["accent"], None), ([], "score"), ([], None)):
        roles = {**worlds.ROLES, "attributes": attributes, "score": score}
        pool = worlds.pool(worlds.table(rows=60, seed=4), "column", **roles)
        campaign = worlds.campaign(pool, estimator=Additive())
        campaign.tell({query.item: "cat" for query in campaign.ask(10)})
        surface = campaign.surface()
        assert isinstance(surface.pool, AdditivePosterior)
        assert np.isfinite(surface.mean).all()
        assert surface.draw(5, rng).shape == (5, surface.cells.arms)


@pytest.mark.parametrize("hit", [0.0, 1.0])
def test_all_hits_or_all_misses_stay_sensible(played, hit):
    evidence = played.records().evidence()
    extreme = type(evidence)(
        evidence.cells, evidence.rows, np.full_like(evidence.hit, hit), evidence.counted
    )
    overall = Additive().fit(extreme).of("rate").overall()
    assert abs(overall.mean - hit) < 0.15 and overall.high - overall.low > 0.005
