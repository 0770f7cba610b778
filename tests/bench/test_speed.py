"""The times that are promised, on two cores: ``make bench`` prints them."""

import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest

pytestmark = pytest.mark.bench

TABLE = """
COPY (SELECT 'item-' || lpad(CAST(i AS VARCHAR), 8, '0') AS id,
             CAST(floor(random() * 10) AS INT) AS pred, random() AS conf,
             ['de', 'en', 'fr', 'es', 'it'][1 + CAST(floor(random() * 5) AS INT)] AS accent,
             CASE WHEN random() < .5 THEN 'f' ELSE 'm' END AS gender,
             CAST(18 + floor(random() * 60) AS INT) AS age, i % 8 AS device
      FROM range({rows}) t(i)) TO '{path}' (FORMAT parquet, COMPRESSION zstd)
"""
ROLES = ("--id", "id", "--prediction", "pred", "--score", "conf", "--attribute", "accent",
         "--attribute", "gender", "--attribute", "age:bins=4", "--attribute", "device")  # fmt: skip


def timed(folder: Path, *arguments: str) -> tuple[float, float]:
    """Seconds of a command, and its peak memory in GB, in a process of its own."""
    code = (
        "import resource, sys\nfrom spotheight.cli import main\n"
        "main(sys.argv[1:], standalone_mode=False)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    )
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return time.perf_counter() - start, int(done.stderr.split()[-1]) / 1e6


def test_help_in_half_a_second():
    times = []
    for _ in range(3):
        start = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "spotheight", "--help"], capture_output=True, check=True
        )
        times.append(time.perf_counter() - start)
    print(f"\n--help: {min(times):.2f} s")
    assert min(times) < 0.5


def test_first_ask_on_fifty_thousand_rows_in_three_seconds(tmp_path):
    duckdb.sql(TABLE.format(rows=50_000, path=tmp_path / "calls.parquet"))
    timed(tmp_path, "init", "calls.parquet", *ROLES, "-o", "calls.db")
    seconds, memory = timed(tmp_path, "ask", "calls.db")
    print(f"\nask, 50,000 rows: {seconds:.2f} s, {memory:.2f} GB")
    assert seconds < 3


def test_init_of_ten_million_rows_in_a_minute_and_bounded_memory(tmp_path):
    duckdb.sql(TABLE.format(rows=10_000_000, path=tmp_path / "calls.parquet"))
    seconds, memory = timed(tmp_path, "init", "calls.parquet", *ROLES, "-o", "calls.db")
    ask_seconds, ask_memory = timed(tmp_path, "ask", "calls.db")
    print(f"\ninit, 10,000,000 rows: {seconds:.1f} s, {memory:.2f} GB")
    print(f"ask: {ask_seconds:.1f} s, {ask_memory:.2f} GB")
    assert seconds < 60
    assert memory < 4
