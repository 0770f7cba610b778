"""What docs/assessment.md says around its numbers."""

INTRODUCTION = """\
# Active Bayesian assessment, the paper's tables

Tables and figures of Ji, Logan, Smyth and Steyvers, *Active Bayesian Assessment of Black-Box
Classifiers* (2021), run anew with this package. Written by `python -m bench.assessment` from
`docs/assessment.json`; what the paper printed, in italics, and the notes were typed by hand.

    python -m bench.assessment                       # all of it; goes on where it was stopped
    python -m bench.assessment --table 3 --runs 250  # some tables, fewer runs
    python -m bench.assessment --minutes 0           # only write this page and figure 17 anew

- **UPrior** labels at random and believes next to nothing beforehand: Beta(5e-7, 5e-7), which is
  what the paper's numbers were made with, except in Table 7, where it is Beta(1,1). **UPrior
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
- How fast: `pytest -m bench -s tests/bench/test_many_speed.py` sets a thousand complete runs on a
  hundred groups of a hundred items beside a plain loop that does in each run what the public code
  does. On two quiet cores estimation was 46 to 57 times as fast in three runs, the worst class 28
  to 32 times, the worst ten 23 to 26 times. In estimation the loop spends its time on variances; in
  identification a step of it is one call that draws 100 Betas and about as much of Python, 27 to 32
  microseconds together, or 70 to 81 with the ten labels of a step where ten classes are looked for.
  Ours takes 1.0, and 2.7 to 3.5. No class is drawn that cannot be chosen: a random byte for each
  says whether its rate may lie below the roof of its run, a table of chances of all states says
  between which rungs the few lie that do, and rates are drawn only where more meet between the last
  two than are looked for. For the worst class a quarter of a step goes into bytes and roofs, a
  fifth each into the table and into those rates, and a tenth into labels. For the worst ten labels,
  what they change and reading all means take a third, the table a sixth: NumPy calls that touch ten
  or twenty thousand places all over memory.
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
CIFAR-100, and SVHN's UPrior and Thompson columns, are reproduced. SVHN's IPrior is, but for its
last row: four further sets of 1000 runs gave 5.0, 4.9 and 4.3 (± .03), so that the first two rows
lie within two standard errors of the difference and the last one six below. Nothing that was tried
gives 5.1, 5.1 and 4.7 at once: classes drawn alike give 5.0, 5.1 and 4.4; as many labels of each
class 5.4, 5.1 and 4.3; read at N instead of N + 10 labels it is 4.7, 5.0 and 4.4, at N + 20 5.1,
4.8 and 4.2; a prior worth 1.5 labels gives 5.5, 5.3 and 4.6, one worth 2.5 4.6, 4.6 and 4.1; scores
rounded to one digit 5.4, 5.1 and 4.4, one prior for all classes 5.0, 5.0 and 4.3; the root of the
mean square over runs 5.7, 5.4 and 4.6, and 15.3, 8.9 and 5.7 for UPrior; with classes weighted
alike 5.1, 5.2 and 4.6, but then UPrior is 15.1, 8.3 and 5.8. See below Table 6.
""",
    "4": """\
The published numbers of this table are no yardstick: the public code never used the true label.
""",
    "5": """\
The truth is taken over 20 bins of equal width, the estimate over 10 of equal size, as published; so
some error stays however many labels there are.
""",
    "6": """\
*Never*: the mean reciprocal rank does not exceed .99 before the pool ends. The published scoring is
the one used here: ranks at every tenth label, averaged over runs, and the first average above .99.
The paper gives no standard errors; if they are like ours, Thompson's four cells are within three
standard errors of the difference, the worst 3 of SVHN among them, and CIFAR-100's worst 10 within
two and a half. CIFAR-100, worst 10, UPrior is 20 labels of 10,000 off; another thousand runs of
ours were 10 off.

Not reproduced: SVHN, worst 1, at random, published 5 points later than ours for both priors, like
IPrior in Table 3. It is not chance, for three further sets of 1000 runs agreed with ours to half a
point; nor drawing classes alike, which leads further away. Another scoring explains one case at a
time: the class is named by 99 of 100 runs after 89.5% of SVHN, as published, but after 85.5% of
CIFAR-100, where 81.1 and 83.4 were published, which the rank explains. A likely reason is that the
counts at hand are not those behind the final tables. The authors' success curves of an earlier
version do not fit these counts either, though to the other side: after half of SVHN's items, drawn
at random, 92 of their 100 runs name the worst class, where these counts give 80 of 100 (one chance
in a thousand); for CIFAR-100 it is 62 against 67. Thompson's column of Table 3 does not tell, for
there the prior decides, and with it only the gap between score and accuracy.
""",
    "7": """\
CIFAR-100 by superclass; every run is one pair. The target is the verdict and its probability, to 5%
of it, after all labels under the same prior. *Missed*: pairs that were there only with their last
item; the paper counted such pairs as one label. Here probabilities are integrated; there they were
drawn, 10,000 at a time, which leaves Thompson's choice to chance where both groups promise nearly
the same.

SVHN is reproduced within errors: the published row is one run of each of 45 pairs, so its standard
errors are twice ours. In the published scoring the region is that of the true difference, its
target probability has next to no prior, and the likeliest region need not be the right one; scored
so, four runs of each pair gave 384 / 173 / 138 (± 20 / 23 / 14) for SVHN.

CIFAR-100 by superclass cannot be reproduced: the public code takes the predicted class for the true
one when it puts classes together, so that row compares how often two readings of the same scores
agree. With true labels and the published scoring, one run of each pair gave 288 / 263 / 304 (± 22).
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
