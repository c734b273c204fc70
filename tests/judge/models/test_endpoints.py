"""Base URLs, keys and proxies."""

from __future__ import annotations

import pytest

from judge.errors import InputError
from judge.judges import Judge
from judge.models.catalogue import connect
from judge.models.endpoints import endpoint_of, proxy_for
from tests.judge.models.asking import asked, each_client, model_at
from tests.provider import Provider

KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}


def judge(vendor: str = "openai", **more: object) -> Judge:
    """A judge of that vendor."""
    return Judge.model_validate({"name": "mine", "model": f"{vendor}/x", **more})


@pytest.mark.parametrize("client", ["wire", "sdk"])
@pytest.mark.parametrize("vendor", KEYS)
@pytest.mark.parametrize("key", [None, "", "  ", "sk-demo-CCCC\n", "sk-demo-CCCC\r\nx: y", "sk-demo-CCCÇ"])
def test_a_key_that_cant_be_used_is_told_at_once_without_its_value(
    vendor: str, client: str, key: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(KEYS[vendor], raising=False)
    if key is not None:
        monkeypatch.setenv(KEYS[vendor], key)
    with pytest.raises(InputError) as caught:
        connect(judge(vendor, client=client))
    assert KEYS[vendor] in str(caught.value)
    assert "'mine'" in str(caught.value)
    assert "CCC" not in str(caught.value)


def test_the_judges_own_variable_goes_before_the_vendors() -> None:
    environment = {"OPENAI_API_KEY": "one", "MINE": "two"}
    assert endpoint_of(judge(api_key_env="MINE"), environment).key == "two"
    with pytest.raises(InputError, match="YOURS is not set"):
        endpoint_of(judge(api_key_env="YOURS"), environment)


def test_this_machine_needs_no_key() -> None:
    for url in ("http://localhost:8000/v1", "http://127.0.0.1:8000/v1", "http://[::1]:8000/v1"):
        assert endpoint_of(judge(base_url=url), {}).key is None
    with pytest.raises(InputError, match="OPENAI_API_KEY is not set"):
        endpoint_of(judge(base_url="http://gpu:8000/v1"), {})


@pytest.mark.parametrize(
    ("vendor", "given", "base_url"),
    [
        ("openai", None, "https://api.openai.com/v1"),
        ("openai", "http://gpu:8000/v1/", "http://gpu:8000/v1"),
        ("openai", "http://gpu:8000/v1/chat/completions", "http://gpu:8000/v1"),
        ("openai", "https://x.example/openai/v1?api-version=1", "https://x.example/openai/v1?api-version=1"),
        ("anthropic", None, "https://api.anthropic.com"),
        ("anthropic", "http://gpu:8000/v1", "http://gpu:8000"),
        ("anthropic", "http://gpu:8000/anthropic/v1/messages", "http://gpu:8000/anthropic"),
    ],
)
def test_a_base_url_is_taken_as_people_write_it(vendor: str, given: str | None, base_url: str) -> None:
    environment = {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}
    assert endpoint_of(judge(vendor, base_url=given), environment).base_url == base_url


@pytest.mark.parametrize("vendor", ["openai", "anthropic"])
def test_the_vendors_variable_sets_the_base_url_and_the_judges_own_goes_before_it(vendor: str) -> None:
    environment = {f"{vendor.upper()}_BASE_URL": "http://env:1", KEYS[vendor]: "k"}
    assert endpoint_of(judge(vendor), environment).base_url == "http://env:1"
    assert endpoint_of(judge(vendor, base_url="http://own:1"), environment).base_url == "http://own:1"


@pytest.mark.parametrize("url", ["ftp://h", "gpu:8000", "http://", "http://h:port/", "http://me:pa55@h/v1"])
def test_a_base_url_that_is_none_is_told_by_its_variable(url: str) -> None:
    with pytest.raises(InputError) as caught:
        endpoint_of(judge(), {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": url})
    assert "OPENAI_BASE_URL" in str(caught.value)
    assert "pa55" not in str(caught.value)


@each_client
async def test_the_proxy_is_used_for_the_provider_and_never_for_this_machine(
    vendor: str, client: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Provider() as proxy, Provider() as provider:
        for name in ("HTTP_PROXY", "http_proxy"):
            monkeypatch.setenv(name, proxy.host)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        await asked(model_at(provider, vendor, client))
        assert (proxy.count, provider.count) == (0, 1)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        far = connect(judge(vendor, client=client, base_url="http://provider.invalid/v1"))
        await asked(far)
        assert proxy.requests[0].path.startswith("http://provider.invalid/v1/")


def test_no_proxy_is_honoured_and_another_kind_of_proxy_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("https_proxy", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:3128")
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.setenv(name, "localhost,.internal")
    assert proxy_for("https://api.openai.com/v1") == "http://127.0.0.1:3128"
    assert proxy_for("https://gpu.internal/v1") is None
    assert proxy_for("https://localhost:1/v1") is None
    for name in ("https_proxy", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "socks5://127.0.0.1:1080")
    with pytest.raises(InputError, match="socks5"):
        proxy_for("https://api.openai.com/v1")
