"""Hidden Markov model of measurements: each state has a normal distribution of rows.

A round shares each row out among the states, by all rows of its sequence, and sums up weight, rows and products of
each: the sums of a Gaussian mixture, and counts of what follows what. They merge by adding.
"""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from tenfold.core import Array, Chunk, Claim, Codes, Columns, DataError, Mergeable, Need, Schema
from tenfold.core.arrays import MatrixLike
from tenfold.core.axes import Bundle
from tenfold.core.contract import RecordTypes
from tenfold.core.field_values import NOT_NEGATIVE, Between
from tenfold.core.learner import Done
from tenfold.core.statistic import Expression
from tenfold.estimator import fitted, for_users
from tenfold.estimator.given_model import read_as, with_model
from tenfold.estimator.sequences.sequence_rows import ends_of, sequence_weights
from tenfold.estimator.shell.constraints import array, choice, numbers, real
from tenfold.estimator.shell.parameters import Behind
from tenfold.mixture.gaussian_components import (
    ROWS_PER_BLOCK,
    ComponentSums,
    MixtureModel,
    SharedSums,
    log_joint,
    shaped,
    uppers,
)
from tenfold.mixture.gaussian_mixture import GaussianMixture, Mixing
from tenfold.mixture.gaussian_mixture import State as MixtureState
from tenfold.mixture.gaussian_mixture import Summary as MixtureSummary
from tenfold.mixture.mixture_claims import expected_log_density, n_parameters
from tenfold.sequence.given_probabilities import checked_chain
from tenfold.sequence.hidden_markov import HiddenMarkov, HMMRounds, shares
from tenfold.sequence.hidden_states import SequenceRows
from tenfold.sequence.missing_numbers import CompleteRows, Parted, PartedRows, add_expected, marginal_log_densities
from tenfold.sequence.sequence_windows import AlongStates, Edges, Windows
from tenfold.stats.combinators import After

S = TypeVar("S")
IMPOSSIBLE_SEQUENCE_REMEDY = "fewer zeros in startprob_init and transmat_init, or a larger reg_covar"
"""what to do about a sequence that is impossible where a fit is"""


class GaussianHMMModel(NamedTuple):
    """Chances of states to start and to follow each other, and the normal of each."""

    startprob: Annotated[Array, "state", Between(0.0, 1.0)]
    transmat: Annotated[Array, "state", "state", Between(0.0, 1.0)]
    means: Annotated[Array, "state", "column"]
    covariance: Annotated[Array, "scatter", "column", "width"]
    """of each state, or one for all; only the diagonal, if it is one number wide"""
    upper: Annotated[Array, "scatter", "column", "width"]
    """U with precision UUᵀ, or its diagonal"""
    n_iter: int
    converged: bool

    def normals(self) -> MixtureModel:
        """The normals, none of them weighed."""
        return unweighted(self.means, self.covariance, self.upper)


def unweighted(means: Array, covariance: Array, upper: Array) -> MixtureModel:
    """Normals as the components of a mixture, each of weight one: their densities are those of the states."""
    return MixtureModel(np.ones(len(means)), means, covariance, upper, 0, False)


class StateSums(Mergeable):
    """How often states are expected at first rows and after each other, and the sums of the rows in each."""

    began: Annotated[Array, "state", NOT_NEGATIVE]
    moved: Annotated[Array, "state", "state", NOT_NEGATIVE]
    sums: ComponentSums
    uncounted: int = 0
    """windows of long sequences whose surroundings are not known yet"""

    def __add__(self, other: StateSums) -> StateSums:
        uncounted = self.uncounted + other.uncounted
        return StateSums(self.began + other.began, self.moved + other.moved, self.sums + other.sums, uncounted)

    @property
    def rows(self) -> float:
        """Total weight of the rows."""
        return self.sums.rows

    @property
    def log_likelihood(self) -> float:
        """Weighted log-likelihood of all sequences."""
        return self.sums.log_likelihood


class AlongRows(AlongStates[S]):
    """Base of statistics of the rows of sequences at a model."""

    means: Array
    covariance: Array
    upper: Array

    def rows(self, chunk: Chunk) -> SequenceRows:
        starts: Any = chunk.starts
        normals = unweighted(self.means, self.covariance, self.upper)
        return SequenceRows(ends_of(starts, chunk.n), np.arange(chunk.n), log_densities(chunk.held, normals))


