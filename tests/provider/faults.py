"""The ways in which a provider fails. A fault takes a request and gives a plan, or None to answer as usual."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

from tests.provider import answers
from tests.provider.plans import Plan, head, response, stream
from tests.provider.requests import Request

Fault = Callable[[Request], Plan | None]

ECHOED_KEY = "sk-demo-AAAA1111"
OVERLONG = {
    "openai": {"message": "This model's maximum context length is 8192 tokens. However, your messages resulted in 9100 tokens.",
               "type": "invalid_request_error", "param": "messages", "code": "context_length_exceeded"},
    "limit": {"message": "Input tokens exceed the configured limit of 9000 tokens"},
    "sum": {"message": "input length and max_tokens exceed context limit: 7000 + 4000 > 9000"},
    "anthropic": {"type": "invalid_request_error", "message": "prompt is too long: 9100 tokens > 9000 maximum"},
    "vllm": {"message": "The input (9100 tokens) is longer than the model's context length (9000 tokens)"},
    "llama.cpp": {"code": 400, "message": "the request exceeds the available context size. try increasing it",
                  "type": "exceed_context_size_error"},
    "google": {"message": "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."},
}  # fmt: skip


def status(code: int, error: Any = None, headers: dict[str, str] | None = None) -> Fault:
    """An HTTP error with that `error` in its body."""
    given = error if error is not None else {"message": f"status {code}", "type": "server_error"}

    def fail(request: Request) -> Plan:
        body = {"type": "error", "error": given} if request.anthropic else {"error": given}
        return Plan((response(code, body, headers),))

    return fail


def rate_limited(seconds: float | None = 1, **headers: str) -> Fault:
    """429; `seconds` become Retry-After, None sends none."""
    given = {"retry-after": f"{seconds:g}"} if seconds is not None else {}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    return status(
        429, {"message": "Rate limit reached", "type": "rate_limit_error", "code": "rate_limit_exceeded"}, given
    )


def rate_limited_until(seconds: float) -> Fault:
    """429 with Retry-After as a date that many seconds from the request."""

    def fail(request: Request) -> Plan | None:
        at = datetime.now(UTC) + timedelta(seconds=seconds)
        return status(429, {"message": "slow down"}, {"retry-after": format_datetime(at, usegmt=True)})(request)

    return fail


def raw(*parts: bytes, hangs_up: bool = False, silent: bool = False) -> Fault:
    """Exactly these bytes."""
    return lambda _request: Plan(parts, hangs_up=hangs_up, silent=silent)


def page(code: int = 200, text: str = "<html><body>login</body></html>") -> Fault:
    """A web page where an API is expected."""
    return lambda _request: Plan((response(code, text),))


def reply(text: str | None, *, finish: str | None = None, thinking: str | None = None, **more: Any) -> Fault:
    """A good response with that text and that finish reason (in OpenAI's words), thoughts in their own place."""
    stops = {"length": "max_tokens", "content_filter": "refusal", None: None}

    def answer(request: Request) -> Plan:
        if request.anthropic:
            body = answers.message(request, text, stop=stops.get(finish, finish), thinking=thinking)
            return stream(answers.message_events(body)) if request.streams else Plan((response(200, body),))
        thoughts = {"reasoning_content": thinking} if thinking is not None else {}
        body = answers.completion(request, text, finish=finish, **thoughts, **more)
        return stream(answers.completion_events(body)) if request.streams else Plan((response(200, body),))

    return answer


def refused(text: str = "I can't help with that.") -> Fault:
    """The model declines, in the vendor's own way."""

    def answer(request: Request) -> Plan | None:
        if request.anthropic:
            return reply(None, finish="refusal")(request)
        return reply(None, refusal=text)(request)

    return answer


def cut_short(request: Request) -> Plan | None:
    """The first half of a right answer, with the finish reason of one that ran out of tokens."""
    text = answers.verdicts(request)
    return reply(text[: len(text) // 2], finish="length")(request)


def malformed(request: Request) -> Plan | None:
    """An answer that is no JSON."""
    return reply("The verdicts are {amount: yes, tone")(request)


def dropped(_request: Request) -> Plan:
    """The line is cut before anything is sent."""
    return Plan(hangs_up=True)


def dropped_midway(request: Request) -> Plan:
    """The line is cut in the middle of the body or of the stream."""
    events = _events(request)
    if request.streams:
        return stream(events[: len(events) // 2], end=False)
    whole = response(200, answers.completion(request, answers.verdicts(request)))
    return Plan((whole[:-40],), hangs_up=True)


def ends_early(request: Request) -> Plan:
    """A stream that ends neatly before the answer does."""
    events = _events(request)
    return stream(events[: len(events) // 2])


def breaks_inside(request: Request) -> Plan:
    """A stream with status 200 that tells of an overload after half of the text."""
    events, error = _events(request), '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'
    begin = "event: error\n" if request.anthropic else ""
    return stream([*events[: len(events) // 2], f"{begin}data: {error}\n\n"])


def hangs(_request: Request) -> Plan:
    """Nothing ever comes."""
    return Plan(silent=True)


def stalls(request: Request) -> Plan:
    """The headers come, and half of the body; then nothing."""
    whole = response(200, answers.completion(request, answers.verdicts(request)))
    return Plan((whole[:-40],), silent=True)


def _events(request: Request) -> list[str]:
    text = answers.verdicts(request)
    if request.anthropic:
        return answers.message_events(answers.message(request, text))
    return answers.completion_events(answers.completion(request, text))


def redirected(url: str) -> Fault:
    """307 to another place."""
    return lambda _request: Plan((head(307, {"location": url, "content-length": "0"}),))


def refuses(*parameters: str) -> Fault:
    """400 for a request that holds one of these parameters, in the vendor's words; others are answered."""

    def fail(request: Request) -> Plan | None:
        for name in parameters:
            if name in request.body:
                return status(400, _unsupported(name))(request)
        return None

    return fail


def _unsupported(name: str) -> dict[str, str]:
    instead = " Use 'max_completion_tokens' instead." if name == "max_tokens" else ""
    return {
        "message": f"Unsupported parameter: '{name}' is not supported with this model.{instead}",
        "type": "invalid_request_error", "param": name, "code": "unsupported_parameter",
    }  # fmt: skip


def in_turn(*faults: Fault) -> Fault:
    """The first of these that has something to say."""
    return lambda request: next((plan for fault in faults if (plan := fault(request)) is not None), None)


QUOTA = status(
    429, {"type": "insufficient_quota", "code": "insufficient_quota", "message": "You exceeded your current quota"}
)
BAD_KEY = status(401, {"type": "authentication_error", "code": "invalid_api_key",
                       "message": f"Incorrect API key provided: {ECHOED_KEY}"})  # fmt: skip
NO_MODEL = status(404, {"type": "not_found_error", "code": "model_not_found", "message": "model: judge-x"})
FILTERED = status(
    400, {"code": "content_filter", "message": "The response was filtered by the content management policy."}
)

FAULTS: dict[str, Fault] = {
    "429": rate_limited(1),
    "quota": QUOTA,
    "529": status(529, {"type": "overloaded_error", "message": "Overloaded"}),
    "500": status(500), "502": page(502, "<html>bad gateway</html>"), "503": status(503), "408": status(408),
    "final": status(500, headers={"x-should-retry": "false"}),
    "dropped": dropped, "dropped_midway": dropped_midway, "hang": hangs, "stall": stalls,
    "stream_error": breaks_inside, "stream_ends_early": ends_early,
    "html": page(), "object": lambda _request: Plan((response(200, {}),)),
    "no_choices": lambda _request: Plan((response(200, {"choices": [], "content": []}),)),
    "bad_key": BAD_KEY, "no_model": NO_MODEL, "overlong": status(400, OVERLONG["openai"]),
    "filter": FILTERED, "refused": refused(), "length": cut_short, "malformed": malformed,
    "empty": reply(""), "thoughts_only": reply(None, finish="length", thinking="long thoughts"),
}  # fmt: skip
