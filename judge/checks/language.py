"""Check `language`: in which language a text is written."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from pydantic import Field, model_validator

from judge.checks.finding import Arguments, CheckSettings, Finding, listed, yes_or_no
from judge.checks.places import Place, texts_at
from judge.episode import Episode
from rubrics.templates import is_template

# The languages of office work, by code and English name. A detector that may answer with any of a hundred and thirty takes
# short Dutch for Afrikaans and short German for Luxembourgish: so it chooses among these, and the one that is asked for.
NAMES = {
    "af": "afrikaans", "ar": "arabic", "bg": "bulgarian", "bn": "bengali", "ca": "catalan", "cs": "czech", "da": "danish",
    "de": "german", "el": "greek", "en": "english", "es": "spanish", "et": "estonian", "fa": "persian", "fi": "finnish",
    "fr": "french", "gu": "gujarati", "he": "hebrew", "hi": "hindi", "hr": "croatian", "hu": "hungarian", "id": "indonesian",
    "is": "icelandic", "it": "italian", "ja": "japanese", "ko": "korean", "lt": "lithuanian", "lv": "latvian", "ms": "malay",
    "nl": "dutch", "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sk": "slovak",
    "sl": "slovenian", "sr": "serbian", "sv": "swedish", "sw": "swahili", "ta": "tamil", "th": "thai", "tr": "turkish",
    "uk": "ukrainian", "ur": "urdu", "vi": "vietnamese", "zh": "chinese",
}  # fmt: skip
_RARE = frozenset({"af", "sw", "ms", "ca", "is", "sr"})
_CODES = {name: code for code, name in NAMES.items()} | {"farsi": "fa", "nb": "no", "nn": "no", "mandarin": "zh"}
_NO_WORDS = re.compile(r"https?://\S+|\S+@\S+|\S*\d\S*")
# Between these two probabilities of the language asked for, nobody can tell.
SURE_IT_IS_NOT, SURE_IT_IS = 0.05, 0.5
FEWEST_LETTERS = 12


def code_of(language: str) -> str:
    """The two-letter code of a language given by code ("de", "de-AT") or English name. Raises ValueError."""
    name = language.strip().casefold()
    code = re.split(r"[-_]", name)[0]
    if code in NAMES or name in _CODES or code in _CODES:
        return code if code in NAMES else _CODES.get(name) or _CODES[code]
    raise ValueError(
        f"is: {language!r} is no language that can be told; expected one of {', '.join(NAMES)}, or its name"
    )


class Language(Arguments):
    """`is`: the language asked for, or a list of them. `in`: where to look."""

    wanted: str | tuple[str, ...] = Field(alias="is")
    place: Place = Field("last_reply", alias="in")

    @model_validator(mode="after")
    def _are_known(self) -> Language:
        for name in self.names:
            if not is_template(name):
                code_of(name)
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """The languages of which the text may be written in any."""
        return (self.wanted,) if isinstance(self.wanted, str) else self.wanted


def language(episode: Episode, args: Language, _settings: CheckSettings) -> Finding:
    """Whether a text is in the language asked for. Of a few letters, or of two languages as likely, nobody can tell."""
    at = texts_at(episode, args.place)
    if isinstance(at, Finding):
        return at
    words = _NO_WORDS.sub(" ", at.whole)
    letters = sum(character.isalpha() for character in words)
    if not at.texts:
        return yes_or_no(False, at.absence)
    wanted = frozenset(code_of(name) for name in args.names)
    try:
        ranked = _ranked(words, wanted)
    except ModuleNotFoundError:
        reason = "the check `language` needs py3langid: pip install 'rubric-judge[language]'"
        return Finding(None, reason, kind="check_error")
    probability = sum(share for code, share in ranked if code in wanted)
    asked = listed([NAMES[code] for code in sorted(wanted)])
    too_short = letters < FEWEST_LETTERS and words.isascii()
    if too_short or SURE_IT_IS_NOT < probability < SURE_IT_IS:
        return Finding(None, f"{at.name}: too little text to tell its language, expected {asked}")
    return yes_or_no(probability >= SURE_IT_IS, f"{at.name} is in {NAMES[ranked[0][0]]}, expected {asked}")


def _ranked(words: str, wanted: frozenset[str]) -> list[tuple[str, float]]:
    choices = (frozenset(NAMES) - _RARE) | wanted
    return list(_detector(choices).rank(words[:20_000]))


@lru_cache(maxsize=8)
def _detector(choices: frozenset[str]) -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # type: ignore[import-untyped]  # it has no types

    detector = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    detector.set_languages(sorted(choices))
    return detector
