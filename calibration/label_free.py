"""Truth from the judges' agreement alone, where there are no labels or hardly any: for a first look, never for a promise."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calibration.errors import CalibrationError
from calibration.fitting.truth_inference import dawid_skene
from calibration.items import Item, Pair, Pairing, matrix_of

INFERRED = "inferred:dawid_skene"
FEWEST_JUDGES = 3
FEWEST_LABELS = 15


def inferred(pairing: Pairing) -> Pairing:
    """The pairing with truths by Dawid and Skene (1979) for every question with fewer than 15 labels, those labels held fixed.

    Judges that err together are taken for right: on panels whose errors go together the probabilities are far too sure
    (an expected calibration error of about 0.2). Raises CalibrationError for fewer than three judges, which can't be told apart.
    """
    questions: dict[str | None, list[Item]] = defaultdict(list)
    for item in pairing.items:
        if item.judges and not (item.criterion is None and item.closed):
            questions[item.criterion].append(item)
    known = {(p.item.episode, p.item.criterion): p for p in pairing.pairs}
    pairs: list[Pair] = []
    for criterion, items in questions.items():
        said = {item.episode: p.truth for item in items if (p := known.get((item.episode, criterion))) is not None}
        if len(said) >= FEWEST_LABELS:
            pairs += [known[item.episode, criterion] for item in items if item.episode in said]
        else:
            pairs += _inferred(criterion, items, said)
    return replace(pairing, pairs=tuple(pairs))


def _inferred(criterion: str | None, items: Sequence[Item], said: dict[str, float]) -> list[Pair]:
    judges = sorted({judge for item in items for judge in item.judges})
    if len(judges) < FEWEST_JUDGES:
        raise CalibrationError(
            f"{criterion or 'the whole'}: {len(judges)} judge(s); truth can be inferred without labels from three judges or more: label "
            "some episodes, or add judges"
        )
    values = matrix_of(items, judges)
    answers = np.where(values > 0.5, 1, np.where(values < 0.5, 0, -1)).astype(np.int64)
    gold = np.array([_side(said.get(item.episode)) for item in items], dtype=np.int64)
    posterior = dawid_skene(answers, gold=gold).posterior[:, 1]
    return [Pair(item, float(p), {INFERRED: float(p)}) for item, p in zip(items, posterior, strict=True)]


def _side(truth: float | None) -> int:
    return -1 if truth is None or truth == 0.5 else int(truth > 0.5)
