"""Many processes at one campaign: no label lost or doubled, nothing handed out twice."""

import pytest

from tests.attack import races

pytestmark = pytest.mark.attack


def test_who_asks_at_once_gets_items_of_their_own(faultless, tmp_path):
    race = races.race(faultless, tmp_path, races.asking(tmp_path), budget=100)
    assert not race.wrong(100)


def test_labels_told_at_once_are_kept_once(faultless, tmp_path):
    race = races.race(faultless, tmp_path, races.telling(tmp_path))
    assert not race.wrong(None)
    assert sum(len(e["labels"]) for e in race.events) == 10 * 9 + 20


@pytest.mark.parametrize("seed", [1, 2])
def test_the_log_is_whole_when_some_are_killed(faultless, tmp_path, seed):
    scripts = races.mixed(tmp_path, seed)
    race = races.race(faultless, tmp_path, scripts, kill=(8, seed, 4.0))
    assert not race.wrong(None)


@pytest.mark.bench
@pytest.mark.parametrize("seed", range(10, 60))
def test_many_races(faultless, tmp_path, seed):
    scripts = races.mixed(tmp_path, seed) if seed % 3 else races.asking(tmp_path)
    budget = None if seed % 3 else 77
    race = races.race(faultless, tmp_path, scripts, budget=budget, kill=(seed % 2 * 8, seed, 5.0))
    assert not race.wrong(None if seed % 2 else budget)
