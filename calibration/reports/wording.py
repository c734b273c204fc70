"""Numbers as a reader meets them: percentages, intervals, and a dash where a figure is undefined."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from calibration.figures import Figure

DASH = "–"
MINUS = "−"
LONGEST_NAME = 30
UNSEEN = ("Cc", "Cf", "Cs")
KEPT = "\n\t\u200d"


def percent(share: float | None) -> str:
    """A share as whole per cent. Never 0% or 100% for what is neither; a dash for None."""
    if share is None:
        return DASH
    whole = round(100 * share)
    if whole == 0 and share > 0:
        return "<1%"
    if whole == 100 and share < 1:
        return ">99%"
    return f"{whole}%" if whole >= 0 else f"{MINUS}{-whole}%"


def number(value: float | None, digits: int = 2) -> str:
    """A number to `digits` decimals with a true minus; a dash for None."""
    if value is None:
        return DASH
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text.replace("-", MINUS)


def signed(value: float | None) -> str:
    """A number that always shows its sign."""
    text = number(value)
    return text if value is None or text.startswith(MINUS) or float(text) == 0 else f"+{text}"


def count(n: int) -> str:
    """A whole number, with a comma between thousands."""
    return f"{n:,}"


def plural(n: int, one: str, many: str = "") -> str:
    """`1 label`, `2 labels`."""
    return f"{count(n)} {one if n == 1 else many or one + 's'}"


def reach(figure: Figure, *, as_percent: bool = False) -> str:
    """The interval as `0.51 to 0.73`; empty where there is none."""
    if figure.low is None or figure.high is None:
        return ""
    write = percent if as_percent else number
    return f"{write(figure.low)} to {write(figure.high)}"


def stated(figure: Figure, *, as_percent: bool = False) -> str:
    """The figure with its interval in brackets: `84% (76% to 90%)`."""
    value = percent(figure.value) if as_percent else number(figure.value)
    inside = reach(figure, as_percent=as_percent)
    return f"{value} ({inside})" if inside and figure.value is not None else value


def listed(names: Sequence[str], most: int = 6) -> str:
    """`a, b and c`; beyond `most` names, `a, b and 7 more`."""
    shown = [*names[:most], f"{count(len(names) - most)} more"] if len(names) > most else list(names)
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}" if shown else ""


def sentence(text: str) -> str:
    """The text with a capital and a full stop."""
    text = ended(text)
    return text[:1].upper() + text[1:]


def ended(text: str) -> str:
    """The text with a full stop. It may begin with a name, which stays as it is."""
    text = text.strip()
    return text if not text or text.endswith((".", "!", "?", ":")) else f"{text}."


def visible(text: str) -> str:
    """The text with a replacement sign for each that can't be seen, such as those that turn the direction of writing."""
    if text.isascii() and text.isprintable():
        return text
    return "".join("\ufffd" if unicodedata.category(c) in UNSEEN and c not in KEPT else c for c in text)


def short(name: str, most: int = LONGEST_NAME) -> str:
    """A name that fits beside a chart or into a sentence, its middle left out."""
    clean = visible(name)
    if columns(clean) <= most:
        return clean
    head, tail = clean[: len(clean) // 2], clean[len(clean) // 2 :]
    while columns(head) + columns(tail) + 1 > most:
        head, tail = (head[:-1], tail) if columns(head) > columns(tail) else (head, tail[1:])
    return f"{head}…{tail}"


def columns(text: str) -> int:
    """How wide a text is, in Latin letters: East Asian signs take two."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
