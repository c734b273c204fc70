"""From a judge's settings to a model that can be asked, and what is missing for those that can't be used here."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import NamedTuple, cast

from judge.errors import InputError, JudgeError
from judge.judges import ENTRY_POINTS, Judge, providers
from judge.models.endpoints import VENDORS, endpoint_of
from judge.models.exchange import Model, Prompt

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
    from judge.models.openai import connect_sdk
    from judge.models.wire import connect_wire

    return connect_sdk(judge) if judge.client == "sdk" else connect_wire(judge)


def _anthropic(judge: Judge, _base_dir: Path) -> Model:
    from judge.models.anthropic import connect_sdk
    from judge.models.wire import connect_wire

    return connect_sdk(judge) if judge.client == "sdk" else connect_wire(judge)


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


class Availability(NamedTuple):
    """Whether a judge, or any judge of a provider, can be used here; `missing` is one sentence that says what is not.

    `base_url` is where requests would go, None for providers without an endpoint. `sdk` is True if the vendor's own package
    is installed, None if there is none.
    """

    name: str
    provider: str
    usable: bool
    missing: str
    base_url: str | None = None
    sdk: bool | None = None


_PACKAGES = {"openai": "openai", "anthropic": "anthropic", "litellm": "litellm", "local": "xllamacpp"}


def survey(judges: Iterable[Judge] = (), *, base_dir: str | Path = ".") -> list[Availability]:
    """What can be used here: each of the judges, or where none are given each provider. Nothing is sent or loaded."""
    found = [_of_judge(judge, Path(base_dir)) for judge in judges]
    return found or [_of_provider(name) for name in providers()]


def _of_judge(judge: Judge, base_dir: Path) -> Availability:
    provider = judge.reference.provider
    base_url, sdk = _base_url(judge), _has_package(provider)
    missing = ""
    if provider == "litellm":
        # Importing LiteLLM takes seconds: its keys are checked when it is used.
        missing = "" if sdk else "litellm/… needs the package litellm: pip install 'rubric-judge[litellm]'"
    else:
        try:
            connect(judge, base_dir=base_dir)
        except InputError as error:
            missing = str(error)
    return Availability(judge.name, provider, usable=not missing, missing=missing, base_url=base_url, sdk=sdk)


def _of_provider(provider: str) -> Availability:
    if provider in VENDORS or provider == "litellm":
        return _of_judge(Judge(name=provider, model=f"{provider}/any"), Path())
    sdk = _has_package(provider)
    missing = "local/… needs xllamacpp: pip install 'rubric-judge[local]'" if sdk is False else ""
    return Availability(provider, provider, usable=not missing, missing=missing, sdk=sdk)


def _base_url(judge: Judge, environment: Mapping[str, str] | None = None) -> str | None:
    if judge.reference.provider not in VENDORS:
        return judge.base_url
    try:
        free = judge.model_copy(update={"api_key_env": None})
        return endpoint_of(free, {"OPENAI_API_KEY": "-", "ANTHROPIC_API_KEY": "-", **_urls(environment)}).base_url
    except InputError:
        return None


def _urls(environment: Mapping[str, str] | None) -> dict[str, str]:
    environment = os.environ if environment is None else environment
    names = [vendor.base_url_env for vendor in VENDORS.values()]
    return {name: environment[name] for name in names if name in environment}


def _has_package(provider: str) -> bool | None:
    package = _PACKAGES.get(provider)
    return None if package is None else importlib.util.find_spec(package) is not None


async def try_out(judge: Judge, *, base_dir: str | Path = ".", timeout: float = 30.0) -> Availability:
    """The same after one small question was really asked, which may cost a fraction of a cent."""
    found = _of_judge(judge, Path(base_dir))
    if not found.usable:
        return found
    model = connect(judge, base_dir=base_dir)
    try:
        await model.ask(Prompt("Answer with one word.", "Is water wet?", "", (), ""), timeout=timeout)
    except JudgeError as error:
        return found._replace(usable=False, missing=error.message)
    finally:
        await model.close()
    return found
