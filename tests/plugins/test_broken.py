"""Packages that do not work: a sentence that names them, and all that is built in goes on."""

import sys
from dataclasses import dataclass

import pytest

from shell import INIT
from spotheight.campaign.spec import Spec
from spotheight.errors import InputError
from spotheight.models import Estimator
from spotheight.models.beta import Beta
from spotheight.models.pooled import Pooled
from spotheight.pool.reading.source import open_source
from spotheight.registry import (
    ESTIMATORS,
    POLICIES,
    TASKS,
    NotInstalledError,
    decode,
    describe,
    dumps,
    encode,
    loads,
    parse,
    plugins,
)

CODE = """
from dataclasses import dataclass, field
from spotheight.models import Estimator
from spotheight.models.beta import Beta
from spotheight.policies import Policy
from spotheight.policies.passive import Random
from spotheight.questions.quantities import HitRate, CalibrationError

class Plain:
    def fit(self, evidence, start=None): ...

@dataclass
class Thawed:
    def fit(self, evidence, start=None): ...

@dataclass(frozen=True)
class Fitless:
    depth: int = 3

@dataclass(frozen=True)
class Good(Estimator):
    depth: int = 3
    inner: Estimator = field(default_factory=Beta)
    only: Beta = field(default_factory=Beta)
    of: HitRate | CalibrationError = field(default_factory=HitRate)
    def fit(self, evidence, start=None): ...

@dataclass(frozen=True)
class Chooser:
    by: Policy = field(default_factory=Random)
    def choose(self, view, n, rng): ...

number = 3
"""


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Installs packages by their metadata alone, for the time of a test."""
    place = tmp_path / "installed"
    place.mkdir()
    (place / "outside.py").write_text(CODE)
    (place / "broken.py").write_text("import a_module_that_is_not_there")
    monkeypatch.syspath_prepend(place)

    def install(group, *entries, package="mine"):
        info = place / f"{package}-1.2.dist-info"
        info.mkdir(exist_ok=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.2\n")
        with (info / "entry_points.txt").open("a") as file:
            file.write("\n".join([f"[spotheight.{group}]", *entries, ""]))
        plugins.look_again()

    yield install
    sys.modules.pop("outside", None)
    plugins.look_again()


def refusal(act, *arguments):
    with pytest.raises(NotInstalledError) as caught:
        act(*arguments)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ("broken:Mine", "ModuleNotFoundError: No module named 'a_module_that_is_not_there'"),
        ("gone:Mine", "ModuleNotFoundError: No module named 'gone'"),
        ("outside:Gone", "AttributeError: module 'outside' has no attribute 'Gone'"),
        ("outside:number", "it is no dataclass but 'int'"),
        ("outside:Plain", "it is no dataclass but 'type'"),
        ("outside:Thawed", "the dataclass Thawed is not frozen"),
        ("outside:Fitless", "Fitless has no 'fit', which an estimator needs"),
    ],
)
def test_a_broken_package_is_named(installed, entry, why):
    installed("estimators", f"mine = {entry}")
    said = refusal(parse, "mine", ESTIMATORS)
    assert said == (
        f"The estimator 'mine' of the package 'mine==1.2' cannot be used ({why}); update that "
        f"package or uninstall it."
    )
    assert parse("beta", ESTIMATORS) == Beta()
    assert ESTIMATORS.names[-1] == "mine"  # listing names imports nothing
    assert loads(dumps(Spec()), Spec) == Spec()
    assert "did you mean 'mine'" in refusal(parse, "mines", ESTIMATORS)


def test_no_package_takes_a_name_that_is_built_in(installed, sh):
    installed("estimators", "additive = outside:Good", "good = outside:Good")
    installed("policies", "a,b = outside:Chooser")
    installed("readers", ".csv = outside:number", "csv = outside:number")
    assert type(parse("additive", ESTIMATORS)).__module__ == "spotheight.models.additive.estimator"
    assert list(ESTIMATORS.outside) == ["good"]
    (said,) = ESTIMATORS.refused
    assert said == (
        "The package 'mine==1.2' offers an estimator 'additive', but that name is built in and "
        "stays what it is."
    )
    shown = " ".join(sh.ok("init", "--help").stdout.split())
    assert said in shown
    assert "offers a policy 'a,b', but no such name can be written" in shown
    assert open_source("calls.csv").count().to_pyarrow().as_py() == 120
    (sh.folder / "calls.odd").write_text("x")
    with pytest.raises(InputError, match="a reader 'csv', but no ending reads like that"):
        open_source("calls.odd")


def test_two_packages_with_one_name_are_both_named(installed):
    installed("estimators", "mine = outside:Good")
    installed("estimators", "mine = outside:Fitless", package="yours")
    assert refusal(parse, "mine", ESTIMATORS) == (
        "The packages 'mine==1.2' and 'yours==1.2' both offer an estimator 'mine'; uninstall one."
    )


def test_a_broken_reader_is_named(installed, tmp_path):
    installed("readers", ".foo = broken:read", ".far = outside:number", ".sad = builtins:len")
    for ending, why in (("foo", "ModuleNotFound"), ("far", "no function but 'int'")):
        path = tmp_path / f"pool.{ending}"
        path.write_text("x")
        assert why in refusal(open_source, path)
    path = tmp_path / "pool.sad"
    path.write_text("x")
    with pytest.raises(InputError, match=r"with the reader of .mine==1\.2."):
        open_source(path)


def test_fields_of_outside_types_are_read_by_their_hints(installed):
    """A protocol of ours, one type, a choice of types: each goes to file and back."""
    installed("estimators", "good = outside:Good")
    installed("policies", "chooser = outside:Chooser")
    text = "good:depth=5,inner=(good:inner=pooled),only=(beta:prior=jeffreys),of=(ece:bins=4)"
    value = parse(text, ESTIMATORS)
    assert value.inner.inner == Pooled()
    assert describe(value) == text
    assert loads(dumps(value), Estimator) == value
    assert encode(value)["inner"]["from"] == "mine==1.2"
    chosen = parse("mix:first=(chooser:by=(thompson)),second=(chooser)", POLICIES)
    assert describe(chosen.first) == "chooser:by=thompson"
    with pytest.raises(InputError, match="'pooled' cannot stand here"):
        parse("good:only=(pooled)", ESTIMATORS)


def test_another_package_of_that_name_is_not_taken_for_it(installed):
    installed("estimators", "good = outside:Good")
    data = {"name": "good", "from": "theirs==1"}
    said = refusal(decode, data, Estimator)
    assert "'good' comes with the package 'theirs==1', which does not offer it here" in said
    assert decode(data | {"from": "mine==7"}, Estimator).depth == 3  # in whatever version
    assert "'theirs==1'" in refusal(decode, {"name": "beta", "from": "theirs==1"}, Estimator)


@dataclass(frozen=True)
class Nameless:
    """An estimator that no package offers under a name."""

    def fit(self, evidence, start=None):
        return Beta().fit(evidence, start)


def test_what_has_no_name_is_not_written_to_a_file():
    with pytest.raises(InputError, match="Nameless is no estimator that can be written"):
        dumps(Spec(estimator=Nameless()))


def test_a_command_says_so_in_one_sentence(installed, sh):
    installed("policies", "mine = broken:Mine")
    assert "'mine==1.2' cannot be used" in " ".join(sh.refused(*INIT, "--policy", "mine").split())
    sh.ok(*INIT, "--policy", "random")
    assert TASKS.names[0] == "estimate"
