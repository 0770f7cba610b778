"""Options that several commands share."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import click

from spotheight.arms import Recipe
from spotheight.errors import InputError
from spotheight.pool.reading.fetch import fetched
from spotheight.pool.reading.source import open_source
from spotheight.pool.roles import SOLE, Roles, Service, Threshold, require_one_service, whether

Command = TypeVar("Command", bound=Callable[..., Any])


class Share(click.FloatRange):
    """A number in a range; ``nan`` is none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if number != number:
            self.fail(f"{value!r} is not a number.", param, ctx)
        return number


campaign_argument = click.argument("path", metavar="NAME.db", type=click.Path(path_type=Path))
estimand_option = click.option(
    "--estimand",
    type=click.Choice(["pool", "rate"]),
    default="pool",
    show_default=True,
    help="pool: these items, what was labelled is known. rate: the service on such inputs.",
)
force_option = click.option(
    "--force",
    is_flag=True,
    help="Replace a file that is there already; a campaign and its pool never are.",
)
glob_option = click.option(
    "--pool-glob",
    is_flag=True,
    help="The table is a pattern, such as 'parts/*.parquet', and every file that fits is a part of "
    "it. [default: a name is a name, whatever signs it holds]",
)
annotator_option = click.option("--annotator", default="", help="Who labels.")


def _only(context: click.Context, option: click.Parameter, is_wanted: bool) -> bool:
    """Raise where an answer is asked for in two formats."""
    other = {"is_json": "is_csv", "is_csv": "is_json"}[str(option.name)]
    if is_wanted and context.params.get(other):
        raise InputError("Ask for --json or for --csv, not for both.")
    return is_wanted


json_option = click.option("--json", "is_json", is_flag=True, callback=_only, help="Print JSON.")
csv_option = click.option("--csv", "is_csv", is_flag=True, callback=_only, help="Print CSV.")
level_option = click.option(
    "--level", type=float, help="Of the intervals. [default: the campaign's, .9]"
)

_ROLES = [
    click.option("--id", "id_", metavar="COL", help="The item's name."),
    click.option("--prediction", "predictions", metavar="[NAME=]COL", multiple=True,
                 help="The service's answer; repeat with NAME= for several services."),
    click.option("--score", "scores", metavar="[NAME=]COL", multiple=True,
                 help="How sure the service was: any finite number."),
    click.option("--threshold", "thresholds", metavar="[NAME=]VALUE", multiple=True,
                 help="In the place of --prediction: the answer is --positive where the score is "
                      "at least VALUE, else --negative."),
    click.option("--positive", metavar="WORD", help="The answer from the threshold on."),
    click.option("--negative", metavar="WORD",
                 help="The answer below it. [default: the other one of two classes]"),
    click.option("--verdict", "verdicts", metavar="[NAME=]COL", multiple=True,
                 help="With --judge: verdicts from 0 to 1 that are known already."),
    click.option("--probability", "probabilities", metavar="CLASS=COL", multiple=True,
                 help="The probability the service gave to a class."),
    click.option("--map", "maps", metavar="[NAME=]FILE.csv", multiple=True,
                 help="Two columns: the service's word, the label's word."),
    click.option("--system", metavar="COL",
                 help="Long form: the column that names the service of each row."),
    click.option("--attribute", "attributes", metavar="NAME[:CUT]", multiple=True,
                 help="NAME, NAME:bins=4, NAME:widths=4, NAME:edges=18,65, NAME:ordered=S,M,L, "
                      "@prediction, @score:bins=10."),
    click.option("--attribute-probabilities", "chances", metavar="NAME[:LEVEL]=COL", multiple=True,
                 help="An attribute that is only guessed: the chance that it is there (levels yes "
                      "and no), or a column for each LEVEL."),
    click.option("--guessed", metavar="NAME", multiple=True,
                 help="An attribute whose column is a model's bare guess."),
    click.option("--gold", metavar="NAME=COL", multiple=True,
                 help="The true level of a guessed attribute, where it is known."),
    click.option("--label", metavar="COL", help="The truth, where it is known."),
    click.option("--noisy-label", metavar="COL", multiple=True,
                 help="A doubtful label, from 0 to 1; repeat for several sources."),
    click.option("--category", metavar="COL", help="With --id names an (item, category) pair."),
    click.option("--weight", metavar="COL", help="How many inputs an item stands for."),
    click.option("--price", metavar="COL", help="What a label of the item costs."),
    click.option("--payload", metavar="COL", multiple=True,
                 help="What the person who labels gets to see; may be repeated."),
    click.option("--classes", metavar="A,B,C", help="The labels that may be told."),
    click.option("--judge", is_flag=True,
                 help="People judge each answer from 0 to 1 instead of naming the truth."),
]  # fmt: skip


