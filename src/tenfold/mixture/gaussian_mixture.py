"""Gaussian mixture: p(x) = Σ πₖ N(x; μₖ, Σₖ), fitted by expectation and maximisation (EM).

A round shares each row out among the components, by πₖ N(x; μₖ, Σₖ) / p(x), and sums up weight, rows and products of
each; these merge, and their means and covariances are the next components: the likelihood never falls.
"""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import softmax

from tenfold.cluster.initial_centers import Asked, FirstCenters
from tenfold.cluster.kmeans_states import Measuring, Moving, Refilling, SamplingSeeds, next_round, refilled
from tenfold.cluster.lloyd_round import FarthestRows, Lloyd, NearestSums
from tenfold.cluster.row_sample import BucketSpread
from tenfold.core import MANY, Array, Claim, Codes, Columns, Need, Remedy, Schema
from tenfold.core.arrays import MatrixLike, VectorLike
from tenfold.core.field_values import NOT_NAN
from tenfold.core.learner import Done
from tenfold.estimator import Density, check_is_fitted, fitted, for_users
from tenfold.estimator.shell.constraints import array, choice, integer, numbers, real, seed
from tenfold.estimator.shell.keyword_decisions import ALONE, COUNT, ignored_verbose
from tenfold.estimator.shell.keywords import NoEffect, Refused
from tenfold.estimator.shell.kinds import warn_not_converged
from tenfold.mixture.gaussian_components import (
    ComponentSums,
    MixtureModel,
    SumsByCenter,
    SumsByComponent,
    SumsByLot,
    log_density,
    log_joint,
    shaped,
)
from tenfold.mixture.mixture_claims import information_criteria, mixture_claims, n_parameters
from tenfold.stats.rows.weighted_sample import Race

START_ROUNDS = 10
"""rounds of k-means over all rows before the first of EM; over the sample it has settled"""
START_TOL = 1e-4


class Assigning(NamedTuple):
    """The state with centres, whose nearest (or random) rows give the first weights, means and covariances."""

    step: int
    centers: Annotated[Array, "component", "column"]


class Mixing(NamedTuple):
    """The state of EM rounds: the current mixture."""

    step: int
    mixture: MixtureModel
    before: Annotated[float, NOT_NAN]
    """mean log-likelihood of the round before, -inf if there was none"""


State: TypeAlias = Measuring | SamplingSeeds | Moving | Refilling | Assigning | Mixing | Done
Summary: TypeAlias = BucketSpread | Race | Lloyd | ComponentSums


one_start = Refused(
    "a fit starts once",
    Remedy("max((tn.GaussianMixture(random_state=s).fit(X) for s in range(3)), key=lambda m: m.lower_bound_)"),
    (1,),
)
by_means_init = Refused(
    ALONE, Remedy("tn.GaussianMixture(means_init=X[:1])", "with weights_init and precisions_init"), (False,)
)


