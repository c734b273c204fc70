"""How to grade: read episodes, check what code settles, ask judges, pool, score, and write the record.

Nothing is imported until it is used, so that `import judge` is quick and loads no vendor's package.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from judge.engine import Engine, UngradableError
    from judge.episode import Action, Artifact, Episode, Step
    from judge.errors import EpisodeError, InputError, JudgeError
    from judge.judges import Judge
    from judge.options import Options
    from judge.panel import Panel
    from judge.reading import read_episodes
    from judge.record import GradeRecord, Judgement
    from judge.verbs import check, grade, grade_group, grade_many, grade_sync

_HOMES = {
    "judge.engine": ("Engine", "UngradableError"),
    "judge.episode": ("Action", "Artifact", "Episode", "Step"),
    "judge.errors": ("EpisodeError", "InputError", "JudgeError"),
    "judge.judges": ("Judge",),
    "judge.options": ("Options",),
    "judge.panel": ("Panel",),
    "judge.reading": ("read_episodes",),
    "judge.record": ("GradeRecord", "Judgement"),
    "judge.verbs": ("check", "grade", "grade_group", "grade_many", "grade_sync"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Action", "Artifact", "Engine", "Episode", "EpisodeError", "GradeRecord", "InputError", "Judge", "JudgeError",
    "Judgement", "Options", "Panel", "Step", "UngradableError", "check", "grade", "grade_group", "grade_many", "grade_sync",
    "read_episodes",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'judge' has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
