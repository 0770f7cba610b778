"""Attributes that are only guessed: true levels are told, guesses are calibrated, nothing leaks."""

import numpy as np
import pyarrow as pa
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import spotheight as sh
import worlds
from spotheight.arms import Recipe
from spotheight.errors import InputError, ItemError
from spotheight.guesses import CalFull, CalRaw, CalTemp
from spotheight.numerics.joint import Joint
from spotheight.policies.gain import Gain
from spotheight.policies.mix import Mix
from spotheight.policies.optimist import BayesUCB
from spotheight.policies.passive import Random, Uniform
from spotheight.policies.thompson import Thompson, TopTwo
from spotheight.pool.chances import ArmChances
from spotheight.pool.placement import CertainPlacement, GuessedPlacement
from spotheight.pool.strata import Strata
from spotheight.report.groups import read_arms

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


@pytest.mark.parametrize("metric", [sh.Accuracy(), sh.Precision("m")], ids=repr)
@pytest.mark.parametrize("kind", ["column", "table"])
def test_levels_told_without_a_label_put_items_where_they_belong(kind, metric):
    """Once all are told, masses are the plain counts of true arms."""
    made = sh.Campaign(pool(kind), sh.Spec(calibration=CalRaw(), metric=metric))
    made.tell({}, levels=told(TRUTH["id"].to_pylist()))
    cells = made.records().evidence().cells
    rows = TRUTH.to_pylist()
    if metric != sh.Accuracy():
        rows = [row for row in rows if row["prediction"] == "m"]
    truths = [(row["place"], row["smiling"], ["no", "yes"][int(row["hat"])]) for row in rows]
    counts = [truths.count(cells.partition.levels(arm)) for arm in range(cells.arms)]
    np.testing.assert_allclose(cells.mass, counts, atol=1e-6)
    np.testing.assert_allclose(cells.arm_weight, counts, atol=1e-6)


def test_labels_settle_no_arm_while_items_may_lie_in_several():
    items = TRUTH["id"].to_pylist()
    made = sh.Campaign(pool(), sh.Spec(calibration=CalRaw()))
    made.tell(dict.fromkeys(items, "m"))
    evidence, surface = made.records().evidence(), made.surface()
    assert evidence.settled.labelled.sum() < 5  # of these the models are sure
    assert (evidence.rest >= evidence.cells.mass - evidence.settled.labelled - 1e-6).all()
    assert "complete" not in surface.status()
    assert "complete" not in read_arms(surface, 0.9).status
    low, high = surface.interval()
    assert (high - low > 0.01).all()


def test_nothing_is_left_once_all_items_are_labelled():
    """Expected items are sums of rounded chances, whose last digits are no items."""
    items = TRUTH["id"].to_pylist()
    made = sh.Campaign(pool(), sh.Spec(calibration=CalRaw()))
    made.tell(dict.fromkeys(items, "m"), levels=told(items))
    evidence = made.records().evidence()
    assert set(made.surface().status()[evidence.cells.mass > 0]) == {"complete"}
    assert not evidence.rest.any()
    hit, counts = np.array(TRUTH["prediction"]) == "m", evidence.counts
    assert counts.hits.sum() == pytest.approx(hit.sum())
    np.testing.assert_allclose(made.surface().mean, counts.hits / counts.trials, atol=1e-6)


def test_what_is_kept_between_moments_changes_no_evidence():
    made, items = campaign(gold=19), TRUTH["id"].to_pylist()
    false = {"smiling": "no" if TRUTH["smiling"][5].as_py() == "yes" else "yes"}
    steps = [
        (told(items[19:22]), {}),
        (told(items[60:62]), {}),
        ({items[4]: false, items[5]: false}, {"annotator": "eve"}),
        ({items[5]: false}, {"is_correction": True}),
    ]
    for levels, how in steps:
        made.record(made.plan_levels(levels, **how))
        for recipes in (None, (Recipe("smiling"),)):
            kept = made.records().evidence(recipes)
            fresh = sh.Campaign(made.pool, made.spec, list(made.log)).records().evidence(recipes)
            np.testing.assert_array_equal(kept.cells.mass, fresh.cells.mass)
            np.testing.assert_array_equal(kept.counts.trials, fresh.counts.trials)


