"""No key in any text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.models.redacting import redact

SECRETS = ["sk-demo-AAAA1111", "sk-demo-BBBB", "AIzaDEMO000", "sk-proj-a_b-9XyZ", "gsk_0123456789ab", "hf_abcdEFGH1234"]


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: {}.",
        "404 for url https://host/v1?key={}&x=1",
        "authorization: Bearer {}",
        '{{"api_key": "{}"}}',
        "x-api-key={}",
        "{}",
        "headers={{'Authorization': 'Bearer {}'}}",
        "…{}\n",
    ],
)
def test_a_key_is_known_by_its_form_or_its_name(text: str, secret: str) -> None:
    assert secret not in redact(text.format(secret))


def test_the_whole_line_of_a_public_report_is_clean() -> None:
    shown = redact("404 for url https://host/v1?key=AIzaDEMO000 authorization: Bearer sk-demo-BBBB")
    assert "AIzaDEMO000" not in shown
    assert "BBBB" not in shown
    assert shown.startswith("404 for url https://host/v1?key=")


def test_a_password_in_a_url_goes() -> None:
    assert redact("http://me:pa55@proxy:3128/") == "http://[redacted]@proxy:3128/"


@pytest.mark.parametrize(
    "text",
    ["key: expected a string", "The key features of the model", "token limit 8192 exceeded", "max_tokens=4096",
     "basic checks failed", "prompt is too long: 9100 tokens > 9000 maximum"],
)  # fmt: skip
def test_words_that_are_no_secrets_stay(text: str) -> None:
    assert redact(text) == text


@given(
    st.text(min_size=4, max_size=40).filter(lambda text: text not in "[redacted]"),
    st.text(max_size=40),
    st.text(max_size=40),
)
def test_the_configured_key_goes_whatever_it_looks_like(secret: str, before: str, after: str) -> None:
    assert secret not in redact(f"{before} {secret} {after}", [secret]).replace("[redacted]", "")
