"""Values to text and back: the only place where algorithms have names."""

import json
import tomllib
import types
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from spotheight import attributes, estimators, log, metrics, policies, quantities, tasks
from spotheight.errors import InputError, did_you_mean
from spotheight.spec import Spec
from spotheight.types import Json


@dataclass(frozen=True)
class Family:
    """Values that can stand in one place, by their names.

    Args:
        noun: What they are called together.
        members: The type behind each name.
        presets: Fields with another default under some names, where a type has several.
    """

    noun: str
    members: Mapping[str, type]
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def of(self, name: str) -> type:
        """The member of this name."""
        if name not in self.members:
            raise InputError(
                f"There is no {self.noun} {name!r}; {did_you_mean(name, self.members)}"
            )
        return self.members[name]

    def name(self, value: object) -> str:
        """What a member is called: where names share a type, by what leaves least to be said.

        Of names that leave as much, the last.
        """
        names = [name for name, member in self.members.items() if type(value) is member]
        if not names:
            what = type(value).__name__
            raise InputError(f"{what} is no {self.noun} that can be written to a file.")
        return min(reversed(names), key=lambda name: len(self.unsaid(name, value)))

    def unsaid(self, name: str, value: Any) -> dict[str, Any]:
        """The fields of a member that its name does not tell."""
        preset = self.presets.get(name, {})
        defaults = {f.name: preset.get(f.name, _default(f)) for f in fields(value)}
        told = {key: getattr(value, key) for key in defaults}
        return {key: content for key, content in told.items() if content != defaults[key]}


def _default(of: Field[Any]) -> Any:
    return of.default if of.default_factory is MISSING else of.default_factory()


ESTIMATORS = Family(
    "estimator",
    {
        "additive": estimators.Additive,
        "pooled": estimators.Pooled,
        "beta": estimators.Beta,
        "eb-beta": estimators.EmpiricalBeta,
        "counts": estimators.Frequencies,
        "berngp": estimators.BetaGP,
        "betagp-ab": estimators.BetaGP,
        "betagp": estimators.BetaGP,
        "betagp-sl": estimators.BetaGP,
        "betagp-slp": estimators.BetaGP,
    },
    {
        "berngp": {"parameters": "bernoulli"},
        "betagp-ab": {"parameters": "alpha-beta"},
        "betagp-sl": {"scale_supervision": "gamma", "beta": "belief"},
        "betagp-slp": {"scale_supervision": "gamma", "pooling": "kernel", "beta": "belief"},
    },
)
CLASS_ESTIMATORS = Family("class estimator", {"dirichlet": estimators.Dirichlet})
ITEM_ESTIMATORS = Family(
    "item estimator",
    {
        "learned": estimators.Learned,
        "naive": estimators.Naive,
        "counted": estimators.Counted,
        "vetted-only": estimators.VettedOnly,
    },
)
POLICIES = Family(
    "policy",
    {
        "gain": policies.Gain,
        "random": policies.Random,
        "uniform": policies.Uniform,
        "proportional": policies.Proportional,
        "thompson": policies.Thompson,
        "top-two": policies.TopTwo,
        "multiple-play": policies.MultiplePlay,
        "epsilon-greedy": policies.EpsilonGreedy,
        "bayes-ucb": policies.BayesUCB,
        "variance": policies.Variance,
        "expected-lambda": policies.ExpectedLambda,
        "mix": policies.Mix,
        "expected-change": policies.ExpectedChange,
        "confident-mistake": policies.ConfidentMistake,
        "random-images": policies.RandomImages,
    },
)
TASKS = Family(
    "task",
    {
        "estimate": tasks.Estimate,
        "identify": tasks.Identify,
        "compare": tasks.Compare,
        "compare-services": tasks.CompareServices,
        "rank": tasks.Rank,
        "calibration": tasks.Calibration,
        "confusion": tasks.Confusion,
        "cost": tasks.Cost,
        "precision": tasks.PrecisionAt,
        "average-precision": tasks.AveragePrecision,
        "rank-systems": tasks.RankSystems,
    },
)
QUANTITIES = Family(
    "quantity",
    {
        "metric": quantities.HitRate,
        "ece": quantities.CalibrationError,
        "cost": quantities.ExpectedCost,
    },
)
METRICS = Family(
    "metric",
    {
        "accuracy": metrics.Accuracy,
        "agreement": metrics.Agreement,
        "recall": metrics.Recall,
        "precision": metrics.Precision,
        "false-positive-rate": metrics.FalsePositiveRate,
        "closeness": metrics.Closeness,
        "number": metrics.Number,
        "verdict": metrics.Verdict,
    },
)
CALIBRATIONS = Family(
    "calibration",
    {
        "raw": attributes.CalRaw,
        "temp": attributes.CalTemp,
        "full": attributes.CalFull,
    },
)
EVENTS = Family(
    "event",
    {
        "asked": log.Asked,
        "told": log.Told,
        "corrected": log.Corrected,
        "attributed": log.Attributed,
        "skipped": log.Skipped,
        "released": log.Released,
        "relinked": log.Relinked,
    },
)

