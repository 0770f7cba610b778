"""Two services on the same labels, where labels are no random sample."""

import pandas as pd
import pytest

import spotheight as sh


def test_services_are_compared_by_score_where_labels_were_chosen_by_it():
    """All doubtful items have labels, of the others every tenth: the gap is that of the pool."""
    rows = [
        (f"{n:03d}", "yes" if n % 5 else "no", "yes", round(0.05 + 0.9 * (n % 5) / 4, 3))
        for n in range(400)
    ]
    table = pd.DataFrame(rows, columns=["id", "one", "two", "score"])
    answers = {"one": "one", "two": "two"}
    pool = sh.read_pool(table, id="id", prediction=answers, score={"one": "score", "two": "score"})
    campaign = sh.Campaign(pool, sh.Spec(service="one"))
    campaign.tell({item: "yes" for n, (item, *_) in enumerate(rows) if n % 5 == 0 or n % 50 < 5})
    gap = campaign.answer(sh.CompareServices("one", "two")).difference
    assert gap.mean == pytest.approx(-0.2, abs=0.05)  # as if they were a random sample: -0.71
    assert gap.low <= -0.2 <= gap.high
