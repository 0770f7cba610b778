"""Deserialisation: a campaign's file from text to values; what cannot be read is damage."""

from collections.abc import Iterator, Mapping
from shlex import quote
from typing import Any

from spotheight.errors import StoreError
from spotheight.history.events import Event
from spotheight.metrics import Metric
from spotheight.registry import NotInstalledError, decode, loads
from spotheight.store import SALVAGE, DamagedError, Store

_UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, RecursionError)
"""What text raises that is no JSON of ours: an ``InputError`` is a ``ValueError`` too."""


def events(store: Store, after: int = 0) -> Iterator[Event]:
    """Events in order, those after a number."""
    return (event_of(store, seq, body) for seq, body in store.events(after=after))


def event_of(store: Store, seq: int, body: str) -> Event:
    """One event from its text."""
    try:
        event = loads(body, Event)
    except _UNREADABLE as error:
        raise DamagedError(store.path, seq - 1, f"it cannot be read: {error}") from error
    return event


def entry(store: Store, meta: Mapping[str, str], name: str, hint: Any = str) -> Any:
    """What the file says about itself under one name."""
    if name not in meta:
        raise _unreadable(store, f"it does not say its {name}")
    if hint is str:
        return meta[name]
    try:
        return loads(meta[name], hint)
    except NotInstalledError as error:
        raise StoreError(
            f"{store.path} cannot be used here: {error} Nothing is lost, and its labels can be had "
            f"all the same: spotheight export {quote(str(store.path))} --to csv --what labels."
        ) from error
    except _UNREADABLE as error:
        raise _unreadable(store, f"its {name} cannot be read: {error}") from error


def metric(store: Store, meta: Mapping[str, str]) -> Metric:
    """What a hit is, from the spec; its estimator and policy may not be installed here."""
    try:
        found: Metric = decode(entry(store, meta, "spec", Mapping[str, Any])["metric"], Metric)
    except _UNREADABLE as error:
        raise _unreadable(store, f"its spec cannot be read: {error}") from error
    return found


def buckets(store: Store, meta: Mapping[str, str]) -> Mapping[str, int]:
    """How many ids fell into each bucket of their hash when the pool was read."""
    found: Mapping[str, int] = entry(store, meta, "buckets", Mapping[str, int])
    return found


def _unreadable(store: Store, what: str) -> StoreError:
    return StoreError(f"{store.path} is damaged ({what}); go back to a copy of it, or: {SALVAGE}.")
