"""All that this package brings keeps the promises that spotheight's own algorithms keep."""

from spotheight_example.doubtful import Doubtful
from spotheight_example.shrunk import Shrunk
from spotheight_example.spread import Spread

from spotheight.testing import (
    EstimatorContract,
    QuestionContract,
    ReaderContract,
    TurnPolicyContract,
)


class TestShrunk(EstimatorContract):
    def make(self):
        return Shrunk(labels=2.5)


class TestDoubtful(TurnPolicyContract):
    def make(self):
        return Doubtful(power=0.5)


class TestSpread(QuestionContract):
    def make(self):
        return Spread(draws=200)


class TestRows(ReaderContract):
    ending = ".rows"

    def write(self, table, path):
        lines = [table.column_names, *(row.values() for row in table.to_pylist())]
        cells = [["" if cell is None else str(cell) for cell in line] for line in lines]
        path.write_text("".join(f"|{'|'.join(line)}|\n" for line in cells), encoding="utf-8")
