"""Evidence as a judge may see it: labelled by producer, unable to leave its place, invisible characters shown.

Every piece begins at the margin with its step and producer, and each further line of it is indented, so that nothing
inside can pass for another piece. The whole stands between two marks made from a hash of the content itself.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

from judge.episode import Episode, Step

# Characters that a reader does not see: controls, zero-width and bidirectional marks, fillers, tags, variation selectors.
INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff\ud800-\udfff]|(?<=\ufe0f)\ufe0f"
)
DATA_URI = re.compile(r"data:([\w.+-]+/[\w.+-]+)?(?:;[\w=.+-]+)*;base64,([A-Za-z0-9+/=_-]{64,})")
BLOB = 2000
LONG_BLOB = re.compile(f"[A-Za-z0-9+/=_-]{{{BLOB},}}")

_PRINTABLE_ASCII = bytes([9, 10, *range(32, 127)])

# What text that speaks to a grader says, by a word it can't do without: the pattern is tried only around that word.
ADDRESSES = {
    word: re.compile(pattern, re.IGNORECASE | re.VERBOSE)
    for words, pattern in (
        ("ignore disregard forget override bypass",
         r"\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,60}\b(?:rubric|instruction|criteri|prompt|guideline|rules\b)"),
        ("grader grading judge evaluator reward assessor scorer",
         r"\b(?:dear|attention|(?:note|message)\ (?:to|for)|hey|as\ (?:a|the)|you\ are\ (?:a|the|now\ a))\ (?:\w+\ )?"
         r"(?:grader|grading|judge|evaluator|reward\ model|assessor|scorer)\b"),
        ("full maximum highest perfect",
         r"\b(?:give|assign|award|grant|mark|rate|score)\b[^.\n]{0,40}\b(?:full|maximum|highest|perfect)\b[^.\n]{0,20}"
         r"\b(?:score|marks?|points?|rating|grade)\b"),
        ("answer", r"\banswer\ (?:with\ |everything\ )?['\"‘“]?(?:yes|true|met)\b[^.\n]{0,30}\b(?:all|every|each|criteri|question)"),
        ("criteri", r"\b(?:all|every|each)\ criteri(?:a|on)\b[^.\n]{0,30}\b(?:met|satisf|fulfil|pass|yes)"),
        ('"verdict "level" "met"', r'"(?:verdicts|verdict|level|met)"\s*:'),
        ("<|im_ <|system [inst [/inst <|endoftext", r"<\|(?:im_start|im_end|system|endoftext)\|?> | \[/?INST\]"),
        ("system: developer:", r"(?:^|\n)\s*(?:system|developer)\s*:"),
    )
    for word in words.split()
}  # fmt: skip


def shown(text: str) -> str:
    """`text` with each invisible character as ⟨U+200B⟩, and long encoded blobs as a note of their type and size."""
    if len(text) > 64:
        text = DATA_URI.sub(_note_of_blob, text)
        if len(text) > BLOB:
            text = LONG_BLOB.sub(lambda m: f"⟨{len(m[0])} characters of encoded data⟩", text)
    return INVISIBLE.sub(_name_of, text) if holds_invisible(text) else text


def holds_invisible(text: str) -> bool:
    """True if `text` holds a character that a reader does not see. Plain ASCII is ruled out at the speed of C."""
    rest = text.encode("utf-8", "surrogatepass").translate(None, _PRINTABLE_ASCII)
    return bool(rest) and INVISIBLE.search(rest.decode("utf-8", "surrogatepass")) is not None


def speaks_to_a_grader(text: str) -> bool:
    """True if `text` holds words that address a grader, imitate its answer or a chat template."""
    low = text.lower()
    return any(_around(low, word, pattern) for word, pattern in ADDRESSES.items() if word in low)


def _around(low: str, word: str, pattern: re.Pattern[str]) -> bool:
    at = low.find(word)
    while at >= 0:
        if pattern.search(low, max(0, at - 120), at + 160):
            return True
        at = low.find(word, at + 80)
    return False


def _name_of(match: re.Match[str]) -> str:
    return "" if match[0] == "\r" else f"⟨U+{ord(match[0]):04X}⟩"


def _note_of_blob(match: re.Match[str]) -> str:
    return f"⟨{match[1] or 'data'}, {len(match[2]) * 3 // 4} bytes, not shown⟩"


def indented(text: str) -> str:
    """`text` as shown, with every line but the first indented, so that none can begin at the margin."""
    return shown(text).replace("\n", "\n  ")


def inset(text: str) -> str:
    """`text` as shown, with every line indented: for what stands below a heading of its own."""
    return f"  {indented(text)}" if text else ""


@lru_cache(maxsize=1024)
def on_one_line(name: str) -> str:
    """A name as shown, its line breaks too, so that it can't look like more than a name."""
    return shown(name).replace("\n", "⟨U+000A⟩")


