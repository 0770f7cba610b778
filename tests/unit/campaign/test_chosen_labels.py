"""Labels that a policy chose for its arms, read for other groups and for another service."""

import pyarrow as pa
import pytest
from numpy.random import default_rng

import worlds
from spotheight.campaign import Campaign
from spotheight.questions.calibration import Calibration
from spotheight.questions.compare import CompareServices
from spotheight.questions.quantities import HitRate
from spotheight.questions.rank import Rank
from spotheight.report.services import build_services

ITEMS = 4000


def _table() -> tuple[pa.Table, dict[str, str]]:
    """One large part that is right in 95 of 100, 8 small ones in 50, of which gain takes most.

    The other service is right where the first is, and of its mistakes in half.
    """
    rng = default_rng(5)
    small = rng.random(ITEMS) < 0.2
    part = [f"s{k}" if is_small else "large" for k, is_small in
            zip(rng.integers(0, 8, ITEMS), small, strict=True)]  # fmt: skip
    said = rng.choice(["no", "yes"], ITEMS)
    hit = rng.random(ITEMS) < [0.5 if is_small else 0.95 for is_small in small]
    mended = hit | (rng.random(ITEMS) < 0.5)
    other = {"no": "yes", "yes": "no"}
    truth = [one if right else other[one] for one, right in zip(said, hit, strict=True)]
    second = [true if right else other[true] for true, right in zip(truth, mended, strict=True)]
    ids = [f"i{k}" for k in range(ITEMS)]
    columns = {
        "id": ids,
        "one": said,
        "two": second,
        "score": rng.random(ITEMS).round(3),
        "side": rng.choice(["left", "right"], ITEMS),
        "part": part,
    }
    return pa.table(columns), dict(zip(ids, truth, strict=True))


@pytest.fixture(scope="module")
def campaign() -> Campaign:
    """After 200 labels that gain chose."""
    table, truth = _table()
    pool = worlds.pool(
        table,
        id="id",
        prediction={"one": "one", "two": "two"},
        score={"one": "score"},
        attributes=["side", "part"],
    )
    campaign = worlds.campaign(pool)
    for _ in range(2):
        campaign.tell({query.item: truth[query.item] for query in campaign.ask(100)})
    return campaign


def test_groups_of_arms_have_the_numbers_of_slices(campaign):
    """Read off the labels of each side alone they were 30 points too low."""
    surface = campaign.surface()
    values = campaign.answer(Rank(of=HitRate(by=("side",)))).values
    slices = [surface.slice(side=side).mean for side in ("left", "right")]
    assert values.mean == pytest.approx(slices, abs=0.005)


@pytest.mark.parametrize("by", ["@prediction", "@score:bins=3"])
def test_groups_that_are_no_arms_add_up_to_the_whole(campaign, by):
    values = campaign.answer(Rank(of=HitRate(by=(by,)))).values
    whole = (values.mean * values.n_pool).sum() / values.n_pool.sum()
    assert whole == pytest.approx(campaign.surface().overall().mean, abs=0.03)


def test_a_calibration_rests_on_the_accuracy_of_the_surface(campaign):
    accuracy = campaign.answer(Calibration(bins=4)).accuracy
    assert accuracy.mean[0] == pytest.approx(campaign.surface().overall().mean, abs=0.03)
    assert accuracy.n_labelled[0] == 200


def test_a_report_has_the_other_service_as_pairs_have_it(campaign):
    """So that its number, the reference and its lead agree."""
    pair = campaign.answer(CompareServices("two", "one"))
    other = build_services(campaign, "pool", campaign.surface().overall())[1]
    assert other.lead is not None
    assert other.lead.mean == pytest.approx(pair.difference.mean, abs=0.01)
    lead = other.overall.mean - campaign.surface().overall().mean
    assert lead == pytest.approx(other.lead.mean, abs=0.03)
