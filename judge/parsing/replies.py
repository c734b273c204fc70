"""From a judge's reply to verdicts: what came back must be what was asked, and nothing is guessed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from judge.models.exchange import Reply
from judge.parsing.answers import AnswerError
from judge.parsing.hunting import Document, Find, UnreadableError, hunt, is_debris
from judge.parsing.marks import read_marks, stated_after
from judge.parsing.outcomes import Parsed, ReplyError, all_failed, failure
from judge.parsing.probabilities import read_probabilities
from judge.parsing.reading import read_set
from judge.parsing.repairing import STRICT
from judge.parsing.sets import Asked, BrokenSetError, VerdictSet, as_set
from rubrics import Criterion, Verdict

MAX_REPLY = 1_000_000

_FENCE_OR_SPACE = re.compile(r"\s*(?:```\w*\s*)?")
_ERROR_BODY = re.compile(
    r"(?:(?:api|http|server|internal)?\s{0,3}error\b(?:\s+code)?\W{0,4}[1-5][0-9]{2}\b|HTTP/[0-9.]+ [45][0-9]{2}\b"
    r"|<!doctype html|<html)",
    re.IGNORECASE,
)


def parse(reply: Reply, criteria: Sequence[Criterion], *, rater: str) -> Parsed:
    """One verdict or one failure for each of `criteria`, whatever the reply holds. Raises nothing.

    The last complete set of verdicts outside the judge's thoughts counts. Only what can be read in one way is repaired, a
    reply that was cut gives nothing, and the judge's own totals are never read.
    """
    try:
        return _parse(reply, criteria, rater)
    except ReplyError as error:
        return all_failed(error, criteria, rater)


def _parse(reply: Reply, criteria: Sequence[Criterion], rater: str) -> Parsed:
    if reply.finish == "refusal":
        raise ReplyError("judge_refused", f"refused to answer{_said(reply.text)}")
    if reply.finish == "content_filter":
        raise ReplyError("content_filter", "the provider's content filter stopped the answer")
    if reply.probabilities:
        return read_probabilities(reply.probabilities, criteria, rater)
    text = reply.text or ""
    cut = reply.finish == "length"
    if not text.strip():
        raise _nothing("wrote nothing", cut=cut)
    if len(text) > MAX_REPLY:
        raise ReplyError("parse_error", f"wrote {len(text)} characters, more than {MAX_REPLY} are not read")
    asked = Asked(criteria)
    if (clean := _clean_set(text, asked)) is not None:
        return read_set(clean, criteria, rater)
    return _search(text, asked, rater, cut=cut)


def _clean_set(text: str, asked: Asked) -> VerdictSet | None:
    """The set of a reply that is JSON and nothing else: the usual case, and a fast one."""
    if text.lstrip()[:1] not in "{[":
        return None
    try:
        found = as_set(STRICT.decode(text), asked, whole=True)
    except (ValueError, RecursionError):
        return None
    return None if found is None or found.is_echo else found


def _search(text: str, asked: Asked, rater: str, *, cut: bool) -> Parsed:
    find = _hunted(_decoded_once(text))
    if not find.outside().strip():
        raise _nothing("wrote only thoughts", cut=cut)
    if find.unclosed and not cut:
        raise ReplyError("parse_error", "began a thought and never ended it, so that its last word is unknown")
    sets, broken, echoes = _sets(find, asked)
    if cut and not (sets and not broken and not find.unclosed and _stands_alone(find, sets[-1][0])):
        raise ReplyError("truncated", "was cut off before its answer was complete")
    if not sets:
        return _without_set(find, asked, rater, unreadable=bool(broken or echoes))
    document, found = sets[-1]
    tail = find.outside(document.end)
    if any(place > document.start for place in broken) or is_debris(tail, after_broken=bool(broken)):
        raise ReplyError("parse_error", "wrote something after or around its answer that began like JSON and is broken")
    parsed = read_set(found, asked.criteria, rater)
    parsed = _against_last_words(parsed, asked.criteria, tail, rater)
    return Parsed(parsed.verdicts, parsed.failures, (*parsed.notes, *_notes(sets, echoes)))


def _hunted(text: str) -> Find:
    try:
        return hunt(text)
    except UnreadableError as error:
        raise ReplyError("parse_error", f"wrote something that {error}") from None


def _decoded_once(text: str) -> str:
    """A reply that is one JSON string is decoded once, and no more."""
    if not text.lstrip().startswith('"'):
        return text
    try:
        inner = STRICT.decode(text)
    except (ValueError, RecursionError):
        return text
    return inner if isinstance(inner, str) else text


def _sets(find: Find, asked: Asked) -> tuple[list[tuple[Document, VerdictSet]], list[int], int]:
    """The sets of verdicts in what was found, the places of broken ones, and how many only echoed the form asked for."""
    sets, broken, echoes = [], list(find.broken), 0
    for document in find.documents:
        try:
            found = as_set(document.value, asked, whole=_stands_alone(find, document))
        except BrokenSetError:
            broken.append(document.start)
            continue
        if found is not None and found.is_echo:
            echoes += 1
        elif found is not None:
            sets.append((document, found))
    return sets, broken, echoes


def _stands_alone(find: Find, document: Document) -> bool:
    """True if a reply is this document, with at most a fence and thoughts around it."""
    before, after = find.outside(None, document.start), find.outside(document.end)
    return all(_FENCE_OR_SPACE.fullmatch(part) is not None for part in (before, after))


def _without_set(find: Find, asked: Asked, rater: str, *, unreadable: bool) -> Parsed:
    if (problem := _provider_problem(find)) is not None:
        raise ReplyError("provider_error", f"the provider sent an error instead of an answer: {problem}")
    if unreadable:
        raise ReplyError("parse_error", "wrote JSON that is broken, unfinished or only the form with its placeholders")
    if len(asked.criteria) != 1:
        raise ReplyError("parse_error", f"wrote no set of verdicts{_said(find.outside())}")
    criterion, words = asked.criteria[0], find.outside().strip()
    try:
        answer = read_marks(criterion, words)
    except AnswerError as error:
        return Parsed(failures=(failure(error.kind, criterion, rater, str(error)),))
    reason = words.encode("utf-8", "replace").decode().replace("\x00", "\ufffd")
    verdict = Verdict(criterion=criterion.id, rater=rater, level=answer.level, value=answer.value, reason=reason)
    return Parsed(verdicts=(verdict,), notes=("read a labelled verdict, since there was no JSON",))


def _against_last_words(parsed: Parsed, criteria: Sequence[Criterion], tail: str, rater: str) -> Parsed:
    """A judge that ends with another verdict than its JSON gave has contradicted itself."""
    if len(criteria) != 1 or not parsed.verdicts or not tail.strip():
        return parsed
    verdict, stated = parsed.verdicts[0], stated_after(criteria[0], tail)
    if stated is None or (stated.level, stated.value) == (verdict.level, verdict.value):
        return parsed
    message = f"chose {verdict.level!r} and then wrote that it is {stated.level!r}"
    return Parsed(failures=(failure("inconsistent_verdict", criteria[0], rater, message),), notes=parsed.notes)


def _notes(sets: list[tuple[Document, VerdictSet]], echoes: int) -> Iterator[str]:
    if echoes:
        yield "ignored a repetition of the form asked for"
    if any(found != sets[-1][1] for _, found in sets):
        yield f"read the last of {len(sets)} different answers"
    if sets[-1][0].repaired:
        yield "repaired JSON that could be read in one way only"


def _provider_problem(find: Find) -> str | None:
    """What an API error that came as if it were a reply says is wrong; None if it is no such thing."""
    first = find.documents[0] if find.documents else None
    if first is not None and isinstance(first.value, dict) and len(find.outside(None, first.start)) <= 60:
        problem = _error_in(first.value, alone=_stands_alone(find, first))
        if problem is not None:
            return problem
    text = find.outside().strip()
    return text[:200] if _ERROR_BODY.match(text) else None


def _error_in(body: dict[str, Any], *, alone: bool) -> str | None:
    error = body.get("error")
    if isinstance(error, dict) and ("message" in error or "type" in error):
        return ", ".join(str(error[key])[:300] for key in ("type", "code", "message") if error.get(key))
    if body.get("type") == "error" or body.get("object") == "error":
        return str(body.get("message") or error)[:300]
    return error[:300] if alone and isinstance(error, str) else None


def _nothing(what: str, *, cut: bool) -> ReplyError:
    return ReplyError("truncated", f"{what} before its tokens ran out") if cut else ReplyError("empty", what)


def _said(text: str | None) -> str:
    words = " ".join((text or "").split())
    if not words:
        return ""
    return f", but: {words[:160]}{'…' if len(words) > 160 else ''}".encode("utf-8", "replace").decode()
