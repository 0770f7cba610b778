"""docs/vetting.md: everything in it comes from the summary."""

from collections.abc import Iterator, Sequence

from bench.markdown import table
from bench.plan import Method
from bench.vetting.facts import Facts
from bench.vetting.goals import goals
from bench.vetting.plan import METHODS
from bench.vetting.summary import MEASURES, SHARES, Spread, Summary
from spotheight.render.text import count, percent

FOLDER = "vetting"
"""Beside the page: where its plots lie."""

READ = (0.1, 0.25, 0.5)

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
- Objects in images: average precision is COCO's, mean over IoU .5 to .95; the share vetted is of
  all objects. `vetted-only` looks at images all of whose objects are vetted and says nothing of
  categories that are not among them, which are left out of its errors; `random-images` draws
  images. `kernel` is the support vector machine of Nguyen et al. 2018, section 4.2.
- Runs differ in their random draws, and on tags in the noise. On ImageNet no noise is made up, so
  that `expected-change` and `confident-mistake` would do the same in every run: they are run once.
"""


MET = {True: "yes", False: "**no**", None: "-"}

NOTE = """\
Means over the runs, held against figures that were set beforehand. A coverage of means rests on one
interval a service and run, and the services of a run share their items: after few runs it is known
roughly at best. A dash stands where no figure was set, or where neither method made a mistake. A
dagger marks runs of an earlier model, which have not been repeated yet.

Two of these figures speak of the estimator that was foreseen: 1.4 points off on ImageNet, as near
as `naive` with the most confident mistake, and biased by that choice of items. That one saw of
raters what `naive` sees, whether most said yes; a case of its own puts `learned` on that footing.
Elsewhere its lead is what it is shown: of items to which none, one or two of five raters said yes,
4%, 36% and 82% are true. With half vetted `naive` still takes 1,759 items for false, and 178 of
them are true. The bias by that choice shows where raters' maybe counts as well.

A mean is harder to cover than a list: what the model is off by in every list, a little, a mean has
whole, and its interval is narrower. On ImageNet all runs share items and raters: a service whose
lists are a little worse than they look is missed in every run. There it is images that one model
alone puts into a category: few of them are vetted, for they count in one list only, and they are
true less often than services that add up can tell. Weights for pairs of services help a little
there, and make AP of tags a little worse. On tags, whose runs share items too, means came out too
low with a quarter vetted or more: some categories are steeper at their sure end than doubtful items
tell, some flatter at the other. So each category's curve may leave its line where odds are long, by
what labels of other items foretell. Heavier tails of what categories differ by, a floor under all
chances and curves over single scores changed little. On masks it is overlaps above .9, which are a
tenth more frequent than believed; the five systems there are made from one, so that their means are
missed together.
"""

TESTED = """\
## Held by tests

- Expected precision, average precision and their changes against full enumeration of 8 items, the
  number of true items known or not; quadrature against draws at 10,000 items:
  `tests/unit/test_ranked.py`.
- What a label is worth by all that it tells, against all label sets of 6 items:
  `tests/unit/test_listgains.py`.
- The mask example: .3195 when all is vetted, as the field's tool says to 1e-9, and .1262 with boxes
  for masks: `tests/contracts/test_detection.py`.
- 100,000 rows in 80 categories, a refit and an ask of 100 in 2 seconds:
  `tests/bench/test_lists_speed.py`, which prints what came out.
- Bad input is refused in a sentence, and nothing is written: `tests/cli/test_lists.py`,
  `tests/cli/test_coco.py`.
- Intervals where many rows speak of one object, in worlds with a known truth:
  `tests/statistical/test_shared_objects.py`.
"""


def page(summary: Summary) -> str:
    """The whole page as Markdown."""
    parts = [INTRODUCTION, *_goals(summary), TESTED]
    for name, facts in summary.cases.items():
        parts += _case(summary, name, facts)
    return "\n".join(parts).rstrip() + "\n"


def plot_name(case: str, noun: str) -> str:
    """The file of a plot, in the folder beside the page."""
    return f"{case}-{noun}.svg"


def _goals(summary: Summary) -> Iterator[str]:
    yield "## Figures to reach\n"
    yield NOTE
    rows = (
        [
            summary.cases[goal.case].title,
            goal.claim,
            goal.reached,
            _fewest(summary, goal.case, goal.methods),
            MET[goal.is_met],
        ]
        for goal in goals(summary)
        if goal.case in summary.cases
    )
    yield from table(["case", "asked", "reached", "runs", "met"], rows)


def _fewest(summary: Summary, case: str, methods: Sequence[Method]) -> str:
    """The runs of methods, with a dagger where an earlier model made some."""
    number = min(summary.runs(case, method) for method in methods)
    return f"{number}†" if any(summary.is_earlier(case, one) for one in methods) else str(number)


def _case(summary: Summary, name: str, facts: Facts) -> Iterator[str]:
    yield f"## {facts.title}\n"
    yield _about(facts)
    for noun, alt in (("error", "Error per list"), ("ranking", "Misranking")):
        yield f"![{alt} against share vetted, {facts.title}]({FOLDER}/{plot_name(name, noun)})\n"
    yield from _measure_table(summary, name, "list_error", summary.shares(name))
    yield "<details><summary>Means, gaps, ranking, intervals</summary>\n"
    for measure in MEASURES:
        if measure != "list_error":
            yield from _measure_table(summary, name, measure, READ)
    yield "</details>\n"


def _about(facts: Facts) -> str:
    truth = ", ".join(f"{name} {percent(mean)}" for name, mean in facts.truth.items())
    return (
        f"{count(facts.items)} items in {count(facts.categories)} categories, "
        f"{count(facts.listed)} of them to be vetted. True means: {truth}. {facts.about}\n"
    )


def _measure_table(
    summary: Summary, case: str, measure: str, shares: Sequence[float]
) -> Iterator[str]:
    """Methods down, shares vetted across."""
    columns = [_column(summary, case, measure, share) for share in shares]
    if not any(columns):
        return
    rows = [
        [
            str(method),
            _fewest(summary, case, (method,)),
            *(_cell(method, column, measure) for column in columns),
        ]
        for method in METHODS
        if summary.runs(case, method)
    ]
    yield f"**{MEASURES[measure]}**\n"
    yield from table(["method", "runs", *(f"{100 * share:g}%" for share in shares)], rows)


Column = dict[Method, Spread]


def _column(summary: Summary, case: str, measure: str, share: float) -> Column:
    found = {method: summary.spread(case, method, share, measure) for method in METHODS}
    return {method: spread for method, spread in found.items() if spread is not None}


def _cell(method: Method, column: Column, measure: str) -> str:
    if method not in column:
        return ""
    scale = 100 if measure in SHARES else 1
    one = column[method]
    digits = 1 if measure in SHARES and "width" not in measure else 2
    text = f"{scale * one.mean:.{digits}f}"
    if one.deviation is not None:
        text += f" ± {scale * one.deviation:.{digits}f}"
    is_best = one.mean == min(other.mean for other in column.values())
    return f"**{text}**" if is_best and measure.endswith("_error") else text
