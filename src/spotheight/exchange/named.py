"""Parser of ``NAME=CONTENT``, where several things of a kind are named."""

from collections.abc import Sequence

from spotheight.errors import InputError


def by_name(
    texts: Sequence[str], *, twice: str, form: str = "", sole: str | None = None
) -> dict[str, str]:
    """Contents by name; raise for a name that stands there twice, and for a text of another form.

    Args:
        texts: As they were written.
        twice: What is said of a name that stands there twice; ``{}`` is the name.
        form: What is said of a text that names nothing; ``{}`` is the text.
        sole: The name of a text that needs none.
    """
    found: dict[str, str] = {}
    for text in texts:
        name, equals, content = text.partition("=")
        if sole is not None and not equals:
            name, content = sole, text
        elif sole is None and not (name and content):
            raise InputError(form.format(repr(text)))
        if name in found:
            raise InputError(twice.format(repr(name)))
        found[name] = content
    return found