# Made once: json.dumps makes a new encoder for each call that has options.
_ENCODE = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode


def as_text(value: Any) -> str:
    """Text as it is; anything else as stable JSON, never as a Python repr."""
    if isinstance(value, str):
        return value
    return _ENCODE(value)


def step_lines(step: Step, show: Callable[[str], str] = indented) -> list[str]:
    """The lines that show one step, each beginning with its number and producer."""
    lines = []
    if step.text:
        lines.append(f"[{step.t}] {step.by}: {show(step.text)}")
    if step.action is not None:
        arguments = as_text(step.action.args) if step.action.args else ""
        lines.append(f"[{step.t}] {step.action.by} calls {on_one_line(step.action.tool)} {show(arguments)}".rstrip())
    if step.observation is not None:
        producer = "tool" if step.action is not None else "environment"
        failed = " error" if step.error else ""
        lines.append(f"[{step.t}] {producer}{failed}: {show(as_text(step.observation))}")
    return lines


def transcript_blocks(steps: Iterable[Step]) -> list[str]:
    """The transcript, a text for each step. Most transcripts hold nothing to be shown: that is found out for all at once."""
    blocks = [_quick_block(step) for step in steps]
    whole = "\n".join(blocks)
    if holds_invisible(whole) or "base64," in whole or max(map(len, blocks), default=0) > BLOB:
        return ["\n".join(step_lines(step)) for step in steps]
    return blocks


def _quick_block(step: Step) -> str:
    if step.action is None and step.observation is None:  # most steps are one thing said
        return f"[{step.t}] {step.by}: {step.text}".replace("\n", "\n  ") if step.text else ""
    return "\n".join(step_lines(step, _only_indented))


def _only_indented(text: str) -> str:
    return text.replace("\n", "\n  ")


def step_source(step: Step) -> str:
    """All that a quote from this step may cite, as it was written."""
    parts = [step.text or ""]
    if step.action is not None:
        parts += [step.action.tool, as_text(step.action.args)]
        parts += [text for text in step.action.args.values() if isinstance(text, str)]
    if step.observation is not None:
        parts.append(as_text(step.observation))
    return "\n".join(part for part in parts if part)


def ending(episode: Episode) -> str:
    """How the episode ended, in words for the last line of the transcript."""
    if episode.truncated:
        return "(cut off by a limit before the agent finished)"
    if episode.terminated is False:
        return "(never reached its end)"
    return "(end)"


def mark_for(content: Iterable[str]) -> str:
    """A line that nothing inside `content` holds, since it is made from a hash of it."""
    digest = hashlib.sha256()
    for part in content:
        digest.update(part.encode("utf-8", "surrogatepass"))
    return f"#### {digest.hexdigest()[:12]} ####"


def suspicious(episode: Episode) -> tuple[str, ...]:
    """Flags for text of the agent's own making that speaks to a grader or hides characters: to look at, not to score."""
    flags = []
    text = "\n\n".join(words for step in episode.steps if step.by == "agent" for words in _own_words(step))
    if holds_invisible(text.replace("\r\n", "\n")):
        flags.append("invisible_text")
        text = INVISIBLE.sub("", text)
    if speaks_to_a_grader(text):
        flags.append("injection_suspected")
    return tuple(flags)


def _own_words(step: Step) -> list[str]:
    words = [step.text] if step.text else []
    if step.action is not None and step.action.by == "agent":
        words += [value for value in step.action.args.values() if isinstance(value, str)]
    return words
