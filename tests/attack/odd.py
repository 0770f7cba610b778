"""Odd values and odd bytes, which the generators share."""

import random
from typing import Any

NAMES = (
    "id", "label", "why", "chance", "annotator", "truth", "answer", "true:a", "payload:x", "arm",
    "=1+1", "@prediction", "@score", "a:bins=4", "a,b", "a=b", "a|b", " id", "ID", "row", "share",
    "prediction:x", "n_pool", "mean", "", " ", "\x00", "a\x1b[31mb", "\u202eabc", "x" * 3000,
    "naïve", "日本", "\U0001f600", "a\nb", '"', "'", "%s", "{0}", "../x", "-o", "--id", "1", "None",
)  # fmt: skip
"""What columns may be called."""
WORDS = (
    "yes", "no", "", " ", "NA", "N/A", "nan", "None", "null", "true", "0", "1", "007", "1e5",
    "-1", "0.5", "1e309", "-inf", "inf", "NaN", "9" * 40, "9" * 5000, "0x10", "1_000", "1,5",
    "=1+1", "(missing)", "<script>alert(1)</script>", "a|b", "a=b", "a,b", "\x1b[2J", "\x07",
    "\u202eabc", "\u2028", "\x85", "é", "e\u0301", "\ufeff", "日本", "x" * 100_000, "a\nb", '"',
    "2024-02-30", "{}", "[]", "\ud7ff", "\U0010ffff", "a\tb", "a\rb", "'; DROP TABLE event; --",
)  # fmt: skip
"""What cells may hold."""
NUMBERS = (
    "0", "-1", "1", "2", "3", "7", "1000", "1000000000", "99999999999999999999", "9" * 5000, "nan",
    "inf", "-inf", "1e308", "1e-308", "-0.0", "0.5", ".9", "1.0", "0.999999999999", "1e", "0x1",
    "", " ", "one", "٣", "1_0", "+1", "1,5",
)  # fmt: skip
"""What an option for a number may be given."""


def damaged(data: bytes, rng: random.Random) -> bytes:
    """A few bytes otherwise: flipped, cut, doubled, put in, or another encoding."""
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        data = _damaged_once(bytearray(data), rng)
    return bytes(data)


def _damaged_once(data: bytearray, rng: random.Random) -> bytearray:
    place = rng.randrange(len(data)) if data else 0
    span = rng.choice((1, 1, 4, 64, 1000))
    match rng.randrange(7):
        case 0 if data:
            data[place] ^= 1 << rng.randrange(8)
        case 1:
            del data[place:]
        case 2:
            data[place:place] = data[place : place + span]
        case 3:
            piece = rng.choice((b"\x00", b'"', b"\n", b"\r", b"\xff\xfe", b"\xef\xbb\xbf", b",",
                                b";", b"\t", b"[" * 50, b"\x1b[31m", b"\xed\xa0\x80"))  # fmt: skip
            data[place:place] = piece
        case 4:
            del data[place : place + span]
        case 5:
            data[place : place + 4] = rng.randbytes(min(4, len(data) - place))
        case 6 if rng.random() < 0.2:
            return bytearray(bytes(data).decode("latin1").encode("utf-16"))
    return data


def pick(rng: random.Random, *pools: Any) -> Any:
    """One of one of the pools."""
    return rng.choice(rng.choice(pools))
