"""Parsing of labels as people write them."""

from collections.abc import Collection, Mapping

import numpy as np

from spotheight.errors import InputError, did_you_mean
from spotheight.history.events import Label
from spotheight.metrics import Kind
from spotheight.pool.roles import Roles

_WORDS = {"true": 1.0, "yes": 1.0, "right": 1.0, "false": 0.0, "no": 0.0, "wrong": 0.0}


def read_label(value: object, kind: Kind, roles: Roles) -> Label:
    """A label in the form the metric reads; raise when it cannot be one."""
    if kind == "verdict":
        return _verdicts(value, [service.name for service in roles.services])
    if kind == "number":
        return _number(value)
    return _class(value, roles.classes)


def _class(value: object, classes: Collection[str]) -> str:
    """A class as tables spell it: true and false in small letters, whole numbers without a dot."""
    if isinstance(value, (bool, np.bool_)):
        value = str(value).lower()
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        value = int(value)
    text = str(value)
    if value is None or text == "" or value != value:  # only NaN differs from itself
        raise InputError("The label is empty.")
    if classes and text not in classes and text.strip() in classes:
        text = text.strip()
    if isinstance(value, (list, dict)):
        raise InputError(f"The label {text!r} is no word.")
    if classes and text not in classes:
        raise InputError(
            f"The label {text!r} is none of the classes; {did_you_mean(text, classes)}"
        )
    return text


def _number(value: object) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"The label {str(value)[:40]!r} is no number.") from None
    if not np.isfinite(number):
        raise InputError(f"The label {value!r} is not finite.")
    return number


def _verdicts(value: object, services: Collection[str]) -> Mapping[str, float]:
    by_service = value if isinstance(value, Mapping) else dict.fromkeys(services, value)
    if not isinstance(value, Mapping) and len(services) > 1:
        raise InputError(f"Say on which service's answer {value!r} is the verdict.")
    if not by_service:
        raise InputError("The label is empty.")
    unknown = [name for name in by_service if name not in services]
    if unknown:
        raise InputError(
            f"There is no service {unknown[0]!r}; {did_you_mean(unknown[0], services)}"
        )
    return {str(name): _verdict(said) for name, said in by_service.items()}


def _verdict(value: object) -> float:
    word = str(value).strip().lower()
    if word in _WORDS:
        return _WORDS[word]
    number = _number(value)
    if not 0 <= number <= 1:
        raise InputError(f"A verdict lies between 0 and 1, got {number:g}.")
    return number