@pytest.mark.parametrize("is_paired", [False, True])
def test_fewer_attributes_are_summed_out_before_arms_are_cut(is_paired):
    """Against all 256 combinations, of which an item is spread over 64 at most."""
    rng, size = np.random.default_rng(5), 8
    table = TRUTH.slice(0, 20)
    for k in range(size):
        table = table.append_column(f"p{k}", [rng.uniform(0.3, 0.7, 20)])
    made = sh.read_pool(table, id="id", prediction="prediction",
                        guessed={f"a{k}": f"p{k}" for k in range(size)})  # fmt: skip
    attributes, columns = made.layout.attributes, made.rows(table["id"].to_pylist())
    both = [(k, m) for k in range(size) for m in range(k + 1, size)]
    pairs = tuple((at, rng.normal(size=(2, 2)) * 0.5) for at in both) if is_paired else ()
    tilt = tuple(rng.normal(size=(size, 2)) * 0.3)
    joint = Joint(rng.uniform(0.5, 1.5, size), tilt, pairs)
    found = ArmChances(attributes, joint).spread(columns, attributes[3:4], "service")
    chance = np.zeros((20, 2))
    np.add.at(chance, (found.row, found.codes[:, 0]), found.weight)

    shares = [np.column_stack([columns[g] for g in a.guesses]) for a in attributes]
    log = np.zeros((20, *(2,) * size))
    for k, t in enumerate(joint.temperature):
        shape = [20, *(2 if k == m else 1 for m in range(size))]
        log += (t * np.log(shares[k]) + tilt[k]).reshape(shape)
    for (k, m), theta in pairs:
        log += theta.reshape([1, *(2 if j in (k, m) else 1 for j in range(size))])
    weight = np.exp(log).sum(axis=tuple(j + 1 for j in range(size) if j != 3))
    np.testing.assert_allclose(chance, weight / weight.sum(axis=1, keepdims=True), atol=1e-9)


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
    view = made._planner.view(set(), lambda: made.believe(made.spec.task))
    bandit = Bandit.of(view, "test")
    arm = 2
    weight = bandit.cell_weights(np.eye(len(bandit.groups))[arm], view.left)
    reach = ArmChances().reach(made.records().strata())
    held = np.asarray(reach.held[:, arm].todense()).ravel()
    np.testing.assert_allclose(weight, held / held.sum(), atol=1e-9)


def test_variance_takes_the_item_that_most_probably_lies_in_its_arm():
    made = campaign(gold=30, policy=sh.Variance(), estimator=sh.EmpiricalBeta())
    surface, records = made.surface(), made.records()
    first = made.ask(1)[0].item
    arm = int(np.argmax(surface.rate.variance))
    free = [item for item in TRUTH["id"].to_pylist() if item not in made.ledger.told]
    partition = surface.partition
    placement = records.placement(partition.attributes)
    spread = placement.spread(made.pool.rows(free), partition.attributes, "service")
    there = partition.find(spread.codes) == arm
    chance = dict(zip(np.array(free)[spread.row[there]], spread.weight[there], strict=True))
    assert chance[first] == max(chance.values())


def test_variance_serves_a_whole_batch_alike_from_both_pools():
    spec = {"policy": sh.Variance(), "estimator": sh.EmpiricalBeta()}
    ours, theirs = (campaign(kind, gold=30, **spec).ask(255) for kind in ("column", "table"))
    assert ours == theirs
    assert len({query.item for query in ours}) == 255
    columns = pool().rows([query.item for query in ours])
    names = ("place", "smiling", "hat")
    for row, query in enumerate(ours):
        levels = [f"{name}={columns[f'attribute:{name}'][row]}" for name in names]
        assert query.arm == ", ".join(levels)
    assert campaign(gold=30, budget=40, **spec).ask(5) == ()


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
    attributes = made.pool.layout.attributes
    assert made.records().placement(attributes).is_certain(attributes)
    truth = dict(zip(table["id"].to_pylist(), table["hat"].to_pylist(), strict=True))
    made.tell({}, levels={item: {"guess": "y" if truth[item] == "1" else "n"} for item in some})
    records = made.records()
    assert not records.placement(attributes).is_certain(attributes)
    share = records.placement(attributes).chances.reach(records.strata()).held.sum(axis=0)
    assert share.sum() == pytest.approx(ROWS, abs=1e-6)


