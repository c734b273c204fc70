"""One smooth model from a plain mean to full stacking: logistic regression on the judges, shrunk as far as the labels allow.

Before any label, p = sigmoid(4.5 (mean - 1/2)), about the mean itself. How far labels may move the level, the slope, single
judges' weights and covariates is not known beforehand, so the fits under a grid of priors are averaged, each with the weight
of its marginal likelihood (Bayesian model averaging: Hoeting et al., 1999; the evidence: MacKay, 1992).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from calibration.fitting.beliefs import AS_IT_IS, LEANING, Grid, grid_of
from calibration.fitting.clustering import design_effect
from calibration.fitting.logistic import Priors, fit_logistic, fit_paired, sigmoids
from calibration.fitting.samples import Sample
from calibration.items import Floats
from calibration.maps import LinearMap

CENTRE = 0.5
NEGLIGIBLE = 1 / 400  # of the best prior's share: such priors are left out of folds


class Averaged(NamedTuple):
    """`coefficients` (weightings, columns), the mean over priors of their `modes` by `shares` (weightings, priors)."""

    coefficients: Floats
    modes: Floats
    shares: Floats


@dataclass(frozen=True)
class Stack:
    """The model of one sample; `name` is its rung. `nuisances` are held at their reference when predicting; `parent` is what
    it is shrunk toward."""

    sample: Sample
    name: str
    nuisances: tuple[str, ...] = ()
    parent: LinearMap | None = None

    @cached_property
    def natural(self) -> Floats:
        """The matrix that turns the regression's coefficients into those of values and covariates as they are."""
        judges, spreads = len(self.sample.judges), self.sample.covariates.std(axis=0)
        scales = np.concatenate([np.ones(judges), np.where(spreads > 0, spreads, 1.0)])
        centres = np.concatenate([np.full(judges, CENTRE), self.sample.covariates.mean(axis=0)])
        back = np.diag(np.concatenate([[1.0], 1.0 / scales]))
        back[0, 1:] = -centres / scales
        return back

    @cached_property
    def references(self) -> dict[str, float]:
        """The median of each nuisance over the labelled items."""
        columns = dict(zip(self.sample.names, self.sample.covariates.T, strict=True))
        return {name: float(np.median(columns[name])) for name in self.nuisances if name in columns}

    @cached_property
    def columns(self) -> Floats:
        """The regression's columns: ones, judges about a half, covariates in standard deviations."""
        return self._columns(self.sample.covariates)

    @cached_property
    def held(self) -> Floats:
        """The columns to predict with: each nuisance at its reference."""
        covariates = self.sample.covariates.copy()
        for name, reference in self.references.items():
            covariates[:, self.sample.names.index(name)] = reference
        return self._columns(covariates)

    def _columns(self, covariates: Floats) -> Floats:
        ones = np.ones((len(self.sample), 1))
        return np.asarray(np.concatenate([ones, self.sample.values, covariates], axis=1) @ self.natural)

    @cached_property
    def grid(self) -> Grid:
        """The priors, around the parent's coefficients where there is one."""
        sample = self.sample
        centre = None if self.parent is None else np.asarray(np.linalg.solve(self.natural, self._parents(self.parent)))
        return grid_of(len(sample.judges), len(sample.names), centre=centre)

    def _parents(self, parent: LinearMap) -> Floats:
        """The parent's coefficients for this sample's columns: an equal share for a judge that it does not know; a nuisance
        that only the parent has stands at its reference."""
        names, equal = self.sample.names, AS_IT_IS.slope / len(self.sample.judges)
        weights = [parent.weights.get(judge, equal) for judge in self.sample.judges]
        held = sum(slope * parent.references.get(x, 0.0) for x, slope in parent.slopes.items() if x not in names)
        return np.array([parent.intercept + held, *weights, *(parent.slopes.get(name, 0.0) for name in names)])

    @cached_property
    def worth(self) -> float:
        """What a label counts, at most 1: less where tasks repeat (by the design effect of a first fit) or weights differ."""
        sample, likely = self.sample, LEANING
        columns = np.stack([np.ones(len(sample)), sample.mean - CENTRE], axis=1)
        precision = np.diag([likely.intercept_spread**-2, likely.slope_spread**-2])
        prior = Priors(np.array([[0.0, likely.slope]]), precision[None])
        first = fit_logistic(columns, sample.truth, sample.weights[None], prior).coefficients[0, 0]
        effect = design_effect(sample.truth - sigmoids(columns @ first), sample.tasks)
        return 1.0 / (effect * float((sample.weights**2).mean()))

    @cached_property
    def whole(self) -> Averaged:
        """The fit on all items, under all priors."""
        return self._averaged(np.ones((1, len(self.sample))), self.grid, None)

    def refit(self, counts: Floats) -> Averaged:
        """The fits with each item counted so often, for rows of `counts` (fits, n): folds or resamples."""
        shares = self.whole.shares[0]
        kept = shares >= NEGLIGIBLE * shares.max()
        priors = Priors(*(part[kept] for part in self.grid.priors))
        return self._averaged(counts, Grid(priors, self.grid.log_shares[kept]), self.whole.modes[0, kept])

    def _averaged(self, counts: Floats, grid: Grid, start: Floats | None) -> Averaged:
        weights = counts * (self.worth * self.sample.weights)
        fits = fit_logistic(self.columns, self.sample.truth, weights, grid.priors, start=start)
        evidence = fits.evidence + grid.log_shares
        shares = np.exp(evidence - evidence.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        return Averaged(np.einsum("bg,bgp->bp", shares, fits.coefficients), fits.coefficients, shares)

    def predictions(self, counts: Floats) -> Floats:
        """The probability of every item by each refit: (fits, n)."""
        return sigmoids(self.refit(counts).coefficients @ self.held.T)

    def map(self, resamples: Floats, rng: np.random.Generator) -> LinearMap:
        """The map in natural units. Rows of `resamples` say how often each item is in a bootstrap sample; with none, the map
        carries no covariance."""
        judges = len(self.sample.judges)
        intercept, *rest = (self.natural @ self.whole.coefficients[0]).tolist()
        covariance = np.cov((self.draws(resamples, rng) @ self.natural.T).T) if len(resamples) > 1 else np.empty((0, 0))
        return LinearMap(
            rung=self.name, intercept=intercept, weights=dict(zip(self.sample.judges, rest[:judges], strict=True)),
            slopes=dict(zip(self.sample.names, rest[judges:], strict=True)), references=self.references,
            covariance=tuple(map(tuple, covariance.tolist())), n=len(self.sample), tasks=self.sample.task_count,
        )  # fmt: skip

    def draws(self, resamples: Floats, rng: np.random.Generator) -> Floats:
        """Coefficients (resamples, columns) as uncertain as the fit: each of one resample under one prior, drawn by its share,
        whose mean is drawn from that prior too.

        The bootstrap alone would leave out what the prior holds in place: its intervals of shrunk fits are far too narrow. A
        drawn mean puts it back (randomised priors: Osband et al., 2018; exact for Gaussian likelihoods).
        """
        means, precisions = self.grid.priors
        which = rng.choice(len(means), size=len(resamples), p=self.whole.shares[0])
        drawn = np.empty((len(resamples), means.shape[1]))
        weights = resamples * (self.worth * self.sample.weights)
        for prior in np.unique(which):
            rows = which == prior
            spread = np.linalg.cholesky(np.linalg.inv(precisions[prior]))
            centres = means[prior] + rng.standard_normal((int(rows.sum()), means.shape[1])) @ spread.T
            own = Priors(centres, precisions[prior][None])
            drawn[rows] = fit_paired(
                self.columns, self.sample.truth, weights[rows], own, start=self.whole.modes[0, prior]
            )
        return drawn
