"""Two latent functions behind counts: every part of the objective against an independent oracle."""

from itertools import pairwise

import gpytorch
import numpy as np
import pytest
import torch
from numpy.random import default_rng
from scipy import stats
from scipy.special import betaln, expit, gammaln

from spotheight.numerics.deep.kernel import Kernel
from spotheight.numerics.deep.latent import Latents, rate_moments
from spotheight.numerics.deep.learn import Ascent, learned
from spotheight.numerics.deep.likelihood import Likelihood
from spotheight.numerics.deep.natural import Normal, best_normal, judged, standard
from spotheight.numerics.deep.pooling import pooled
from spotheight.numerics.distributions.quadrature import normal_nodes

FORMS = ("bernoulli", "mean-scale", "alpha-beta")
HITS, TRIALS = np.array([2.0, 0.0, 7.3, 0.25]), np.array([3.0, 1.0, 9.0, 0.5])
MEAN = np.array([[0.3, -1.0, 1.2, 0.1], [1.5, 2.0, 0.4, 3.0]])
SPREAD = np.array([[0.4, 0.9, 0.2, 1.1], [0.5, 0.3, 0.8, 0.6]])


def tensor(values):
    return torch.tensor(values, dtype=torch.float64)


def likelihood(form="mean-scale", supervision="none", nodes=40):
    return Likelihood(tensor(HITS), tensor(TRIALS), tensor(TRIALS), form, supervision, nodes)


def moments(form):
    latents = 1 if form == "bernoulli" else 2
    return tensor(MEAN[:latents]), tensor(SPREAD[:latents])


def brute_force(form, arm, value):
    """The mean of a function of (accuracy, alpha, beta) by the trapezoid rule in both latents.

    It converges faster than any power for smooth functions that vanish at both ends.
    """
    at = np.linspace(-8, 8, 161)
    weight = stats.norm.pdf(at) / stats.norm.pdf(at).sum()
    f, g = (MEAN[i, arm] + np.sqrt(SPREAD[i, arm]) * at for i in range(2))
    f, g = f[:, None], g[None, :]
    if form == "bernoulli":
        return weight @ np.broadcast_to(value(expit(f), np.inf, np.inf), (161, 161)) @ weight
    if form == "mean-scale":
        accuracy, scale = expit(f), np.log1p(np.exp(g))
        return weight @ value(accuracy, accuracy * scale, (1 - accuracy) * scale) @ weight
    alpha, beta = np.log1p(np.exp(f)), np.log1p(np.exp(g))
    return weight @ value(alpha / (alpha + beta), alpha, beta) @ weight


@pytest.mark.parametrize("form", FORMS)
def test_the_expected_likelihood_against_brute_force(form):
    found = likelihood(form).slopes(*moments(form)).value.numpy()
    for arm, (hits, trials) in enumerate(zip(HITS, TRIALS, strict=True)):

        def log_likelihood(accuracy, alpha, beta, hits=hits, trials=trials):
            if form == "bernoulli":
                return hits * np.log(accuracy) + (trials - hits) * np.log1p(-accuracy)
            return betaln(alpha + hits, beta + trials - hits) - betaln(alpha, beta)

        assert found[arm] == pytest.approx(brute_force(form, arm, log_likelihood), rel=1e-5)


def test_without_doubt_the_scale_terms_are_their_densities():
    mean, nothing = tensor(MEAN), tensor(np.full((2, 4), 1e-16))
    scale = np.log1p(np.exp(MEAN[1]))
    plain = likelihood().slopes(mean, nothing).value.numpy()
    gamma = likelihood(supervision="gamma").slopes(mean, nothing).value.numpy() - plain
    np.testing.assert_allclose(gamma, stats.gamma.logpdf(TRIALS, scale), rtol=1e-7)
    whole = (likelihood(supervision="dirichlet").slopes(mean, nothing).value.numpy() - plain).sum()
    expected = stats.dirichlet.logpdf(TRIALS / TRIALS.sum(), scale)
    assert whole == pytest.approx(expected, rel=1e-7)


