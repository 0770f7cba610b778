"""What docs/assessment.md says around its numbers: templates, in which ``{...}`` are filled.

``{none}`` is a prior that believes next to nothing, ``{found}`` the mark of a rank, ``{farthest}``
where the tables lie farthest from what was published.
"""

INTRODUCTION = """\
# Active Bayesian assessment, the paper's tables

Tables and figures of Ji, Logan, Smyth and Steyvers, *Active Bayesian Assessment of Black-Box
Classifiers* (2021), run anew with this package. Written by `python -m bench.assessment` from
`docs/assessment.json`; what the paper printed, in italics, and the notes were typed by hand.

    python -m bench.assessment                       # all of it; goes on where it was stopped
    python -m bench.assessment --table 3 --runs 250  # some tables, fewer runs
    python -m bench.assessment --minutes 0           # only write this page and figure 17 anew

- **UPrior** labels at random and believes next to nothing beforehand: Beta({none}, {none}), which
  is what the paper's numbers were made with, except in Table 7, where it is Beta(1,1). **UPrior
  (1,1)** is the same with Beta(1,1), as the paper's text has it. For confusion and cost it is an
  even Dirichlet of strength 1.
- **IPrior** labels at random, its prior lies at the mean score and is worth 2 labels (confusion and
  cost: at the mean class probabilities, worth 1). **IPrior+TS** chooses by Thompson sampling: by
  the drop of variance in estimation, by multiple play where several groups are looked for, by
  expected lambda in comparison.
- Behind ± stands the standard error over runs. **Bold**: better than the next best by Wilcoxon's
  signed-rank test at 5%.
- Published: UPrior / IPrior / IPrior+TS, for CIFAR-100 and SVHN from the very counts used here, for
  20 Newsgroups from another classifier, so for orientation only. How they were scored was read off
  the authors' public code.
- Items are drawn without replacement; an exhausted group is passed over. Numbers marked N were read
  at N + 10 labels, as published. Rankings are read at every tenth label, on average over all orders
  of groups with equal means.
- A thousand runs are made at once, some tens of times as fast as a plain loop makes them one by
  one: [decisions/many-runs-speed.md](decisions/many-runs-speed.md).
"""

TITLES = {
    "3": "error of classwise accuracy, RMSE times 100",
    "4": "error of confusion matrices, as a share of the error without labels",
    "5": "error of the overall calibration error, in percent of it",
    "6": "percent of the pool until the least accurate classes are found",
    "7": "labels until two classes are compared",
    "8": "error of accuracy by score bin, RMSE times 100",
    "9": "percent of the pool until the least calibrated classes are found",
    "10": "percent of the pool until the most costly classes are found, human-like costs",
    "11": "the same, superclass-like costs",
}

NOTES = {
    "3": """\
{farthest} What was tried to explain SVHN's informed prior:
[decisions/published-assessment-tables.md](decisions/published-assessment-tables.md).
""",
    "4": """\
The published numbers of this table are no yardstick: the public code never used the true label.
""",
    "5": """\
The truth is taken over 20 bins of equal width, the estimate over 10 of equal size, as published; so
some error stays however many labels there are.
""",
    "6": """\
*Never*: the mean reciprocal rank does not exceed {found:g} before the pool ends. The published
scoring is the one used here: ranks at every tenth label, averaged over runs, and the first average
above {found:g}. {farthest} SVHN's worst class at random is published later than it
comes out here; what was tried to explain it:
[decisions/published-assessment-tables.md](decisions/published-assessment-tables.md).
""",
    "7": """\
CIFAR-100 by superclass; every run is one pair. The target is the verdict and its probability, to 5%
of it, after all labels under the same prior. *Missed*: pairs that were there only with their last
item; the paper counted such pairs as one label. Here probabilities are integrated; there they were
drawn, 10,000 at a time, which leaves Thompson's choice to chance where both groups promise nearly
the same.

{farthest} The published row is one run of each of 45 pairs, so its standard errors are twice ours.
In the published scoring the region is that of the true difference, its target probability has next
to no prior, and the likeliest region need not be the right one. CIFAR-100 by superclass cannot be
reproduced: the public code takes the predicted class for the true one when it puts classes
together, so that row compares how often two readings of the same scores agree. Both cases in the
published scoring:
[decisions/published-assessment-tables.md](decisions/published-assessment-tables.md).
""",
    "9": """\
Bins of equal width within predicted classes. *Never*: the prior of each bin stays in the estimate
after the last label, and ranks the classes otherwise than the plain errors do that are the truth.
""",
    "10": """\
On 20 Newsgroups; posts on religion and politics take the place of people. The paper used CIFAR-100,
for which no class probabilities are at hand.
""",
    "11": """\
On 20 Newsgroups by topic.
""",
}

FARTHEST = """\
Farthest from the published numbers, in standard errors of the difference (the paper gives none;
they are taken from ours): {gaps}."""

GAP = "{case} {far:.1f} ({place}: {ours:.1f} here, {theirs:g} there)"
