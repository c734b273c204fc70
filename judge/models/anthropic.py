"""Anthropic through its own package: the reference behaviour."""

from __future__ import annotations

from typing import Any

from judge.judges import Judge
from judge.models.endpoints import endpoint_of, proxy_for
from judge.models.remote import Remote
from judge.models.sdk import SdkTransport, imported
from judge.models.wire import remote


def connect_sdk(judge: Judge) -> Remote:
    """The model of an `anthropic` judge over the anthropic package. Raises InputError for a missing key or package."""
    anthropic = imported("anthropic", provider="anthropic")
    endpoint = endpoint_of(judge)
    proxy = proxy_for(endpoint.base_url)

    def open_client() -> Any:
        http = anthropic.DefaultAsyncHttpxClient(follow_redirects=False, trust_env=False, proxy=proxy)
        key = endpoint.key or "none"
        return anthropic.AsyncAnthropic(api_key=key, base_url=endpoint.base_url, max_retries=0, http_client=http)

    methods = {"/v1/messages": lambda client: client.messages.with_streaming_response.create}
    return remote(judge, endpoint, SdkTransport(anthropic, endpoint.source(judge), open_client, methods))