def test_the_dirichlet_term_is_a_lower_bound_of_its_expectation():
    found = likelihood(supervision="dirichlet").slopes(tensor(MEAN), tensor(SPREAD)).value.sum()
    found = float(found - likelihood().slopes(tensor(MEAN), tensor(SPREAD)).value.sum())
    latent = MEAN[1] + np.sqrt(SPREAD[1]) * default_rng(3).standard_normal((200_000, 4))
    scale, share = np.log1p(np.exp(latent)), np.log(TRIALS / TRIALS.sum())
    drawn = ((scale - 1) * share - gammaln(scale)).sum(1) + gammaln(scale.sum(1))
    error = drawn.std() / np.sqrt(len(drawn))
    # Jensen's gap of lgamma at a sum of about 9 with variance 1.5: 0.12 * 1.5 / 2, and no more.
    assert drawn.mean() - 0.12 - 5 * error < found < drawn.mean() + 5 * error


def test_counts_beyond_ten_are_taught_as_ten():
    found = []
    for labels in ([10.0, 99.0, 10.0, 500.0], [10.0] * 4):
        one = Likelihood(tensor(HITS), tensor(TRIALS), tensor(labels), "mean-scale", "gamma")
        found.append(one.slopes(tensor(MEAN), tensor(SPREAD)).value)
    assert torch.equal(*found)


@pytest.mark.parametrize("supervision", ["none", "gamma", "dirichlet"])
@pytest.mark.parametrize("form", FORMS)
def test_slopes_against_differences(form, supervision):
    if form != "mean-scale" and supervision != "none":
        return
    one = likelihood(form, supervision, nodes=12)
    mean, spread = moments(form)
    slopes, step = one.slopes(mean, spread), 1e-5
    for place in np.ndindex(*mean.shape):
        for number, slope in enumerate((slopes.mean, slopes.variance)):
            ends = []
            for sign in (1, -1):
                moved = [mean.clone(), spread.clone()]
                moved[number][place] += sign * step
                ends.append(float(one.slopes(*moved).value.sum()))
            found = (ends[0] - ends[1]) / (2 * step)
            assert float(slope[place]) == pytest.approx(found, rel=1e-5, abs=1e-6)


def test_the_divergence_against_torch():
    rng = default_rng(0)
    root = np.tril(rng.normal(size=(2, 4, 4))) + 2 * np.eye(4)
    q = Normal(tensor(rng.normal(size=(2, 4))), tensor(root))
    made = torch.distributions.MultivariateNormal
    prior = made(torch.zeros(2, 4, dtype=torch.float64), torch.eye(4, dtype=torch.float64))
    full = made(q.mean, q.root @ q.root.mT)
    expected = torch.distributions.kl_divergence(full, prior).sum()
    assert float(q.divergence) == pytest.approx(float(expected), rel=1e-10)


@pytest.mark.parametrize("form", FORMS)
def test_both_parts_of_the_variance_against_brute_force(form):
    latents = 1 if form == "bernoulli" else 2
    for own in (np.zeros(4), np.array([2.0, 0, 5, 1])):
        trials = own * 2
        mean, variance = rate_moments(MEAN[:latents], SPREAD[:latents], form, own, trials)
        for arm in range(4):

            def updated(alpha, beta, h=own[arm], n=trials[arm]):
                return alpha + h, beta + n - h

            def rate(accuracy, alpha, beta):
                if form == "bernoulli":
                    return accuracy
                a, b = updated(alpha, beta)
                return a / (a + b)

            def square(accuracy, alpha, beta):
                if form == "bernoulli":
                    return accuracy**2
                a, b = updated(alpha, beta)
                return stats.beta.var(a, b) + (a / (a + b)) ** 2

            expected = brute_force(form, arm, rate)
            spread = brute_force(form, arm, square) - expected**2
            assert mean[arm] == pytest.approx(expected, abs=1e-5)
            assert variance[arm] == pytest.approx(spread, rel=1e-3)


