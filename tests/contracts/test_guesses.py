"""Attributes that are only guessed: true levels are told, guesses are calibrated, nothing leaks."""

import numpy as np
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression

import spotheight as sh
import worlds
from spotheight.attributes import CalFull, CalRaw, CalTemp
from spotheight.errors import InputError, ItemError
from spotheight.policies import BayesUCB, Gain, Mix, Random, Thompson, TopTwo, Uniform
from spotheight.pool.affiliation import Independent

ROWS = 300


def faces(rows: int = ROWS, seed: int = 0) -> pa.Table:
    """Faces whose service errs on smiles; two models guess too boldly whether there is one."""
    rng = np.random.default_rng(seed)
    smiling = rng.random(rows) < 0.4
    hat = rng.random(rows) < np.where(smiling, 0.7, 0.2)
    signs = {name: np.where(truth, 1.0, -1.0) + rng.normal(size=rows) * 1.2
             for name, truth in (("smiling", smiling), ("hat", hat))}  # fmt: skip
    hit = rng.random(rows) < np.where(smiling, 0.55, 0.9)
    return pa.table(
        {
            "id": [f"f{i:04d}" for i in range(rows)],
            "prediction": np.where(hit, "m", "f").tolist(),
            "label": ["m"] * rows,
            "score": rng.random(rows),
            **{f"p_{name}": 1 / (1 + np.exp(-3 * sign)) for name, sign in signs.items()},
            **{f"sign_{name}": sign for name, sign in signs.items()},
            "smiling": np.where(smiling, "yes", "no").tolist(),
            "hat": np.where(hat, "1", "0").tolist(),
            "place": rng.choice(["in", "out"], rows).tolist(),
        }
    )


GUESSED = {"smiling": "p_smiling", "hat": "p_hat"}
ROLES = {"id": "id", "prediction": "prediction", "score": "score", "attributes": ["place"]}
TRUTH = faces()


def pool(kind: str = "column", source: pa.Table = TRUTH, **roles) -> sh.Pool:
    given = {"guessed": GUESSED, **ROLES, **roles}
    return sh.read_pool(source, in_memory=kind == "column", **given)


def told(items, source: pa.Table = TRUTH) -> dict[str, dict[str, str]]:
    rows = {row["id"]: row for row in source.to_pylist()}
    return {item: {name: rows[item][name] for name in GUESSED} for item in items}


def campaign(kind: str = "column", gold: int = 0, **spec) -> sh.Campaign:
    made = sh.Campaign(pool(kind), sh.Spec(seed=3, **spec))
    some = TRUTH["id"].to_pylist()[: max(gold, 40)]
    made.tell(dict.fromkeys(some, "m"), levels=told(some[:gold]))
    return made


def test_an_item_whose_levels_are_told_lies_in_their_arm_alone():
    made = campaign(gold=7, calibration=CalRaw())
    evidence = made.records().evidence()
    rows, arms = evidence.rows, evidence.cells.partition
    for item in range(7):
        (row,) = np.flatnonzero(rows.item == item)
        truth = TRUTH.slice(item, 1).to_pylist()[0]
        hat = "yes" if truth["hat"] == "1" else "no"
        assert arms.levels(rows.arm[row]) == (truth["place"], truth["smiling"], hat)
        assert rows.weight[row] == 1


@pytest.mark.parametrize("gold", [0, 7, 40])
@pytest.mark.parametrize("calibration", [CalRaw(), CalTemp(), CalFull()], ids=repr)
def test_evidence_adds_up_to_the_labels_and_masses_to_the_pool(gold, calibration):
    evidence = campaign(gold=gold, calibration=calibration).records().evidence()
    assert evidence.rows.weight.sum() == pytest.approx(40)
    assert evidence.counts.trials.sum() == pytest.approx(40)
    assert evidence.cells.mass.sum() == pytest.approx(ROWS, abs=1e-6)
    assert (evidence.cells.mass - evidence.labelled > -1e-6).all()


def test_both_pools_run_the_same_campaign():
    ours, theirs = (campaign(kind, gold=30) for kind in ("column", "table"))
    for _ in range(3):
        items = [query.item for query in ours.ask(5)]
        assert items == [query.item for query in theirs.ask(5)]
        for each in (ours, theirs):
            each.tell(dict.fromkeys(items, "m"), levels=told(items))
    np.testing.assert_allclose(ours.surface().mean, theirs.surface().mean, atol=1e-6)


