"""What docs/celeba.md says beside its tables; ``FOUND`` is filled by ``bench.celeba.found``."""

from bench.celeba.plan import TABLE_AT, WARM
from bench.celeba.replica import (
    POOL_ROWS,
    SEEN_BY_ATTRIBUTE_MODELS,
    SEEN_BY_SERVICES,
    SERVICES,
    TRAINING_ROWS,
)

MEASURES = {
    "macro": "Macro error",
    "worst50": "Worst-50 error",
    "micro": "Micro error",
    "infrequent50": "Infrequent-50 error",
}

COVERAGE = "Coverage of 90% intervals, in percent"

KNOWN = {
    "gold": "gold attributes",
    "unscored": "gold attributes, no score",
    "full": "guessed, Cal:Full",
    "temp": "guessed, Cal:Temp",
    "raw": "guessed, Cal:Raw",
}

INTRODUCTION = f"""\
# Faces with real joint structure

CelebA's 40 attributes of 202,599 faces, without the pictures: what pictures would show, other
attributes have to tell. It stands in for the MF-CelebA task of Piratla et al.
2021, whose services are not to be had. This page is written by `python -m bench.celeba` from
`docs/celeba.json` and `docs/celeba/replica.json`; only the figures of the paper, in italics, were
typed by hand.

    python -m bench.celeba                                # all of it, 5 seeds
    python -m bench.celeba --minutes 30 --seeds 3         # start nothing after half an hour
    python -m bench.celeba --case 'strong-*'              # some settings
    python -m bench.celeba --minutes 0                    # only write this page anew

The data are looked for beside the checkout (`../shared/data`), or where `SPOTHEIGHT_DATA` says. It
can be stopped at any time and goes on where it was. Every campaign is a call of
`spotheight simulate`; estimators, policies or options that the package lacks are told and left out.

## How it is made

- **Arms**: the twelve attributes of the paper's Table 10, 4096 combinations. `Male` is one of the
  twelve and also what services predict, as in the paper: an item's own arm tells its label, so the
  surface says how often men and women with given attributes are recognised as such.
- **The other 28 attributes** are split in alphabetical order, every other one. Services see
  {", ".join(f"`{name}`" for name in SEEN_BY_SERVICES)}. Attribute models see
  {", ".join(f"`{name}`" for name in SEEN_BY_ATTRIBUTE_MODELS)}.
- **Rows**: a random {TRAINING_ROWS:,} train all models, {POOL_ROWS:,} others are the pool, the rest
  is not used.
- **Services**: `strong`, gradient boosting on the 14 attributes and all training rows; `weak`,
  logistic regression on every other of the 14, and the first {SERVICES[1].rows:,} training rows.
  The score is the chance that a service gives its answer.
- **Attribute models**: twelve logistic regressions on the other 14 attributes.
"""

METHOD = f"""\
## How it is measured

{WARM} random items with gold attributes and labels come first, for all methods of a seed the same;
then labels are drawn at random, or by a policy in batches of 12. Errors are squared, times 100,
over arms with at least 5 items, against the pool's accuracy in the arms of the gold attributes:
over all arms alike (macro), by their items (micro), over the 50 truly worst arms, and over the 50
rarest. Only `additive` looks at the score of a service, which tells much here, for services decide
by few attributes; without the score it knows what the others know. It was run before scores could
tell more in large arms than in small ones. Behind ± stands the standard error over seeds. **Bold**
is the lowest of a column and what chance could have put behind it (two standard errors). *In
italics*: the paper's figures on its own pool, with its own services ({TABLE_AT} labels, Cal:Full);
not run here.
"""

FOUND = """\
## What it shows

- **Gold attributes.** Smoothing over arms is worth more than anything else: every member of the
  BetaGP family has at most {smoothed[strong]:.0%} (strong service) and {smoothed[weak]:.0%} (weak)
  of the macro error of the best estimator that looks at arms one by one. On the same knowledge (no
  score) `berngp` and `betagp` are as good as `additive`, or better with the strong service; what
  puts `additive` ahead is the score.
- **Mean and scale** do better than alpha and beta with as many labels, as in the paper.
- **Scale supervision and pooling** do not lower macro errors here, as they did in the paper. With
  guessed attributes they raise them, and halve the worst-50 error of the strong service.
- **Exploration.** With gold attributes the `variance` policy brings `betagp` to
  {explored[strong]:.0%} and {explored[weak]:.0%} of the error that random labels leave. `additive`
  gets further still: by `gain` with the strong service, by `variance` with the weak one, whose arms
  are nearly all right or all wrong.
- **Guessed attributes.** Beyond the first {warm} labels, whose attributes were told, more labels
  make the BetaGP family worse, and the intervals of `betagp` too narrow. A label is shared out by
  the chances of its arms before anything is known of them, as published, and where an item's own
  arm has a chance of {own:.0%} the misses of one arm count for all that look like it. With
  `doubt=mixture` a label is weighed by what its arms are believed to be. With Cal:Full the macro
  error of `betagp` is then {mixed[strong]:.2f} and {mixed[weak]:.2f} (strong, weak) instead of
  {shared[strong]:.2f} and {shared[weak]:.2f}, and its 90% intervals hold {mixed_held[strong]:.0%}
  and {mixed_held[weak]:.0%} instead of {shared_held[strong]:.0%} and {shared_held[weak]:.0%}.
  `additive` weighs labels so, too, and stays where {warm} of them brought it. `eb-beta` puts the
  item into one arm and leaves open which: its intervals hold what they claim, macro and worst-50
  errors go on falling, slowly, and the micro error of the strong service rises; what it was like
  when it shared labels out stands in
  [decisions/labels-of-guessed-attributes.md](decisions/labels-of-guessed-attributes.md). A mixture
  takes items of an arm for hit alike, whatever the attribute models say of them. Here women whom a
  model takes for men are taken for men by the services too, more often than not, so that labels in
  doubt mislead however they are weighed.
- **Exploration with guessed attributes** does not pay. With Cal:Full {labels} labels leave
  `additive` macro errors of {gain[strong]:.2f} and {gain[weak]:.2f} (strong, weak) by `gain`,
  {variance[strong]:.2f} and {variance[weak]:.2f} by `variance`, from {first[strong]:.2f} and
  {first[weak]:.2f} after the first {warm}. What is missing is where items lie, and the labels of
  others like them do not tell; beside random labels of the same seed:
  [decisions/labels-of-guessed-attributes.md](decisions/labels-of-guessed-attributes.md).
- **Calibration.** Chances are right one attribute at a time, so temperatures change nothing. The
  joint potential, learned from {warm} items and the pool, lowers the worst-50 error of `betagp-slp`
  with the strong service a little, and raises the macro errors of `betagp` and `additive`.
"""
