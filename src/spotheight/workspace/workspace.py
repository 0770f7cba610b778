"""Workspace: one file as a living campaign, with every verb, for command line and web alike.

A verb's own module is loaded when it is called, as the command line does it: who asks for items
waits for no report.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Self

import pyarrow as pa

from spotheight.beliefs import Surface
from spotheight.campaign.spec import Spec
from spotheight.exchange.output import Output
from spotheight.pool.look import FirstLook
from spotheight.pool.reading.files import PoolFiles
from spotheight.pool.roles import Roles
from spotheight.questions import Task
from spotheight.workspace.kept import KeptCampaign, opened, several, time_of
from spotheight.workspace.numbers import numbers_of, sliced
from spotheight.workspace.subject import read_level, require_surface
from spotheight.workspace.values import (
    AttributeTrust,
    Checked,
    FileReceipt,
    Status,
    SurfaceNumbers,
    Verified,
    Written,
)

Progress = Callable[[int, int], None]
"""Told along the way how much is done, and of how much."""


class Workspace(KeptCampaign):
    """A campaign that is kept in a file while it runs; several processes may work on it at once.

    An ``estimand`` is ``pool`` for these very items, or ``rate`` for such inputs at large.
    """

    @classmethod
    def create(
        cls,
        path: str | Path,
        source: str | Path | PoolFiles | pa.Table,
        roles: Roles,
        spec: Spec | None = None,
        *,
        at: str | None = None,
    ) -> tuple[Self, FirstLook]:
        """Start a campaign; labels that the table brings are told without a chance.

        Args:
            path: The new file.
            source: A path, ``PoolFiles``, or an Arrow table, which is then kept beside the file.
            roles: What the columns mean.
            spec: All decisions.
            at: The time.
        """
        from spotheight.workspace.starting import started

        store, campaign, files, look = started(
            Path(path), source, roles, spec or Spec(), time_of(at)
        )
        return cls(store, campaign, files), look

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """Go on with a campaign; its pool must be where it was and what it was."""
        return cls(*opened(Path(path)))

    @staticmethod
    def relink(
        path: str | Path, source: str | Path | PoolFiles, *, at: str | None = None
    ) -> FirstLook:
        """Point a campaign to a file that moved or grew; rows that are gone are refused."""
        from spotheight.workspace.relinking import relink

        return relink(Path(path), PoolFiles.of(source), at=time_of(at))

    def tell_file(
        self,
        text: str,
        name: str,
        *,
        annotator: str = "",
        is_correction: bool = False,
        at: str | None = None,
    ) -> FileReceipt:
        """Keep the labels of a file; one bad row changes nothing, and is named.

        Args:
            text: CSV, a JSON list or JSON lines, as ``ask`` has them or with the id and a label.
            name: Of the file, for messages.
            annotator: Who labelled, where a row does not say.
            is_correction: Whether labels that were told before are replaced.
            at: The time.
        """
        from spotheight.workspace.telling import taken_in

        who, when = annotator, time_of(at)
        return taken_in(self, text, name, who, when, is_correction=is_correction)

    # Answers.

    def surface(self, estimand: str = "pool", service: str | None = None) -> Surface:
        """The accuracy surface: a number and an interval for every group."""
        self.refresh()
        require_surface(self.campaign)
        self.campaign.pool.roles.service(service or self.campaign.spec.service)
        return self.campaign.surface(estimand, service=service)

    def numbers(
        self,
        slices: str | Sequence[str] = (),
        *,
        against: str | Sequence[str] = (),
        mix: str | Path | None = None,
        estimand: str = "pool",
        service: str | None = None,
        level: float | None = None,
    ) -> SurfaceNumbers:
        """The surface's numbers for slices such as ``accent=german``, or for all its groups.

        Args:
            slices: ``A=X,B=Y``; ``|`` stands between levels, `` or `` between slices.
            against: Slices that each of these is compared with.
            mix: A table with another population's attributes, for one number under its mix.
            estimand: ``pool`` or ``rate``.
            service: Whose answers; the campaign's by default.
            level: Of the intervals; the campaign's by default.
        """
        self.refresh()
        require_surface(self.campaign)
        at, mix = read_level(self.campaign, level), None if mix is None else Path(mix)
        self.campaign.pool.roles.service(service or self.campaign.spec.service)
        sides = sliced(self.campaign, several(slices), several(against), service)
        return numbers_of(self.campaign.surface(estimand, service=service), sides, mix, at)

    def answer(
        self,
        question: str | Task,
        estimand: str = "pool",
        service: str | None = None,
        estimator: str | None = None,
    ) -> Any:
        """The answer to a question, such as ``identify:worst=3`` or ``Compare(...)``.

        Args:
            question: A task, or its short form.
            estimand: ``pool`` or ``rate``.
            service: Whose answers; the question's own by default, else the campaign's.
            estimator: Reads the labels, in its short form; the campaign's by default.
        """
        from spotheight.workspace.asking import answered
        from spotheight.workspace.tasks import task_of

        self.refresh()
        return answered(
            self.campaign,
            task_of(self.campaign, question),
            estimand=estimand,
            service=service,
            estimator=estimator,
        )

    def status(self, estimand: str = "pool") -> Status:
        """Where the campaign stands."""
        from spotheight.workspace.status import status_of

        self.refresh()
        places = str(self.path), str(self.source.absolute)
        return status_of(self.campaign, places, estimand)

    def check(
        self,
        *,
        min: float | None = None,
        max: float | None = None,
        slices: str | Sequence[str] = (),
        sure: bool = True,
        estimand: str = "pool",
    ) -> Checked:
        """Whether the service reaches a bar; nothing passes before there are labels that count.

        Args:
            min: The bar that the metric has to reach.
            max: Where less is better: the bar it may not exceed.
            slices: What is checked; all items by default.
            sure: Whether the whole interval has to reach it, not its mean alone.
            estimand: ``pool`` or ``rate``.
        """
        from spotheight.workspace.checking import Bar, checked, readings_of, slices_to_check

        self.refresh()
        chosen = slices_to_check(self.campaign, several(slices))
        bar = Bar.of(self.campaign, min, max, is_sure=sure)
        return checked(readings_of(self.campaign, chosen, estimand), bar)

    def attributes(self, progress: Progress | None = None) -> AttributeTrust:
        """How far guessed attributes can be believed, by the true levels that were told."""
        from spotheight.workspace.trust import trust_of

        self.refresh()
        return trust_of(self.campaign, progress)

    # Files.

    def report(
        self,
        path: str | Path | None = None,
        *,
        title: str | None = None,
        questions: Iterable[str | Task] = (),
        estimand: str = "pool",
        force: bool = False,
    ) -> Written:
        """Write the report: one self-contained HTML file, which may replace an earlier report.

        Args:
            path: The page's file; the campaign's name with .html by default.
            title: The campaign's name by default.
            questions: What else is answered: tasks, or short forms such as ``identify:worst=3``.
            estimand: ``pool`` or ``rate``.
            force: Whether another file that is there may be replaced.
        """
        from spotheight.workspace.reporting import read_questions, report_of, write_page

        target = self.path.with_suffix(".html") if path is None else Path(path)
        place = Output(target, self.belongings.has, is_forced=force, is_report=True)
        place.require_free()
        asked = read_questions(questions)
        self.refresh()
        write_page(report_of(self, estimand, title, asked), place)
        return Written(target)

    def export(
        self,
        path: str | Path,
        to: str = "csv",
        what: str = "surface",
        *,
        estimand: str = "pool",
        force: bool = False,
    ) -> Written:
        """Write the surface, the labels or the report's numbers to a file; ``-`` prints them.

        Args:
            path: The file.
            to: csv or parquet for a table; json for all numbers of the report, or for labels.
            what: surface or labels.
            estimand: ``pool`` or ``rate``.
            force: Whether another file that is there may be replaced.
        """
        from spotheight.workspace import exporting

        exporting.require_known(to, what)
        place = Output(Path(path), self.belongings.has, is_forced=force)
        place.require_free()
        self.refresh()
        if what == "labels":
            exporting.write_labels(place, to, self.campaign.ledger, self.sheet)
        elif to == "json":
            from spotheight.workspace.reporting import report_of, write_numbers

            write_numbers(report_of(self, estimand), place)
        else:
            exporting.write_table(place, to, exporting.table_of(self.campaign, estimand))
        return Written(place.path)

    def verify(self, progress: Progress | None = None) -> Verified:
        """Recompute every ask from the pool, the spec and the log before it."""
        from spotheight.workspace.verifying import verified

        self.refresh()
        return verified(self.campaign, progress)
