"""Variational fit of the BetaGP family; needs torch, so only a fit loads this module."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import torch
from numpy.random import default_rng
from scipy.special import logit
from torch import Tensor

from spotheight.errors import InputError
from spotheight.evidence import Counts
from spotheight.models.betagp.estimator import BetaGP
from spotheight.models.betagp.inputs import Inputs
from spotheight.numerics.deep.embedding import Start, distance_keeping
from spotheight.numerics.deep.kernel import Kernel
from spotheight.numerics.deep.latent import Latents, alike
from spotheight.numerics.deep.learn import Ascent, learned, learned_over
from spotheight.numerics.deep.likelihood import Likelihood
from spotheight.numerics.deep.natural import Normal
from spotheight.numerics.deep.pooling import pooled
from spotheight.types import FloatArray, IntArray

Values = dict[str, FloatArray]

NODES = 12
"""Of the quadrature in each latent while fitting: bounds are off by less than a thousandth."""

STEPS, TOLERANCE = 200, 1e-7
"""Of the kernel's numbers: at most so many, until the bound grows by no more than this share."""

NET_NODES, NET_STEPS, NET_TOLERANCE = 6, 60, 1e-6
"""Where an embedding is learned: a fraction of the time, and errors that are no larger."""

ROUNDS = 6
"""Of pooling by the learned kernel and learning from pooled counts; three are usual."""

SETTLED = 0.01
"""Labels: pooled counts that move by less have settled."""

USUAL_SCALE = 3.0
"""The latent of a Beta worth three labels."""


