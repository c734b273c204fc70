"""All benchmarks, one after another: `python -m benchmarks [--peer PYTHON] [--quick]`. Nothing else should be running."""

from __future__ import annotations

import argparse
import subprocess
import sys

from benchmarks.provider import ROOT

FAULTS = ["--fault", "429=0.1", "--fault", "500=0.05", "--fault", "malformed=0.02", "--fault", "dropped=0.01"]

CALIBRATION = ("aggregators", "real_panels", "intervals", "escalation", "transport", "drift", "agreement")


def main() -> None:
    """Run and print each command before its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", help="an interpreter with rubric==2.2.0 and openai")
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that everything runs")
    given = parser.parse_args()
    peer = ["--peer", given.peer] if given.peer else []
    size = ["--episodes", "100", "--rounds", "1"] if given.quick else []
    states, most = (["--episodes", "20"], ["--most", "2000"]) if given.quick else ([], [])
    few = ["--repeats", "5"] if given.quick else []
    for command in (
        ["benchmarks.engine", *size, *peer],
        ["benchmarks.engine", *size, "--batch", "1"],
        ["benchmarks.engine", *size, "--batch", "1", "--in-flight", "512"],
        ["benchmarks.engine", *size, *FAULTS, *peer],
        ["benchmarks.state_comparison", *states],
        ["benchmarks.memory", *most],
        ["benchmarks.tails"],
        ["benchmarks.tails", "--hedge"],
        ["benchmarks.tokens"],
        ["benchmarks.footprint"],
        ["benchmarks.calibration_speed"],
        *([f"benchmarks.{name}", *few] for name in CALIBRATION),
    ):
        print("\n$ python -m " + " ".join(command), flush=True)
        subprocess.run([sys.executable, "-m", *command], cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
