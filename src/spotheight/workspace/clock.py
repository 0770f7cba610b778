"""Clock: the time, for those who bring none; nothing below this room reads it."""

from datetime import UTC, datetime, timedelta

from spotheight.errors import InputError

MOST_HOURS = 24 * 366 * 100
"""A hundred years: later there is no such date."""


def now() -> str:
    """The time in UTC, as ISO text."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def deadline(hours: float | None, at: str) -> str | None:
    """The time in so many hours; none where nobody says how many.

    >>> deadline(1.5, "2026-11-19T12:00:00+00:00")
    '2026-11-19T13:30:00+00:00'
    """
    if hours is None:
        return None
    if not 0 < hours <= MOST_HOURS:
        raise InputError(f"Items are out for up to {MOST_HOURS:,} hours, got {hours:g}.")
    try:
        start = datetime.fromisoformat(at or now())
    except (TypeError, ValueError):
        raise InputError(f"The time must be ISO text, such as {now()}, got {at!r}.") from None
    return (start + timedelta(hours=float(hours))).isoformat(timespec="seconds")
