"""OpenAI through its own package: the reference behaviour, and what it alone has."""

from __future__ import annotations

from typing import Any

from judge.judges import Judge
from judge.models.endpoints import endpoint_of, proxy_for
from judge.models.remote import Remote
from judge.models.sdk import SdkTransport, imported
from judge.models.wire import remote


def connect_sdk(judge: Judge) -> Remote:
    """The model of an `openai` judge over the openai package. Raises InputError for a missing key or package."""
    openai = imported("openai", provider="openai")
    endpoint = endpoint_of(judge)
    proxy = proxy_for(endpoint.base_url)

    def open_client() -> Any:
        http = openai.DefaultAsyncHttpxClient(follow_redirects=False, trust_env=False, proxy=proxy)
        key = endpoint.key or "none"
        return openai.AsyncOpenAI(api_key=key, base_url=endpoint.base_url, max_retries=0, http_client=http)

    methods = {
        "/chat/completions": lambda client: client.chat.completions.with_streaming_response.create,
        "/decisions": lambda client: client.decisions.with_streaming_response.create,
    }
    return remote(judge, endpoint, SdkTransport(openai, endpoint.source(judge), open_client, methods))
