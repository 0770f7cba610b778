"""The surface cases: which table, whose answers, which attributes."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bench.facts import Facts, Published
from bench.published import PUBLIC_CODE
from spotheight.metrics import Accuracy
from spotheight.pool import ColumnPool, read_pool
from spotheight.pool.cells import SMALL
from spotheight.simulate.truth import Truth
from spotheight.types import BoolArray, FloatArray

ROOT = Path(__file__).resolve().parents[1]

Prepare = Callable[[pd.DataFrame], pd.DataFrame]


def data_folder() -> Path | None:
    """Where the data lie: ``SPOTHEIGHT_DATA``, or beside the checkout; ``None`` without any."""
    named = os.environ.get("SPOTHEIGHT_DATA")
    folder = Path(named) if named else ROOT.parent / "shared" / "data"
    return folder if folder.is_dir() else None


@dataclass(frozen=True, kw_only=True)
class Case:
    """One service on one table, cut into arms.

    Args:
        name: What files and options call it.
        title: What a reader calls it.
        file: In the folder of data.
        service: Whose answers are judged.
        prediction: The column of its answers.
        label: The column of the truth.
        attributes: As ``read_pool`` takes them.
        score: The column that says how sure it was, if there is one.
        id: The column that names items; without it they are numbered.
        prepare: Makes columns that the file does not have, or leaves rows out.
        published: What others reached on this case.
        is_key: Whether it comes first, and gets plots.
    """

    name: str
    title: str
    file: str
    service: str
    prediction: str
    label: str
    attributes: tuple[str, ...]
    score: str | None = None
    id: str | None = None
    prepare: Prepare | None = field(default=None, repr=False)
    published: tuple[Published, ...] = ()
    is_key: bool = False

    def pool(self, folder: Path) -> ColumnPool:
        """The table as a pool in memory, with its labels."""
        source: Any = folder / self.file
        if self.prepare is not None:
            source = self.prepare(pd.read_parquet(source))
        pool = read_pool(
            source,
            id=self.id,
            prediction={self.service: self.prediction},
            score=None if self.score is None else {self.service: self.score},
            attributes=self.attributes,
            label=self.label,
            in_memory=True,
        )
        assert isinstance(pool, ColumnPool)
        return pool

    def facts(self, pool: ColumnPool) -> Facts:
        """What a reader should know of the case beside its results."""
        truth = Truth.of(pool, Accuracy(), [self.service])
        cells = pool.cells(pool.layout.attributes, self.service)
        return Facts(
            title=self.title,
            service=self.service,
            attributes=self.attributes,
            has_score=self.score is not None,
            is_key=self.is_key,
            items=len(pool),
            arms=cells.arms,
            judged_arms=int((cells.mass >= SMALL).sum()),
            accuracy=round(truth.overall(self.service), 4),
            published=self.published,
        )


def _case(family: str, service: str, **fields: Any) -> Case:
    """A case whose columns are named after the service, as in most files."""
    name = f"{family}-{service}".lower().replace("_", "-")
    columns = {"prediction": f"pred_{service}", "score": f"conf_{service}", "label": "true_label"}
    ranges = PUBLIC_CODE.get(name)
    others = (Published("AAA, public code", "random", 2000, ranges),) if ranges else ()
    known = {"name": name, "service": service, "published": others, "is_key": bool(others)}
    return Case(**{**columns, **known, **fields})


def _plain(service: str) -> str:
    return service.replace("_", " ")


FACTORS = ("background", "color", "darker", "style", "larger", "smaller", "object_blocking",
           "partial_view", "pattern", "pose", "shape", "subcategory")  # fmt: skip


def _imagenet(model: str) -> Case:
    return _case(
        "imagenet",
        model,
        title=f"ImageNet-X, {model}",
        file="imagenet_val_x_factors_4models.parquet",
        score=f"prob_{model}",
        attributes=FACTORS,
    )


SPEAKER = ("accent", "gender", "age:bins=4", "native_speaker")


def _audiomnist(service: str, digit: str = "digit") -> Case:
    """The digit that was spoken is the label; as it was heard it is known before any label."""
    is_spoken = digit == "digit"
    return _case(
        "audiomnist" if is_spoken else "audiomnist-heard",
        service,
        title=f"AudioMNIST, {_plain(service)}, by the digit {'spoken' if is_spoken else 'heard'}",
        file="api_audiomnist.parquet",
        attributes=(digit, *SPEAKER),
    )


def _expw(service: str) -> Case:
    return _case(
        "expw",
        service,
        title=f"ExpW faces, {_plain(service)}",
        file="api_expw.parquet",
        attributes=("query_first", "query_rest"),
    )


def _command(service: str) -> Case:
    """By the word heard, the take, and how much its speaker recorded.

    The speaker's name would make 1881 levels of mostly 30 clips in the place of few arms with many;
    the spoken word is the label, which nobody has beforehand.
    """
    return _case(
        "command",
        service,
        title=f"Speech commands, {_plain(service)}",
        file="api_command.parquet",
        attributes=("@prediction", "rep:edges=1,2,3", "clips:bins=4"),
        prepare=_with_clips,
    )


def _with_clips(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(clips=table.groupby("speaker")["speaker"].transform("size"))


def _mmlu(model: str) -> Case:
    column = f"pred_{model}_5shots"
    return _case(
        "mmlu",
        model,
        title=f"MMLU-Pro, {model}",
        file="mmlu_pro_preds.parquet",
        prediction=column,
        label="answer",
        score=None,
        attributes=("category", "src", "q_chars:bins=4", "n_options:edges=5,10"),
        prepare=partial(_where_run, column=column),
    )


def _where_run(table: pd.DataFrame, *, column: str) -> pd.DataFrame:
    """Without the questions that a model was never asked; no answer found is an answer, a miss."""
    return table[table[column].notna()]


def _compas() -> Case:
    return Case(
        name="compas",
        title="COMPAS, two years",
        file="compas_scores_two_years.parquet",
        service="COMPAS",
        prediction="is_high",
        score="sure",
        label="two_year_recid",
        attributes=("sex", "age_cat", "race", "c_charge_degree"),
        prepare=_with_decile_read,
    )


def _with_decile_read(table: pd.DataFrame) -> pd.DataFrame:
    """A decile's middle is read as a chance; deciles from 5 up count as a warning."""
    chance = (table["decile_score"].to_numpy() - 0.5) / 10
    return _decided(table, chance, table["decile_score"].to_numpy() >= 5)


