"""Twenty people at one campaign at once, some of whom are killed, and what must hold of its log."""

import csv
import io
import json
import random
import sqlite3
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shell import write_calls
from tests.attack.driver import Driver, Step
from tests.attack.oracle import complaints

PEOPLE = 20
ROLES = ("--id", "id", "--prediction", "pred", "--attribute", "accent", "--estimator", "beta",
         "--policy", "random")  # fmt: skip
EXPECTED = ("is not out", "was told before", "already", "differently", "--correct")
"""What may be said to one who came too late."""


@dataclass(frozen=True)
class Race:
    """A campaign after a race: what each was told on the way, and what the log says."""

    folder: Path
    steps: tuple[tuple[Step, ...], ...]
    events: tuple[dict[str, Any], ...]

    def wrong(self, budget: int | None) -> list[str]:
        """All that does not hold."""
        ran = [step for steps in self.steps for step in steps if step.code is not None]
        found = [f"{step.text}: {c}" for step in ran for c in complaints(step)]
        found += [step.text for step in ran
                  if step.code and not any(word in step.err for word in EXPECTED)]  # fmt: skip
        return [*found, *self._labels(ran), *self._handed_out(ran), *self._budget(budget),
                *self._left_behind()]  # fmt: skip

    def _labels(self, ran: list[Step]) -> list[str]:
        """Each label that was acknowledged is in the log, once."""
        told = Counter(
            (item, event["annotator"]) for event in self.events if event["name"] == "told"
            for item in event["labels"]
        )  # fmt: skip
        found = [f"{pair} was told {n} times" for pair, n in told.items() if n > 1]
        for step in ran:
            if step.argv[0] == "tell" and step.code == 0:
                file = self.folder / step.argv[2]
                rows = csv.DictReader(io.StringIO(file.read_text()))
                pairs = {(row["id"], row.get("annotator") or "") for row in rows}
                found += [f"lost: {pair} of {file.name}" for pair in pairs - told.keys()]
        return found

    def _handed_out(self, ran: list[Step]) -> list[str]:
        """Nobody gets what somebody else has, and what was printed is what the log says."""
        found, out = [], dict[str, str]()
        for event in self.events:
            who = event.get("annotator", "")
            if event["name"] == "asked":
                for query in event["queries"]:
                    if query["item"] in out:
                        found.append(f"{query['item']}: {out[query['item']]} and {who} have it")
                    out[query["item"]] = who
            for item in (*event.get("labels", ()), *event.get("items", ())):
                out.pop(item, None)
        asked = Counter(
            q["item"] for e in self.events if e["name"] == "asked" for q in e["queries"]
        )
        printed = Counter(
            row["id"] for step in ran if step.argv[0] == "ask" and step.code == 0
            for row in csv.DictReader(io.StringIO(step.out))
        )  # fmt: skip
        return found + [f"{item} was printed, but not kept" for item in printed - asked]

    def _budget(self, budget: int | None) -> list[str]:
        told = {i for e in self.events if e["name"] == "told" for i in e["labels"]}
        freed = [i for e in self.events if e["name"] in ("released", "skipped") for i in e["items"]]
        asked = [q["item"] for e in self.events if e["name"] == "asked" for q in e["queries"]]
        spent = len(told | (set(asked) - set(freed)))
        return [f"{spent} spent of {budget}"] if budget is not None and spent != budget else []

    def _left_behind(self) -> list[str]:
        names = [path.name for path in self.folder.iterdir()]
        return [f"left behind: {name}" for name in names
                if name.startswith(".") or name.endswith(("-wal", "-shm", "-journal"))]  # fmt: skip


def race(driver: Driver, folder: Path, scripts: list[list[list[str]]], *, budget: int | None = None,
         kill: tuple[int, int, float] = (0, 0, 0)) -> Race:  # fmt: skip
    """Run scripts at once on a fresh campaign; its log is read after `status` and `verify`."""
    spend = [] if budget is None else ["--budget", str(budget)]
    start = driver.run(folder, "init", "calls.csv", *ROLES, *spend, "-o", "calls.db")
    assert start.code == 0, start.text
    steps = driver.together(folder, scripts, kill=kill)
    after = driver.script(folder, [["status", "calls.db"], ["verify", "calls.db"]])
    assert [step.code for step in after] == [0, 0], "\n".join(step.text for step in after)
    with sqlite3.connect(f"file:{folder / 'calls.db'}?mode=ro&immutable=1", uri=True) as database:
        rows = database.execute("SELECT body FROM event ORDER BY seq").fetchall()
    database.close()
    return Race(folder, tuple(map(tuple, steps)), tuple(json.loads(body) for (body,) in rows))


def asking(folder: Path, n: int = 3) -> list[list[list[str]]]:
    """Everyone asks under their own name, again and again."""
    write_calls(folder / "calls.csv", 120)
    return [[["ask", "calls.db", "-n", str(n), "--annotator", f"p{one}"]] * 3
            for one in range(PEOPLE)]  # fmt: skip


def telling(folder: Path) -> list[list[list[str]]]:
    """Half tell a file of their own, half the same file, each twice; in between they look."""
    write_calls(folder / "calls.csv", 120)
    scripts = []
    for one in range(PEOPLE):
        name, who = ("same", "all") if one % 2 else (f"own{one}", f"p{one}")
        rows = [f"{n:03},{'yes' if n % 3 else 'no'},{who}" for n in range(one, one + 9)]
        if one % 2:
            rows = [f"{n:03},yes,{who}" for n in range(60, 80)]
        (folder / f"{name}.csv").write_text("\n".join(["id,label,annotator", *rows]) + "\n")
        scripts.append([["tell", "calls.db", f"{name}.csv"], ["status", "calls.db"],
                        ["tell", "calls.db", f"{name}.csv"]])  # fmt: skip
    return scripts


def mixed(folder: Path, seed: int) -> list[list[list[str]]]:
    """Everything at once."""
    rng = random.Random(seed)
    scripts = telling(folder)
    for one, script in enumerate(scripts):
        who = ["--annotator", f"p{one}"]
        script.insert(0, ["ask", "calls.db", "-n", "2", *who])
        script.append(rng.choice((
            ["release", "calls.db", *who], ["skip", "calls.db", f"1{one:02}", *who],
            ["report", "calls.db", "-o", f"r{one}.html"], ["status", "calls.db"],
            ["ask", "calls.db", "-n", "1", *who],
        )))  # fmt: skip
        rng.shuffle(script)
    return scripts
