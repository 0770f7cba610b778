"""What Ji et al. 2021 printed, by table, case and row; typed by hand."""

Row = dict[str, float]

_THREE = ("UPrior", "IPrior", "IPrior+TS")


def _rows(*rows: tuple[float, float, float]) -> list[Row]:
    return [dict(zip(_THREE, row, strict=True)) for row in rows]


TABLES: dict[str, dict[str, list[Row]]] = {
    "3": {
        "cifar100": _rows((30.7, 15.0, 15.3), (20.5, 13.6, 13.8), (13.3, 10.9, 11.4)),
        "svhn": _rows((13.7, 5.1, 3.4), (7.7, 5.1, 3.4), (5.4, 4.7, 3.1)),
        "20news": _rows((23.9, 12.3, 11.7), (15.3, 10.8, 10.3), (10.4, 8.7, 8.8)),
    },
    "4": {"20news": _rows((3.405, 0.018, 0.005), (0.188, 0.004, 0.001), (0.011, 0.001, 0.0))},
    "5": {"20news": _rows((54.0, 39.7, 46.1), (32.8, 28.9, 36.6), (24.7, 22.3, 28.7))},
    "6": {
        "cifar100": _rows((81.1, 83.4, 24.9), (99.8, 99.8, 55.1)),
        "svhn": _rows((90.5, 89.8, 82.8), (100.0, 100.0, 96.0)),
        "20news": _rows((53.9, 55.4, 16.9), (92.0, 92.5, 42.5)),
    },
    "7": {
        "cifar100": _rows((203.5, 129.0, 121.9)),
        "svhn": _rows((391.1, 205.2, 172.0)),
        "20news": _rows((197.3, 157.4, 136.1)),
    },
    "8": {"20news": _rows((19.6, 11.5, 9.0), (12.4, 9.6, 7.7), (8.9, 7.6, 6.4))},
    "9": {"20news": [{"IPrior": 69.0, "IPrior+TS": 27.9}, {"IPrior": 90.3, "IPrior+TS": 50.5}]},
}
"""20 News was another classifier there: for orientation. Tables 10, 11 are CIFAR-100's."""

COARSER = {"7": 2}
"""How many times larger than ours standard errors are there: one run of each of 45 pairs."""

OTHERWISE = {"7": ("cifar100",)}
"""Cases that the public code reckons otherwise, so that there is nothing to be near to."""
