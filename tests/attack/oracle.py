"""What every command line has to keep to, whatever it was given."""

import hashlib
import re
import unicodedata
from pathlib import Path

from tests.attack.driver import Step

LONGEST = 500
"""Characters of a message: a person has to read it."""
CODES = {"check": (0, 1, 2, 3), "verify": (0, 1, 2)}
DATA = {"ask", "export"}
"""Commands whose standard output is data of the user's, letter by letter."""


def complaints(step: Step) -> list[str]:
    """What is wrong with how a command ended and with what it said; nothing for a good one."""
    found = []
    command = step.argv[0] if step.argv else ""
    if step.hang:
        found.append("hangs " + _place(step.err))
    elif step.code is None:
        found.append(f"died of signal {step.signal} " + _place(step.err))
    elif "Traceback (most recent call last)" in step.err:
        found.append("traceback: " + _last_line(step.err) + " " + _place(step.err))
    elif step.code not in CODES.get(command, (0, 2)):
        found.append(f"exit code {step.code}")
    else:
        found += _about_messages(step, command)
    return found


def _about_messages(step: Step, command: str) -> list[str]:
    found = []
    message = step.err.partition("Error: ")[2] if step.code else ""
    if step.code == 2 and not message.strip():
        found.append("refused without a message")
    lines = [line.removeprefix("Error: ") for line in step.err.splitlines()]
    longest = max(map(len, [message.strip(), *lines]))
    if longest > LONGEST:
        found.append(f"message over {LONGEST} characters: {step.err[:60]!r}")
    if bad := _controls(step.err):
        found.append(f"control characters {bad} in a message")
    if stray := re.search(r"\w+\.py:\d+: (\w*Warning)", step.err):
        found.append(f"a warning of Python's: {stray[0]}")
    is_data = command in DATA or {"--json", "--csv"} & set(step.argv)
    if not is_data and (bad := _controls(step.out)):
        found.append(f"control characters {bad} in text on standard output")
    return found


def _controls(text: str) -> str:
    """What a terminal might obey, or what turns the order of letters around."""
    bad = {c for c in text if c not in "\n\t" and unicodedata.category(c) in ("Cc", "Zl", "Zp")}
    bad |= {c for c in text if "\u202a" <= c <= "\u202e" or "\u2066" <= c <= "\u2069"}
    return " ".join(sorted(f"U+{ord(c):04X}" for c in bad)[:6])


def _last_line(err: str) -> str:
    lines = [line for line in err.splitlines() if re.match(r"[\w.]+(:|$)", line)]
    return re.sub(r"\d+", "N", lines[-1])[:90] if lines else ""


def _place(err: str) -> str:
    """The innermost line of ours that a traceback or a dump names."""
    ours = re.findall(r'File "[^"]*/src/spotheight/([^"]+)", line (\d+)', err)
    if not ours:
        return ""
    is_dump = "most recent call first" in err
    file, line = ours[0 if is_dump else -1]
    return f"({file}:{line})"


def digests(folder: Path) -> dict[str, str]:
    """Every file below a folder by name, with what it holds."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*")) if path.is_file()
    }  # fmt: skip
