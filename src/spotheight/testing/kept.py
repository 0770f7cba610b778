"""What all algorithms promise that campaign files name."""

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from spotheight.campaign.spec import Spec
from spotheight.errors import InputError
from spotheight.registry import dumps, loads, read_spec, write_spec
from spotheight.registry.values import family_of
from spotheight.types import FloatArray


class KeptContract:
    """An algorithm is a frozen value with a name, so that a campaign file can say which it was."""

    field: str
    """Where it stands in a ``Spec``."""

    def make(self) -> Any:
        """The algorithm to be tried, the same each time."""
        raise NotImplementedError("Say what is to be tried: def make(self): return Mine().")

    def test_it_is_a_frozen_value(self) -> None:
        value = self.make()
        assert is_dataclass(type(value))
        assert value == self.make()
        frozen = type(value).__dataclass_params__.frozen
        assert frozen, "write @dataclass(frozen=True)"

    def test_it_has_a_name_and_a_first_line_for_help(self) -> None:
        """The name is an entry point's; ``status`` shows the first line of the documentation."""
        value = self.make()
        family = family_of(value)
        assert family is not None, f"no entry point names {type(value).__name__}"
        assert family.of(family.name(value)) is type(value)
        assert (type(value).__doc__ or "").split("\n")[0].strip()

    def test_it_comes_back_from_a_campaign_file_and_from_a_spec(self) -> None:
        """As JSON, and as TOML in its short form or as a table."""
        spec = Spec(**{self.field: self.make()})
        assert loads(dumps(spec), Spec) == spec
        assert read_spec(write_spec(spec)) == spec


def numbers(answer: Any) -> Iterator[FloatArray]:
    """All numbers of an answer, so that two can be compared."""
    if isinstance(answer, np.ndarray):
        if answer.dtype.kind in "fiub":
            yield np.asarray(answer, dtype=float).ravel()
    elif isinstance(answer, float | int):
        yield np.array([float(answer)])
    elif is_dataclass(answer):
        for f in fields(answer):
            if f.name not in ("groups", "basis", "belief"):
                yield from numbers(getattr(answer, f.name))


def refusal(act: Callable[[], object]) -> str:
    """The sentence for users by which something is refused; raise where it is taken."""
    try:
        act()
    except InputError as error:
        return str(error)
    raise AssertionError("This was taken, and should be refused with an InputError.")