def role_options(command: Command) -> Command:
    """Everything that says which column plays which part."""
    for option in reversed(_ROLES):
        command = option(command)
    return command


def read_roles(options: dict[str, Any]) -> Roles:
    """Roles from the options of ``role_options``, which are taken out of ``options``."""
    taken = {name: options.pop(name) for name in _NAMES}
    columns = {
        field: _named(taken[plural], f"--{field}")
        for field, plural in (("prediction", "predictions"), ("score", "scores"),
                              ("threshold", "thresholds"), ("verdict", "verdicts"), ("map", "maps"))
    }  # fmt: skip
    named = ("prediction", "score", "threshold", "verdict")
    names = list(dict.fromkeys(name for part in named for name in columns[part]))
    require_one_service(names, taken["probabilities"])
    strange = sorted(set(columns["map"]) - set(names))
    if strange:
        raise InputError(f"--map names the service {strange[0]!r}, which has no --prediction.")
    guesses = read_guesses(taken["chances"], taken["guessed"])
    attributes = tuple(Recipe.parse(text) for text in taken["attributes"])
    cut = {recipe.column for recipe in attributes}
    services = tuple(_service(name, columns, taken["probabilities"]) for name in names)
    words = _words_of_threshold(taken, is_needed=bool(columns["threshold"]))
    return Roles(
        id=taken["id_"],
        services=tuple(
            replace(one, threshold=_threshold(columns["threshold"][one.name], words))
            if one.name in columns["threshold"]
            else one
            for one in services
        ),
        attributes=(*attributes, *(Recipe(name) for name in guesses if name not in cut)),
        guesses=guesses,
        gold=_by_name(taken["gold"], "--gold"),
        system=taken["system"],
        label=taken["label"],
        noisy_label=taken["noisy_label"],
        category=taken["category"],
        weight=taken["weight"],
        price=taken["price"],
        payload=taken["payload"],
        classes=_classes(taken["classes"]),
        judge=taken["judge"],
    )


def _threshold(text: str, words: tuple[str, str]) -> Threshold:
    try:
        return Threshold(float(text), *words)
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"--threshold {text!r} is no number; give one such as .5.") from None


_OPPOSITES = {"yes": "no", "true": "false", "1": "0", "positive": "negative"}


def _words_of_threshold(taken: dict[str, Any], *, is_needed: bool) -> tuple[str, str]:
    """The answer from the threshold on, and the one below it."""
    positive, negative = taken["positive"], taken["negative"]
    if not is_needed:
        if positive or negative:
            raise InputError("--positive and --negative go with --threshold VALUE; add it.")
        return "", ""
    if not positive:
        raise InputError("Say what the answer is from the threshold on, as in --positive yes.")
    others = [cls for cls in _classes(taken["classes"]) if cls != positive]
    other = others[0] if len(others) == 1 else _OPPOSITES.get(positive)
    if not (negative or other):
        raise InputError(
            f"Say what the answer is below the threshold, where it is not {positive!r}: "
            f"--negative WORD."
        )
    return positive, negative or str(other)


