"""The warm processes, one of each kind for all tests of a worker."""

import shutil

import pytest

from tests.attack import faults
from tests.attack.driver import Driver
from tests.attack.fuzz import Fuzz


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    """The library of faults."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler (cc) to build the library of faults with")
    return faults.compiled(tmp_path_factory.mktemp("fault"))


@pytest.fixture(scope="session")
def faulty(library):
    """A warm process with the library of faults in it."""
    with Driver(library) as driver:
        yield driver


@pytest.fixture(scope="session")
def faultless():
    """A warm process."""
    with Driver() as driver:
        yield driver


@pytest.fixture(scope="session")
def fuzz(faultless, tmp_path_factory):
    """Cases by kind and seed."""
    return Fuzz(faultless, tmp_path_factory.mktemp("fuzz"))
