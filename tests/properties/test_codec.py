"""Whatever is written can be read back, and what cannot be read says what was meant."""

import json

import pytest
from hypothesis import Phase, example, find, given, settings
from hypothesis import strategies as st

import spotheight
from properties import strategies as make
from spotheight import Compare, Estimate, metrics, policies
from spotheight import registry as codec
from spotheight.campaign.spec import Spec
from spotheight.errors import InputError
from spotheight.guesses import Calibrator
from spotheight.history import events as log
from spotheight.models import ClassEstimator, Estimator, ItemEstimator
from spotheight.pool import Roles
from spotheight.pool.layout import Layout
from spotheight.questions import Task

FAMILIES = {
    "estimator": (Estimator, codec.ESTIMATORS, make.estimator),
    "class estimator": (ClassEstimator, codec.CLASS_ESTIMATORS, make.class_estimator),
    "item estimator": (ItemEstimator, codec.ITEM_ESTIMATORS, make.item_estimator),
    "policy": (policies.Policy, codec.POLICIES, make.policy),
    "turn policy": (policies.TurnPolicy, codec.POLICIES, make.turn_policy),
    "task": (Task, codec.TASKS, make.task),
    "metric": (metrics.Metric, codec.METRICS, make.metric),
    "calibration": (Calibrator, codec.CALIBRATIONS, make.calibration),
}
MEMBERS = st.one_of(
    *(
        st.tuples(st.just(hint), st.just(family), values)
        for hint, family, values in FAMILIES.values()
    )
)


@make.MANY
@given(MEMBERS)
def test_members_round_trip_as_json(member):
    hint, _, value = member
    assert codec.loads(codec.dumps(value), hint) == value


@make.MANY
@given(MEMBERS)
@example((metrics.Metric, codec.METRICS, metrics.Recall("a,b=(c) ")))
@example((Task, codec.TASKS, Estimate(("age:edges=18,65", "@score:bins=4"))))
def test_members_round_trip_in_their_short_form(member):
    """All but slices, tables, unbalanced brackets and a plus in a list, for which there is the long
    form: those are refused or differ, and writing a spec never uses the short form for them."""
    hint, family, value = member
    try:
        again = codec.parse(codec.describe(value), family)
    except InputError:
        again = None
    assert again == value or has_no_short_form(value)
    assert codec.decode({"name": family.name(value), **fields_of(value)}, hint) == value


def has_no_short_form(value) -> bool:
    if isinstance(value, Compare):
        return True
    written = json.dumps(codec.encode(value), ensure_ascii=False)
    is_odd = any(letter in written for letter in "()+")
    return is_odd or has_table(codec.encode(value)) or has_edge_blanks(value)


def has_table(data) -> bool:
    """Whether a part is a table and no member, as costs or positives by category are."""
    parts = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    is_table = isinstance(data, dict) and bool(data) and "name" not in data
    return is_table or any(map(has_table, parts))


def has_edge_blanks(value) -> bool:
    return any(
        isinstance(part, str) and part != part.strip()
        for item in vars(value).values()
        for part in (item if isinstance(item, tuple) else (item,))
    )


def fields_of(value):
    return {key: item for key, item in codec.encode(value).items() if key != "name"}


@pytest.mark.parametrize("noun", FAMILIES)
def test_every_member_of_every_family_is_tried(noun):
    """A new member joins the strategies, or this fails."""
    _, family, values = FAMILIES[noun]
    for member in family.members.values():
        if (noun, member) != ("turn policy", spotheight.ExpectedChange):
            found = find(values, lambda value, kind=member: type(value) is kind, settings=THOROUGH)
            assert type(found) is member


THOROUGH = settings(
    max_examples=2000, database=None, derandomize=True, phases=[Phase.generate], deadline=None
)


@make.MANY
@given(make.events(make.words, make.label))
def test_events_round_trip(event):
    assert codec.loads(codec.dumps(event), log.Event) == event
    assert "\n" not in codec.dumps(event)


@make.MANY
@given(make.roles())
def test_roles_round_trip(roles):
    assert codec.loads(codec.dumps(roles), Roles) == roles


@make.MANY
@given(make.layouts)
def test_layouts_round_trip(layout):
    assert codec.loads(codec.dumps(layout), Layout) == layout


