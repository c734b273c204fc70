"""What a reader of figures of agreement should be warned of, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from calibration.agreeing.rates import HALF
from calibration.agreeing.tables import Floats

FEWEST_ITEMS = 30
FEWEST_OF_A_CLASS = 20
FEWEST_TASKS = 10


def cautions_about(truth: Floats, tasks: int) -> tuple[str, ...]:
    """Sentences about too few items, tasks, or items of the rarer class of the truth; empty where there are enough."""
    return tuple(_cautions(truth, tasks))


def _cautions(truth: Floats, tasks: int) -> Iterator[str]:
    if truth.size < FEWEST_ITEMS:
        yield f"only {_count(truth.size)}: below {FEWEST_ITEMS} no figure of agreement means much"
    if tasks < min(FEWEST_TASKS, truth.size):
        yield f"the items come from only {_count(tasks, 'task')}, which is what the intervals rest on"
    above, below = int(np.sum(truth > HALF)), int(np.sum(truth < HALF))
    if min(above, below) < FEWEST_OF_A_CLASS:
        side = "below" if below <= above else "above"
        yield f"only {_count(min(above, below))} {side} a half, fewer than {FEWEST_OF_A_CLASS} of the rarer class"


def _count(n: int, noun: str = "item") -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
