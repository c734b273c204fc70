"""What a response that is no answer means: one kind of the closed list for every way in which providers say it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from judge.errors import JudgeError
from judge.models import wordings
from judge.models.redacting import redact
from judge.models.waits import asked_wait
from rubrics.verdict import Kind

SHOWN = 300


class FinalError(JudgeError):
    """A failure that the same request would meet again, though another episode's need not: it is not sent twice."""

    @property
    def passing(self) -> bool:
        """False, whatever its kind."""
        return False


class OverloadError(JudgeError):
    """The provider has more to do than it can: it is asked again, and by fewer calls at once if that goes on."""


@dataclass(frozen=True)
class Source:
    """Who answered, for messages: the judge's reference, its base URL and the secrets that must not be shown."""

    reference: str
    base_url: str
    secrets: tuple[str, ...] = ()

    def shown(self, text: str) -> str:
        """A text of theirs, short, on one line and without secrets."""
        line = " ".join(redact(text, self.secrets).split())
        return line if len(line) <= SHOWN else line[: SHOWN - 1] + "…"


class Told(NamedTuple):
    """What the body of an error says: its words, and its codes and types in small letters."""

    message: str
    codes: frozenset[str]
    param: str | None


def told(body: bytes | str) -> Told:
    """The error in a body, in whichever shape: OpenAI's, Anthropic's, FastAPI's, Google's list, plain text."""
    text = body.decode("utf-8", "replace") if isinstance(body, bytes) else body
    try:
        content: Any = json.loads(text)
    except (ValueError, RecursionError):
        return Told(text, frozenset(), None)
    return told_of(content) or Told(text, frozenset(), None)


def told_of(content: Any) -> Told | None:
    """The error in parsed JSON; None if it holds none."""
    if isinstance(content, list) and content:
        content = content[0]
    if not isinstance(content, dict):
        return None
    error = content.get("error", content.get("detail", content.get("message")))
    if error is None or error is False:
        return None
    if not isinstance(error, dict):
        return Told(error if isinstance(error, str) else json.dumps(error), frozenset(), None)
    message = error.get("message") or json.dumps(error)
    details = error.get("details")
    words = f"{message} {json.dumps(details)}" if details else str(message)
    codes = {str(error[key]).lower() for key in ("code", "type", "status") if error.get(key) is not None}
    param = error.get("param")
    return Told(words, frozenset(codes), param if isinstance(param, str) else None)


def error_of(source: Source, status: int, headers: Mapping[str, str], body: bytes | str) -> JudgeError:
    """The failure behind an HTTP response that brought no answer. Header names are in small letters."""
    if 300 <= status < 400:
        where = source.shown(headers.get("location", "nowhere"))
        message = (
            f"{source.reference}: base_url {source.base_url} redirects to {where}; redirects are not followed, since "
        )
        return JudgeError(
            "bad_endpoint", message + "the episode would go to another host: set base_url to the right one"
        )
    said = told(body)
    kind = _kind(status, said, headers, body)
    return _error(source, kind, status, said, headers)


def error_inside(source: Source, said: Told, headers: Mapping[str, str] | None = None) -> JudgeError:
    """The failure that stands inside a response or stream with status 200."""
    status = next((int(code) for code in said.codes if code.isdigit() and 400 <= int(code) < 600), 500)
    named = next((status for name, status in wordings.STATUS_OF.items() if name in said.codes), status)
    return _error(source, _kind(named, said, headers or {}, b""), None, said, headers or {})


def _kind(status: int, said: Told, headers: Mapping[str, str], body: bytes | str) -> Kind:
    if status == 429:
        return _kind_of_429(said, headers)
    if status in (401, 403, 407):
        return _kind_of_refused_access(said)
    if status in (404, 405, 410, 501):
        return _kind_of_404(status, said, body)
    if status in (402, 413):
        return "quota" if status == 402 else "context_length"
    if status in (408, 409, 425) or status >= 500:
        return "quota" if said.codes & wordings.QUOTA_CODES else "provider_error"
    return _kind_of_400(said)


