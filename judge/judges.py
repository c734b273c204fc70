"""The judges of a run: who they are, where they live and everything that can change their answers."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cached_property
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import Field, JsonValue, ValidationError, field_validator

from judge.errors import InputError
from rubrics.criterion import Noun
from rubrics.fingerprints import fingerprint_of

PROVIDERS = ("openai", "anthropic", "litellm", "local", "recorded", "scripted")
ENTRY_POINTS = "rubric_judge.models"

Structured = Literal["auto", "schema", "tool", "json", "none", "decisions"]
Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Count = Annotated[int, Field(gt=0)]


class Reference(NamedTuple):
    """Where a model is found: the provider's name, and the model's name there."""

    provider: str
    name: str

    def __str__(self) -> str:
        return f"{self.provider}/{self.name}"


class Price(Noun):
    """US dollars for a million tokens. `cached_input` None: cached tokens cost what others cost."""

    input: Dollars
    output: Dollars
    cached_input: Dollars | None = None


class Judge(Noun):
    """A judge model with its settings.

    `model` is a reference such as `openai/gpt-5-mini`. `api_key_env` names the variable that holds the key, never the
    key. `params` go to the provider as they are (temperature, seed, effort, …). `window` is how many tokens the model
    reads, None if unknown; `max_output_tokens` how many it may write, None for the provider's own limit. `batch` is how
    many criteria go into one call, None for the run's default. `structured` is how the reply's form is enforced
    (`auto`: the strongest way that the endpoint takes; `decisions`: OpenAI's typed questions). `logprobs` asks for the
    probability of the level where one two-level criterion is asked alone.
    """

    name: Annotated[str, Field(min_length=1)]
    model: str
    base_url: str | None = None
    api_key_env: str | None = None
    params: dict[str, JsonValue] = {}
    template: str | None = None
    price: Price | None = None
    window: Count | None = None
    max_output_tokens: Count | None = None
    client: Literal["wire", "sdk"] = "wire"
    batch: Count | None = None
    structured: Structured = "auto"
    logprobs: bool = False

    @field_validator("model")
    @classmethod
    def _model_can_be_found(cls, model: str) -> str:
        parse_reference(model)
        return model

    @field_validator("base_url")
    @classmethod
    def _base_url_is_one(cls, url: str | None) -> str | None:
        if url is not None and not url.startswith(("http://", "https://")):
            raise ValueError(f"base_url {url!r} must start with http:// or https://")
        return url

    @cached_property
    def reference(self) -> Reference:
        """The model reference in its two parts."""
        return parse_reference(self.model)

    @cached_property
    def fingerprint(self) -> str:
        """Sixteen hex digits over all that can change its answers: not its key, price or client."""
        elsewhere = {"name", "model", "api_key_env", "price", "client"}
        return fingerprint_of(
            {"model": str(self.reference)} | self.model_dump(mode="json", exclude=elsewhere, exclude_defaults=True)
        )


def providers() -> tuple[str, ...]:
    """All provider names: the built-in ones, then those that installed packages add."""
    return PROVIDERS + tuple(sorted({point.name for point in entry_points(group=ENTRY_POINTS)} - set(PROVIDERS)))


def parse_reference(text: str) -> Reference:
    """The parts of `openai/NAME`, `openai:NAME` or `openai:/NAME`, split at the first separator only.

    So `litellm/openai/x` is LiteLLM's `openai/x`. Raises InputError for an unknown provider or a missing name.
    """
    at = min((place for place in (text.find("/"), text.find(":")) if place >= 0), default=len(text))
    provider, name = text[:at], text[at + 1 :]
    if text[at : at + 2] == ":/":
        name = text[at + 2 :]
    if provider not in PROVIDERS and provider not in providers():
        raise InputError(f"model {text!r}: there is no provider {provider!r}; expected one of {', '.join(providers())}")
    if not name.strip():
        raise InputError(f"model {text!r} names a provider but no model; write {provider}/NAME")
    return Reference(provider, name)


def read_judges(path: str | Path) -> dict[str, Judge]:
    """The judges of a `judge.toml`, by name: its tables `[judges.NAME]`.

    Raises InputError that names the file, the judge and the key.
    """
    path = Path(path)
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: can't be read: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: is not TOML: {error}") from None
    if unknown := sorted(set(content) - {"judges"}):
        raise InputError(f"{path}: unknown table or key {unknown[0]!r}; judges stand under [judges.NAME]")
    tables = content.get("judges", {})
    if not isinstance(tables, dict):
        raise InputError(f"{path}: `judges` must be tables [judges.NAME], got {type(tables).__name__}")
    return {name: _judge_of(path, name, table) for name, table in tables.items()}


def _judge_of(path: Path, name: str, table: object) -> Judge:
    if not isinstance(table, dict):
        raise InputError(f"{path}: judge {name!r} must be a table [judges.{name}] with `model = …`")
    try:
        return Judge(**{"name": name, **table})
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise InputError(f"{path}: judge {name!r}, key {key!r}: {_said(first['type'], first['msg'])}") from None


def _said(kind: str, message: str) -> str:
    if kind == "extra_forbidden":
        return f"is unknown; a judge has {', '.join(Judge.model_fields)}"
    return message.removeprefix("Value error, ")


def resolve(name_or_reference: str, judges: Mapping[str, Judge] | None = None) -> Judge:
    """The judge of that name, or a new one with default settings for a model reference.

    Raises InputError where it is neither. A judge made for `recorded/FILE#NAME` is called NAME.
    """
    judges = judges or {}
    if name_or_reference in judges:
        return judges[name_or_reference]
    if not set("/:") & set(name_or_reference):
        known = ", ".join(judges) or "none"
        raise InputError(
            f"no judge {name_or_reference!r} in judge.toml (it has {known}); "
            f"a model reference is PROVIDER/NAME with one of {', '.join(providers())}"
        )
    reference = parse_reference(name_or_reference)
    recorded_as = (
        reference.name.rpartition("#")[2] if reference.provider == "recorded" and "#" in reference.name else ""
    )
    return Judge(name=recorded_as or str(reference), model=name_or_reference)
