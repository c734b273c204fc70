"""What the vendors' own packages have in common as transports: one client an event loop, retries and redirects off."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from judge.errors import InputError, JudgeError
from judge.models.loops import PerLoop
from judge.models.outcomes import Source
from judge.models.remote import Response


def imported(package: str, *, provider: str) -> Any:
    """The package. Raises InputError that says how to install it."""
    try:
        return importlib.import_module(package)
    except ImportError:
        message = (
            f"{provider}/… with client = \"sdk\" needs the package {package}: pip install 'rubric-judge[{provider}]'"
        )
        raise InputError(message) from None


class SdkTransport:
    """A Transport over a vendor's client. `methods` gives its `create` method for each path."""

    def __init__(
        self,
        vendor: Any,
        source: Source,
        open_client: Callable[[], Any],
        methods: Mapping[str, Callable[[Any], Any]],
    ) -> None:
        self._vendor = vendor
        self._source = source
        self._methods = methods
        self._clients = PerLoop(open_client, close_client)

    async def send(self, path: str, payload: dict[str, Any], timeout: float | None) -> Response:
        """One request, one response, its body unread by the SDK: it is understood in one place for all clients."""
        client = await self._clients.get()
        create = self._methods[path](client)
        try:
            async with (
                asyncio.timeout(timeout),
                create(**_arguments(create, payload), timeout=timeout) as response,
            ):
                return Response(response.status_code, _headers(response.headers), await response.read())
        except self._vendor.APIStatusError as error:
            return Response(error.status_code, _headers(error.response.headers), _body(error))
        except (self._vendor.APIError, *_network_errors(), TimeoutError) as error:
            raise self._failure(error, timeout) from error

    async def close(self) -> None:
        """Close the running loop's client."""
        await self._clients.close()

    def _failure(self, error: Exception, timeout: float | None) -> JudgeError:
        import httpx2

        where = f"{self._source.reference} at {self._source.base_url}"
        if isinstance(error, TimeoutError | httpx2.TimeoutException | self._vendor.APITimeoutError):
            limit = "in time" if timeout is None else f"within {timeout:.3g} s"
            return JudgeError("timeout", f"{where} did not answer {limit}")
        said = self._source.shown(str(error.__cause__ or error) or type(error).__name__)
        if "CERTIFICATE_VERIFY_FAILED" in said or isinstance(error.__cause__ or error, httpx2.UnsupportedProtocol):
            return JudgeError("bad_endpoint", f"{where}: {said}; check base_url and its certificate")
        return JudgeError("connection", f"{where}: {said}")


def _network_errors() -> tuple[type[Exception], ...]:
    # Some of these pass through the SDKs as they are.
    import httpx2

    return (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL)


async def close_client(client: Any) -> None:
    """Let a client go of its connections."""
    await client.close()


def _headers(given: Any) -> dict[str, str]:
    return {name.lower(): value for name, value in given.items()}


def _body(error: Any) -> bytes:
    try:
        body: bytes = error.response.content
    except Exception:  # noqa: BLE001 - httpx2 has several errors for a body that was not read; the parsed one is left
        body = json.dumps(error.body if isinstance(error.body, dict) else {"error": str(error.body)}).encode()
    return body


def _arguments(create: Any, payload: dict[str, Any]) -> dict[str, Any]:
    known = _parameters(create.__wrapped__ if hasattr(create, "__wrapped__") else create)
    named = {key: value for key, value in payload.items() if key in known}
    rest = {key: value for key, value in payload.items() if key not in known}
    return {**named, "extra_body": rest} if rest else named


@lru_cache(maxsize=16)
def _parameters(create: Any) -> frozenset[str]:
    return frozenset(inspect.signature(create).parameters)
