"""Any provider that LiteLLM knows, through its own package. Its retries, its dropping of parameters and its network fetch
at import are off; what it raises is understood from status and body, since its classes do not tell a full quota from a wait.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping
from functools import partial
from typing import Any

from judge.errors import InputError, JudgeError
from judge.judges import Judge
from judge.models.chat import Chat
from judge.models.dialects import settings_of
from judge.models.endpoints import VENDORS, is_local, read_key
from judge.models.loops import PerLoop
from judge.models.openai import open_client
from judge.models.outcomes import Source
from judge.models.prices import Tariff
from judge.models.remote import Remote, Response
from judge.models.sdk import close_client, imported

_BY_NAME = {
    "ContextWindowExceededError": (400, "context_length_exceeded"),
    "ContentPolicyViolationError": (400, "content_filter"),
    "UnsupportedParamsError": (400, "unsupported_parameter"),
    "PaymentRequiredError": (402, "payment_required"),
}


def connect_sdk(judge: Judge) -> Remote:
    """The model of a `litellm` judge. Raises InputError for a missing key or package; importing it takes seconds."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    litellm = imported("litellm", provider="litellm")
    litellm.suppress_debug_info = True
    key = _key(judge, litellm)
    where = judge.base_url or f"LiteLLM's endpoint for {judge.reference.name}"
    source = Source(str(judge.reference), where, (key,) if key else ())
    transport = LiteLlm(litellm, source, {"api_base": judge.base_url, "api_key": key}, _clients(judge, key))
    return Remote(judge, Chat(), transport, source=source, settings=settings_of(judge), tariff=Tariff(judge.price))


def _key(judge: Judge, litellm: Any) -> str | None:
    """The key named by the judge; None where LiteLLM finds it itself. Raises InputError where it would find none."""
    if judge.api_key_env is not None:
        return read_key(judge.api_key_env, os.environ, judge=judge.name)
    missing = litellm.validate_environment(model=judge.reference.name).get("missing_keys") or []
    if missing and judge.base_url is not None and is_local(judge.base_url):
        return "none"
    if missing:
        raise InputError(f"judge {judge.name!r} needs a key: the variable {missing[0]} is not set")
    for variable, value in os.environ.items():
        if variable.endswith("_API_KEY") and value != value.strip():
            read_key(variable, os.environ, judge=judge.name)
    return None


def _clients(judge: Judge, key: str | None) -> PerLoop[Any] | None:
    """Clients that follow no redirect, for the one provider to which LiteLLM takes a client of ours; else None."""
    if not judge.reference.name.startswith("openai/"):
        return None
    key = key or os.environ.get("OPENAI_API_KEY")
    base_url = judge.base_url or os.environ.get("OPENAI_BASE_URL") or VENDORS["openai"].base_url
    return PerLoop(partial(open_client, key, base_url), close_client)


class LiteLlm:
    """A Transport over `litellm.acompletion`."""

    def __init__(
        self, litellm: Any, source: Source, fixed: Mapping[str, Any], clients: PerLoop[Any] | None = None
    ) -> None:
        self._litellm = litellm
        self._source = source
        self._clients = clients
        self._fixed = {key: value for key, value in fixed.items() if value is not None}

    async def send(self, path: str, payload: dict[str, Any], timeout: float | None) -> Response:  # noqa: ARG002
        """One request through LiteLLM; its answer as if it had come from the endpoint itself."""
        quiet = {key: value for key, value in payload.items() if key not in ("stream", "stream_options")} | self._fixed
        if self._clients is not None:
            quiet["client"] = await self._clients.get()
        try:
            async with asyncio.timeout(timeout):
                answer = await self._litellm.acompletion(**quiet, max_retries=0, timeout=timeout)
        except (TimeoutError, self._litellm.Timeout) as error:
            limit = "in time" if timeout is None else f"within {timeout:.3g} s"
            raise JudgeError("timeout", f"{self._source.reference} did not answer {limit}") from error
        except self._litellm.OpenAIError as error:
            return self._told(error)
        except Exception as error:  # LiteLLM lets errors of every kind through, its own bugs among them
            if hasattr(error, "status_code"):
                return self._told(error)
            said = self._source.shown(f"{type(error).__name__}: {error}")
            raise JudgeError("provider_error", f"{self._source.reference}: {said}") from error
        return Response(200, {}, json.dumps(_with_cost(answer)).encode())

    def _understood(self, error: Exception) -> JudgeError | None:
        """The failure where only LiteLLM's words tell it from a server's error; else None."""
        said = str(error)
        shown = f"{self._source.reference}: {self._source.shown(said)}"
        if "Connection error" in said or type(error).__name__ == "APIConnectionError":
            return JudgeError("connection", shown)
        if "no 'choices'" in said:
            return JudgeError("empty", shown)
        if "Empty or invalid response from LLM endpoint" in said:
            return JudgeError("bad_endpoint", f"{shown} (base_url {self._source.base_url} is no endpoint of this kind)")
        return None

    async def close(self) -> None:
        """Close the running loop's client. Where there is none of ours, LiteLLM keeps its connections."""
        if self._clients is not None:
            await self._clients.close()

    def _told(self, error: Exception) -> Response:
        if (understood := self._understood(error)) is not None:
            raise understood from error
        status, code = _BY_NAME.get(type(error).__name__, (getattr(error, "status_code", 500), None))
        response = getattr(error, "response", None)
        headers = {k.lower(): v for k, v in dict(getattr(response, "headers", None) or {}).items()}
        return Response(int(status), headers, json.dumps({"error": _told_of(error, code)}, default=str).encode())


def _told_of(error: Any, code: str | None) -> dict[str, Any]:
    body = getattr(error, "body", None)
    body = body.get("error", body) if isinstance(body, dict) else {}
    told = dict(body) if isinstance(body, dict) else {}
    told.setdefault("message", str(getattr(error, "message", error)))
    if code is not None:
        told["code"] = code
    return told


def _with_cost(answer: Any) -> dict[str, Any]:
    body: dict[str, Any] = answer.model_dump()
    cost = (getattr(answer, "_hidden_params", None) or {}).get("response_cost")
    # A cost of 0 is what LiteLLM says of models that it does not know.
    if cost and isinstance(body.get("usage"), dict):
        body["usage"]["cost"] = cost
    return body