class GaussianMixture(Density):
    """Gaussian mixture by EM, exact in each pass.

    Equals scikit-learn's from the same start, and takes weights: a row of weight 2 is two rows. The start depends on
    the rows and the seed, not on their order. Rows are read in double precision, minus the mean of each component, so
    columns may be far from zero.

    Parameters
    ----------
    n_components : int, default=1
        How many components the mixture has.
    covariance_type : "full", "tied", "diag" or "spherical", default="full"
        Each component has a covariance of its own; all share one; each has variances of its own; or one variance.
    tol : float, default=1e-3
        Stop when a round changes the mean log-likelihood by less than this.
    reg_covar : float, default=1e-6
        Added to each variance, so that a component on few rows keeps a density. With 0 the likelihood never falls.
    max_iter : int, default=100
        Maximum number of rounds.
    init_params : "kmeans", "k-means++", "random_from_data" or "random", default="kmeans"
        How to start: from clusters of k-means (of few rounds over all rows), from those of a sample, from rows drawn at
        random with their nearest rows, or from a random partition of the rows.
    weights_init, means_init, precisions_init : array, optional
        What to start from. Weights and precisions that are not given are those of the rows nearest to each mean.
    random_state : int, default=0
        Seed of the start. None draws one, and the certificate records it.
    n_init, warm_start : optional
        As in scikit-learn; other values raise an error that names an alternative.
    verbose, verbose_interval : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    weights_ : array of shape (components,)
    means_ : array of shape (components, columns)
    covariances_ : array
        Of shape (components, columns, columns), (columns, columns), (components, columns) or (components,), by type.
    precisions_, precisions_cholesky_ : array of the same shape
        Inverse covariances, and triangular U with precision UUᵀ.
    converged_ : bool
    n_iter_ : int
    lower_bound_ : float
        Mean log-likelihood of the rows at this model.
    certificate_ : Certificate
        Likelihood, BIC, AIC, what the next round gains, and components that merged, emptied, collapsed or want to be
        split.

    Examples
    --------
    >>> from tenfold import GaussianMixture
    >>> X = [[1.0], [2.0], [3.0], [9.0], [11.0], [13.0]]
    >>> model = GaussianMixture(n_components=2).fit(X)
    >>> sorted(model.means_.ravel().round(3).tolist())
    [2.0, 11.0]
    >>> model.predict_proba([[6.0]]).round(2).max().item()
    1.0
    """

    passes = MANY
    need = Need("numeric")
    hidden = frozenset({"covariance", "upper"})
    law_params = (
        {"n_components": 2, "max_iter": 5},
        {"n_components": 2, "covariance_type": "tied", "init_params": "random_from_data", "max_iter": 3},
        {"n_components": 3, "covariance_type": "diag", "init_params": "random", "max_iter": 3},
        {"n_components": 2, "covariance_type": "spherical", "init_params": "k-means++", "max_iter": 3},
    )

    n_components: Annotated[int, integer(1)] = 1
    _: KW_ONLY
    covariance_type: Annotated[str, choice("full", "tied", "diag", "spherical")] = "full"
    tol: Annotated[float, real(0)] = 1e-3
    reg_covar: Annotated[float, real(0)] = 1e-6
    max_iter: Annotated[int, integer(0)] = 100
    init_params: Annotated[str, choice("kmeans", "k-means++", "random_from_data", "random")] = "kmeans"
    weights_init: Annotated[ArrayLike | None, array, None] = None
    means_init: Annotated[ArrayLike | None, array, None] = None
    precisions_init: Annotated[ArrayLike | None, array, None] = None
    random_state: Annotated[int | None, seed] = 0
    n_init: Annotated[int, one_start] = 1
    warm_start: Annotated[bool, by_means_init] = False
    verbose: Annotated[int, ignored_verbose] = 0
    verbose_interval: Annotated[int, NoEffect(ignored_verbose.because, COUNT)] = 10

    @property
    def _first(self) -> FirstCenters:
        return FirstCenters(self.n_components, "k-means++", START_TOL, self.random_state, bounds=False)

    def start(self, schema: Schema) -> State:
        """Before the first centres; at those that are given; or at the mixture, if all of it is."""
        given = self._given_parameters(len(schema.columns))
        if given.means is None:
            return Measuring(0)
        if given.weights is None or given.upper is None:
            return Assigning(0, given.means)
        covariance = given.covariance()
        return Mixing(0, MixtureModel(given.weights, given.means, covariance, given.upper, 0, False), -np.inf)

    def ask(
        self, state: State
    ) -> SumsByComponent | SumsByCenter | SumsByLot | NearestSums | FarthestRows | Asked | None:
        """Ask for the statistic of the start, then in each round for the sums weighted by responsibilities."""
        match state:
            case Mixing():
                return SumsByComponent.of(state.mixture)
            case Assigning():
                form = self._form(state.centers)
                if self.init_params == "random" and self.means_init is None:
                    return SumsByLot(state.centers, *form, self.random_state)
                return SumsByCenter(state.centers, *form)
            case Moving():
                return NearestSums(state.centers)
            case Refilling():
                return FarthestRows(state.empty, state.centers)
            case Done():
                return None
        return self._first.ask(state)

    def update(self, state: State, s: Summary) -> State:
        """Advance to the first centres, to the first mixture, then to the maximum likelihood components."""
        match state, s:
            case Mixing(), ComponentSums():
                return self._next(state, s)
            case Assigning(), ComponentSums():
                return self._begin(s)
            case Moving(), Lloyd():
                if state.step >= START_ROUNDS:
                    return Assigning(0, state.centers)
                after = next_round(state, s)
                return Assigning(0, s.means()) if isinstance(after, Done) else after
            case Refilling(), Race():
                return refilled(state, s)
            case Measuring(), BucketSpread() if self.init_params == "random":
                return Assigning(0, np.repeat(s.columns.mean[None], self.n_components, axis=0))
            case SamplingSeeds(), Race() if self.init_params == "random_from_data":
                return Assigning(0, self._drawn(s))
            case ((Measuring() | SamplingSeeds()), (BucketSpread() | Race())):
                first = self._first.update(state, s)
                if isinstance(first, Moving) and self.init_params == "k-means++":
                    return Assigning(0, first.centers)
                assert isinstance(first, (SamplingSeeds, Moving))
                return first
        raise TypeError(f"{type(s).__name__} does not belong to the state {type(state).__name__}")

    def _next(self, state: Mixing, s: ComponentSums) -> Mixing | Done:
        """The components of the responsibilities; the end, if the round before hardly changed the likelihood."""
        if state.mixture.converged:
            return Done.of(state.mixture, state.step)
        found = s.mean_log_likelihood
        done = abs(found - state.before) < self.tol
        after = s.maximised(self.covariance_type, self.reg_covar)._replace(n_iter=state.step + 1, converged=done)
        return Mixing(state.step + 1, after, found)

    def _begin(self, s: ComponentSums) -> Mixing:
        """The mixture of the first shares of the rows; what was given stays as it was."""
        first = s.maximised(self.covariance_type, self.reg_covar)
        given = self._given_parameters(s.means.shape[1])
        if given.means is not None:
            first = first._replace(means=given.means)
        if given.weights is not None:
            first = first._replace(weights=given.weights)
        if given.upper is not None:
            first = first._replace(upper=given.upper, covariance=given.covariance())
        return Mixing(0, first, -np.inf)

    def _drawn(self, s: Race) -> Array:
        """Distinct rows, drawn by their weights."""
        rows, weight = s.sample()
        random = np.random.default_rng(self.random_state)
        count = min(self.n_components, len(rows))
        return rows[np.sort(random.choice(len(rows), count, replace=False, p=weight / weight.sum()))]

    def _form(self, means: Array) -> tuple[int, int]:
        """How many scatters there are, and how wide they are."""
        return 1 if self.covariance_type == "tied" else len(means), self._width(means.shape[1])

    def _width(self, p: int) -> int:
        return p if self.covariance_type in ("full", "tied") else 1

    def _given_parameters(self, p: int) -> _Given:
        """Validated initial parameters given by the user."""
        return _Given.of(self, p, self._width(p))

    def model(self, state: State) -> MixtureModel | None:
        if isinstance(state, Done):
            found: MixtureModel = state.model
            return found
        return state.mixture if isinstance(state, Mixing) else None

    def certify(self, model: MixtureModel, s: Summary) -> tuple[Claim, ...] | None:
        """The likelihood at this mixture, what the next round gains, and components that are not as they should."""
        if not isinstance(s, ComponentSums) or not np.array_equal(s.means, model.means):
            return None
        return mixture_claims(model, s, self.covariance_type, self.reg_covar)

    def is_valid(self, model: MixtureModel, summary: Summary | None, schema: Schema) -> bool:
        fits = model.covariance.shape[::2] == self._form(model.means) and len(model.means) <= self.n_components
        return fits and model.upper.shape == model.covariance.shape

    def _after_fit(self, source: object) -> None:
        made = self.certificate_.provenance
        rows = 0 if made is None else made.rows
        if rows < self.n_components:
            raise ValueError(
                f"Expected n_samples >= n_components but got n_components = {self.n_components}, n_samples = {rows}. "
                "Remedy: fewer components, or more rows of positive weight"
            )
        if len(self.model_.weights) < self.n_components:
            warn_not_converged(
                f"Number of components found ({len(self.model_.weights)}) smaller than n_components "
                f"({self.n_components}): there are no more distinct rows"
            )
        if not self.model_.converged and 0 < self.max_iter <= self.model_.n_iter:
            warn_not_converged(
                f"the mixture did not converge to tol={self.tol:g} within max_iter={self.max_iter} rounds. Remedy: a "
                "larger max_iter or tol, or fewer components"
            )

    # ---- applying ------------------------------------------------------------------------------

    def log_density_from(self, model: MixtureModel, X: Columns) -> Array:
        """Log-density log p(x) of each row."""
        return log_density(X, model)

    def label_from(self, model: MixtureModel, X: Columns) -> Codes:
        """The component that is most probable for each row."""
        return log_joint(X, model).argmax(axis=1)

    @fitted
    def predict(self, X: MatrixLike) -> Any:
        """The component that is most probable for each row.

        Parameters
        ----------
        X : array, frame or Source

        Returns
        -------
        labels : int array of shape (rows,)
        """
        return self._apply(type(self).label_from, X, lambda: ["component"])

    @fitted
    def predict_proba(self, X: MatrixLike) -> Any:
        """The probability of each component for each row: its responsibility.

        Parameters
        ----------
        X : array, frame or Source

        Returns
        -------
        p : array of shape (rows, components)
        """
        return self._apply(_responsibilities, X, lambda: [f"probability_{k}" for k in range(len(self.weights_))])

    @for_users
    def fit_predict(self, X: MatrixLike, y: VectorLike = None, sample_weight: VectorLike = None) -> Any:
        """Fit the mixture, then give the most probable component of each row.

        Parameters
        ----------
        X : array, frame or Source
        y : None
            Not used.
        sample_weight : array, optional

        Returns
        -------
        labels : int array of shape (rows,)
        """
        return self.fit(X, y, sample_weight).predict(X)

    @fitted
    def bic(self, X: MatrixLike, sample_weight: VectorLike = None) -> float:
        """Bayesian information criterion on these rows, the lower the better: -2 log-likelihood + log(n) parameters.

        Parameters
        ----------
        X : array, frame or Source
        sample_weight : array, optional

        Returns
        -------
        bic : float
        """
        return self._criteria(X, sample_weight)[0]

    @fitted
    def aic(self, X: MatrixLike, sample_weight: VectorLike = None) -> float:
        """Akaike's information criterion on these rows, the lower the better: -2 log-likelihood + 2 parameters.

        Parameters
        ----------
        X : array, frame or Source
        sample_weight : array, optional

        Returns
        -------
        aic : float
        """
        return self._criteria(X, sample_weight)[1]

    def _criteria(self, X: Any, sample_weight: Any) -> tuple[float, float]:
        """BIC and AIC of the model on some rows."""
        score, rows = self._log_likelihood(X, sample_weight)
        return information_criteria(score, rows, n_parameters(self.model_, self.covariance_type))

    @fitted
    def sample(self, n_samples: int = 1) -> tuple[Array, Any]:
        """Draw rows from the mixture, by its seed.

        Parameters
        ----------
        n_samples : int, default=1

        Returns
        -------
        X : array of shape (n_samples, columns)
        labels : int array of shape (n_samples,)
            The component that each row was drawn from.
        """
        check_is_fitted(self)
        if n_samples < 1:
            raise ValueError(f"n_samples must be at least 1, not {n_samples}")
        random = np.random.RandomState(self.seed())
        counts = random.multinomial(n_samples, self.weights_ / self.weights_.sum())
        p, covariance = self.means_.shape[1], self.model_.covariance
        each = []
        for k, (mean, count) in enumerate(zip(self.means_, counts.tolist(), strict=True)):
            square = covariance[k % len(covariance)]
            if self.covariance_type in ("full", "tied"):
                each.append(random.multivariate_normal(mean, square, count))
            else:
                each.append(mean + random.standard_normal((count, p)) * np.sqrt(square[:, 0]))
        return np.vstack(each), np.repeat(np.arange(len(counts)), counts)

    # ---- attributes ----------------------------------------------------------------------------

    @property
    @fitted
    def covariances_(self) -> Array:
        """The covariance of each component; its shape depends on `covariance_type`."""
        return self._shaped("covariance")

    @property
    @fitted
    def precisions_cholesky_(self) -> Array:
        """Triangular U with precision UUᵀ, of each component; its shape depends on `covariance_type`."""
        return self._shaped("upper")

    @property
    @fitted
    def precisions_(self) -> Array:
        """The inverse covariance of each component; its shape depends on `covariance_type`."""
        upper = self.precisions_cholesky_
        wide = self.covariance_type in ("full", "tied")
        found: Array = upper @ np.swapaxes(upper, -1, -2) if wide else upper**2
        return found

    def _shaped(self, field: str) -> Array:
        """A field of the model in scikit-learn's shape."""
        if "model_" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {field!r}: it is not fitted")
        return shaped(getattr(self.model_, field), self.covariance_type)

    @property
    @fitted
    def lower_bound_(self) -> float:
        """Mean log-likelihood of the rows at this model."""
        claim = None if "certificate_" not in self.__dict__ else self.certificate_.get("log-likelihood")
        if claim is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'lower_bound_'")
        return claim.value


