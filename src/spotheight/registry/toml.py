"""A spec as TOML and back."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from spotheight.errors import InputError
from spotheight.registry.names import SPEC, load
from spotheight.registry.values import decode, describe, encode, family_of, parse
from spotheight.types import Json


def read_spec(text: str) -> Any:
    """A ``Spec`` from TOML, each part in its short form or as a table."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"The spec is no TOML: {error}.") from None
    return decode(data, load(SPEC))


def write_spec(spec: Any) -> str:
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
    family = family_of(value)
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