_NAMES = (
    "id_", "predictions", "scores", "thresholds", "positive", "negative", "verdicts",
    "probabilities", "maps", "system", "attributes",
    "chances", "guessed", "gold",
    "label", "noisy_label", "category", "weight", "price", "payload", "classes", "judge",
)  # fmt: skip


def read_guesses(
    chances: Sequence[str], bare: Sequence[str]
) -> dict[str, tuple[tuple[str, str], ...]]:
    """``NAME=COL`` for whether it is there, ``NAME:LEVEL=COL`` for each of several levels."""
    guesses: dict[str, tuple[tuple[str, str], ...]] = dict.fromkeys(bare, ())
    whole = set(bare)
    for text in chances:
        left, equals, column = text.partition("=")
        name, colon, level = left.partition(":")
        if not equals or not name or not column or (colon and not level):
            raise InputError(
                f"--attribute-probabilities {text!r} should read NAME=COL or NAME:LEVEL=COL."
            )
        fresh = ((level, column),) if colon else whether(column)
        if name in guesses and (not colon or name in whole):
            raise InputError(f"The guessed attribute {name!r} is named twice; name it once.")
        if not colon:
            whole.add(name)
        guesses[name] = (*guesses.get(name, ()), *fresh)
    return guesses


def _by_name(values: Sequence[str], option: str) -> dict[str, str]:
    pairs = [value.partition("=") for value in values]
    for (name, equals, column), value in zip(pairs, values, strict=True):
        if not (name and equals and column):
            raise InputError(f"{option} {value!r} should read NAME=COL.")
    named = {name: column for name, _, column in pairs}
    if len(named) < len(pairs):
        names = [name for name, _, _ in pairs]
        doubled = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{option} is given twice for {doubled!r}; name one column for it.")
    return named


def taken_roles(options: dict[str, Any]) -> list[str]:
    """The options of ``role_options`` that were given, as they are written; all are taken out."""
    taken = {name: options.pop(name) for name in _NAMES}
    plain = (name.rstrip("_") for name, value in taken.items() if value)
    singular = {
        "classes": "classes",
        "probabilities": "probability",
        "chances": "attribute-probabilities",
    }
    return ["--" + singular.get(n, n.removesuffix("s")).replace("_", "-") for n in plain]


def _named(values: Sequence[str], option: str) -> dict[str, str]:
    """``COL`` for the only service, or ``NAME=COL`` for each of several."""
    named: dict[str, str] = {}
    for value in values:
        name, equals, column = value.partition("=")
        key, content = (name, column) if equals else (SOLE, value)
        if key in named:
            raise InputError(
                f"{option} is given twice for {key!r}; "
                f"name each service: {option} a=COL {option} b=COL."
            )
        named[key] = content
    return named


def _service(
    name: str, columns: dict[str, dict[str, str]], probabilities: Sequence[str]
) -> Service:
    pairs = []
    for text in probabilities:
        cls, equals, column = text.rpartition("=")
        if not equals:
            raise InputError(f"--probability {text!r} should read CLASS=COL.")
        pairs.append((cls, column))
    path = columns["map"].get(name)
    return Service(
        name,
        columns["prediction"].get(name),
        columns["score"].get(name),
        columns["verdict"].get(name),
        tuple(pairs),
        _words(Path(path)) if path else (),
    )


def _words(path: Path) -> tuple[tuple[str, str], ...]:
    table = fetched(open_source(path))
    if table.num_columns != 2:
        raise InputError(
            f"{str(path)!r} has {table.num_columns} columns; a map has two: the service's word "
            f"and the label's word."
        )
    first, second = (table.column(place).to_pylist() for place in (0, 1))
    return tuple((str(a), str(b)) for a, b in zip(first, second, strict=True))


def _classes(text: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip()) if text else ()


def now() -> str:
    """The time in UTC, as ISO text."""
    return datetime.now(UTC).isoformat(timespec="seconds")