class _Given(NamedTuple):
    """Validated initial parameters given by the user; None where missing."""

    weights: Array | None
    means: Array | None
    upper: Array | None

    @classmethod
    def of(cls, learner: GaussianMixture, p: int, width: int) -> _Given:
        """The prior from the parameters of a learner, for `columns` columns."""
        k, kind = learner.n_components, learner.covariance_type
        weights = _checked(learner.weights_init, "weights_init", (k,))
        if weights is not None and ((weights < 0).any() or not np.isclose(weights.sum(), 1.0)):
            raise ValueError("weights_init must be from 0 to 1, and sum to 1")
        means = _checked(learner.means_init, "means_init", (k, p))
        shape = {"full": (k, p, p), "tied": (p, p), "diag": (k, p), "spherical": (k,)}[kind]
        precisions = _checked(learner.precisions_init, "precisions_init", shape)
        if precisions is None:
            return cls(weights, means, None)
        if kind in ("diag", "spherical"):
            if (precisions <= 0).any():
                raise ValueError("precisions_init must be positive")
            return cls(weights, means, np.sqrt(np.broadcast_to(precisions.reshape(k, -1, 1), (k, p, 1))))
        square = precisions.reshape(-1, p, p)
        even = np.allclose(square, square.transpose(0, 2, 1))
        if not even or (np.linalg.eigvalsh(square) <= 0).any():
            raise ValueError("precisions_init must be symmetric, and positive definite")
        turned = np.linalg.cholesky(square[:, ::-1, ::-1])  # lower triangular, both axes backwards
        return cls(weights, means, np.ascontiguousarray(turned[:, ::-1, ::-1]))

    def covariance(self) -> Array:
        """Covariances from the given precisions."""
        assert self.upper is not None
        p = self.upper.shape[1]
        if self.upper.shape[2] < p:
            return 1.0 / self.upper**2
        back = np.linalg.inv(self.upper)
        return np.ascontiguousarray(back.transpose(0, 2, 1) @ back)


def _checked(given: Any, name: str, shape: tuple[int, ...]) -> Array | None:
    """Numbers of a shape, or None."""
    if given is None:
        return None
    found: Array = np.array(numbers(given, name))
    if found.shape != shape:
        raise ValueError(f"{name} should have the shape of {shape}, but got {found.shape}")
    if not np.isfinite(found).all():
        raise ValueError(f"{name} contains NaN or infinity")
    return found


def _responsibilities(learner: GaussianMixture, model: MixtureModel, X: Columns) -> Any:
    return softmax(log_joint(X, model), axis=1)
