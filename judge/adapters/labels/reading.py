"""Reading and writing files of labels, in any form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from calibration.errors import LabelError
from calibration.label import PERSON, Label
from judge.adapters.labels.forms import form_named, form_of
from judge.adapters.labels.naming import Naming
from judge.adapters.labels.remarks import BadRow, LeftOut, Told
from judge.adapters.labels.source import Source
from judge.errors import InputError


def read_labels(
    path: str | Path,
    *,
    form: str | None = None,
    on_bad: Callable[[BadRow], None] | None = None,
    tell: Callable[[LeftOut | Told], None] | None = None,
    naming: Naming | None = None,
) -> Iterator[Label]:
    """The labels in a file, or in the standard input for `-`.

    `form` is a name of `FORMS`; without it the file's own look decides. A row that should be a label and is none goes to
    `on_bad`, and the others are still read; without `on_bad` the first one raises LabelError. What is no person's answer,
    and what one should know of the file, goes to `tell`. Raises InputError if nothing of the file can be read.
    """
    source = Source.at(path)
    name = form or form_of(source)
    known = form_named(name)
    if known.reads is None:
        raise InputError(f"{path}: form {form} is only written")
    if form is None and tell is not None:
        tell(Told(f"{source.name}: read as {name}"))
    for found in known.reads(source, naming or Naming()):
        if isinstance(found, Label):
            yield found
        elif isinstance(found, BadRow):
            (on_bad or _raise)(found)
        elif tell is not None:
            tell(found)


def _raise(bad: BadRow) -> None:
    raise LabelError(str(bad))


def written(labels: Iterable[Label], form: str) -> tuple[str, list[LeftOut]]:
    """The text of a file in that form, and the labels that it can't hold. Raises InputError."""
    known = form_named(form)
    if known.writes is None:
        raise InputError(f"form {form} is only read")
    fitting: list[Label] = []
    others: list[Label] = []
    for label in labels:
        (fitting if label.rater.startswith(PERSON) or not known.people_only else others).append(label)
    text, left = known.writes(fitting)
    return text, [*(LeftOut(x.place or x.episode, f"of {x.rater}, which is no person") for x in others), *left]


def write_labels(labels: Iterable[Label], path: str | Path, form: str) -> list[LeftOut]:
    """Write labels to a file; gives those that the form can't hold. Raises InputError."""
    text, left = written(labels, form)
    try:
        Path(path).write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise InputError(f"{path}: can't be written: {error.strerror or error}") from None
    return left
