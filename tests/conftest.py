"""What all tests share."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="Write the files in tests/golden anew, to be read in review.",
    )


pytest_plugins = ["shell"]