def _adult(model: str) -> Case:
    """Two attributes would make ten arms; with the answer and how sure it was, most of eighty."""
    return _case(
        "adult",
        model,
        title=f"Adult income, {model}",
        file="fair_adult_race_scores.parquet",
        id="row",
        prediction="is_high",
        score="sure",
        label="income-per-year",
        attributes=("race", "sex", "@prediction", "@score:bins=4"),
        prepare=partial(_with_score_read, column=f"score_{model}"),
    )


def _with_score_read(table: pd.DataFrame, *, column: str) -> pd.DataFrame:
    chance = table[column].to_numpy(dtype=float)
    return _decided(table, chance, chance >= 0.5)


def _decided(table: pd.DataFrame, chance: FloatArray, is_high: BoolArray) -> pd.DataFrame:
    """One of two classes, and how likely it was said to be."""
    sure = np.where(is_high, chance, 1 - chance)
    return table.assign(is_high=is_high.astype(int), sure=sure)


SPEECH = ("Google", "Microsoft", "IBM", "GitHub_DeepSpeech")
FACES = ("Microsoft", "Google", "FacePP", "GitHub_CNN")
MODELS = ("ResNet50", "ViT", "DINO", "SimCLR")

LANGUAGE_MODELS = ("gemini-1.5-pro-002", "DeepSeek-Coder-V2", "Meta-Llama-3_1-8B-Instruct",
                   "gemma-7b", "Llama-2-7b-hf")  # fmt: skip
"""Right in 70, 64, 44, 32 and 18 of a hundred questions; the second was not asked all of them."""

CLASSIFIERS = ("MultiLayerPerceptron", "LR", "Feldman-GaussianNB")
"""The best, a plain one, and the worst."""

_EVERY = (
    *(_imagenet(model) for model in MODELS),
    *(_audiomnist(service) for service in SPEECH),
    *(_expw(service) for service in FACES),
    *(_audiomnist(service, "@prediction") for service in SPEECH),
    *(_command(service) for service in SPEECH),
    *(_mmlu(model) for model in LANGUAGE_MODELS),
    _compas(),
    *(_adult(model) for model in CLASSIFIERS),
)

CASES = tuple(sorted(_EVERY, key=lambda case: not case.is_key))
"""All of them, the key cases first."""
