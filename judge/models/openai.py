"""OpenAI through its own package: the reference behaviour, and what it alone has."""

from __future__ import annotations

from functools import partial
from typing import Any

from judge.judges import Judge
from judge.models.endpoints import endpoint_of, proxy_for
from judge.models.remote import Remote
from judge.models.sdk import SdkTransport, imported
from judge.models.wire import remote


def open_client(key: str | None, base_url: str) -> Any:
    """A client of the openai package that retries nothing and follows no redirect. Raises InputError without the package."""
    openai = imported("openai", provider="openai")
    http = openai.DefaultAsyncHttpxClient(follow_redirects=False, trust_env=False, proxy=proxy_for(base_url))
    return openai.AsyncOpenAI(api_key=key or "none", base_url=base_url, max_retries=0, http_client=http)


def connect_sdk(judge: Judge) -> Remote:
    """The model of an `openai` judge over the openai package. Raises InputError for a missing key or package."""
    openai = imported("openai", provider="openai")
    endpoint = endpoint_of(judge)
    proxy_for(endpoint.base_url)  # raises for a proxy that can't be used, before anything is sent
    methods = {
        "/chat/completions": lambda client: client.chat.completions.with_streaming_response.create,
        "/decisions": lambda client: client.decisions.with_streaming_response.create,
    }
    opened = partial(open_client, endpoint.key, endpoint.base_url)
    return remote(judge, endpoint, SdkTransport(openai, endpoint.source(judge), opened, methods))
