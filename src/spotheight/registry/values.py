"""Serialisation: values to JSON or short text, and back."""

import json
import types
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from spotheight.errors import InputError, did_you_mean
from spotheight.registry.families import Family, family_of_hint, family_of_kind
from spotheight.registry.plugins import NotInstalledError, a
from spotheight.types import Json

FROM = "from"
"""Beside a name, the package that it comes with, to be named where it is missing; never imported.
No field can be called so, for it is a word of the language."""


def encode(value: Any) -> Json:
    """A value as JSON: a member of a family brings its name along."""
    if is_dataclass(value) and not isinstance(value, type):
        family = family_of(value)
        return {**(_named(value, family) if family else {}), **_encode_fields(value)}
    if isinstance(value, Mapping):
        return {str(key): encode(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [encode(item) for item in value]
    return value


def _named(value: Any, family: Family) -> dict[str, str]:
    name = family.name(value)
    if name in family.members:
        return {"name": name}
    return {"name": name, FROM: family.outside[name].package}


def _encode_fields(value: Any) -> dict[str, Json]:
    """Each field; raise for an algorithm that has no name, for none could read it again."""
    kind: Any = type(value)
    plain, inside = {}, _families_in(kind)
    for f in fields(value):
        if f.init:
            content = getattr(value, f.name)
            family = inside.get(f.name)
            if family is not None:
                family.name(content)
            plain[f.name] = encode(content)
    return plain


@cache
def _families_in(kind: Any) -> Mapping[str, Family]:
    """The families that the fields of a type are of."""
    hints = get_type_hints(kind)
    found = {f.name: family_of_hint(hints[f.name]) for f in fields(kind)}
    return {name: family for name, family in found.items() if family is not None}


def family_of(value: object) -> Family | None:
    """The family that a value belongs to."""
    kind: Any = type(value)
    return family_of_kind(kind)


def decode(data: Json, hint: Any) -> Any:
    """The value of type ``hint`` that was encoded as ``data``."""
    family = family_of_hint(hint)
    if family is not None:
        return _require_kind(_decode_member(data, family), hint)
    if is_dataclass(hint) and isinstance(hint, type):
        return _decode_fields(data, hint)
    return _decode_plain(data, hint)


def _require_kind(value: Any, hint: Any) -> Any:
    """Raise where a field takes only some types of a family, and this is another one."""
    is_choice = get_origin(hint) in (Union, types.UnionType)
    kinds = get_args(hint) if is_choice else (hint,) if is_dataclass(hint) else ()
    if kinds and not isinstance(value, kinds):
        raise InputError(f"{describe(value)!r} cannot stand here.")
    return value


def _decode_member(data: Json, family: Family) -> Any:
    if isinstance(data, str):
        return parse(data, family)
    if not isinstance(data, Mapping) or "name" not in data:
        raise InputError(f"{a(family.noun).capitalize()} needs a name, got {data!r}.")
    name, rest = data["name"], {k: v for k, v in data.items() if k not in ("name", FROM)}
    if FROM in data:
        _require_package(family, name, data[FROM])
    return _decode_fields(rest, family.of(name), family.presets.get(name, {}))


def _require_package(family: Family, name: object, package: object) -> None:
    """Raise where a name is not offered by the package that it came with, in whatever version."""
    plugin = family.outside.get(str(name))
    if plugin is None or plugin.package.split("==")[0] != str(package).split("==")[0]:
        raise NotInstalledError(
            f"The {family.noun} {name!r} comes with the package {package!r}, which does not offer "
            f"it here; install that package."
        )


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
        return _decode_mapping(data, arguments[1])
    if isinstance(origin, type) and issubclass(origin, Iterable):
        return _decode_tuple(data, (arguments[0], Ellipsis))
    if origin is Literal and data not in arguments:
        raise InputError(f"{data!r} is none of {', '.join(map(str, arguments))}.")
    return _decode_scalar(data, hint)


def _decode_mapping(data: Json, hint: Any) -> dict[str, Any]:
    if isinstance(data, str) and hint in (int, float):
        data = _named_numbers(data)
    if not isinstance(data, Mapping):
        raise InputError(f"{data!r} should be a table of names and values.")
    return {key: decode(value, hint) for key, value in data.items()}


def _named_numbers(text: str) -> Json:
    """Names and numbers from their short form, ``cat=7+dog=4``; as it was where it is none."""
    pairs = [piece.rpartition("=") for piece in text.split("+")]
    if not all(equals for _, equals, _ in pairs):
        return text
    return {name: number for name, _, number in pairs}


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
    if len(data) != len(arguments):
        raise InputError(f"{data!r} should have {len(arguments)} parts.")
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

    >>> from spotheight.registry import POLICIES
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

    >>> from spotheight import Thompson
    >>> describe(Thompson(draws=8))
    'thompson:draws=8'
    """
    family = family_of(value)
    if isinstance(value, Mapping) and all(isinstance(one, float) for one in value.values()):
        return "+".join(f"{name}={number!r}" for name, number in value.items())
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
