"""Where a command's labels come from: the file that is named, or else the store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from calibration.label import Label
from judge.adapters.labels.naming import Naming
from judge.adapters.labels.reading import read_labels
from judge.adapters.labels.remarks import BadRow
from judge.errors import InputError


def labels_from(
    path: str | Path | None,
    store: str | Path | None = None,
    *,
    on_bad: Callable[[BadRow], None] | None = None,
    naming: Naming | None = None,
) -> Iterator[Label]:
    """The labels of a file of any known form, or without one those in the store. Raises InputError if there are none."""
    found = False
    for label in read_labels(path, on_bad=on_bad, naming=naming) if path is not None else _stored(store):
        found = True
        yield label
    if not found:
        where = f"{path}: holds no labels that can be read" if path is not None else "the store holds no labels"
        raise InputError(f"{where}; put some in with `judge label import FILE`, or name a file with --labels")


def _stored(store: str | Path | None) -> Iterator[Label]:
    from judge.store.labels import LabelStore

    with LabelStore(store) as kept:
        yield from kept.labels()
