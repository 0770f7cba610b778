"""The command line: parse, call the workspace, print. Data goes to stdout, talk to stderr."""

import os
import sys
from contextlib import suppress
from importlib import import_module
from types import ModuleType

import click

from spotheight import __version__
from spotheight.errors import SpotheightError, plain

COMMANDS = {
    "demo": "Run a whole assessment on data that ships with the package.",
    "init": "Start a campaign on a table of predictions.",
    "ask": "Print the next items to label, as CSV.",
    "tell": "Take labels in from a file.",
    "skip": "Say that items cannot be labelled.",
    "release": "Free items that were handed out and will not come back.",
    "status": "Say where a campaign stands.",
    "surface": "Print the accuracy surface, slices of it, or another population's number.",
    "identify": "Find the worst groups, or the best, and say how probable that is of each.",
    "compare": "Compare two slices, or two services on the same labels.",
    "rank": "Rank the groups, and say how sure each rank is.",
    "calibration": "Say how far the service's scores are from its accuracy, overall or by group.",
    "confusion": "Say what is mistaken for what: how often each answer stands for each true class.",
    "cost": "Say what mistakes cost: the expected cost of an answer, by answer and overall.",
    "precision": "Say how many of the K surest items of each list are right: Precision@K.",
    "average-precision": "Say how well each service ranks what is true before what is not (mAP).",
    "attributes": "Say how far guessed attributes can be believed, before and after calibration.",
    "report": "Write the report: one self-contained HTML file.",
    "check": "Exit with 1 when the service is below a bar: for CI jobs.",
    "export": "Write the surface, the labels or the report's numbers to a file.",
    "relink": "Tell a campaign that its pool moved or grew.",
    "verify": "Recompute every ask from the pool, the spec and the log.",
    "simulate": "Replay a fully labelled table with any estimators and policies.",
}
"""In the order of work. The lines repeat each command's first line: help needs no import."""


class _Lazy(click.Group):
    """Loads a command's module when it is called: ``--help`` stays instant."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = _module(name).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            said = error.format_message()
            if (short := plain(said, SHORT)) == said:
                raise
            raise click.UsageError(short, error.ctx) from error
        except SpotheightError as error:
            raise _Refusal(str(error)) from error
        except BrokenPipeError:
            raise  # whoever reads has seen enough: click leaves quietly
        except OSError as error:
            raise _Refusal(plain(_system_says(error))) from error
        except (MemoryError, RecursionError) as error:
            raise _Refusal(_TOO_LARGE) from error


def _system_says(error: OSError) -> str:
    """What the system refuses: a file, or standard output, which has no name."""
    if error.filename is None:
        _leave_stdout()
    what = "Standard output" if error.filename is None else repr(str(error.filename))
    return f"{what} cannot be used: {error.strerror or error}. What was kept before stays."


def _leave_stdout() -> None:
    """What is still on its way there cannot get out; Python would complain when it ends."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _module(name: str) -> ModuleType:
    """A command's module; names of modules have no dash."""
    return import_module(f"spotheight.cli.{name.replace('-', '_')}")


SHORT = 300
"""Characters of what is wrong with options, beside lines that say how they go."""

_TOO_LARGE = (
    "This needs more memory than there is; ask for fewer draws, bins or levels, or run it on a "
    "larger machine. What was kept before stays."
)


class _Refusal(click.ClickException):
    """One clear sentence and exit code 2; anything else is our bug and keeps its traceback."""

    exit_code = 2


@click.group(cls=_Lazy)
@click.version_option(__version__)
def main() -> None:
    """Measure a black-box prediction service with few labels, and see where it fails.

    A table of predictions goes in; then ask, label and tell, as often as you like; the accuracy
    surface and the report can be read at any time.

    Example: spotheight demo
    """


def notice(text: str) -> None:
    """Say something that is no data."""
    click.echo(plain(text), err=True)