@contextmanager
def one_thread() -> Iterator[None]:
    """One thread of torch: matrices of fifty points gain nothing, a forked worker hangs."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def fitted(
    settings: BetaGP, counts: Counts, inputs: Inputs, start: Mapping[str, FloatArray]
) -> Latents:
    """The latent functions after these counts; numbers of an earlier fit save steps."""
    seen = np.flatnonzero(counts.trials > 0)
    overall = (counts.hits.sum() + 0.5) / (counts.trials.sum() + 1)
    own = Counts(counts.hits[seen], counts.trials[seen])
    problem = Fitting(settings, own, inputs, seen, float(overall))
    values = problem.taken_over(start)
    if not len(seen):
        return problem.unfitted(values)
    with one_thread():
        return problem.solved(values)


@dataclass(frozen=True, eq=False)
class Fitting:
    """Variational fit of one set of counts.

    Args:
        settings: Of the estimator.
        own: Hits and trials of the arms that have labels.
        inputs: What stands for an arm.
        seen: The arms that have labels.
        overall: The overall accuracy.
    """

    settings: BetaGP
    own: Counts = field(repr=False)
    inputs: Inputs = field(repr=False)
    seen: IntArray = field(repr=False)
    overall: float

    @property
    def functions(self) -> int:
        """How many latents an arm has."""
        return 1 if self.settings.parameters == "bernoulli" else 2

    @cached_property
    def group(self) -> IntArray:
        """The length of each column that distances are taken over."""
        layers = self.settings.embedding
        return np.arange(layers[-1]) if layers else self.inputs.group

    @cached_property
    def columns(self) -> FloatArray:
        """What stands for the arms that have labels."""
        return self.inputs.columns(self.seen)

    @property
    def centres(self) -> FloatArray:
        """Where latents lie without an arm's labels."""
        if self.settings.parameters == "alpha-beta":
            return np.array([USUAL_SCALE * self.overall, USUAL_SCALE * (1 - self.overall)])
        return np.array([logit(self.overall), USUAL_SCALE])[: self.functions]

    @cached_property
    def first_values(self) -> Values:
        """Arms that differ in every attribute are hardly alike, those that differ in one are."""
        lengths = (self.functions, self.group.max(initial=-1) + 1)
        far = 0.0 if self.net else 0.5 * np.log(max(self.inputs.attributes, 1))
        values = {
            "length": np.full(lengths, far),
            "scale": np.zeros(self.functions),
            "centre": self.centres,
        }
        return values | (dict(self.net.values) if self.net else {})

    @cached_property
    def net(self) -> Start | None:
        """Where the embedding begins, if there is one."""
        layers, rng = self.settings.embedding, default_rng(self.settings.seed)
        if not layers:
            return None
        return distance_keeping(self.columns, self.inputs.group, layers, rng)

    @cached_property
    def prior(self) -> dict[str, tuple[FloatArray, float]]:
        """Mean and deviation of the kernel's numbers: wide, but nothing runs away."""
        spreads = {"length": 1.0, "scale": 1.0, "centre": 2.0}
        spreads |= self.net.deviations if self.net else {}
        return {name: (self.first_values[name], spread) for name, spread in spreads.items()}

    def taken_over(self, start: Mapping[str, FloatArray]) -> Values:
        """Warm start: an earlier fit's numbers, if this one has the same."""
        first = self.first_values
        is_same = _shapes(start) == _shapes(first)
        return {name: start[name] for name in first} if is_same else first

    def unfitted(self, values: Values) -> Latents:
        """The prior: without any label."""
        points = self.inputs.columns(np.zeros(1, dtype=np.int64))
        mean = np.zeros((self.functions, 1))
        return Latents(values, points, self.group, mean, np.ones((self.functions, 1, 1)))

    def solved(self, values: Values) -> Latents:
        """Optimise the bound; where counts are pooled by the kernel found, until both agree.

        An embedding stays where it is until the kernel over it is known.
        """
        found = self._latents(values, None)
        if self.net:
            found = self._learned(self._pooled(found), found.values, is_net_fixed=True)
        counts: Counts | None = None
        for _ in range(ROUNDS):
            before, counts = counts, self._pooled(found)
            if before is not None and np.abs(counts.trials - before.trials).max() < SETTLED:
                break
            found = self._learned(counts, found.values)
        return found

    def _pooled(self, latents: Latents) -> Counts:
        if self.settings.pooling == "none":
            return self.own
        places = latents.places(0, self.columns)
        is_weighted = self.settings.pooling == "kernel"
        hits, trials = pooled(places, self.own.hits, self.own.trials, is_weighted=is_weighted)
        return Counts(hits, trials)

    def _learned(
        self, counts: Counts, values: Mapping[str, FloatArray], *, is_net_fixed: bool = False
    ) -> Latents:
        extra = self.settings.pseudo_count
        likelihood = Likelihood(
            self._tensor(counts.hits + extra * self.overall),
            self._tensor(counts.trials + extra),
            self._tensor(self.own.trials),
            self.settings.parameters,
            self.settings.scale_supervision,
            NET_NODES if self.net else NODES,
        )
        kernel = Kernel(
            self._tensor(self.columns),
            torch.as_tensor(self.group, device=self.device),
            self.settings.embedding,
            self._tensor(self.points),
        )
        ascent = Ascent(likelihood, kernel, values, self.prior)
        learn = learned_over if is_net_fixed else learned
        limits = (NET_STEPS, NET_TOLERANCE) if self.net else (STEPS, TOLERANCE)
        values, best = learn(ascent, *limits)
        return self._latents(values, best.q)

    def _latents(self, values: Values, q: Normal | None) -> Latents:
        if q is None:
            return replace(self.unfitted(values), points=self.points)
        mean, root = q.mean.cpu().numpy(), q.root.cpu().numpy()
        return Latents(values, self.points, self.group, mean, root)

    def _tensor(self, values: FloatArray) -> Tensor:
        return torch.as_tensor(values, dtype=torch.float64, device=self.device)

    @cached_property
    def device(self) -> torch.device:
        """Where torch computes."""
        name = self.settings.device
        try:
            device = torch.device(name)
            torch.zeros(1, device=device)
        except (RuntimeError, AssertionError) as error:
            said = str(error).splitlines()[0]
            raise InputError(f"Torch cannot use the device {name!r} ({said}); try cpu.") from None
        return device

    @cached_property
    def points(self) -> FloatArray:
        """Inducing points: labelled arms, each where most labels are least explained so far."""
        count = min(self.settings.inducing, len(self.seen))
        if count == len(self.seen):
            return self.columns
        places = self.unfitted(self.first_values).places(0, self.columns)
        left, weights = np.ones(len(places)), np.zeros((len(places), 0))
        chosen: list[int] = []
        for _ in range(count):
            best = int(np.argmax(np.round(left * self.own.trials, 9)))
            cross = alike(places, places[best : best + 1])[:, 0] - weights @ weights[best]
            column = cross / np.sqrt(max(left[best], 1e-12))
            weights = np.column_stack([weights, column])
            left = np.maximum(left - column**2, 0)
            left[best] = 0.0
            chosen.append(best)
        return self.columns[sorted(chosen)]


def _shapes(values: Mapping[str, FloatArray]) -> dict[str, tuple[int, ...]]:
    return {name: value.shape for name, value in values.items()}
