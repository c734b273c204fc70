"""The engine: connections, limits and the ledger of a long life, and the verbs `grade`, `grade_many`, `grade_group`.

One engine a process. It may be used from several event loops, and after a fork; nothing is opened until it is needed.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from calibration.applying import OTHER_GRADER, apply
from calibration.calibration import Calibration as CalibrationFile
from calibration.errors import OtherGraderError
from judge.asking import Seat, Sitting
from judge.checks import CheckSettings, validate_checks
from judge.episode import Episode
from judge.errors import EpisodeError, InputError, StoreError
from judge.grading import Bench, Case, close_case, open_case
from judge.judges import Judge
from judge.judging import judge_cases
from judge.models.budget import Budget
from judge.models.calling import Caller
from judge.models.catalogue import connect
from judge.options import Options
from judge.panel import Panel
from judge.prompting import template_fingerprint
from judge.reading import as_episode
from judge.record import GradeRecord
from judge.rubric_cache import RubricCache
from judge.seating import JudgeSource, panel_of
from judge.streaming import InOrder
from rubrics.errors import RubricError
from rubrics.fingerprints import fingerprint_of
from rubrics.rubric import Rubric

if TYPE_CHECKING:
    from judge.store.ledger import Ledger

MAX_GROUP = 1024
LOCAL_TIMEOUT = 1800.0

Calibration = CalibrationFile | Callable[[GradeRecord], GradeRecord]
EpisodeSource = Episode | Mapping[str, Any]
RubricSource = Rubric | str | Path | dict[str, Any] | None


class UngradableError(EpisodeError):
    """One episode of many that brought no record: which one, and why."""

    def __init__(self, episode: Episode, message: str) -> None:
        super().__init__(message)
        self.episode = episode

    def __reduce__(self) -> tuple[Any, ...]:
        """Made anew from its parts, so that it comes whole out of another process."""
        return type(self), (self.episode, str(self))


class Engine:
    """Grades episodes with a panel of judges.

    `judges` are names, model references, Judge or Model objects, or a Panel. `store` is the ledger's path or URL (None:
    nothing is kept). `base_dir` is where relative paths of references are looked up. Use it as an async context manager, or
    call `close`.
    """

    def __init__(
        self, judges: Panel | Sequence[JudgeSource] | JudgeSource = (), *, options: Options | None = None,
        store: str | Path | Ledger | None = None, base_dir: str | Path = ".", known: dict[str, Judge] | None = None,
    ) -> None:  # fmt: skip
        if not isinstance(options, Options | None):
            raise InputError(
                f"options are judge.Options(…), got {type(options).__name__}; pool and quorum belong to judge.Panel(…)"
            )
        self.options = options or Options()
        self.base_dir = Path(base_dir)
        self.panel, self._models = panel_of(judges, known or {}, self.base_dir)
        self.budget = Budget(self.options.budget)
        self._store = store
        self.rubrics = RubricCache()
        self.settings = CheckSettings(allow_code=self.options.allow_code)

    @cached_property
    def ledger(self) -> Ledger | None:
        """The ledger, opened at first use; None if nothing is kept."""
        if self._store is None or not isinstance(self._store, str | Path):
            return self._store
        from judge.store.ledger import Ledger

        return Ledger(self._store)

    @cached_property
    def bench(self) -> Bench:
        """The panel, connected. Raises InputError in one sentence for a judge that can't be used."""
        met: Counter[str] = Counter()
        seats, substitutes, escalation = (
            [self._seat(judge, met) for judge in judges]
            for judges in (self.panel.judges, self.panel.substitutes, self.panel.escalate_to)
        )
        return Bench(self.panel, seats, substitutes, escalation, self.method, self.grader)

    def _seat(self, judge: Judge, met: Counter[str]) -> Seat:
        """Its seat. A judge that stands there a second time under another name gives samples of its own."""
        seat = Seat.of(judge, self._caller(judge))
        met[seat.identity] += 1
        return seat if met[seat.identity] == 1 else replace(seat, identity=f"{seat.identity}#{met[seat.identity]}")

    def _caller(self, judge: Judge) -> Caller:
        model = self._models.get(judge.name) or connect(judge, base_dir=self.base_dir)
        options = self.options
        # A model in this process reads tens of tokens a second: what would be a hang elsewhere is its normal pace.
        timeout = max(options.timeout, LOCAL_TIMEOUT) if judge.reference.provider == "local" else options.timeout
        return Caller(model, concurrency=options.concurrency, timeout=timeout, hedge=options.hedge, budget=self.budget)

    @cached_property
    def method(self) -> str:
        """The fingerprint of all that can change a grade beside rubric and episode: judges, templates, batching, pooling."""
        panel = self.panel.model_dump(mode="json", exclude={"judges", "substitutes", "escalate_to"})
        seats = [self.panel.judges, self.panel.substitutes, self.panel.escalate_to]
        return fingerprint_of(
            {
                "judges": [sorted(judge.fingerprint for judge in judges) for judges in seats],
                "panel": panel,
                "templates": [template_fingerprint(), *sorted({template_fingerprint((t,)) for t in self._templates()})],
                "options": self.options.model_dump(include={"batch", "seed", "reask", "behind_gates"}),
            }
        )

    @cached_property
    def grader(self) -> dict[str, str]:
        """The fingerprints of the parts of the method, so that what changed between two methods can be named."""
        panel = self.panel
        roles = {"judge": panel.judges, "substitute": panel.substitutes, "escalation": panel.escalate_to}
        judges = {f"{role}:{judge.name}": judge.fingerprint for role, seats in roles.items() for judge in seats}
        pooling = panel.model_dump(mode="json", exclude={"judges", "substitutes", "escalate_to"})
        options = self.options.model_dump(include={"batch", "seed", "reask", "behind_gates"})
        return {
            **judges, "template": template_fingerprint(), "pooling": fingerprint_of(pooling), "options": fingerprint_of(options),
        }  # fmt: skip

    def _templates(self) -> set[str]:
        panel = self.panel
        return {j.template for j in (*panel.judges, *panel.substitutes, *panel.escalate_to) if j.template}

    def rubric_for(self, episode: Episode, rubric: RubricSource) -> Rubric:
        """The rubric given, or the episode's own (inline or by name), its checks validated. Raises RubricError."""
        if rubric is not None:
            return self.rubrics.given(rubric, check=validate_checks)
        if episode.rubric is None:
            raise RubricError(f"{episode.id}: the episode carries no rubric and none was given; name one with --rubric")
        return self.rubrics.of_episode(
            episode.rubric, base_dir=episode.base_dir or self.base_dir, check=validate_checks
        )

    def open(self, episode: EpisodeSource, rubric: RubricSource = None) -> Case:
        """All of an episode's grading that needs no judge. Raises RubricError or EpisodeError."""
        episode = as_episode(episode)
        found = self.rubric_for(episode, rubric)
        return open_case(episode, found, self.settings, behind_gates=self.options.behind_gates)

    def check(self, episode: EpisodeSource, rubric: RubricSource = None) -> GradeRecord:
        """What code alone settles: the grade with every judged criterion missing. Raises RubricError."""
        return close_case(self.open(episode, rubric), self.bench)

    async def grade(
        self, episode: EpisodeSource, rubric: RubricSource = None, *, calibration: Calibration | None = None
    ) -> GradeRecord:
        """The grade of one episode. Raises RubricError or EpisodeError if it can't be graded at all."""
        return (await self._judged([self.open(episode, rubric)], calibration))[0]

    async def grade_group(
        self, episodes: Sequence[EpisodeSource], rubric: RubricSource = None, *, calibration: Calibration | None = None
    ) -> list[GradeRecord]:
        """The grades of the siblings of one prompt, in their order, all judged by the same realised panel."""
        return await self._judged([self.open(episode, rubric) for episode in episodes], calibration)

    def _sitting(self) -> Sitting:
        limit = self.options.deadline
        deadline = time.monotonic() + limit if limit else None
        return Sitting(self.options, self.ledger, deadline)

    def _finish(self, record: GradeRecord, calibration: Calibration | None) -> GradeRecord:
        if calibration is not None:
            record = calibrated(record, calibration)
        if self.ledger is not None:
            self.ledger.record(record)
        return record

    async def grade_many(
        self, episodes: Iterable[EpisodeSource], rubric: RubricSource = None, *, calibration: Calibration | None = None,
        on_error: Callable[[UngradableError], None] | None = None,
    ) -> AsyncGenerator[GradeRecord, None]:  # fmt: skip
        """Grade records in the order of the episodes, graded side by side in a bounded window.

        Reading pauses while the window is full, so memory stays flat. Episodes that follow each other and share a
        `group_id` are judged by one panel. One that can't be graded goes to `on_error`; without it, it is raised.
        """
        if not isinstance(episodes, Iterable):
            raise InputError(
                f"episodes are an iterable of Episode, got {type(episodes).__name__}; an async one is not read"
            )
        if self.panel.judges:
            _ = self.bench  # a judge that can't be used is one sentence before anything is read; so is a store
        _ = self.ledger

        async def work(siblings: list[Episode]) -> list[GradeRecord]:
            return await self._grade_together(siblings, rubric, calibration, on_error)

        options = self.options
        ordered = InOrder(work, busy=options.episodes_at_once, held=options.episodes_held)
        records = ordered.run(siblings_in(map(as_episode, episodes)))
        try:
            async for record in records:
                yield record
        finally:
            await records.aclose()

    async def _grade_together(
        self, siblings: list[Episode], rubric: RubricSource, calibration: Calibration | None,
        on_error: Callable[[UngradableError], None] | None,
    ) -> list[GradeRecord]:  # fmt: skip
        cases = [case for e in siblings if (case := self._opened(e, rubric, on_error)) is not None]
        try:
            return await self._judged(cases, calibration)
        except StoreError:
            raise  # no fault of these episodes: the rest would be lost too
        except Exception as error:  # a fault of ours on one episode must not end a run of thousands; it is told
            if on_error is None:
                raise
            for case in cases:
                on_error(UngradableError(case.episode, _internal(error)))
            return []

    def _opened(
        self, episode: Episode, rubric: RubricSource, on_error: Callable[[UngradableError], None] | None
    ) -> Case | None:
        try:
            case = self.open(episode, rubric)
            if case.to_ask and self.bench.seats:
                _ = case.exhibit  # what can't be read is found before a sibling is paid for
            return case
        except (RubricError, InputError) as error:
            _report(UngradableError(episode, str(error)), on_error)
        except Exception as error:  # the same: told for this episode, and the rest go on
            if on_error is None:
                raise
            on_error(UngradableError(episode, _internal(error)))
        return None

    async def _judged(self, cases: list[Case], calibration: Calibration | None) -> list[GradeRecord]:
        await judge_cases(cases, self.bench, self._sitting())
        return [self._finish(close_case(case, self.bench), calibration) for case in cases]

    async def close(self) -> None:
        """Let go of connections and write what is left."""
        if "bench" in self.__dict__:
            for seat in (*self.bench.seats, *self.bench.substitutes, *self.bench.escalation):
                await seat.caller.close()
            del self.__dict__["bench"]
        ledger: Ledger | None = self.__dict__.pop("ledger", None)
        if ledger is None:
            return
        if isinstance(self._store, str | Path):
            ledger.close()
        else:
            ledger.flush()  # it is the caller's, who may go on with it

    async def __aenter__(self) -> Engine:
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        await self.close()


def calibrated(record: GradeRecord, calibration: Calibration) -> GradeRecord:
    """The record with its reward. One of another grader keeps its score, has no reward and is flagged `other_grader`."""
    if not isinstance(calibration, CalibrationFile):
        return calibration(record)
    try:
        return apply(calibration, record)
    except OtherGraderError:
        flags = tuple(dict.fromkeys((*record.flags, OTHER_GRADER)))
        return record.model_copy(update={"flags": flags, "calibration": calibration.id})


def _report(error: UngradableError, on_error: Callable[[UngradableError], None] | None) -> None:
    if on_error is None:
        raise error
    on_error(error)


def _internal(error: Exception) -> str:
    """A fault of ours must not end a run of thousands: it is told, with what is needed to mend it."""
    return f"internal error, please report it: {type(error).__name__}: {error}"


def siblings_in(episodes: Iterable[Episode]) -> Iterator[list[Episode]]:
    """Episodes that follow each other and share a group id together (1,024 at most); others alone."""
    together: list[Episode] = []
    for episode in episodes:
        if together and (episode.group_id != together[0].group_id or len(together) >= MAX_GROUP):
            yield together
            together = []
        together.append(episode)
        if episode.group_id is None:
            yield together
            together = []
    if together:
        yield together