POLICIES = [
    Random(),
    Uniform(),
    Gain(),
    Thompson(),
    TopTwo(),
    BayesUCB(),
    Mix(0.5, Random(), Gain()),
]


@pytest.mark.parametrize("policy", POLICIES, ids=lambda p: type(p).__name__)
def test_policies_ask_for_items_that_are_left(policy):
    made = campaign(gold=30, policy=policy, estimator=sh.EmpiricalBeta())
    queries = made.ask(25)
    assert len({query.item for query in queries}) == 25
    assert not {query.item for query in queries} & set(TRUTH["id"].to_pylist()[:40])
    assert all(query.chance is None or 0 < query.chance <= 1 for query in queries)


def test_a_bandit_draws_items_by_how_probably_they_belong():
    """All of a vote for one arm goes to items in proportion to their chance of lying in it."""
    from spotheight.policies.bandit import Bandit

    made = campaign(gold=0, estimator=sh.EmpiricalBeta())
    view = made._view(set(), len(made.log))
    bandit = Bandit.of(view, "test")
    arm = 2
    weight = bandit.cell_weights(np.eye(len(bandit.groups))[arm], view.left)
    held = np.asarray(view.find_reach().held[:, arm].todense()).ravel()
    np.testing.assert_allclose(weight, held / held.sum(), atol=1e-9)


def test_variance_takes_the_item_that_most_probably_lies_in_its_arm():
    made = campaign(gold=30, policy=sh.Variance(), estimator=sh.EmpiricalBeta())
    surface, records = made.surface(), made.records()
    first = made.ask(1)[0].item
    arm = int(np.argmax(surface.rate.variance))
    free = [item for item in TRUTH["id"].to_pylist() if item not in made.ledger.told]
    partition = surface.partition
    spread = records.affiliation.spread(made.pool.rows(free), partition.attributes, "service")
    there = partition.find(spread.codes) == arm
    chance = dict(zip(np.array(free)[spread.row[there]], spread.weight[there], strict=True))
    assert chance[first] == max(chance.values())


def test_true_levels_of_the_pool_do_not_leak():
    """With other truths for everything that was not told, nothing changes."""
    other = TRUTH.set_column(TRUTH.column_names.index("smiling"), "smiling", [["yes"] * ROWS])
    surfaces = []
    for source in (TRUTH, other):
        made = sh.Campaign(pool(source=source, gold={"smiling": "smiling"}), sh.Spec(seed=3))
        some = TRUTH["id"].to_pylist()[:40]
        made.tell(dict.fromkeys(some, "m"), levels=told(some))
        surfaces.append(made.surface())
    np.testing.assert_array_equal(surfaces[0].mean, surfaces[1].mean)


def test_calibration_begins_when_enough_levels_are_told_and_moves_in_steps():
    steps = {0: 0, 19: 0, 20: 20, 24: 20, 25: 25, 31: 25, 32: 31, 1000: 888}
    assert {told: CalFull().uses(told) for told in steps} == steps
    assert campaign(gold=19).records().gold is None
    assert len(campaign(gold=24).records().gold) == 20


@pytest.mark.parametrize(
    ("levels", "complaint"),
    [
        ({"f0001": {"smiling": "maybe"}}, "'f0001': The attribute 'smiling' has no level 'maybe'"),
        ({"f0001": {"place": "in"}}, "only guessed, and 'place' is none"),
        ({"nobody": {"smiling": "yes"}}, "nobody"),
        ({"f0000": {"smiling": "no" if TRUTH["smiling"][0].as_py() == "yes" else "yes"}},
         "was said to have smiling"),
    ],
    ids=["level", "attribute", "item", "contradiction"],
)  # fmt: skip
def test_levels_that_cannot_be_are_refused_and_nothing_is_kept(levels, complaint):
    made = campaign(gold=1)
    before = len(made.log)
    with pytest.raises((InputError, ItemError), match=complaint):
        made.tell({}, levels=levels)
    assert len(made.log) == before


