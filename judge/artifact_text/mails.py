"""Mails (.eml) as text: who wrote to whom, the subject, the body and what is attached."""

from __future__ import annotations

from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage, MIMEPart
from pathlib import Path

from judge.artifact_text.limits import unreadable
from judge.artifact_text.pages import html_text

_HEADERS = ("From", "To", "Cc", "Bcc", "Reply-To", "Date", "Subject")


def eml_text(path: Path) -> str:
    """The mail's headers, its body (plain, else the text of its HTML) and the names and sizes of its attachments."""
    message = message_from_bytes(path.read_bytes(), policy=policy.default)
    if not isinstance(message, EmailMessage) or not message.keys():
        raise unreadable(path, "it has no headers, so it is no mail")
    return "\n".join(_lines(message))


def _lines(message: EmailMessage) -> Iterator[str]:
    for name in _HEADERS:
        yield from (f"{name}: {value}" for value in message.get_all(name, []))
    yield ""
    body = message.get_body(("plain", "html"))
    if body is None:
        yield "(no text)"
    else:
        text = _content(body)
        yield html_text(text) if body.get_content_type() == "text/html" else text
    for part in message.iter_attachments():
        if isinstance(part, EmailMessage) and part.get_content_type() == "message/rfc822":
            yield "[attached mail]"
            yield from (f"  {line}" for inner in part.iter_parts() for line in _lines_of(inner))
            continue
        payload = part.get_payload(decode=True)
        size = len(payload) if isinstance(payload, bytes) else 0
        yield f"[attachment: {part.get_filename() or 'unnamed'}, {part.get_content_type()}, {size} bytes]"


def _lines_of(message: object) -> Iterator[str]:
    return _lines(message) if isinstance(message, EmailMessage) else iter(())


def _content(part: MIMEPart) -> str:
    try:
        return str(part.get_content())
    except (LookupError, UnicodeError):  # an unknown character set
        payload = part.get_payload(decode=True)
        return payload.decode("utf-8", "replace") if isinstance(payload, bytes) else str(payload)
