"""Rules about how a question is worded."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rubrics.criterion import Criterion
from rubrics.linting.findings import Hit, Rule, Subject, explained, plain, polar, question

_SUBORDINATE = re.compile(
    r"\b(that|which|who|whom|whose|where|when|because|since|if|whether|what|how|why|after|before|while)\b", re.I
)
_PAIRS = re.compile(
    r"\bbetween\b[^?]*?\band\b|\bno \w+( \w+)? and no\b|\band only\b|\bneither\b[^?]*|\b(\w+) and \2\b|\bin and of\b|"
    r"\b(terms and conditions|pros and cons|back and forth|research and development|profit and loss|health and safety|"
    r"trial and error|questions and answers|dos and don'ts|mergers and acquisitions|[A-Z]\w* and [A-Z]\w*)\b"
)
_AND = re.compile(r"\b(and|as well as|and/or)\b")
_SECOND_CLAUSE = re.compile(
    r"\band (also |then )?(that|whether|how|when|why|what|where|who|is|are|was|were|does|do|did|has|have|not|offer|offers|explain|"
    r"explains|apologi[sz]es?|states?|says?|asks?|names?|gives?|tells?|thanks?|confirms?|includes?|mentions?|provides?|avoids?)\b"
)
_VAGUE = (
    "good bad appropriate appropriately proper properly adequate adequately helpful nice quality clear clearly professional "
    "professionally reasonable effective effectively satisfactory sufficient sufficiently relevant useful well high-quality "
    "well-written friendly suitable decent great poor excellent concise concisely engaging natural thorough thoroughly"
).split()
_VAGUE_WORD = re.compile(
    rf"(?<![\w-])(?<!as )({'|'.join(map(re.escape, sorted(_VAGUE, key=len, reverse=True)))})(?![\w-])", re.I
)
_NEGATION = re.compile(
    r"\b(not|no|never|without|neither|nor|nothing|nobody|none|cannot|fail(s|ed)? to|avoid(s|ed)?|refrain(s|ed)?|lack(s|ed)?)\b|n't\b",
    re.I,
)
_PRAISE = (
    "polite friendly correct accurate helpful complete clear courteous professional honest truthful warm concise apologi[sz]e thank "
    "correctly politely accurately clearly honestly empathi[sz]e"
).split()
_BLAME = (
    "rude impolite wrong incorrect inaccurate false misleading unhelpful insult leak invent fabricate hallucinate contradict lie "
    "dismissive condescending offensive blame mock threaten"
).split()
_BETWEEN = (
    r"^(?:is|are|was|were|does|do|did|has|have) (?:the |a |an |any |this |its )?"
    r"(?:(?!(?:that|what|which|who|when|where|how|why|if|whether) )[\w’'-]+ ){1,4}?"
)


def double_barrelled(subject: Subject) -> Iterator[Hit]:
    """Two questions under one answer: a rater who says yes to one half has no answer to give."""
    for criterion in subject.judged:
        if (count := plain(criterion.ask).count("?")) > 1:
            yield Hit(criterion.id, f"asks {count} questions")
        elif words := _second_question(criterion):
            yield Hit(criterion.id, f"asks two things at once: …{words}…")


def _second_question(criterion: Criterion) -> str | None:
    asked = _PAIRS.sub("…", question(criterion.ask))
    if len(criterion.levels) > 2:
        found = re.search(r"^how \w+ and \w+ (is|are|was|were|does|do)\b", asked, re.I)
        return found[0] if found else None
    clause = _SUBORDINATE.search(asked)
    head = asked[: clause.start()] if clause else asked
    found = _AND.search(head) or _SECOND_CLAUSE.search(asked)
    return " ".join(asked[max(0, found.start() - 25) : found.end() + 25].split()) if found and polar(asked) else None


def vague_wording(subject: Subject) -> Iterator[Hit]:
    """A word that everybody fills with something else, and nothing that says what is meant by it."""
    for criterion in subject.judged:
        found = _VAGUE_WORD.search(question(criterion.ask))
        said = all(level.means for level in criterion.levels) or criterion.examples or explained(criterion.ask)
        if found and not said:
            yield Hit(
                criterion.id, f"{found[0]!r} means something else to every rater, and no level says what it is here"
            )


def double_negative(subject: Subject) -> Iterator[Hit]:
    """Two negations in one question: raters mix up what yes means."""
    for criterion in subject.judged:
        asked = re.sub(r"\b(no|nor|neither)\b[^?,]*\b(no|nor)\b", "no", question(criterion.ask))
        found = [match[0] for match in _NEGATION.finditer(asked)]
        # In a statement only a negated main clause turns yes and no round.
        if len(found) > 1 and (
            polar(asked) or re.match(r"(does|did|is|are|was|were) not\b|never|fail|avoid|refrain", asked, re.I)
        ):
            yield Hit(
                criterion.id, f"has {len(found)} negations ({', '.join(found)}): it is hard to see what yes means"
            )


def asks_for_absence(subject: Subject) -> Iterator[Hit]:
    """A yes/no question that earns for something that is not there: raters answer it by what they do not see."""
    pattern = re.compile(_BETWEEN + r"(not|never|avoid|avoids|refrain|free of|free from)\b", re.I)
    for criterion in subject.judged:
        asked = question(criterion.ask)
        if len(criterion.levels) == 2 and len(_NEGATION.findall(asked)) < 2 and (found := pattern.search(asked)):
            yield Hit(criterion.id, f"asks that something is absent ({found[1]!r})")


def praised_penalty(subject: Subject) -> Iterator[Hit]:
    """A penalty whose question reads as praise costs those who deserve it."""
    for criterion in subject.judged:
        if subject.rubric.signs[criterion.id] < 0 and (word := _main_word(criterion, _PRAISE)):
            yield Hit(
                criterion.id,
                f"takes points away ({criterion.weight:g}) when the answer to a question about {word!r} is yes",
            )


def blamed_reward(subject: Subject) -> Iterator[Hit]:
    """A positive weight whose question reads as blame pays for the fault."""
    for criterion in subject.judged:
        counts = subject.rubric.signs[criterion.id] > 0 or criterion.is_gate
        if counts and (word := _main_word(criterion, _BLAME)):
            yield Hit(criterion.id, f"earns when the answer to a question about {word!r} is yes")


def _main_word(criterion: Criterion, words: list[str]) -> str | None:
    """The first such word right after the subject of a yes/no question that negates nothing."""
    asked = question(criterion.ask)
    if len(criterion.levels) > 2 or _NEGATION.search(asked) or re.search(r"\bfree (of|from)\b", asked):
        return None
    found = re.search(_BETWEEN + rf"({'|'.join(words)})s?\b(?! (?:charge|order|item|amount|record|entry))", asked, re.I)
    return found[1] if found else None


QUESTION_RULES = {
    "double-barrelled": Rule("warning", "make it two criteria, each with its own weight", double_barrelled),
    "vague-wording": Rule("warning", "ask for what can be seen, or give every level a meaning", vague_wording),
    "double-negative": Rule(
        "warning", "ask for the presence of something; make it a penalty if that is bad", double_negative
    ),
    "asks-for-absence": Rule(
        "note", "ask for the thing itself and give it a negative weight: yes = it happened", asks_for_absence
    ),
    "praised-penalty": Rule(
        "warning", "for a penalty yes means that the bad thing happened: ask for the bad thing", praised_penalty
    ),
    "blamed-reward": Rule("warning", "give it a negative weight, or ask for the good thing", blamed_reward),
}
