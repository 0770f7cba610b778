"""Two Gaussian processes over arms: the accuracy surface of Piratla et al. 2021."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from spotheight.beliefs import Surface
from spotheight.errors import InputError, require_choice
from spotheight.evidence import Counts, Evidence
from spotheight.models.betagp.inputs import InputForm, Inputs
from spotheight.models.betagp.latent import LatentModel, LatentRate
from spotheight.models.betagp.reweighting import reweighted
from spotheight.models.conjugate import conjugate_surface
from spotheight.models.mixture import Doubt
from spotheight.models.protocol import Estimator
from spotheight.types import FloatArray

Parameters = Literal["bernoulli", "mean-scale", "alpha-beta"]
Supervision = Literal["none", "dirichlet", "gamma"]
Pooling = Literal["none", "kernel", "equal"]
Role = Literal["prior", "belief"]

ENGINE = "spotheight.models.betagp.engine"


@dataclass(frozen=True)
class BetaGP(Estimator):
    """A surface that is smooth over arms: a Gaussian process for accuracies, another for scales.

    Needs the extra ``deep``. The same labels and settings give the same surface.

    Args:
        parameters: What the processes stand for: the logit of the accuracy alone (``bernoulli``),
            mean and scale of a Beta, or its two pseudo-counts (``alpha-beta``).
        scale_supervision: Whether scales are held against how often arms were labelled, and how:
            one Dirichlet over all arms, or a gamma for each as in the published numbers.
        pooling: Whether arms with fewer than 5 labels are averaged with their two nearest arms that
            have labels, by the kernel or alike.
        beta: What an arm's Beta is: the spread of like arms, which its own labels then update
            (``prior``), or, as published, all that is believed of it (``belief``).
        doubt: What a label says whose item may lie in several arms: as published in part the same
            of each (``parts``), or something of one of them, and it is open of which (``mixture``).
        pseudo_count: Labels at the overall accuracy that every labelled arm gets on top.
        inputs: What stands for an arm: a column a level and a number for ordered attributes
            (``one-hot``), numbers of levels (``integer``), or the number of the arm (``index``).
        embedding: Widths of the layers of a learned embedding, as in 20 or 64+20; none by default.
        inducing: At how many labelled arms the processes are known; others follow from these.
        device: Where it is fitted: cpu, cuda, or as torch calls it.
        seed: Of the embedding's first weights.
    """

    parameters: Parameters = "mean-scale"
    scale_supervision: Supervision = "none"
    pooling: Pooling = "none"
    beta: Role = "prior"
    doubt: Doubt = "parts"
    pseudo_count: float = 0.1
    inputs: InputForm = "one-hot"
    embedding: tuple[int, ...] = ()
    inducing: int = 50
    device: str = "cpu"
    seed: int = 0

    is_slow: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_choice("parameters", self.parameters, get_args(Parameters))
        require_choice("scale_supervision", self.scale_supervision, get_args(Supervision))
        require_choice("pooling", self.pooling, get_args(Pooling))
        require_choice("beta", self.beta, get_args(Role))
        require_choice("inputs", self.inputs, get_args(InputForm))
        require_choice("doubt", self.doubt, get_args(Doubt))
        self._check_numbers()
        self._check_scale()

    def _check_numbers(self) -> None:
        if not 0 <= self.pseudo_count < np.inf:
            raise InputError(f"A pseudo-count must not be negative, got {self.pseudo_count:g}.")
        if self.inducing < 1:
            raise InputError(f"At least 1 inducing point is needed, got {self.inducing}.")
        if any(width < 1 for width in self.embedding):
            raise InputError(f"Layers are at least 1 wide, got {self.embedding}.")
        if self.seed < 0:
            raise InputError(f"The seed must be a whole number from 0 on, got {self.seed}.")

    def _check_scale(self) -> None:
        if self.scale_supervision == "none":
            return
        if self.parameters != "mean-scale":
            raise InputError(
                f"Only a scale can be supervised, and {self.parameters} has none; "
                f"say parameters=mean-scale or scale_supervision=none."
            )
        if self.beta == "prior":
            raise InputError(
                "A supervised scale already stands for an arm's labels, "
                "which must not count twice; say beta=belief."
            )

    def fit(self, evidence: Evidence, start: Surface | None = None) -> Surface:
        find = partial(self._rate, Inputs(evidence.cells.partition, self.inputs))
        begin = {} if start is None else start.warm_start
        if self.doubt == "parts" or not evidence.is_guessed:
            rate = find(evidence.counts, begin)
        else:
            rate = reweighted(
                evidence, lambda counts, last: find(counts, last.numbers if last else begin)
            )
        return replace(conjugate_surface(evidence, rate), warm_start=rate.numbers)

    def _rate(self, inputs: Inputs, counts: Counts, start: Mapping[str, FloatArray]) -> LatentRate:
        """What is believed after these counts."""
        latents = _engine().fitted(self, counts, inputs, start)
        return LatentRate.of(LatentModel(inputs, latents, self.parameters, self._own(counts)))

    def _own(self, counts: Counts) -> Counts:
        """The labels that update an arm's Beta."""
        if self.beta == "prior" and self.parameters != "bernoulli":
            return counts
        nothing = np.zeros(len(counts.trials))
        return Counts(nothing, nothing)


def _engine() -> Any:
    """Loaded on use, for torch takes seconds and may not be there."""
    try:
        return import_module(ENGINE)
    except ModuleNotFoundError as error:
        if error.name not in ("torch", "gpytorch"):
            raise
        raise InputError(
            f"Estimators of the BetaGP family need {error.name}; "
            f"install it with: pip install 'spotheight[deep]'"
        ) from None
