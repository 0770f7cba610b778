"""Each target of the Makefile installs a group that there is, and the demo installs none."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
GROUPS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]


def stamps() -> dict[str, str]:
    """What each target wants to be installed."""
    return dict(re.findall(r"^([\w-]+): \$\(VENV\)/\.installed-(\w+)$", MAKEFILE, re.MULTILINE))


def wheels(group: str) -> set[str]:
    """The names of what a group installs, those of the groups in it too."""
    found = set()
    for entry in GROUPS[group]:
        if isinstance(entry, dict):
            found |= wheels(entry["include-group"])
        else:
            found.add(re.split(r"[^\w-]", entry)[0])
    return found


def test_every_target_has_its_group():
    assert set(stamps()) == {"demo", "test", "test-slow", "attack", "lint", "bench"}
    assert set(stamps().values()) - {"demo"} <= set(GROUPS)
    assert "demo" not in GROUPS


def chosen(target: str) -> str:
    """The markers by which a target picks its tests."""
    (found,) = re.findall(rf'^{target}:.*\n\t.*pytest .*-m "(.+)"', MAKEFILE, re.MULTILINE)
    return found


@pytest.mark.parametrize("is_slow", [False, True])
@pytest.mark.parametrize("is_attack", [False, True])
def test_every_test_but_a_bench_is_run_by_one_target_that_a_change_must_pass(is_slow, is_attack):
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    targets = set(re.findall(r"^make ([\w-]+)$", script, re.MULTILINE)) - {"lint"}
    markers = {"slow": is_slow, "attack": is_attack, "bench": False}
    assert sum(eval(chosen(target), {}, markers) for target in targets) == 1


def test_nothing_large_is_installed_to_check_types():
    assert not wheels("lint") & {"torch", "gpytorch", "scikit-learn", "matplotlib"}
    assert {"torch", "gpytorch", "pytest", "hypothesis", "polars"} <= wheels("test")
