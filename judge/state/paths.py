"""Paths into a state, and the patterns that name many of them.

A path is written like a JSON pointer without its first slash: ``reservations/HATHAT/status``; ``~1`` is a slash inside a
name and ``~0`` a tilde. A pattern may be written with dots, slashes or brackets: ``refunds.*.created``, ``refunds[*].id``,
``reservations/*/price``. With a slash anywhere, dots are part of the names; ``['a.b']`` quotes a name.

``*`` is one step, ``**`` any number, and a pattern that begins with ``*`` begins anywhere (``*.updated_at`` is every
``updated_at``); inside a name, ``*`` and ``?`` stand for any text and any character. In a table the row may be left out:
``refunds.created`` is that column in every row.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import translate
from functools import lru_cache

from judge.state.errors import OptionsError

_BRACKET = re.compile(r"\[\s*(?:'([^']*)'|\"([^\"]*)\"|([^\[\]'\"]*))\s*\]")
_QUOTED = "\ue000"


def join(steps: Iterable[str]) -> str:
    """The path of these steps, with slashes inside names escaped."""
    steps = list(steps)
    path = "/".join(step.replace("~", "~0").replace("/", "~1") for step in steps)
    # A first name that is empty would read as the whole state, or as a pointer's first slash.
    return f"/{path}" if steps and not steps[0] else path


def split(path: str) -> tuple[str, ...]:
    """The steps of a path; the empty path is the whole state."""
    if not path:
        return ()
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in path.removeprefix("/").split("/"))


def parse_pattern(pattern: str) -> tuple[str, ...]:
    """The steps of a pattern; raises OptionsError where it names nothing."""
    if not isinstance(pattern, str) or not pattern.strip():
        raise OptionsError(f"a path must be text such as 'refunds.*.created', not {pattern!r}")
    quoted: list[str] = []

    def unbracket(match: re.Match[str]) -> str:
        quoted.append(next((group for group in match.groups() if group is not None), "") or "*")
        return f"\ue001{_QUOTED}{len(quoted) - 1}{_QUOTED}"

    plain = _BRACKET.sub(unbracket, pattern.strip())
    if "[" in plain or "]" in plain:
        raise OptionsError(f"path {pattern!r}: a bracket is not closed; write 'refunds[*].id'")
    separator = "/" if "/" in plain else "."
    plain = plain.removeprefix("$").removeprefix(separator).replace("\ue001", separator)
    steps = tuple(
        _step(step, quoted, slashed=separator == "/") for step in plain.removeprefix(separator).split(separator)
    )
    if "" in steps:
        raise OptionsError(f"path {pattern!r} has an empty step; write 'table.*.column'")
    return ("**", *steps[1:]) if steps[0] == "*" and len(steps) > 1 else steps


def _step(step: str, quoted: list[str], *, slashed: bool) -> str:
    if step.startswith(_QUOTED):
        return quoted[int(step.strip(_QUOTED))]
    return step.replace("~1", "/").replace("~0", "~") if slashed else step


def is_glob(step: str) -> bool:
    """Whether a step of a pattern stands for more than one name (``*`` and ``**`` aside)."""
    return step not in ("*", "**") and ("*" in step or "?" in step)


def step_matches(step: str, name: str) -> bool:
    """Whether one step of a pattern fits one name."""
    return step in ("*", "**") or step == name or (is_glob(step) and bool(_glob(step).match(name)))


@lru_cache(maxsize=1024)
def _glob(step: str) -> re.Pattern[str]:
    return re.compile(translate(step.replace("[", "[[]")))
