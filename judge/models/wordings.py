"""How providers word what went wrong, where no code tells. Patterns look at the words of an error, not at answers."""

from __future__ import annotations

import re

OVERLONG = re.compile(
    r"""(?ix)
    context[\s_-]?(?:length|window|size|limit) | maximum\s+context | exceed_context_size | max_model_len
    | prompt\s+is\s+too\s+long | input\s+is\s+too\s+long | string\s+too\s+long | too\s+many\s+(?:input\s+)?tokens
    | (?:input|prompt|request|message)s?\b[^.]{0,60}\b(?:too\s+(?:long|large)|exceed|longer\s+than)
      [^.]{0,60}(?:token|context|length|limit|maximum)
    | token(?:s|\s+count)?\b[^.]{0,40}\bexceeds?\b[^.]{0,60}(?:limit|maximum|allowed|configured)
    | reduce\s+the\s+length | maximum\s+(?:input|prompt|sequence)\s+length | request\s+too\s+large\s+for
    | longer\s+than\s+the\s+model
    """
)
OUTPUT_LIMIT = re.compile(
    r"""(?ix)
    maximum\s+allowed\s+number\s+of\s+output\s+tokens | max_(?:completion_|output_)?tokens['\s]*is\s+too\s+large
    | at\s+most\s+\d+\s+(?:completion|output)\s+tokens
    """
)
FILTERED = re.compile(
    r"""(?ix)
    content[\s_-]?(?:filter|policy|management) | responsible\s?ai | safety\s+(?:filter|system|reasons) | \bflagged\b
    | PROHIBITED_CONTENT | usage\s+polic
    """
)
QUOTA = re.compile(
    r"""(?ix)
    insufficient[\s_-]?(?:quota|credit|funds|balance) | billing[\s_-]?(?:hard|not|limit) | credit\s+balance
    | exceeded\s+your\s+current\s+quota | out\s+of\s+credits | payment\s+required | spend(?:ing)?\s+limit
    | quota\s+exceeded
    """
)
NO_MODEL = re.compile(
    r"""(?ix)
    \bmodel\b.{0,120}?(?:not\s+(?:found|exist|supported|available|a\s+valid)|does\s?n[o']t\s+exist
      |is\s+(?:deprecated|retired|unknown)|decommissioned)
    | (?:unknown|invalid|no\s+such|unsupported)\s+model\b | model_?not_?found | ^model:\s*\S+ | try\s+pulling
    """
)
BAD_KEY = re.compile(
    r"""(?ix)
    (?:invalid|incorrect|wrong|missing|expired|no)\s+(?:x-)?api[\s_-]?key | api[\s_-]?key\s+not\s+valid
    | authentication | unauthorized
    """
)

QUOTA_CODES = frozenset({
    "insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "billing_error", "access_terminated",
    "insufficient_balance", "payment_required", "insufficient_credits",
})  # fmt: skip
OVERLONG_CODES = frozenset({"context_length_exceeded", "exceed_context_size_error", "request_too_large"})
FILTER_CODES = frozenset({"content_filter", "content_policy_violation", "data_inspection_failed"})
MODEL_CODES = frozenset({"model_not_found"})
KEY_CODES = frozenset({"invalid_api_key", "authentication_error"})

STATUS_OF = {
    "invalid_request_error": 400, "authentication_error": 401, "billing_error": 402, "permission_error": 403,
    "not_found_error": 404, "request_too_large": 413, "rate_limit_error": 429, "rate_limit_exceeded": 429,
    "api_error": 500, "timeout_error": 504, "overloaded_error": 529, "server_error": 500,
}  # fmt: skip
"""The HTTP status that an error has when it comes inside a response with status 200."""

ADVICE: dict[str, str] = {
    "auth": "the key was refused; check the variable that holds it",
    "quota": "the account has no quota or credit left; no wait cures that",
    "model_not_found": "there is no such model there, or it was retired",
    "bad_endpoint": "base_url {base_url} is no endpoint of this kind; check it",
    "context_length": "the prompt is longer than the model can read; set the judge's `window`",
    "content_filter": "the provider's filter stopped the content",
}
"""What a person can do about a kind of failure."""
