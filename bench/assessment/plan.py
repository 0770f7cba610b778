"""Which studies make which table, the most important first."""

from bench.assessment.passes import Study

COUNTED = ("cifar100", "svhn")
SOFTMAX = (
    "20news", "cifar10", "mnist", "imdb", "resnet_110", "densenet_bc_L190_k40", "preresnet_110",
    "vgg16_keras",
)  # fmt: skip
SERVICES = (
    "expw-microsoft", "audiomnist-google", "command-microsoft", "ferplus-google", "rafdb-facepp",
    "digit-ibm",
)  # fmt: skip

MOST = {"cifar100": 10, "imdb": 1}
"""How many of the worst classes are looked for; elsewhere three."""

FEWER = 250

COSTS = (1, 2, 5, 10)
COST_RUNS = 100
"""As many as the paper's."""


def most_of(case: str) -> int:
    """How many of the worst classes are looked for at most."""
    return MOST.get(case, 3)


def studies(tables: tuple[str, ...]) -> list[tuple[Study, int | None]]:
    """All that these tables need, each once, and how many runs at most where that is bounded."""
    makers = {
        "3": _table3, "7": _table7, "6": _table6, "4": _table4, "5": _bins, "8": _bins,
        "9": _table9, "10": _costs, "11": _costs, "figures": _figures,
    }  # fmt: skip
    found: dict[Study, int | None] = {}
    for name, make in makers.items():
        if not tables or name in tables:
            found.update(make())
    return list(found.items())


def _table3() -> dict[Study, int | None]:
    cases = (*COUNTED, *SOFTMAX, *SERVICES)
    every = [(case, policy) for case in cases for policy in ("random", "ts")]
    return {Study(c, "accuracy", "estimate", p, "I2"): _bound(c) for c, p in every}


def _bound(case: str) -> int | None:
    """Where no number was published, fewer runs will do."""
    return None if case in COUNTED else FEWER


def _finders(
    case: str, question: str, prior: str, cost: int = 0, runs: int | None = None
) -> dict[Study, int | None]:
    """Thompson sampling for the worst class, and multiple play for several."""
    one = Study(case, question, "find1", "ts", prior, cost)
    several = Study(case, question, f"find{most_of(case)}", "mp", prior, cost)
    return {one: runs} if most_of(case) == 1 else {one: runs, several: runs}


def _table6() -> dict[Study, int | None]:
    found: dict[Study, int | None] = {}
    for case in (*COUNTED, *SOFTMAX, *SERVICES):
        found[Study(case, "accuracy", "estimate", "random", "I2")] = _bound(case)
        found.update(_finders(case, "accuracy", "I2", runs=_bound(case)))
    return found


def _table7() -> dict[Study, int | None]:
    columns = (("random", "U2"), ("random", "I2"), ("lambda", "I2"))
    cases = (*COUNTED, "20news")
    return {Study(c, "compare", "estimate", *column): None for c in cases for column in columns}


def _table4() -> dict[Study, int | None]:
    pairs = [(case, policy) for case in SOFTMAX for policy in ("random", "ts")]
    return {Study(c, "confusion", "estimate", p, "I1"): None for c, p in pairs}


def _bins() -> dict[Study, int | None]:
    pairs = [(case, policy) for case in (*SOFTMAX, *SERVICES) for policy in ("random", "ts")]
    return {Study(c, "bins", "estimate", p, "I2"): None for c, p in pairs}


def _table9() -> dict[Study, int | None]:
    found: dict[Study, int | None] = {}
    for case in ("20news", "cifar10", "resnet_110", "expw-microsoft"):
        found[Study(case, "calibration", "find1", "random", "I2")] = FEWER
        for prior in ("I2", "I5", "I10"):
            found.update(_finders(case, "calibration", prior, runs=FEWER if prior == "I2" else 100))
    for case in ("digit-ibm", "ferplus-google", "vgg16_keras", "densenet_bc_L190_k40"):
        found[Study(case, "calibration", "find1", "random", "I2")] = FEWER
        found.update(_finders(case, "calibration", "I2", runs=FEWER))
    return found


def _costs() -> dict[Study, int | None]:
    found: dict[Study, int | None] = {}
    for kind in ("human", "topic"):
        for cost in COSTS:
            found[Study("20news", kind, "find1", "random", "I1", cost)] = COST_RUNS
            found.update(_finders("20news", kind, "I1", cost, COST_RUNS))
    return found


def _figures() -> dict[Study, int | None]:
    """Other policies, the uninformed prior, and stronger priors (figures 11, 15, 16, 18)."""
    found: dict[Study, int | None] = {}
    for case in (*COUNTED, "20news"):
        found[Study(case, "accuracy", "find1", "ttts", "I2")] = FEWER
        for policy in ("greedy", "ucb"):
            for most in (1, most_of(case)):
                found[Study(case, "accuracy", f"find{most}", policy, "U2")] = FEWER
        for prior in ("U2", "I5", "I10", "I100"):
            found.update(_finders(case, "accuracy", prior, runs=FEWER))
    return found
