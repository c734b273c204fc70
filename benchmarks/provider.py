"""A local judge provider in a process of its own, and CPU seconds: what every benchmark needs."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]


@contextmanager
def provider(*arguments: str) -> Iterator[str]:
    """The base URL of a provider on the last core; this process keeps to the first. Arguments: `python -m tests.provider -h`."""
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    command = [sys.executable, "-m", "tests.provider", *arguments]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        if len(cores) > 1:
            os.sched_setaffinity(process.pid, {cores[-1]})
            os.sched_setaffinity(0, {cores[0]})
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
    finally:
        process.terminate()
        process.wait()
        if len(cores) > 1:
            os.sched_setaffinity(0, set(cores))


def cpu() -> float:
    """CPU seconds of this process so far, all threads."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def rss() -> float:
    """Resident memory of this process in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def busy() -> str:
    """A warning for the head of a report if the machine is doing other work; empty if not."""
    load = os.getloadavg()[0]
    return f"the machine was busy (load {load:.1f}): trust ratios only\n" if load > 0.7 else ""
