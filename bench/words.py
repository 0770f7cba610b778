"""What docs/benchmarks.md and its tables say in words; what stands in braces is filled."""

TABLES = """\
# Benchmarks: the tables

Everything that was measured, case by case; what it comes to is on [a page of its
own](../benchmarks.md). Real tables whose labels are all known are replayed: a campaign asks, gets
the label that the table has, and its surface is held against the truth of every arm. This page is
written by `make bench` from `docs/benchmarks.json`; only the results of others, in italics, were
typed by hand.

To run it again, put the data beside the checkout (`../shared/data`) or say where they lie
(`SPOTHEIGHT_DATA`), then

    make bench                                    # all of it, for as long as you let it
    make bench BENCH="--minutes 30"               # the same with options of what follows
    python -m bench --minutes 30                  # start no new campaign after half an hour
    python -m bench --case 'expw*' --seeds 5      # some cases, few seeds
    python -m bench --again gain                  # forget what a method, or a case, had reached
    python -m bench --minutes 0                   # only write both pages anew

It goes over all methods with few seeds first, can be stopped at any time, and goes on where it was,
on another machine where the summary stands.

- **Macro error**: squared error times 100, over arms with at least 5 items, each arm alike.
  **Worst-50 error**: over the 50 arms where the service truly is worst.
- **Coverage**: how many of the 90% intervals hold the truth, over arms not fully labelled.
- Behind ± stands the standard error over seeds; an estimate after a single seed has none.
- **Bold** errors are the lowest of their column, and those that chance could have put behind it
  (within two standard errors of the difference); bold coverages lie between {low:.0%} and
  {high:.0%}.
- *In italics*: public code of others, lowest to highest over its own estimators; not run here.
- *Held out*: the truth comes from half of every arm, which no campaign sees, so that nobody gains
  by labelling small arms to the end.
"""

POOLS_DIFFER = """\
Standard errors over seeds leave out that a case is one pool, whose arms are the same in every run:
were the model exact, the coverage of a case with 55 arms would lie within 4 points of 90% in two of
three such pools, and within 2 points with 200 arms. The last row averages over cases, with the
standard error over them. It says that intervals are of the right width altogether, not that they
are in each case: too wide and too narrow ones cancel. How much of that a model without fault would
show as well stands in [twins.md](../twins.md).
"""

OVERALL_SAID = """\
The overall number after labels that `gain` chose: how often its 90% interval holds it, in percent,
and by how many points it is off. `gain` cares for arms, and labels small ones and doubtful scores.
"""

FRONT = """\
# Benchmarks

What the default, `additive` with labels that `gain` chooses, reaches on real tables beside the
alternatives. {cases} cases, each one service on one table cut into arms: image classifiers, speech
and face services, language models, risk scores. All labels are known, so a campaign is replayed: it
asks, gets the label that the table has, and its surface is held against the truth of every arm,
with {seeds} seeds a method. **Error** is squared error times 100, over arms with at least 5 items,
each arm alike; ± is the standard error over seeds. Written by `make bench` from
`docs/benchmarks.json`; only results of others, in italics, were typed by hand. Every case, method
and measure, and how to run it again: [benchmarks/tables.md](benchmarks/tables.md).
"""

KEY = """\
## The key cases

`additive` reads attributes and the score; `eb-beta` shrinks every arm to the overall rate, `pooled`
says the overall rate of every arm. Bold: the lowest, and what chance could have put behind it.
`gain`, which fits after every batch, was not run to 2,000 labels.
"""

PUBLIC = """\
With {labels} labels that `gain` chose the error is {shares} (in the order of the table) of the
lowest that the public code of others reached with its random ones.
"""

HELD_OUT = """\
`gain` may label a small arm to the end, where no error is left. Held against half of every arm
that no campaign sees, a truth that has noise of its own, `additive` and `eb-beta` have after
{labels} labels by `gain`: {errors}.
"""

STANDS = """\
## All cases

Cases on which the error is lower, level (within two standard errors of the difference) and higher
than the rival's, and the error as a share of the rival's.
"""

COVERED = """\
## Do intervals hold?

How many of the 90% intervals hold the truth, over arms not fully labelled, in percent. The band is
{low:.0%} to {high:.0%}. A case is one pool, so a model without fault would not be in it everywhere
either: [twins.md](twins.md) shows how often.
"""

SPEED = """\
## Time

Seconds by the clock of a fit and of choosing the next batch, 500 labels, one thread, two campaigns
side by side, means over seeds and machines.
"""

RACE = """\
The BetaGP family beside its bare objective in GPyTorch, one thread, to a better bound: {ratios}
times as fast with {arms} arms ([deep.md](deep.md)).
"""

MISSES = """\
## Where it falls short

- `eb-beta` with `gain` has the lower error: {behind}.
- `eb-beta` with `gain` has the lower error over the 50 worst arms: {worst}.
- `pooled` has the lower error than `additive`, labels at random: {pooled}.
- Another policy is ahead of `gain` after {settled} labels, mostly by few seeds: {ahead}.
- After {settled} labels by `gain` the 90% intervals of arms cover less than {low:.0%} or more than
  {high:.0%}: {outside}.
- `gain` cares for arms, and the overall number pays for it: after {settled} labels it is off by
  {off:.1f} points on the median case, and its 90% interval holds it in less than {few:.0%} of
  campaigns: {seldom}. Whoever is after that number alone starts the campaign for it
  ([surface.md](surface.md)).
"""
