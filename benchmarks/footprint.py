"""What importing costs, and what the core install weighs.

    python -m benchmarks.footprint [--install]

Bars: `import judge` under 0.5 s of CPU, `judge --help` under 0.7 s; the core installs under 180 MB (`--install` makes a fresh virtual
environment and needs the package registry).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.provider import ROOT


def cpu_of(*command: str) -> float:
    """The least CPU seconds of five runs of a command."""
    least = float("inf")
    for _ in range(5):
        before = os.times()
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        after = os.times()
        used = after.children_user + after.children_system - before.children_user - before.children_system
        least = min(least, used)
    return least


def installed_size() -> float:
    """MB of a fresh environment with the core alone, without pip itself."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        python = str(Path(folder, "bin", "python"))
        before = _size(Path(folder))
        subprocess.run([python, "-m", "pip", "install", "-q", "-c", "constraints.txt", "."], cwd=ROOT, check=True)
        return _size(Path(folder)) - before


def _size(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file() and not file.is_symlink()) / 1e6


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--install", action="store_true")
    given = parser.parse_args()
    print(f"python -c pass: {cpu_of(sys.executable, '-c', 'pass'):.2f} s CPU")
    print(f"import judge: {cpu_of(sys.executable, '-c', 'import judge'):.2f} s CPU (bar 0.5)")
    print(
        f"import judge, rubrics: {cpu_of(sys.executable, '-c', 'import judge, rubrics; judge.grade'):.2f} s CPU with its verbs loaded"
    )
    print(f"judge --help: {cpu_of(sys.executable, '-m', 'judge', '--help'):.2f} s CPU (bar 0.7)")
    if given.install:
        print(f"core install: {installed_size():.0f} MB (bar 180)")


if __name__ == "__main__":
    main()
