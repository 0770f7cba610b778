"""What docs/vetting.md says around its numbers."""

INTRODUCTION = """\
# Vetting noisy labels

Ranked lists of several services whose true labels are all known, replayed: a campaign sees scores
and noisy labels, asks for items to be vetted, and its estimates are held against the lists'
true precision. This page is written by `python -m bench.vetting` from `docs/vetting.json`.

To run it again, put the data beside the checkout (`../shared/data`) or say where they lie
(`SPOTHEIGHT_DATA`), then

    python -m bench.vetting                            # all of it, 40 runs
    python -m bench.vetting --minutes 30 --runs 10     # start nothing after half an hour
    python -m bench.vetting --case 'imagenet*'         # some cases
    python -m bench.vetting --minutes 0                # only write this page anew

It goes over everything with few runs first, can be stopped at any time, and goes on where it was.

- **Share vetted**: of the union of all top-K lists (Prec@K), of all items (AP). A new fit comes
  after every 2% of the items.
- **Error**: absolute error in points, averaged over services and categories. Behind ± stands the
  standard deviation over runs; a single run has none. **Bold** is the lowest of a column.
- **Misranked**: pairs of services in the wrong order, by their means over categories or list by
  list; a tie in the estimate counts as wrong. Only lists with a true gap above half a point count.
- **Coverage**: how many 90% intervals hold the truth, of those with any width.
- `uniform` draws a category, then an item of it. `confident-mistake` takes the highest scores among
  items believed false, `expected-change` what moves the estimates most (MEEC), `gain` what lowers
  their variance most, by all that a label tells of other items too, with a fifth at random.
  `counted` is equation 13 of Nguyen et al. 2018.
- On ImageNet `learned` sees the share of raters, `naive` and `counted` only their majority, and the
  truth was made from these raters: its lead over them there is in part a lead in what it is shown.
- Objects in images: average precision is COCO's, mean over ten overlaps; the share vetted is of
  all objects. `vetted-only` looks at images all of whose objects are vetted and says nothing of
  categories that are not among them, which are left out of its errors; `random-images` draws
  images. `kernel` is the support vector machine of Nguyen et al. 2018.
- Runs differ in their random draws, and on tags in the noise. On ImageNet no noise is made up, so
  that `expected-change` and `confident-mistake` would do the same in every run: they are run once.
"""

NOTE = """\
Means over the runs, held against figures that were set beforehand. A coverage of means rests on one
interval a service and run, and the services of a run share their items: after few runs it is known
roughly at best. A dash stands where no figure was set, or where neither method made a mistake. A
dagger marks runs of an earlier model, which have not been repeated yet.

Two of these figures speak of an estimator that sees of raters what `naive` sees, whether most said
yes; a case of its own puts `learned` on that footing. Elsewhere its lead is what it is shown. The
bias by the most confident mistake shows where raters' maybe counts as well. A mean is harder to
cover than a list: what the model is off by in every list, a little, a mean has whole, and its
interval is narrower. What that comes from, and what was tried:
[decisions/vetted-lists.md](decisions/vetted-lists.md).
"""

TESTED = """\
## Held by tests

- Expected precision, average precision and their changes against full enumeration of 8 items, the
  number of true items known or not; quadrature against draws at 10,000 items:
  `tests/unit/numerics/test_ranked.py`.
- What a label is worth by all that it tells, against all label sets of 6 items:
  `tests/unit/beliefs/test_listgains.py`.
- The mask example: the average precision that the field's tool gives when all is vetted, and the
  one with boxes for masks: `tests/contracts/test_detection.py`.
- 100,000 rows in 80 categories, a refit and an ask of 100 in 2 seconds:
  `tests/bench/test_lists_speed.py`, which prints what came out.
- Bad input is refused in a sentence, and nothing is written: `tests/cli/test_lists.py`,
  `tests/cli/test_coco.py`.
- Intervals where many rows speak of one object, in worlds with a known truth:
  `tests/statistical/test_shared_objects.py`.
"""
