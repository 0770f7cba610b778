"""Write what type checkers read of ``import spotheight``, from the table of names.

Example: python scripts/make_stub.py
"""

from pathlib import Path

import spotheight
from spotheight.registry.names import public

STUB = Path(spotheight.__file__).with_name("__init__.pyi")


def stub() -> str:
    """The stub's text: each public name from where it is defined, named twice to be exported."""
    pairs = sorted(place.split(":") for place in public().values())
    lines = [f"from {module} import {name} as {name}" for module, name in pairs]
    return "\n".join([*lines, "", "__version__: str"]) + "\n"


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
    print(f"Wrote {STUB}.")
