"""Memory as work grows: the peak while 1,000 and 100,000 episodes are streamed from a file through judge, ledger and records.

    python -m benchmarks.memory [--most 100000]

Each size runs in a process of its own. The bar: within 50 MB of each other.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.engine import RUBRIC
from benchmarks.provider import ROOT
from benchmarks.transcripts import turns
from judge.engine import Engine
from judge.models.exchange import Prompt, Reply, Usage
from judge.options import Options
from judge.reading import read_episodes


class Instant:
    """A judge that answers at once, and whose replies are kept in the ledger like any other's."""

    reference = "scripted/instant"
    identity: Mapping[str, Any] = {"reference": "scripted/instant"}
    concurrency: int | None = None
    offline = False

    async def ask(self, prompt: Prompt, *, timeout: float | None, sample: int = 0) -> Reply:  # noqa: ARG002
        """Says yes to everything."""
        verdicts = [{"id": c.id, "quotes": [], "reason": "As asked.", "level": "yes"} for c in prompt.criteria]
        return Reply(text=json.dumps({"verdicts": verdicts}), model="instant", usage=Usage(2000, 0, 100, 0.001))

    async def close(self) -> None:
        """Nothing to let go of."""


def write(path: Path, count: int) -> None:
    """A file of `count` episodes."""
    with path.open("w") as file:
        for number in range(count):
            steps = [{"t": t, "by": "agent" if t % 2 else "user", "text": text} for t, text in enumerate(turns(number))]
            file.write(json.dumps({"task_id": f"e{number}", "steps": steps}) + "\n")


async def grade(path: Path, out: Path, store: Path) -> int:
    """Streams the file to graded records."""
    graded = 0
    async with Engine([Instant()], options=Options(concurrency=64), store=store) as engine:
        with out.open("w") as file:
            async for record in engine.grade_many(read_episodes(path, on_bad=print), RUBRIC):
                file.write(record.to_json() + "\n")
                graded += record.score is not None
    return graded


def one(count: int) -> None:
    """Grades `count` episodes here and prints the peak in MB and the seconds."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "episodes.jsonl")
        write(path, count)
        start = time.perf_counter()
        graded = asyncio.run(grade(path, Path(folder, "grades.jsonl"), Path(folder, "ledger.db")))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps({"graded": graded, "peak": peak, "seconds": time.perf_counter() - start}))


def main() -> None:
    """Measure each size in a process of its own and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=100_000)
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        one(given.one)
        return
    peaks = []
    for count in (1000, given.most):
        command = [sys.executable, "-m", "benchmarks.memory", "--one", str(count)]
        found = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
        peaks.append(found["peak"])
        print(f"{count:>7} episodes: {found['graded']} graded, peak {found['peak']:.0f} MB, {found['seconds']:.1f} s")
    print(f"grown by {peaks[1] - peaks[0]:.0f} MB (bar 50)")


if __name__ == "__main__":
    main()