def test_a_bare_guess_is_believed_until_it_is_calibrated():
    table = TRUTH.append_column("guess", [np.where(np.array(TRUTH["p_hat"]) > 0.5, "y", "n")])
    roles = {**ROLES, "attributes": ["guess"], "guessed": {"guess": None}}
    made = sh.Campaign(sh.read_pool(table, **roles), sh.Spec(seed=3))
    some = table["id"].to_pylist()[:60]
    made.tell(dict.fromkeys(some, "m"))
    assert made.records().cells()[1].reach is None
    truth = dict(zip(table["id"].to_pylist(), table["hat"].to_pylist(), strict=True))
    made.tell({}, levels={item: {"guess": "y" if truth[item] == "1" else "n"} for item in some})
    reach = made.records().cells()[1].reach
    assert reach is not None
    share = reach.held.sum(axis=0)
    assert share.sum() == pytest.approx(ROWS, abs=1e-6)


def test_levels_may_be_numbers_and_rubbish_is_refused():
    guessed = {"hat": {1: "p_hat", 0: "1 - p_hat"}}
    for kind in ("column", "table"):
        assert pool(kind, guessed=guessed).layout.attributes[1].levels == ("1", "0")
    with pytest.raises(InputError, match=r"'hat' needs the column with its chances.*got 3"):
        pool(guessed={"hat": 3})


class TestModels:
    def test_a_classifier_stands_for_a_table(self):
        signs = np.column_stack([TRUTH["sign_smiling"].to_numpy(), TRUTH["sign_hat"].to_numpy()])
        model = LogisticRegression().fit(signs, TRUTH["smiling"].to_pylist())
        guess = sh.AttributeModel(model, ["sign_smiling", "sign_hat"])
        made = sh.read_pool(TRUTH, **ROLES, guessed={"smile": guess})
        cells = worlds.population(made, Independent())
        yes = cells.partition.where({"smile": "yes"})
        chances = model.predict_proba(signs)[:, list(model.classes_).index("yes")]
        # Chances below a hundredth of the likeliest one's are cut.
        assert cells.mass[yes].sum() == pytest.approx(chances.sum(), abs=0.01 * ROWS)

    @pytest.mark.parametrize(
        ("answer", "complaint"),
        [
            (lambda x: np.full((len(x), 3), 1 / 3), r"answered with shape \(300, 3\)"),
            (lambda x: np.full((len(x), 2), 0.4), "add up to 0.8"),
            (lambda x: np.full((len(x), 2), np.nan), "answered nan"),
            (lambda x: np.tile([1.5, -0.5], (len(x), 1)), "which is no probability"),
        ],
        ids=["shape", "sum", "nan", "range"],
    )
    def test_rubbish_is_refused(self, answer, complaint):
        guess = sh.AttributeModel(answer, ["sign_hat"], levels=["yes", "no"])
        with pytest.raises(InputError, match=complaint):
            sh.read_pool(TRUTH, **ROLES, guessed={"smile": guess})

    def test_a_function_must_name_its_levels(self):
        with pytest.raises(InputError, match="does not say what its levels are"):
            sh.read_pool(TRUTH, **ROLES, guessed={"s": sh.AttributeModel(len, ["sign_hat"])})


def test_more_combinations_than_can_be_summed_are_refused():
    names = [f"a{k:02d}" for k in range(21)]
    table = TRUTH
    for name in names:
        table = table.append_column(f"p_{name}", TRUTH["p_hat"])
    guessed = {name: f"p_{name}" for name in names}
    made = sh.Campaign(sh.read_pool(table, **ROLES, guessed=guessed), sh.Spec())
    some = table["id"].to_pylist()[:20]
    made.tell({}, levels={item: dict.fromkeys(names, "yes") for item in some})
    with pytest.raises(InputError, match="2,097,152 combinations"):
        made.records().evidence()


def test_worlds_are_as_described():
    """The models are too bold, so that there is something to calibrate."""
    said = np.maximum(TRUTH["p_hat"].to_numpy(), 1 - TRUTH["p_hat"].to_numpy()).mean()
    right = ((TRUTH["p_hat"].to_numpy() > 0.5) == (np.array(TRUTH["hat"]) == "1")).mean()
    assert said - right > 0.08
