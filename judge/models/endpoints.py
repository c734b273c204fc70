"""Where a provider is reached and with which key: from the judge's settings and the vendor's own variables."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from judge.errors import InputError
from judge.judges import Judge
from judge.models.outcomes import Source


@dataclass(frozen=True)
class Vendor:
    """What is fixed for a vendor: its address, its variables, and the paths that do not belong into a base URL."""

    base_url: str
    base_url_env: str
    key_env: str
    paths: tuple[str, ...]


VENDORS: dict[str, Vendor] = {
    "openai": Vendor(
        "https://api.openai.com/v1", "OPENAI_BASE_URL", "OPENAI_API_KEY", ("/chat/completions", "/decisions")
    ),
    "anthropic": Vendor(
        "https://api.anthropic.com", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", ("/v1/messages", "/v1")
    ),
}


@dataclass(frozen=True)
class Endpoint:
    """A provider's address without a slash at its end, and the key (None where none is needed)."""

    base_url: str
    key: str | None

    def source(self, judge: Judge) -> Source:
        """The same for messages."""
        return Source(str(judge.reference), self.base_url, (self.key,) if self.key else ())


def endpoint_of(judge: Judge, environment: Mapping[str, str] | None = None) -> Endpoint:
    """Where that judge's requests go. Raises InputError that names the variable of a key that is missing or unusable."""
    environment = os.environ if environment is None else environment
    vendor = VENDORS[judge.reference.provider]
    base_url = _base_url(judge, vendor, environment)
    variable = judge.api_key_env or vendor.key_env
    needed = not is_local(base_url) or judge.api_key_env is not None
    return Endpoint(base_url, read_key(variable, environment, judge=judge.name, needed=needed))


def read_key(variable: str, environment: Mapping[str, str], *, judge: str, needed: bool = True) -> str | None:
    """The key in a variable, None if it is not set and not needed. Raises InputError; its value is never shown."""
    key = environment.get(variable)
    if key is None or (not key.strip() and not needed):
        if needed:
            raise InputError(f"judge {judge!r} needs a key: the variable {variable} is not set")
        return None
    if not key.strip():
        raise InputError(f"judge {judge!r} needs a key: the variable {variable} is empty")
    if key != key.strip() or not key.isascii() or not key.isprintable():
        raise InputError(
            f"judge {judge!r}: the key in {variable} holds a space, a line break or another character that no key has; "
            "set it again without"
        )
    return key


def _base_url(judge: Judge, vendor: Vendor, environment: Mapping[str, str]) -> str:
    given = judge.base_url or environment.get(vendor.base_url_env, "").strip() or vendor.base_url
    where = f"judge {judge.name!r}: base_url" if judge.base_url else vendor.base_url_env
    try:
        parts = urlsplit(given)
        host, _port = parts.hostname, parts.port
    except ValueError:
        raise InputError(f"{where} is not a URL") from None
    if parts.scheme not in ("http", "https") or not host:
        raise InputError(f"{where} {given!r} must be like https://host/v1")
    if parts.username or parts.password:
        raise InputError(
            f"{where} holds a user name or password; put the key into a variable and name it in api_key_env"
        )
    path = parts.path.rstrip("/")
    for ending in vendor.paths:
        path = path.removesuffix(ending)
    return parts._replace(path=path, fragment="").geturl()


def is_local(url: str) -> bool:
    """True if the host is this machine."""
    host = (urlsplit(url).hostname or "").lower()
    return host in ("localhost", "::1", "0.0.0.0") or host.endswith(".localhost") or host.startswith("127.")  # noqa: S104


def proxy_for(url: str) -> str | None:
    """The proxy that HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY ask for; never one for this machine.

    Raises InputError for a kind of proxy that the wire client can't use.
    """
    parts = urlsplit(url)
    if is_local(url) or proxy_bypass(parts.hostname or ""):
        return None
    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    if proxy and not proxy.startswith("http://") and not proxy.startswith("https://"):
        raise InputError(
            f"the proxy {urlsplit(proxy).scheme}://… is of no kind that is supported; use an http:// proxy"
        )
    return proxy