def log_densities(held: Parted, normals: MixtureModel) -> Array:
    """The log-density of the observed values of each row in each state."""
    found = log_joint(held.complete.X, normals)
    if held.which is None:
        return found
    out = np.empty((held.chunk.n, len(normals.means)))
    out[held.which] = found
    out[held.rest] = marginal_log_densities(held.values, normals.means, normals.covariance)
    return out


class RowWindows(AlongRows[Windows]):
    """Transfer matrices of the windows of long sequences under a model."""

    def summarize(self, chunk: Chunk) -> Windows:
        return self.window(chunk)


class ExpectedRows(AlongRows[StateSums]):
    """How often states are expected behind the rows of sequences, and sums of the rows by it."""

    edges: Edges | None = None
    """what surrounds windows of long sequences, if that is known"""

    def summarize(self, chunk: Chunk) -> StateSums:
        held: Parted = chunk.held
        found = self.expected(chunk, self.edges, IMPOSSIBLE_SEQUENCE_REMEDY)
        sums = SharedSums(held.complete, self.means, self.upper.shape)
        if found is None:
            return StateSums(np.zeros(len(self.startprob)), np.zeros(self.transmat.shape), sums.done(0.0), 1)
        emitted = found.emitted if held.which is None else found.emitted[held.which]
        for which, block in held.complete.X.blocks(ROWS_PER_BLOCK):
            sums.add(block, np.ascontiguousarray(emitted[which].T))
        if held.which is not None:
            add_expected(sums, held.values, found.emitted[held.rest], self.covariance)
        return StateSums(found.began, found.moved, sums.done(float(sequence_weights(chunk) @ found.log_likelihood)))


def checked_covariance(given: Any, kind: str, k: int, p: int) -> Array:
    """Covariances that a user gave for k states and p columns: of each, or one for all; of width one, if diagonal."""
    shape = {"full": (k, p, p), "tied": (p, p), "diag": (k, p), "spherical": (k,)}[kind]
    found: Array = np.array(numbers(given, "covars"), order="C")
    if found.shape != shape or not np.isfinite(found).all():
        raise ValueError(
            f"covars must be finite numbers of shape {shape} with covariance_type={kind!r}, not of shape {found.shape}"
        )
    if kind in ("diag", "spherical"):
        if not (found > 0).all():
            raise ValueError("covars must be variances above 0")
        return np.ascontiguousarray(np.broadcast_to(found.reshape(k, -1, 1), (k, p, 1)))
    square = found.reshape(-1, p, p)
    for at, one in enumerate(square):
        if not np.allclose(one, one.T) or np.linalg.eigvalsh(one)[0] <= 0:
            which = "covars" if kind == "tied" else f"covars of state {at}"
            raise ValueError(f"{which} must be symmetric and positive definite, not {one.tolist()}")
    return square


State = MixtureState | HMMRounds
Summary = MixtureSummary | StateSums | Windows