_BY_HINT: dict[object, Family] = {
    estimators.Estimator: ESTIMATORS,
    estimators.ClassEstimator: CLASS_ESTIMATORS,
    estimators.ItemEstimator: ITEM_ESTIMATORS,
    policies.Policy: POLICIES,
    policies.TurnPolicy: POLICIES,
    tasks.Task: TASKS,
    tasks.ListTask: TASKS,
    quantities.Quantity: QUANTITIES,
    metrics.Metric: METRICS,
    attributes.Calibration: CALIBRATIONS,
    log.Event: EVENTS,
}
_FAMILIES = tuple({id(family): family for family in _BY_HINT.values()}.values())


def encode(value: Any) -> Json:
    """A value as JSON: a member of a family brings its name along."""
    if is_dataclass(value) and not isinstance(value, type):
        plain = {f.name: encode(getattr(value, f.name)) for f in fields(value) if f.init}
        family = _family_of(value)
        return {"name": family.name(value), **plain} if family else plain
    if isinstance(value, Mapping):
        return {str(key): encode(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [encode(item) for item in value]
    return value


def _family_of(value: object) -> Family | None:
    return next((f for f in _FAMILIES if type(value) in f.members.values()), None)


def decode(data: Json, hint: Any) -> Any:
    """The value of type ``hint`` that was encoded as ``data``."""
    if hint in _BY_HINT:
        return _decode_member(data, _BY_HINT[hint])
    if is_dataclass(hint) and isinstance(hint, type):
        return _decode_fields(data, hint)
    return _decode_plain(data, hint)


def _decode_member(data: Json, family: Family) -> Any:
    if isinstance(data, str):
        return parse(data, family)
    if not isinstance(data, Mapping) or "name" not in data:
        raise InputError(f"A {family.noun} needs a name, got {data!r}.")
    rest = {key: value for key, value in data.items() if key != "name"}
    return _decode_fields(rest, family.of(data["name"]), family.presets.get(data["name"], {}))


def _decode_fields(data: Json, hint: type, preset: Mapping[str, Any] | None = None) -> Any:
    hints = get_type_hints(hint)
    names = [f.name for f in fields(hint) if f.init]
    for key in data:
        if key not in names:
            raise InputError(f"{hint.__name__} has no field {key!r}; {did_you_mean(key, names)}")
    needed = [f.name for f in fields(hint) if f.default is MISSING and f.default_factory is MISSING]
    for name in needed:
        if name not in data:
            raise InputError(f"{hint.__name__} needs {name!r}, as in NAME:{name}=...")
    read = {key: decode(value, hints[key]) for key, value in data.items()}
    return hint(**{**(preset or {}), **read})


def _decode_plain(data: Json, hint: Any) -> Any:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        if data is None and type(None) in arguments:
            return None
        options = [option for option in arguments if option is not type(None)]
        return decode(data, _option(data, options))
    if origin is tuple:
        return _decode_tuple(data, arguments)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        if not isinstance(data, Mapping):
            raise InputError(f"{data!r} should be a table of names and values.")
        return {key: decode(value, arguments[1]) for key, value in data.items()}
    if isinstance(origin, type) and issubclass(origin, Iterable):
        return _decode_tuple(data, (arguments[0], Ellipsis))
    if origin is Literal and data not in arguments:
        raise InputError(f"{data!r} is none of {', '.join(map(str, arguments))}.")
    return _decode_scalar(data, hint)


def _option(data: Json, options: list[Any]) -> Any:
    """The one of several types that fits; the last one says what is wrong where none does."""
    fitting: tuple[Any, ...] = (str, float, int)
    if isinstance(data, Mapping):
        fitting = (Mapping,)
    elif isinstance(data, list):
        fitting = (tuple, Sequence, Iterable)
    elif isinstance(data, (int, float)):
        fitting = (float, int)
    return next((o for o in options if o in fitting or get_origin(o) in fitting), options[-1])


def _decode_tuple(data: Json, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    if isinstance(data, str):
        data = data.split("+")
    if not isinstance(data, (list, tuple)):
        raise InputError(f"{data!r} should be a list.")
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        return tuple(decode(item, arguments[0]) for item in data)
    return tuple(decode(item, hint) for item, hint in zip(data, arguments, strict=True))


def _decode_scalar(data: Json, hint: Any) -> Any:
    if hint in (int, float):
        return _decode_number(data, hint)
    if hint is bool:
        return _decode_bool(data)
    if hint is str and not isinstance(data, str):
        raise InputError(f"{data!r} is not text.")
    return data


def _decode_bool(data: Json) -> bool:
    said = {"true": True, "false": False}.get(str(data).strip().lower())
    if said is None:
        raise InputError(f"{data!r} is neither true nor false.")
    return said


def _decode_number(data: Json, hint: type[int] | type[float]) -> int | float:
    try:
        number = hint(data)
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None or isinstance(data, bool) or (isinstance(data, float) and number != data):
        kind = "a whole number" if hint is int else "a number"
        raise InputError(f"{data!r} is not {kind}.")
    return number


def parse(text: str, family: Family) -> Any:
    """Read ``NAME`` or ``NAME:field=value,field=value``; a nested member stands in parentheses.

    >>> parse("thompson:draws=8", POLICIES)
    Thompson(draws=8)
    """
    name, colon, rest = text.partition(":")
    member = family.of(name.strip())
    data: dict[str, Json] = {}
    for piece in _split(rest) if colon else []:
        key, equals, value = piece.partition("=")
        if not equals:
            raise InputError(f"In {text!r}, {piece!r} should read field=value.")
        value = value.strip()
        data[key.strip()] = value[1:-1] if value[:1] + value[-1:] == "()" else value
    try:
        return _decode_fields(data, member, family.presets.get(name.strip()))
    except InputError as error:
        raise InputError(f"In {text!r}: {error}") from None


def _split(text: str) -> list[str]:
    """Cut at commas that stand outside parentheses."""
    pieces, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            pieces.append("")
        else:
            pieces[-1] += letter
    return pieces


def describe(value: Any) -> str:
    """The short form that ``parse`` reads, with only the fields that differ from their defaults.

    >>> describe(policies.Thompson(draws=8))
    'thompson:draws=8'
    """
    family = _family_of(value)
    if family is None:
        return "+".join(map(str, value)) if isinstance(value, tuple) else str(value)
    name, pieces = family.name(value), []
    for key, content in family.unsaid(name, value).items():
        inner = describe(content)
        is_plain = inner == inner.strip() and not set(inner) & set(",:()")
        pieces.append(f"{key}={inner}" if is_plain else f"{key}=({inner})")
    return name + (":" + ",".join(pieces) if pieces else "")


def dumps(value: Any) -> str:
    """A value as one line of JSON."""
    return json.dumps(encode(value), ensure_ascii=False, separators=(",", ":"))


def loads(text: str, hint: Any) -> Any:
    """The value that ``dumps`` wrote."""
    return decode(json.loads(text), hint)


def read_spec(text: str) -> Spec:
    """A spec from TOML, each part in its short form or as a table."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"The spec is no TOML: {error}.") from None
    spec = decode(data, Spec)
    assert isinstance(spec, Spec)
    return spec


def write_spec(spec: Spec) -> str:
    """A spec as TOML that ``read_spec`` reads."""
    lines = []
    for f in fields(spec):
        value = getattr(spec, f.name)
        if value is None:
            continue
        plain = isinstance(value, (int, float)) and not isinstance(value, bool)
        shown = value if plain else _toml_value(value)
        lines.append(f"{f.name} = {shown}")
    return "\n".join(lines) + "\n"


def _toml_value(value: Any) -> str:
    """Short where that can be read back; else a table, as for slices or names with brackets."""
    if isinstance(value, str):
        return _toml_text(value)
    short = describe(value)
    return _toml_text(short) if _reads_back(short, value) else _inline_table(encode(value))


def _reads_back(short: str, value: Any) -> bool:
    family = _family_of(value)
    try:
        return family is not None and parse(short, family) == value
    except InputError:
        return False


def _inline_table(data: Json) -> str:
    if isinstance(data, Mapping):
        pairs = (f"{_toml_text(key)} = {_inline_table(item)}" for key, item in data.items())
        return "{ " + ", ".join(pairs) + " }"
    if isinstance(data, list):
        return f"[{', '.join(map(_inline_table, data))}]"
    return _toml_text(data) if isinstance(data, str) else json.dumps(data)


def _toml_text(text: str) -> str:
    """A basic string; TOML lets no control letter in, and JSON leaves one."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