def test_each_part_of_the_variance_alone():
    """Without doubt about the latents the Beta's variance is left; with an endless scale, mu's."""
    zero, one = np.zeros(1), np.array([[0.4], [2.0]])
    _, certain = rate_moments(one, np.full((2, 1), 1e-12), "mean-scale", zero, zero)
    accuracy, scale = expit(0.4), np.log1p(np.exp(2.0))
    assert certain[0] == pytest.approx(accuracy * (1 - accuracy) / (scale + 1), rel=1e-6)
    strong = np.array([[0.4], [1e9]])
    _, spread = rate_moments(strong, np.array([[0.7], [1e-12]]), "mean-scale", zero, zero)
    _, alone = rate_moments(one[:1], np.array([[0.7]]), "bernoulli", zero, zero)
    assert spread[0] == pytest.approx(alone[0], rel=1e-6)


def small_problem(layers=()):
    rng = default_rng(5)
    inputs = rng.normal(size=(9, 3))
    width = layers[-1] if layers else 3
    values = {
        "length": rng.normal(0.4, 0.2, (2, width)),
        "scale": rng.normal(0, 0.3, 2),
        "centre": np.array([0.3, 2.0]),
    }
    for number, wide in enumerate(layers):
        values[f"layer{number}"] = rng.normal(size=(layers[number - 1] if number else 3, wide))
        if number + 1 < len(layers):
            values[f"bias{number}"] = rng.normal(size=wide)
    trials = rng.integers(1, 9, 9).astype(float)
    hits = rng.binomial(trials.astype(int), 0.7).astype(float)
    kernel = Kernel(tensor(inputs), torch.arange(width), layers, tensor(inputs[:5]))
    return Likelihood(tensor(hits), tensor(trials), tensor(trials)), kernel, values, inputs


@pytest.mark.parametrize("layers", [(), (2,), (4, 2)])
def test_the_slope_of_the_bound_against_differences(layers):
    """With the belief at its best everywhere, the slope with the belief held is the whole one."""
    likelihood, kernel, values, _ = small_problem(layers)
    prior = {"length": (np.zeros(1), 2.0)}
    ascent = Ascent(likelihood, kernel, values, prior, enough=1e-13)
    flat = np.concatenate([np.ravel(value) for value in values.values()])
    _, slope = ascent(flat)
    step = 1e-4
    for place in default_rng(1).choice(len(flat), 8, replace=False):
        ends = []
        for sign in (1, -1):
            moved = flat.copy()
            moved[place] += sign * step
            ends.append(ascent(moved)[0])
        assert slope[place] == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-3, abs=1e-5)


def test_latents_against_torch_and_gpytorch():
    """Three ways to the same predictions: ours for a fit, ours for reading, and the library's."""
    _, kernel, values, inputs = small_problem()
    rng = default_rng(2)
    root = np.tril(rng.normal(0, 0.3, (2, 5, 5))) + np.eye(5)
    mean = rng.normal(size=(2, 5))
    ours = Latents(values, inputs[:5], np.arange(3), mean, root).moments(inputs)
    q = Normal(tensor(mean), tensor(root))
    by_torch = kernel.reach({name: tensor(value) for name, value in values.items()}).moments(q)
    library = library_moments(values, inputs, mean, root)
    for one, two, three in zip(ours, by_torch, library, strict=True):
        np.testing.assert_allclose(one, two.numpy(), rtol=1e-9)
        # The library adds its jitter of 1e-6 in units of its own.
        np.testing.assert_allclose(one, three.detach().numpy(), rtol=1e-4)


def library_moments(values, inputs, mean, root):
    both = torch.Size([2])

    class Model(gpytorch.models.ApproximateGP):
        def __init__(self):
            q = gpytorch.variational.CholeskyVariationalDistribution(5, batch_shape=both)
            points = tensor(inputs[:5]).expand(2, 5, 3)
            super().__init__(gpytorch.variational.VariationalStrategy(self, points, q))
            self.mean_module = gpytorch.means.ConstantMean(batch_shape=both)
            rbf = gpytorch.kernels.RBFKernel(ard_num_dims=3, batch_shape=both)
            self.covar_module = gpytorch.kernels.ScaleKernel(rbf, batch_shape=both)

        def forward(self, x):
            at, alike = self.mean_module(x), self.covar_module(x)
            return gpytorch.distributions.MultivariateNormal(at, alike)

    model = Model().double()
    model.mean_module.constant.data = tensor(values["centre"])
    model.covar_module.outputscale = tensor(np.exp(values["scale"]))
    model.covar_module.base_kernel.lengthscale = tensor(np.exp(values["length"]))[:, None]
    strategy = model.variational_strategy
    strategy._variational_distribution.variational_mean.data = tensor(mean)
    strategy._variational_distribution.chol_variational_covar.data = tensor(root)
    strategy.variational_params_initialized.fill_(1)
    model.eval()
    found = model(tensor(inputs))
    return found.mean, found.variance


