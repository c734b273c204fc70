"""The wire client: one small aiohttp client for every endpoint, because the SDKs cost several times the call itself."""

from __future__ import annotations

import asyncio
import os
import ssl
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from judge.errors import JudgeError
from judge.judges import Judge
from judge.models.chat import Chat
from judge.models.decisions import Decisions
from judge.models.dialects import Dialect, settings_of
from judge.models.encoding import encoder
from judge.models.endpoints import VENDORS, Endpoint, endpoint_of, proxy_for
from judge.models.loops import PerLoop
from judge.models.messages import DEFAULT_LIMIT, STREAMS_ABOVE, Messages
from judge.models.outcomes import Source
from judge.models.prices import tariff_of
from judge.models.remote import Remote, Response

CONNECT_SECONDS = 15.0
MOST_BYTES = 64 * 2**20
"""A body longer than this is no reply of a judge."""

ANTHROPIC_VERSION = "2023-06-01"


class Wire:
    """A Transport on aiohttp: one session an event loop, no redirects, the environment's proxy, bodies as bytes."""

    def __init__(self, source: Source, headers: Mapping[str, str]) -> None:
        self._source = source
        self._headers = {
            "content-type": "application/json",
            "accept": "application/json",
            "user-agent": _agent(),
            **headers,
        }
        self._proxy = proxy_for(source.base_url)
        self._encode = encoder()
        self._urls: dict[str, Any] = {}
        self._sessions = PerLoop(self._open, _close)

    async def send(self, path: str, payload: dict[str, Any], timeout: float | None) -> Response:
        """One request, one response."""
        import aiohttp

        session = await self._sessions.get()
        limits = aiohttp.ClientTimeout(total=timeout, sock_connect=CONNECT_SECONDS, ceil_threshold=1e9)
        data = self._encode(payload)
        try:
            async with session.post(
                self._url(path), data=data, timeout=limits, allow_redirects=False, proxy=self._proxy
            ) as got:
                if (got.content_length or 0) > MOST_BYTES:
                    raise JudgeError(
                        "bad_endpoint", f"{self._source.reference}: {self._source.base_url} sent a huge body"
                    )
                body = await got.read()
                return Response(got.status, _Headers(got.headers), body)
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            raise self._failure(error, timeout) from error

    async def close(self) -> None:
        """Close the running loop's session."""
        await self._sessions.close()

    def _open(self) -> Any:
        import aiohttp

        connector = aiohttp.TCPConnector(limit=0, ttl_dns_cache=300)
        return aiohttp.ClientSession(
            connector=connector, headers=self._headers, cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None), raise_for_status=False,
        )  # fmt: skip

    def _url(self, path: str) -> Any:
        if (url := self._urls.get(path)) is None:
            from yarl import URL

            base = URL(self._source.base_url)
            url = self._urls[path] = base.with_path(base.path.rstrip("/") + path).with_query(base.query)
        return url

    def _failure(self, error: Exception, timeout: float | None) -> JudgeError:
        import aiohttp

        where = f"{self._source.reference} at {self._source.base_url}"
        if isinstance(error, TimeoutError):
            limit = "in time" if timeout is None else f"within {timeout:.3g} s"
            return JudgeError("timeout", f"{where} did not answer {limit}")
        said = self._source.shown(str(error) or type(error).__name__)
        lasting = (aiohttp.InvalidURL, aiohttp.ClientConnectorCertificateError, ssl.SSLCertVerificationError)
        if isinstance(error, lasting):
            return JudgeError("bad_endpoint", f"{where}: {said}; check base_url and its certificate")
        return JudgeError("connection", f"{where}: {said}")


class _Headers(Mapping[str, str]):
    """aiohttp's headers, which know no case, as a mapping."""

    def __init__(self, given: Any) -> None:
        self._given = given

    def __getitem__(self, name: str) -> str:
        value: str = self._given[name]
        return value

    def __iter__(self) -> Any:
        return (name.lower() for name in self._given)

    def __len__(self) -> int:
        return len(self._given)


async def _close(session: Any) -> None:
    await session.close()
    await asyncio.sleep(0)


def _agent() -> str:
    try:
        return f"rubric-judge/{version('rubric-judge')}"
    except PackageNotFoundError:
        return "rubric-judge"


def connect_wire(judge: Judge) -> Remote:
    """The model of an `openai` or `anthropic` judge over the wire client. Raises InputError for a missing key."""
    endpoint = endpoint_of(judge)
    return remote(judge, endpoint, Wire(endpoint.source(judge), headers_of(judge, endpoint)))


def headers_of(judge: Judge, endpoint: Endpoint) -> dict[str, str]:
    """The headers that carry the key."""
    if judge.reference.provider == "anthropic":
        key = {"x-api-key": endpoint.key} if endpoint.key else {}
        return {"anthropic-version": ANTHROPIC_VERSION, **key}
    key = {"authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}
    if endpoint.base_url != VENDORS["openai"].base_url:
        return key
    named = {"openai-organization": "OPENAI_ORG_ID", "openai-project": "OPENAI_PROJECT_ID"}
    return {**key, **{header: os.environ[name] for header, name in named.items() if os.environ.get(name)}}


def remote(judge: Judge, endpoint: Endpoint, transport: Any) -> Remote:
    """The model of a judge over a transport, in the vendor's dialect."""
    messages = judge.reference.provider == "anthropic"
    settings = settings_of(
        judge, default_limit=DEFAULT_LIMIT if messages else None, streams_above=STREAMS_ABOVE if messages else None
    )
    return Remote(
        judge, dialect_of(judge, endpoint), transport,
        source=endpoint.source(judge), settings=settings, tariff=tariff_of(judge, endpoint),
    )  # fmt: skip


def dialect_of(judge: Judge, endpoint: Endpoint) -> Dialect:
    """The vendor's dialect. OpenAI's own API calls the limit of a reply otherwise than the servers that copy it."""
    if judge.reference.provider == "anthropic":
        return Messages()
    if judge.structured == "decisions":
        return Decisions()
    own = endpoint.base_url == VENDORS["openai"].base_url
    return Chat(limit_key="max_completion_tokens" if own else "max_tokens")
