"""Linear mixed model of cells within cells: y = Xβ + Σ Z u + ε, with effects u ~ N(0, σ²D) of the cells of each level.

The effects of a cell are predicted by their mean given the rows (BLUP): u = P S_z (-a, 1), where a are the coefficients
of the parent. With K = I - P S_z, the error of the cell's coefficients has the covariance σ² (K C K' + P), if that of
the parent's is σ² C; for a cell without rows it is σ² (C + D). That D is an estimate adds J W J' to it, where J are the
derivatives of the coefficients by the parameters and W is the covariance of these (Kass and Steffey, 1989).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tenfold.core import Array, Codes
from tenfold.models.pooling.cell_products import SteadyProducts
from tenfold.models.pooling.restricted_likelihood import (
    Elimination,
    Estimate,
    FixedEffects,
    NestedProducts,
    RestrictedLikelihood,
    difference_step,
)

CELLS_PER_BLOCK = 1 << 12


class Effects(NamedTuple):
    """Steady coefficients of the population, and the random effects of the cells of each level, the finest first."""

    population: Array
    cells: list[Array]


def effects_of(products: NestedProducts, found: Elimination, fixed: FixedEffects) -> Effects:
    """Predict the effects of all cells by their means given the rows (BLUP)."""
    coef, effects = fixed.coef[None], list[Array]()
    for factor, S, spread in zip(products.factors[::-1], found.products[::-1], found.spread[::-1], strict=True):
        coef = coef[factor.parent]
        off = S[:, :, -1] - np.einsum("ckw,cw->ck", S[:, :, :-1], coef)
        effects.append(np.einsum("cij,cj->ci", spread, off))
        coef[:, factor.terms] += effects[-1]
    return Effects(fixed.coef, effects[::-1])


@dataclass(frozen=True, eq=False)
class LinearMixedModel:
    """Estimates of a mixed model, made of the products of its cells."""

    steady: SteadyProducts
    estimate: Estimate
    effects_free: Elimination
    fixed: FixedEffects

    @classmethod
    def of(cls, steady: SteadyProducts) -> LinearMixedModel:
        """Estimate the components and the fixed effects."""
        likelihood = RestrictedLikelihood(steady.products)
        estimate = likelihood.maximize()
        found = likelihood.eliminate(estimate.factors)
        return cls(steady, estimate, found, likelihood.fixed_effects(found.left))

    @property
    def freedom(self) -> float:
        """Weight of the rows less the number of fixed effects."""
        return self.steady.products.weight - len(self.steady.products.fixed)

    @cached_property
    def noise(self) -> float:
        """σ², in the units of the steady target."""
        return self.fixed.residual / self.freedom

    @property
    def residual_variance(self) -> float:
        """σ², in the units of the target."""
        return float(self.noise * self.steady.units.scale[-1] ** 2)

    @property
    def deviance(self) -> float:
        """Minus twice the restricted log-likelihood, in the units of the columns."""
        scale, fixed = self.steady.units.scale, self.steady.products.fixed
        return float(self.estimate.deviance + 2 * np.log(scale[fixed]).sum() + 2 * self.freedom * np.log(scale[-1]))

    # ---- coefficients, the constant first ----------------------------------------------------------

    @cached_property
    def _effects(self) -> Effects:
        return effects_of(self.steady.products, self.effects_free, self.fixed)

    @cached_property
    def _coefficients(self) -> list[Array]:
        """Steady coefficients of the cells of each level, the finest first, and of the population."""
        found = [self.fixed.coef[None]]
        for factor, u in zip(self.steady.products.factors[::-1], self._effects.cells[::-1], strict=True):
            coef = found[-1][factor.parent]
            coef[:, factor.terms] += u
            found.append(coef)
        return found[::-1]

    def coefficients(self, level: int) -> Array:
        """Return cells x terms: the coefficients of the cells of a level."""
        return self.steady.units.coefficients(self._coefficients[level])

    def means(self, along: Array, places: Sequence[Codes]) -> Array:
        """Return the predictions of steady rows, by the finest cell of each that has rows."""
        coef = np.broadcast_to(self.fixed.coef, along.shape)
        for level in range(len(places) - 1, -1, -1):
            there = places[level] >= 0
            coef = np.where(there[:, None], self._coefficients[level][places[level]], coef)
        units = self.steady.units
        found = np.einsum("ij,ij->i", along, coef + units.explained)
        return np.asarray(found * units.scale[-1] + units.center[-1])

    def covariance(self, level: int) -> Array:
        """Return the covariance of the random terms of a level, in the units of the columns."""
        L, among = self.estimate.factors[level], self._directions(level)
        return np.asarray(self.noise * among @ L @ L.T @ among.T)

    def _directions(self, level: int) -> Array:
        """Random terms x steady random terms: of which steady effects each effect is made."""
        at = self.steady.products.factors[level].terms
        return self.steady.units.directions()[np.ix_(at, at)]

    def shrinkage(self, level: int) -> Array:
        """Return cells x random terms: the share of the variance of an effect that its rows leave; 1 is the parent."""
        among, prior = self._directions(level), np.diag(self.covariance(level))
        spread = np.einsum("ij,cjk,ik->ci", among, self.effects_free.spread[level], among) * self.noise
        return np.where(prior > 0, spread / np.where(prior > 0, prior, 1.0), 1.0)

    # ---- how far they may be off -------------------------------------------------------------------

    @cached_property
    def _sensitivity(self) -> tuple[Effects, Array] | None:
        """Derivatives of all effects by the parameters of the components, and the covariance of these."""
        estimate, likelihood = self.estimate, RestrictedLikelihood(self.steady.products)
        if not len(estimate.information):
            return None
        sizes, vectors = np.linalg.eigh(estimate.information)
        if not sizes[0] > 0:
            return None
        theta, each = likelihood.parameters(estimate.factors), list[Effects]()
        for j in np.flatnonzero(estimate.free):
            step = difference_step(theta, int(j))
            ends = []
            for other in (theta + step, theta - step):
                found = likelihood.eliminate(likelihood.triangles(other))
                ends.append(effects_of(self.steady.products, found, likelihood.fixed_effects(found.left)))
            length = 2 * step[j]
            cells = [(a - b) / length for a, b in zip(ends[0].cells, ends[1].cells, strict=True)]
            each.append(Effects((ends[0].population - ends[1].population) / length, cells))
        population = np.stack([one.population for one in each], axis=-1)
        cells = [np.stack(some, axis=-1) for some in zip(*(one.cells for one in each), strict=True)]
        return Effects(population, cells), 2 * (vectors / sizes) @ vectors.T

    def variances(self, along: Array, places: Sequence[Codes | None], components_known: bool = False) -> Array:
        """Return the variances of the errors of some sums of steady coefficients.

        Parameters
        ----------
        along : array of shape (sums, columns)
            Multipliers of the coefficients.
        places : list of arrays, each of shape (sums,)
            The cell of each sum in each level, the finest first; -1: one without rows; None: effects of the level are
            no part of the sums.
        components_known : bool
            Whether to leave out that the components are estimates.
        """
        t, found = along.copy(), np.zeros(len(along))
        for level, place in enumerate(places):
            if place is None:
                continue
            terms = self.steady.products.factors[level].terms
            there = np.flatnonzero(place >= 0)
            L, z = self.estimate.factors[level], t[:, terms]
            varies = self.steady.products.varying[level] or not len(terms)
            prior = ((z @ L) ** 2).sum(axis=1) if varies else np.full(len(t), np.inf)
            at = place[there]
            inner = np.einsum("cij,cj->ci", self.effects_free.spread[level][at], z[there])
            prior[there] = np.einsum("ci,ci->c", inner, z[there])
            t[there] -= np.einsum("ckw,ck->cw", self.effects_free.products[level][at][:, :, :-1], inner)
            found += prior
        found += np.einsum("ci,ij,cj->c", t, self.fixed.covariance, t)
        found *= self.noise
        if not components_known and self._sensitivity is not None:
            by, covariance = self._sensitivity
            shift = along @ by.population
            for factor, cells, place in zip(self.steady.products.factors, by.cells, places, strict=True):
                if place is not None:
                    there = np.flatnonzero(place >= 0)
                    shift[there] += np.einsum("ck,ckp->cp", along[there][:, factor.terms], cells[place[there]])
            found += np.einsum("ci,ij,cj->c", shift, covariance, shift)
        return np.asarray(found * self.steady.units.scale[-1] ** 2)

    def standard_errors(self, level: int, cells: Codes | None = None) -> Array:
        """Return cells x terms: standard errors of the coefficients of cells of a level; of the population, if none.

        Those of the population take the components as known.
        """
        factors = self.steady.products.factors
        if cells is None:
            cells = np.arange(factors[level].cells if level < len(factors) else 1)
        directions = self.steady.units.directions() / self.steady.units.scale[-1]
        out = np.empty((len(cells), len(directions)))
        for start in range(0, len(cells), CELLS_PER_BLOCK):
            at = cells[start : start + CELLS_PER_BLOCK]
            places = self.places(level, at)
            for term, along in enumerate(directions):
                each = np.broadcast_to(along, (len(at), len(along)))
                out[start : start + len(at), term] = self.variances(each, places, level == len(factors))
        return np.sqrt(out)

    def places(self, level: int, cells: Codes) -> list[Codes | None]:
        """Return the cells above cells of a level, and these, level by level."""
        found: list[Codes | None] = [None] * level
        for factor in self.steady.products.factors[level:]:
            found.append(cells)
            cells = factor.parent[cells]
        return found
