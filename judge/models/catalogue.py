"""From a judge's settings to a model that can be asked, and what is missing for those that can't be used here."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from typing import cast

from judge.errors import InputError
from judge.judges import ENTRY_POINTS, Judge
from judge.models.exchange import Model

Connect = Callable[[Judge, Path], Model]


def connect(judge: Judge, *, base_dir: str | Path = ".") -> Model:
    """The model behind a judge; files in its reference are relative to `base_dir`. Nothing is sent.

    Raises InputError in one sentence where it can't be used: a missing key, package or file.
    """
    provider = judge.reference.provider
    return (CONNECTORS.get(provider) or _from_entry_point(provider))(judge, Path(base_dir))


def _from_entry_point(provider: str) -> Connect:
    # An entry point of group `rubric_judge.models` is a function (judge, base_dir) -> Model under the provider's name.
    for point in entry_points(group=ENTRY_POINTS, name=provider):
        return cast("Connect", point.load())
    raise InputError(f"provider {provider!r} is not installed")


def _openai(judge: Judge, _base_dir: Path) -> Model:
    if judge.client == "sdk":
        from judge.models.openai import connect_sdk

        return connect_sdk(judge)
    from judge.models.wire import connect_wire

    return connect_wire(judge)


def _anthropic(judge: Judge, _base_dir: Path) -> Model:
    if judge.client == "sdk":
        from judge.models.anthropic import connect_sdk

        return connect_sdk(judge)
    from judge.models.wire import connect_wire

    return connect_wire(judge)


def _litellm(judge: Judge, _base_dir: Path) -> Model:
    from judge.models.litellm import connect_sdk

    return connect_sdk(judge)


def _local(judge: Judge, _base_dir: Path) -> Model:
    from judge.models.local import LocalModel

    return LocalModel(judge.reference.name, **({"window": judge.window} if judge.window else {}))


def _recorded(judge: Judge, base_dir: Path) -> Model:
    from judge.models.recorded import Recorded

    return Recorded(judge, base_dir=base_dir)


def _scripted(judge: Judge, _base_dir: Path) -> Model:
    from judge.models.scripted import Scripted

    return Scripted(judge.reference.name, reference=str(judge.reference))


CONNECTORS: dict[str, Connect] = {
    "openai": _openai, "anthropic": _anthropic, "litellm": _litellm, "local": _local,
    "recorded": _recorded, "scripted": _scripted,
}  # fmt: skip
