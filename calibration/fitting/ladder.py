"""The ladder: which way of fitting serves so many labels, and which other one is enough better to take its place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from calibration.calibration import Candidate
from calibration.errors import CalibrationError
from calibration.fitting.bootstrapping import resampled_counts
from calibration.fitting.cautions import FEWEST, cautions
from calibration.fitting.clustering import Mean, mean_by_task
from calibration.fitting.folds import grouped_folds
from calibration.fitting.rungs import CurveOnMean, PlainMean, Rung
from calibration.fitting.samples import Ints, Sample
from calibration.fitting.settings import FitSettings, Fitted
from calibration.fitting.stacking import Stack
from calibration.fitting.validation import Scores, accuracy_of, cross_validated, held_out, scores_of
from calibration.items import Floats, Pair

MEAN, PLATT, RIDGE = "mean", "weighted_platt", "ridge"
RIDGE_FROM = 100
SHARED_TRAINING = 1.5
"""Fits of five folds share most of their items, so that errors over folds look too small by sqrt(1 + 5 / 4) (Nadeau and
Bengio, 2003)."""
CURVES_FROM = {"beta": 100, "venn_abers": 100, "isotonic": 500}


def fit_question(
    pairs: Sequence[Pair], judges: Sequence[str], *, settings: FitSettings | None = None,
    rng: np.random.Generator | None = None,
) -> Fitted:  # fmt: skip
    """The map of one question from the labelled items that all of `judges` answered.

    Raises CalibrationError where there is no such item.
    """
    settings = settings or FitSettings()
    sample = Sample.of(pairs, judges, settings.covariates)
    complete = np.asarray(~np.isnan(sample.values).any(axis=1)) & bool(judges)
    if not complete.any():
        raise CalibrationError(
            f"{settings.key}: none of {len(pairs)} labelled items was answered by all of {', '.join(judges) or 'no judge'}; "
            "label episodes that this panel judged"
        )
    fitted = fit_sample(sample.rows(complete), settings, rng=rng)
    predictions = np.full(len(pairs), np.nan)
    predictions[complete] = fitted.predictions
    left = int((~complete).sum())
    warned = (f"{left} labelled items lack an answer of {' or '.join(judges)}: not used",) if left else ()
    return replace(fitted, predictions=predictions, warnings=_with_key(settings.key, warned) + fitted.warnings)


def fit_arrays(
    values: Floats, truth: Floats, *, tasks: Ints | None = None, weights: Floats | None = None,
    covariates: Floats | None = None, settings: FitSettings | None = None, rng: np.random.Generator | None = None,
) -> Fitted:  # fmt: skip
    """The same from arrays: `values` (n, judges), `truth` (n,), `tasks` (n,), `covariates` (n, names of the settings).

    Judges are named j1, j2 …; without `tasks` every item is one of its own.
    """
    settings = settings or FitSettings()
    n, judges = values.shape
    numbers = np.arange(n) if tasks is None else np.asarray(np.unique(tasks, return_inverse=True)[1])
    sample = Sample(
        np.asarray(values, dtype=float), np.asarray(truth, dtype=float), numbers.astype(np.int64),
        np.ones(n) if weights is None else weights / weights.mean(),
        np.empty((n, 0)) if covariates is None else covariates.reshape(n, -1), tuple(f"j{j + 1}" for j in range(judges)),
        settings.covariates if covariates is not None else (),
    )  # fmt: skip
    return fit_sample(sample, settings, rng=rng)


def fit_sample(sample: Sample, settings: FitSettings, *, rng: np.random.Generator | None = None) -> Fitted:
    """The map of a sample in which every judge has a value for every item."""
    rng = rng or np.random.default_rng(0)
    sample, dropped = _usable(sample)
    rungs = {rung.name: rung for rung in _rungs(sample, settings)}
    folds = grouped_folds(sample.tasks, rng)
    scores = _scores(rungs, sample, folds)
    chosen = _choice(_default(sample, settings), scores, sample)
    resamples = resampled_counts(sample.tasks, settings.resamples, rng)
    fitted = rungs[chosen].map(resamples, rng)
    own = rungs[chosen].predictions(np.ones((1, len(sample))))[0]
    known = scores.get(chosen)
    return Fitted(
        fitted, tuple(_candidates(settings.key, scores, sample, chosen)),
        held_out(settings.key, sample, known) if known is not None else None,
        known.predictions if known is not None else np.full(len(sample), np.nan),
        _with_key(settings.key, (*dropped, *cautions(sample, fitted, own))),
    )  # fmt: skip


def _with_key(key: str, sentences: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{key}: {sentence}" for sentence in sentences)


def _usable(sample: Sample) -> tuple[Sample, tuple[str, ...]]:
    """The sample without covariates that are missing somewhere or constant, and a sentence about the former."""
    missing = [name for name, column in zip(sample.names, sample.covariates.T, strict=True) if np.isnan(column).any()]
    constant = [name for name, column in zip(sample.names, sample.covariates.T, strict=True) if np.ptp(column) == 0.0]
    if not missing and not constant:
        return sample, ()
    kept = [name for name in sample.names if name not in (*missing, *constant)]
    said = (f"{', '.join(missing)} is not known for every labelled item: not used",) if missing else ()
    return sample.with_covariates(kept), said


def _default(sample: Sample, settings: FitSettings) -> str:
    if len(sample) < FEWEST and settings.parent is None:
        return MEAN
    return RIDGE if len(sample) >= RIDGE_FROM else PLATT


def _rungs(sample: Sample, settings: FitSettings) -> Iterator[Rung]:
    yield PlainMean(sample)
    n, with_covariates = len(sample), bool(sample.names)
    if _default(sample, settings) == MEAN:
        return
    if n < RIDGE_FROM or with_covariates:
        yield Stack(sample.with_covariates(()), PLATT, parent=settings.parent)
    if n >= RIDGE_FROM or with_covariates:
        yield Stack(sample, RIDGE, settings.nuisances, settings.parent)
    yield from (CurveOnMean(sample, name) for name, least in CURVES_FROM.items() if n >= least)


def _scores(rungs: dict[str, Rung], sample: Sample, folds: Ints | None) -> dict[str, Scores]:
    """The scores of every rung; of the plain mean alone where nothing can be held out, since it has nothing to fit."""
    if folds is None:
        return {MEAN: scores_of(sample.mean[None], sample)}
    return {name: cross_validated(rung, sample, folds) for name, rung in rungs.items()}


def _choice(default: str, scores: dict[str, Scores], sample: Sample) -> str:
    """The default, or the best of those whose cross-validated Brier score is lower by more than one standard error."""
    if default not in scores:
        return default
    gains = {name: _gain(name, default, scores, sample) for name in scores if name not in (default, MEAN)}
    clear = {name: gain.value for name, gain in gains.items() if gain.value > (gain.error or np.inf)}
    return max(clear, key=lambda name: clear[name], default=default)


def _gain(name: str, over: str, scores: dict[str, Scores], sample: Sample) -> Mean:
    """How much lower the Brier score of `name` is than that of `over`, with its standard error by task."""
    gain = mean_by_task(scores[over].losses - scores[name].losses, sample.tasks, sample.weights)
    return gain._replace(error=None if gain.error is None else gain.error * SHARED_TRAINING)


def _candidates(key: str, scores: dict[str, Scores], sample: Sample, chosen: str) -> Iterator[Candidate]:
    for name, score in scores.items():
        brier = mean_by_task(score.losses, sample.tasks, sample.weights)
        yield Candidate(
            key=key, rung=name, brier=brier.value, error=brier.error, n=len(sample), chosen=name == chosen,
            accuracy=accuracy_of(score, sample).value, why=_why(name, chosen, scores, sample),
        )  # fmt: skip


def _why(name: str, chosen: str, scores: dict[str, Scores], sample: Sample) -> str:
    if name == chosen:
        return f"chosen for {len(sample)} labels"
    if chosen not in scores:
        return "uncalibrated, for comparison"
    gain = _gain(name, chosen, scores, sample)
    said = f"Brier {abs(gain.value):.4f} {'lower' if gain.value > 0 else 'higher'} than {chosen}"
    said += "" if gain.error is None else f" (standard error {gain.error:.4f})"
    return f"uncalibrated, for comparison: {said}" if name == MEAN else said