@make.MANY
@given(make.spec)
@example(Spec(metric=metrics.Recall("Doe, John")))
@example(Spec(metric=metrics.Recall("a)b(c")))
@example(Spec(metric=metrics.Precision("\x7f\x00\n\"'\\")))
@example(Spec(task=Compare({"😀": ("a", "b+c")}, {"é": "\x7f"})))
@example(Spec(task=Estimate(("a+b", "c"))))
def test_specs_round_trip_as_toml_and_as_json(spec):
    assert codec.read_spec(codec.write_spec(spec)) == spec
    assert codec.loads(codec.dumps(spec), Spec) == spec


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("policy = 'tompson'", "no policy 'tompson'; did you mean 'thompson'?"),
        ("polcy = 'random'", "no field 'polcy'; did you mean 'policy'?"),
        ("policy = 'thompson:drows=3'", "no field 'drows'; did you mean 'draws'?"),
        ("policy = 'thompson:3'", "'3' should read field=value"),
        ("policy = 'thompson:draws=many'", "'many' is not a whole number"),
        ("policy = { name = 'thompson', draws = 2.5 }", "2.5 is not a whole number"),
        ("policy = { draws = 2 }", "A policy needs a name"),
        ("policy = 3", "A policy needs a name, got 3"),
        ("policy = 'mix:first=(uniforn)'", "no policy 'uniforn'; did you mean 'uniform'?"),
        ("policy = 'mix:share=2'", "from 0 to 1, got 2"),
        ("metric = 'recall'", "Recall needs 'cls'"),
        ("metric = { name = 'recall', cls = 3 }", "3 is not text"),
        ("estimator = 'beta:prior=strong'", "'strong' is none of uninformed, jeffreys"),
        ("estimator = 'beta:strength=-1'", "must not be negative, got -1"),
        ("estimator = 'beta:strength=nan'", "must not be negative, got nan"),
        ("task = { name = 'estimate', partition = 5 }", "5 should be a list"),
        ("task = { name = 'compare', first = 5, second = {} }", "5 should be a list"),
        ("task = { name = 'compare', first = 'ab', second = {} }", "slice 'ab' should read like"),
        ("task = 'identify:of=speed'", "no quantity 'speed'; there is metric"),
        ("task = 'cost'", "Cost needs 'costs'"),
        ("seed = 'lucky'", "'lucky' is not a whole number"),
        ("seed = 1.5", "1.5 is not a whole number"),
        ("seed = true", "True is not a whole number"),
        ("seed = -1", "seed must be a whole number from 0 on, got -1"),
        ("budget = 0", "at least 1 label, got 0"),
        ("budget = inf", "inf is not a whole number"),
        ("level = 90", "between 0 and 1, got 90.0"),
        ("seed = ", "The spec is no TOML"),
    ],
)
def test_what_cannot_be_read_is_said_in_a_sentence(text, complaint):
    with pytest.raises(InputError) as caught:
        codec.read_spec(text)
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_value_of_no_family_cannot_be_named():
    with pytest.raises(InputError, match="Spec is no policy that can be written"):
        codec.POLICIES.name(Spec())


PRESETS = [(name, codec.ESTIMATORS.presets[name]) for name in codec.ESTIMATORS.presets]


@pytest.mark.parametrize(("name", "preset"), PRESETS, ids=[name for name, _ in PRESETS])
def test_a_preset_is_a_name_for_some_fields(name, preset):
    value = codec.parse(name, codec.ESTIMATORS)
    assert {key: getattr(value, key) for key in preset} == preset
    assert codec.describe(value) == name
    assert codec.decode({"name": name}, Estimator) == value


@make.MANY
@given(make.latent_estimators())
def test_a_name_with_presets_leaves_as_little_to_be_said_as_any(value):
    family = codec.ESTIMATORS
    names = [name for name, member in family.members.items() if member is type(value)]
    said = {name: len(family.unsaid(name, value)) for name in names}
    assert said[family.name(value)] == min(said.values())
    assert codec.parse(codec.describe(value), family) == value


def test_a_preset_gives_way_to_what_is_said():
    text = "betagp-slp:scale_supervision=dirichlet,pooling=equal"
    value = codec.parse(text, codec.ESTIMATORS)
    assert (value.scale_supervision, value.pooling, value.beta) == ("dirichlet", "equal", "belief")
    assert codec.describe(value) == text


def test_the_short_form_shows_only_what_differs():
    assert codec.describe(spotheight.Mix()) == "mix"
    mixed = spotheight.Mix(share=0.5, second=spotheight.Thompson(draws=8))
    assert codec.describe(mixed) == "mix:share=0.5,second=(thompson:draws=8)"
