"""Odd tables, options, labels and campaign files: refused in a sentence, or served."""

import pytest

from tests.attack.fuzz import KINDS, survey

pytestmark = pytest.mark.attack
CASES = {"tables": 600, "options": 700, "algorithms": 600, "told": 450, "broken": 450}
PARTS = 4
REAL = 40
"""Cases of each kind that run as processes of their own."""


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_odd_breaks_a_command(fuzz, kind, part):
    wrong = survey(fuzz, kind, range(part, CASES[kind], PARTS))
    assert not wrong, wrong


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_odd_breaks_a_process(fuzz, kind):
    wrong = survey(fuzz, kind, range(CASES[kind], CASES[kind] + REAL), is_real=True)
    assert not wrong, wrong


@pytest.mark.bench
@pytest.mark.parametrize("hundred", range(200))
@pytest.mark.parametrize("kind", KINDS)
def test_many_more(fuzz, kind, hundred):
    wrong = survey(fuzz, kind, range(10_000 + 100 * hundred, 10_100 + 100 * hundred))
    assert not wrong, wrong