@pytest.mark.parametrize("supervision", ["none", "gamma", "dirichlet"])
def test_no_nearby_belief_is_better(supervision):
    likelihood, kernel, values, _ = small_problem()
    likelihood = Likelihood(
        likelihood.hits, likelihood.trials, likelihood.labels, "mean-scale", supervision
    )
    with torch.no_grad():
        reach = kernel.reach({name: tensor(value) for name, value in values.items()})
        best = best_normal(likelihood, reach, standard(reach), 1e-12)
        rng = default_rng(8)
        for _ in range(20):
            away = tensor(1e-2 * rng.normal(size=best.q.mean.shape))
            turn = tensor(np.triu(1e-2 * rng.normal(size=best.q.root.shape)))
            q = Normal(best.q.mean + away, best.q.root + turn)
            assert judged(likelihood, reach, q).value < best.value + 1e-8


def test_a_longer_climb_never_ends_lower():
    likelihood, kernel, values, _ = small_problem()
    found = [
        learned(Ascent(likelihood, kernel, values), steps, 1e-9)[1].value for steps in (1, 5, 50)
    ]
    assert all(later >= sooner - 1e-3 for sooner, later in pairwise(found))
    assert found[2] > found[0]


class TestPooling:
    """By hand, on a line; arms without labels are not handed over and must not be counted."""

    PLACES = np.array([0.0, 1.0, 4.0, 5.0, 9.0])[:, None]
    HITS = np.array([1.0, 0.0, 8.0, 2.0, 3.0])
    TRIALS = np.array([1.0, 2.0, 10.0, 6.0, 4.0])

    def test_alike(self):
        """Arms 0 and 1 take each other and the one at 4; the one at 9 takes those at 5 and 4."""
        hits, trials = pooled(self.PLACES, self.HITS, self.TRIALS, is_weighted=False)
        np.testing.assert_allclose(hits, [9 / 3, 9 / 3, 8, 2, 13 / 3])
        np.testing.assert_allclose(trials, [13 / 3, 13 / 3, 10, 6, 20 / 3])

    def test_by_the_kernel(self):
        hits, trials = pooled(self.PLACES, self.HITS, self.TRIALS, is_weighted=True)
        first = np.exp([0, -0.5, -8.0])
        assert hits[0] == pytest.approx(first @ [1, 0, 8] / first.sum())
        assert trials[0] == pytest.approx(first @ [1, 2, 10] / first.sum())
        last = np.exp([0, -8.0, -12.5])
        assert trials[4] == pytest.approx(last @ [4, 6, 10] / last.sum())

    def test_those_that_tie_share_a_place(self):
        """The arm in the middle has one place for the two nearest and one for four others."""
        places = np.array([0.0, 1.0, -2.0, 2.0, -2.0, 2.0])[:, None]
        trials = np.array([1.0, 10, 20, 30, 40, 50])
        found = pooled(places, trials, trials, is_weighted=False)[1]
        assert found[0] == pytest.approx((1 + 10 + (20 + 30 + 40 + 50) / 4) / 3)

    def test_two_arms_have_only_each_other(self):
        hits, trials = pooled(self.PLACES[:2], self.HITS[:2], self.TRIALS[:2], is_weighted=False)
        np.testing.assert_allclose([hits, trials], [[0.5, 0.5], [1.5, 1.5]])


def test_nodes_are_exact_for_polynomials():
    nodes, weights = normal_nodes(6)
    np.testing.assert_allclose([weights @ nodes**k for k in (0, 2, 4, 10)], [1, 1, 3, 945])
