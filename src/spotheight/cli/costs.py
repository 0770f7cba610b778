"""Options of questions that need a cost matrix."""

from pathlib import Path

import click

costs_option = click.option(
    "--costs",
    metavar="FILE.csv",
    type=click.Path(path_type=Path),
    help="A cost matrix: the first column names the true class, the other columns the answers. "
    "[default: the one that the campaign was started with]",
)

task_costs_option = click.option(
    "--costs",
    metavar="FILE.csv",
    type=click.Path(path_type=Path),
    help="The cost matrix of a task about costs: the first column names the true class, the other "
    "columns the answers.",
)
TASK_HELP = (
    "estimate, identify:worst=3, identify:of=(ece:by=@prediction), rank, calibration, confusion, "
    "cost, compare:first=(accent=german),second=(accent=english), "
    "compare-services:first=A,second=B; for ranked lists precision:k=48, average-precision, "
    "rank-systems:by=(precision:k=48).{+task}"
)