def _kind_of_429(said: Told, headers: Mapping[str, str]) -> Kind:
    if said.codes & wordings.QUOTA_CODES:
        return "quota"
    if re.search(r"(?i)request too large", said.message):
        return "context_length"
    if wordings.QUOTA.search(said.message) and asked_wait(headers, said.message) is None:
        return "quota"
    return "rate_limited"


def _kind_of_refused_access(said: Told) -> Kind:
    if said.codes & wordings.QUOTA_CODES or wordings.QUOTA.search(said.message):
        return "quota"
    return "model_not_found" if wordings.NO_MODEL.search(said.message) else "auth"


def _kind_of_404(status: int, said: Told, body: bytes | str) -> Kind:
    names_model = (
        "model_not_found" in said.codes
        or wordings.NO_MODEL.search(said.message)
        or re.search(r"(?i)\bmodels?\b", said.message)
    )
    return "model_not_found" if status in (404, 410) and names_model and not _is_page(body) else "bad_endpoint"


_SIGNS_IN_400: tuple[tuple[frozenset[str], re.Pattern[str], Kind], ...] = (
    (wordings.QUOTA_CODES, wordings.QUOTA, "quota"),
    (wordings.FILTER_CODES, wordings.FILTERED, "content_filter"),
    (wordings.OVERLONG_CODES, wordings.OVERLONG, "context_length"),
    (wordings.MODEL_CODES, wordings.NO_MODEL, "model_not_found"),
    (wordings.KEY_CODES, wordings.BAD_KEY, "auth"),
)


def _kind_of_400(said: Told) -> Kind:
    for codes, _, kind in _SIGNS_IN_400:
        if said.codes & codes:
            return kind
    if wordings.OUTPUT_LIMIT.search(said.message):
        return "provider_error"
    return next((kind for _, words, kind in _SIGNS_IN_400 if words.search(said.message)), "provider_error")


def _is_page(body: bytes | str) -> bool:
    start = body[:200] if isinstance(body, str) else body[:200].decode("latin-1")
    return start.lstrip().lower().startswith(("<!doctype", "<html", "<"))


_WORTH_RETRYING = (408, 409, 425, 429)


def _error(source: Source, kind: Kind, status: int | None, said: Told, headers: Mapping[str, str]) -> JudgeError:
    advice = wordings.ADVICE.get(kind, "").format(base_url=source.base_url)
    what = "an error inside a response" if status is None else f"HTTP {status}"
    message = f"{source.reference}: {what}: {source.shown(said.message)}" + (f" ({advice})" if advice else "")
    wait = asked_wait(headers, said.message) if kind in ("rate_limited", "provider_error") else None
    # Any other 4xx says that the request itself is wrong: sending it again can't help.
    wrong = status is not None and 400 <= status < 500 and status not in _WORTH_RETRYING
    final = headers.get("x-should-retry", "").lower() == "false" or (kind == "provider_error" and wrong)
    busy = status == 529 or "overloaded_error" in said.codes
    return (FinalError if final else OverloadError if busy else JudgeError)(kind, message, retry_after=wait)


def not_an_answer(source: Source, body: bytes) -> JudgeError:
    """The failure of a response with status 200 that is no JSON object."""
    text = body[:2000].decode("utf-8", "replace")
    if not text.strip():
        return JudgeError("provider_error", f"{source.reference}: an empty body came with status 200")
    if _is_page(body) or not text.lstrip().startswith("{"):
        advice = wordings.ADVICE["bad_endpoint"].format(base_url=source.base_url)
        return JudgeError("bad_endpoint", f"{source.reference}: {advice}: it answered {source.shown(text[:80])!r}")
    return JudgeError("provider_error", f"{source.reference}: the JSON of the response is broken or cut")
