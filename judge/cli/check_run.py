"""A run of `judge check`: the same reading and writing as grading, and code alone to judge."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from judge.cli.outputs import Output
from judge.cli.progress import Progress
from judge.cli.running import Run
from judge.cli.setup import console
from judge.cli.summary import Mean
from judge.engine import Engine, UngradableError
from judge.episode import Episode
from judge.errors import InputError
from judge.record import GradeRecord
from rubrics.errors import RubricError


class CheckRun(Run):
    """Checks the episodes of one file."""

    def __init__(self, engine: Engine, episodes: Path, rubric: Any, *, limit: int | None, explain: bool) -> None:
        super().__init__(engine, episodes, rubric, limit=limit)
        self._explain = explain
        self._blind = 0

    def check(self, output: Path | None, *, force: bool, as_json: bool) -> int:
        """Check all, write records, show the table. Returns the exit code."""
        if output is not None and output.exists() and not force:
            raise InputError(f"{output} exists; use --force to overwrite it, or another -o")
        self._output = Output(output, force=force, resume=False, method=self.engine.method, source=self._source)
        try:
            with Progress(self.path, self.summary, limit=self._limit) as progress:
                for episode in self.episodes():
                    record = self._checked(episode)
                    if record is not None:
                        self._give_out(record, as_json)
                        progress.advance()
        finally:
            self._output.close(complete=True)
        if not self.summary.episodes:
            sys.stderr.write(f"judge: {self.path}: no episode could be checked\n")
            return 2
        if not as_json:
            self._show()
        return 1 if self._blind or self.summary.unreadable else 0

    def _checked(self, episode: Episode) -> GradeRecord | None:
        try:
            return self.engine.check(episode, self.rubric)
        except (RubricError, InputError) as error:
            self.ungradable(UngradableError(episode, str(error)))
            return None

    def _give_out(self, record: GradeRecord, as_json: bool) -> None:
        self.summary.add(record)
        self._blind += any(f.blame == "check" for f in record.failures)
        self._output.record(record)
        if as_json:
            sys.stdout.write(record.to_json() + "\n")
        elif self._explain:
            from judge.cli.explaining import explain_checks

            explain_checks(record, console())

    def _show(self) -> None:
        judged = {name: mean for name, mean in self.summary.criteria.items() if mean.n == 0}
        for name in judged:
            del self.summary.criteria[name]
        self.summary.failures = type(self.summary.failures)(
            {k: v for k, v in self.summary.failures.items() if "(check)" in k}
        )
        self.summary.flags.pop("missing", None)
        if not self.summary.score.n:
            self.summary.score = Mean(without=self.summary.score.without)
        self.summary.show(console())
        if judged:
            sys.stdout.write(f"for judges: {', '.join(judged)}\n")
