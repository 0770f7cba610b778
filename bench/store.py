"""Raw rows in files: one for each study, a line for each campaign."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from io import SEEK_END
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote, unquote

import spotheight
from bench.facts import Facts
from bench.files import write_whole
from bench.plan import Method, Study
from spotheight.errors import StoreError

Row = Mapping[str, Any]

ENDING = ".jsonl"
ABOUT = "case.json"

TALK = ("cli", "web", "page", "terminal", "report", "exchange", "demo", "workspace", "store")
"""Parts of the package that cannot change a result."""


@cache
def code_fingerprint() -> str:
    """Changes with any line that could change a result."""
    home = Path(spotheight.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(home.rglob("*.py")):
        if path.relative_to(home).parts[0] not in TALK:
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


@dataclass(frozen=True)
class Campaign:
    """The rows of one seed, and which code made them."""

    seed: int
    code: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Store:
    """A folder that can be thrown away: it only saves computing time."""

    folder: Path

    def studies(self) -> Iterator[Study]:
        """All that have a file."""
        for path in sorted(self.folder.glob(f"*/*{ENDING}")):
            parts = [unquote(part) for part in path.name.removesuffix(ENDING).split("+")]
            holdout = float(parts[2]) if len(parts) > 2 else 0.0
            yield Study(path.parent.name, Method(parts[0], parts[1], holdout))

    def campaigns(self, study: Study) -> list[Campaign]:
        """By seed; what was run twice counts as it came out last."""
        path = self._path(study)
        whole, _, _ = (path.read_bytes() if path.exists() else b"").rpartition(b"\n")
        found = (_decoded(line, path) for line in whole.splitlines())
        by_seed = {campaign.seed: campaign for campaign in found}
        return [by_seed[seed] for seed in sorted(by_seed)]

    def done(self, study: Study, budgets: Sequence[int]) -> set[int]:
        """The seeds that have a row for each of these budgets."""
        return {
            campaign.seed
            for campaign in self.campaigns(study)
            if {row["budget"] for row in campaign.rows} >= set(budgets)
        }

    def append(self, study: Study, seed: int, rows: Sequence[Row]) -> None:
        """Keep a campaign, all of it or nothing: a line without its end does not count."""
        path = self._path(study)
        path.parent.mkdir(parents=True, exist_ok=True)
        line = json.dumps({"seed": seed, "code": code_fingerprint(), "rows": rows})
        with path.open("a+b") as file:
            _drop_torn_end(file)
            file.write(line.encode() + b"\n")

    def forget(self, study: Study) -> None:
        """Drop the campaigns of a study, so that they are run again."""
        self._path(study).unlink(missing_ok=True)

    def describe(self, case: str, facts: Facts) -> None:
        """Keep what a case is beside its rows."""
        write_whole(self.folder / case / ABOUT, json.dumps(facts.encoded()))

    def facts(self) -> dict[str, Facts]:
        """All cases that were opened, by name."""
        return {
            path.parent.name: Facts.decoded(json.loads(path.read_text(encoding="utf-8")))
            for path in sorted(self.folder.glob(f"*/{ABOUT}"))
        }

    def _path(self, study: Study) -> Path:
        method = study.method
        parts = [method.estimator, method.policy]
        parts += [f"{method.holdout:g}"] if method.holdout else []
        name = "+".join(quote(part, safe="") for part in parts)
        return self.folder / study.case / f"{name}{ENDING}"


def _decoded(line: bytes, path: Path) -> Campaign:
    try:
        data = json.loads(line)
        return Campaign(data["seed"], data["code"], tuple(data["rows"]))
    except (ValueError, KeyError, TypeError):
        raise StoreError(
            f"{path.parent.name}/{path.name} has a line that is no campaign: {line[:60]!r}; "
            f"delete the file to run its campaigns again."
        ) from None


def _drop_torn_end(file: BinaryIO) -> None:
    """A process that was killed may have left half a line, which must not join the next one."""
    file.seek(0)
    end = file.read().rfind(b"\n") + 1
    file.truncate(end)
    file.seek(0, SEEK_END)