@pytest.mark.parametrize("policy", [*POLICIES, sh.Variance()], ids=lambda p: type(p).__name__)
def test_policies_ask_on_when_a_few_bare_guesses_were_wrong(policy):
    """Inside, nobody is ever guessed to wear a hat: the arm of those who do is in no cell."""
    guess = np.where(np.array(TRUTH["place"]) == "in", "n", TRUTH["hat"].to_pylist())
    table = TRUTH.append_column("guess", [np.where(guess == "1", "y", "n")])
    made = sh.Campaign(
        sh.read_pool(table, **ROLES, guessed={"guess": None}),
        sh.Spec(seed=3, policy=policy, estimator=sh.EmpiricalBeta()),
    )
    some = table["id"].to_pylist()[:15]
    truth = dict(zip(table["id"].to_pylist(), table["hat"].to_pylist(), strict=True))
    levels = {item: {"guess": "y" if truth[item] == "1" else "n"} for item in some}
    made.tell(dict.fromkeys(some, "m"), levels=levels)
    assert made.surface().cells.arms == made.records().strata().cells.arms + 1
    items = {query.item for query in made.ask(200)}
    assert len(items) == 200 and not items & set(some)


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
        cells = worlds.population(made)
        yes = cells.partition.where({"smile": "yes"})
        chances = model.predict_proba(signs)[:, list(model.classes_).index("yes")]
        # Chances below a thousandth of the likeliest one's are cut.
        assert cells.mass[yes].sum() == pytest.approx(chances.sum(), abs=0.01 * ROWS)

    @pytest.mark.parametrize(
        ("answer", "complaint"),
        [
            (lambda x: np.full((len(x), 3), 1 / 3), r"answered with shape \(300, 3\)"),
            (lambda x: np.full((len(x), 2), 0.4), "add up to 0.8"),
            (lambda x: np.full((len(x), 2), np.nan), "answered nan"),
            (lambda x: np.tile([1.5, -0.5], (len(x), 1)), "which is no probability"),
            (lambda x: "likely", "answered 'likely', not with a row of probabilities"),
            (lambda x: [[0.5, 0.5], [1.0]], "not with a row of probabilities"),
            ("a model", "must be a classifier with predict_proba, or a function"),
        ],
        ids=["shape", "sum", "nan", "range", "words", "ragged", "no function"],
    )
    def test_rubbish_is_refused(self, answer, complaint):
        guess = sh.AttributeModel(answer, ["sign_hat"], levels=["yes", "no"])
        with pytest.raises(InputError, match=complaint):
            sh.read_pool(TRUTH, **ROLES, guessed={"smile": guess})

    def test_a_classifier_of_named_columns_gets_them_by_name(self):
        signs = TRUTH.select(["sign_smiling", "sign_hat"]).to_pandas()
        model = make_pipeline(
            ColumnTransformer([("one", "passthrough", ["sign_hat"])]), LogisticRegression()
        ).fit(signs, TRUTH["smiling"].to_pylist())
        guess = sh.AttributeModel(model, ["sign_smiling", "sign_hat"])
        chances = guess.chances(TRUTH, "smile")
        np.testing.assert_array_equal(chances, model.predict_proba(signs))

    def test_a_model_must_look_at_something(self):
        with pytest.raises(InputError, match="looks at no column"):
            sh.AttributeModel(len, [], levels=["yes"]).chances(TRUTH, "smile")

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


def test_guesses_place_items_as_certain_attributes_do_where_none_is_guessed():
    """One law for both ways to place items: callers need not know which one they have."""
    made = sh.read_pool(TRUTH, id="id", prediction="prediction", attributes=["place"])
    attributes = made.layout.attributes
    strata = Strata(made, made.cells(attributes, "service"))
    columns = made.rows(TRUTH["id"].to_pylist()[:20])
    certain, guessed = CertainPlacement(), GuessedPlacement(ArmChances())
    for each in (certain, guessed):
        assert each.is_certain(attributes)
        assert each.cells(strata) is strata.cells
        assert each.arms(strata) == strata.cells.arms
        assert each.landing(strata, strata.cells) is None
    ours, theirs = (each.spread(columns, attributes, "service") for each in (certain, guessed))
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(mine, other)
    for each in (certain, guessed):
        kind, spread = each.kinds(columns, strata)
        np.testing.assert_array_equal(spread.codes[kind], ours.codes)