class GaussianHMM(HiddenMarkov):
    """Hidden Markov model with normal rows, by Baum and Welch's algorithm, exact in each pass.

    It starts from the clusters of k-means, with states that tend to persist. Numbers may be missing (NaN): the rest of
    a row is evidence of its state, and missing values are replaced by their expectation. A row without values is
    no evidence; the rows around it still are. The first clusters are of rows without missing numbers.

    Parameters
    ----------
    n_components : int, default=2
        Number of states.
    covariance_type : {"diag", "full", "tied", "spherical"}, default="diag"
        Each state has variances of its own; a covariance; all share one; or each has one variance.
    max_iter : int, default=100
        Maximum number of rounds.
    tol : float, default=1e-5
        Stop when a round changes the mean log-likelihood of a row by less than this.
    reg_covar : float, default=1e-6
        Added to each variance, so that a state of few rows keeps a density. With 0 the likelihood never falls.
    startprob_init : array of shape (states,), optional
        Chances to start from; equal by default. Zeros stay zeros.
    transmat_init : array of shape (states, states) or "left-right", optional
        Chances to start from; half to stay, the other half to all alike by default. Zeros stay zeros. "left-right":
        from the first state on, each stays or goes to the next.
    transmat_tied : int array of shape (states, states), optional
        Transitions with the same number have the same chance; rows that share a number must share all of theirs. With
        1 for staying and 2 for going on, all states of a left-right model are left alike.
    means_init : array of shape (states, columns), optional
        Means to start from; those of clusters by default.
    random_state : int, default=0
        Seed of the start. None draws one, and the certificate records it.

    Attributes
    ----------
    startprob_ : array of shape (states,)
    transmat_ : array of shape (states, states)
        Row i has the chance of each state after state i.
    means_ : array of shape (states, columns)
    covars_ : array
        Of shape (states, columns), (states, columns, columns), (columns, columns) or (states,), by type.
    converged_ : bool
    n_iter_ : int
    certificate_ : Certificate
        Likelihood, BIC, AIC, what the next round gains, and states that are never entered. EM finds a model that is the
        local optimum; a better one may exist.

    Examples
    --------
    >>> from tenfold import GaussianHMM
    >>> X = [[0.1], [0.0], [-0.1], [5.0], [5.2], [4.9], [0.2], [-0.2]]
    >>> model = GaussianHMM(2).fit(X)
    >>> model.predict(X).tolist() in ([0, 0, 0, 1, 1, 1, 0, 0], [1, 1, 1, 0, 0, 0, 1, 1])
    True
    """

    need = Need("numeric", missing=True, sequence="", windows=True)
    fewer_zeros = IMPOSSIBLE_SEQUENCE_REMEDY
    hidden = frozenset({"covariance", "upper"})
    law_params = (
        {"max_iter": 3, "reg_covar": 1e-3},
        {"covariance_type": "full", "max_iter": 2, "reg_covar": 1e-2},
        {"covariance_type": "tied", "max_iter": 2, "reg_covar": 1e-2},
    )

    _: KW_ONLY
    covariance_type: Annotated[str, choice("full", "tied", "diag", "spherical"), Behind("n_components")] = "diag"
    reg_covar: Annotated[float, real(0), Behind("tol")] = 1e-6
    means_init: Annotated[ArrayLike | None, array, None, Behind("transmat_tied")] = None

    @classmethod
    @for_users
    def from_parameters(
        cls, startprob: ArrayLike, transmat: ArrayLike, means: MatrixLike, covars: ArrayLike, **params: Any
    ) -> GaussianHMM:
        """Return a model with these probabilities and normals, which decodes and scores at once: no rows are read.

        Probabilities and means are also the `startprob_init`, `transmat_init` and `means_init` from which a later
        `fit` starts.

        Parameters
        ----------
        startprob : array of shape (states,)
        transmat : array of shape (states, states)
            Row i has the probability of each state after state i.
        means : array or frame of shape (states, columns)
            A frame names the columns.
        covars : array
            Of shape (states, columns), (states, columns, columns), (columns, columns) or (states,), by
            `covariance_type`: "diag", "full", "tied" or "spherical".
        **params
            Other parameters, such as `covariance_type` or `random_state`.

        Returns
        -------
        model : GaussianHMM

        Examples
        --------
        >>> from tenfold import GaussianHMM
        >>> model = GaussianHMM.from_parameters([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]], [[0.0], [4.0]], [[1.0], [1.0]])
        >>> model.predict([[0.2], [1.9], [4.1], [2.1], [3.8]]).tolist()
        [0, 0, 1, 1, 1]
        """
        start, step = checked_chain(startprob, transmat)
        schema, _ = read_as(cls.need, means)
        k, p = len(start), len(schema.columns)
        centres = np.array(numbers(means, "means"), order="C")
        if centres.shape != (k, p) or not np.isfinite(centres).all():
            raise ValueError(f"means must have a row of finite numbers for each of the {k} states")
        model = cls(k, startprob_init=start, transmat_init=step, means_init=centres, **params)
        model._validate_params()
        covariance = checked_covariance(covars, model.covariance_type, k, p)
        upper = uppers(covariance, np.ones(k), p)
        found: GaussianHMM = with_model(
            model, schema, GaussianHMMModel(start, step, centres, covariance, upper, 0, False)
        )
        return found

    @property
    def _mixture(self) -> GaussianMixture:
        """The mixture whose first components are the first states."""
        return GaussianMixture(
            self.n_components,
            covariance_type=self.covariance_type,
            reg_covar=self.reg_covar,
            means_init=self.means_init,
            random_state=self.random_state,
        )

    def start(self, schema: Schema) -> State:
        """Start state of a mixture with as many components."""
        self._first_chances(None)  # refuses what are no chances
        return self._mixture.start(schema)

    def ask(self, state: State) -> Expression | None:
        """Ask for the statistic of the first components, then in each round for the expected counts and sums."""
        match state:
            case HMMRounds():
                (model,) = state.kept.each
                given = model.startprob, model.transmat, model.means, model.covariance, model.upper
                if state.cut and not state.edges.each:
                    return RowWindows(*given, lens=PartedRows())
                return ExpectedRows(*given, state.edges.each[0] if state.edges.each else None, lens=PartedRows())
            case Done():
                return None
        ask = self._mixture.ask(state)
        return None if ask is None else After((CompleteRows(),), ask)

    @property
    def record_types(self) -> RecordTypes:
        # A state holds what surrounds windows, once it is known.
        return super().record_types._replace(within=(Edges,))

    def update(self, state: State, s: Summary) -> State:
        """Update to the first components; then to the expected weights and moments."""
        if isinstance(state, HMMRounds):
            return self._next(state, s)
        assert not isinstance(s, StateSums | Windows)
        after = self._mixture.update(state, s)
        if not isinstance(after, Mixing):
            return after
        found = after.mixture
        if len(found.means) < self.n_components:
            raise DataError(
                f"there are {len(found.means)} distinct rows, too few for {self.n_components} states. Remedy: a "
                "smaller n_components"
            )
        start, step = self._first_chances(None)
        model = GaussianHMMModel(start, step, found.means, found.covariance, found.upper, 0, False)
        return HMMRounds(0, Bundle((model,)), -np.inf)

    def maximised(self, model: GaussianHMMModel, s: StateSums) -> GaussianHMMModel:
        found = s.sums.maximised(self.covariance_type, self.reg_covar)
        start, step = shares(s.began, model.startprob), shares(self.tied(s.moved), model.transmat)
        return GaussianHMMModel(start, step, found.means, found.covariance, found.upper, model.n_iter + 1, False)

    def model(self, state: State) -> GaussianHMMModel | None:
        if isinstance(state, Done):
            solved: GaussianHMMModel = state.model
            return solved
        return state.kept.each[0] if isinstance(state, HMMRounds) else None

    def certify(self, model: GaussianHMMModel, s: Summary) -> tuple[Claim, ...] | None:
        """The likelihood at this model, what the next round gains, and states that are never entered."""
        if not isinstance(s, StateSums) or s.uncounted or not np.array_equal(s.sums.means, model.means):
            return None
        normals = model.normals()
        free = self.chances_free(model) + n_parameters(normals, self.covariance_type) - (self.n_components - 1)
        after = s.sums.maximised(self.covariance_type, self.reg_covar)._replace(weights=normals.weights)
        gain = expected_log_density(after, s.sums) - expected_log_density(normals, s.sums)
        return self._claims(model, s, free, gain)

    def is_valid(self, model: GaussianHMMModel, summary: object, schema: Schema) -> bool:
        k, p = model.means.shape
        count = 1 if self.covariance_type == "tied" else k
        width = p if self.covariance_type in ("full", "tied") else 1
        fits = k == self.n_components and model.covariance.shape == model.upper.shape == (count, p, width)
        return fits and super().is_valid(model, summary, schema)

    # ---- applying ------------------------------------------------------------------------------

    def log_table(self, model: GaussianHMMModel, X: Columns) -> tuple[Codes, Array]:
        nothing = Chunk(X, None, np.ones(len(X)), True, 0, 0)
        return np.arange(len(X)), log_densities(PartedRows()(nothing), model.normals())

    def drawn_rows(self, model: GaussianHMMModel, states: Codes, random: np.random.Generator) -> Array:
        # A row for each state: its mean, and what its covariance makes of standard normals.
        k, p = model.means.shape
        noise = random.standard_normal((len(states), p))
        if model.covariance.shape[2] < p:
            return np.asarray(model.means[states] + noise * np.sqrt(model.covariance[states, :, 0]))
        factors = np.broadcast_to(np.linalg.cholesky(model.covariance), (k, p, p))
        return np.asarray(model.means[states] + np.einsum("nij,nj->ni", factors[states], noise))

    @property
    @fitted
    def covars_(self) -> Array:
        """The covariance of each state; its shape depends on `covariance_type`."""
        if "model_" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'covars_': it is not fitted")
        return shaped(self.model_.covariance, self.covariance_type)
