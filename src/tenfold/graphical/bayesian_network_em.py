"""A Bayesian network learned from rows with gaps, by expectation and maximisation (EM).

A round shares each row out among the values that it misses, by their posterior given the row, and counts; the smoothed
shares of the merged counts are the next tables. The likelihood of what the rows have never falls (with smoothing, that
likelihood times the prior of the tables).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Annotated, Any, NamedTuple, TypeAlias

import numpy as np
from scipy.special import xlogy

from tenfold.core import MANY, Array, Claim, Columns, Need, Schema
from tenfold.core.field_values import NOT_NAN
from tenfold.core.learner import Done
from tenfold.estimator import Density, fitted
from tenfold.estimator.shell.constraints import integer, real, seed
from tenfold.estimator.shell.kinds import warn_not_converged
from tenfold.graphical.bayesian_network import BayesianNetwork
from tenfold.graphical.bayesian_network_density import check_cells, given_parents
from tenfold.graphical.expected_families import ExpectedByFamily, ExpectedCounts
from tenfold.graphical.families import NetworkLayout, NetworkModel, coded_blocks
from tenfold.graphical.rows_of_a_network import MISSING, log_joint
from tenfold.stats.counts.counts import smoothed


class EMModel(NamedTuple):
    """A network, and how many rounds led to it."""

    network: NetworkModel
    n_iter: int
    converged: bool


class NetworkRounds(NamedTuple):
    """The state of EM rounds: the current tables."""

    step: int
    at: EMModel
    before: Annotated[float, NOT_NAN]
    """mean objective of the round before, -inf if there was none"""


State: TypeAlias = NetworkRounds | Done


class BayesianNetworkEM(Density):
    """Bayesian network from rows that miss values, or with variables that no row has, by EM, exact in each pass.

    Values are assumed to be missing at random: missingness depends on observed values only.

    Parameters
    ----------
    structure : dict of str to list of str, optional
        The parents of each variable, by name. By default each column depends on all hidden variables and on nothing
        else: latent classes.
    latent : dict of str to int, optional
        Hidden variables: no columns, each with the number of its values, which are called 0, 1, ...
    alpha : float, default=1.0
        Added to the expected count of each combination of values (Laplace). 0: the likelihood alone is maximised.
    tol : float, default=1e-4
        Stop when a round raises the mean log-likelihood (with smoothing: and the prior) by less than this.
    max_iter : int, default=100
        Maximum number of rounds.
    random_state : int, default=0
        Seed of the first tables of hidden variables and their children. None draws one, and the certificate records
        it.

    Attributes
    ----------
    network_ : BayesianNetwork
        What answers questions, of hidden variables too: `network_.predict_proba("kind", rows)`.
    edges_ : list of (str, str)
        Parents and children.
    converged_ : bool
    n_iter_ : int
    certificate_ : Certificate

    Examples
    --------
    >>> import pandas as pd, tenfold as tn
    >>> days = pd.DataFrame({"sky": ["sun", "sun", "rain", "rain", None], "grass": ["dry", "dry", "wet", "wet", "wet"]})
    >>> model = tn.BayesianNetworkEM({"grass": ["sky"]}, alpha=0.0, tol=1e-9).fit(days)
    >>> model.network_.query("sky").p.round(3).tolist()  # rain, sun: the fifth day had rain
    [0.6, 0.4]
    """

    passes = MANY
    need = Need("categorical", missing=True)
    hidden = frozenset({"network"})
    law_params = (
        {"max_iter": 3},
        {"latent": {"kind": 2}, "max_iter": 4},
        {"latent": {"kind": 3}, "alpha": 0.0, "max_iter": 3},
    )

    structure: Annotated[dict[str, list[str]] | None, dict, None] = None
    latent: Annotated[dict[str, int] | None, dict, None] = None
    _: KW_ONLY
    alpha: Annotated[float, real(0)] = 1.0
    tol: Annotated[float, real(0)] = 1e-4
    max_iter: Annotated[int, integer(0)] = 100
    random_state: Annotated[int | None, seed] = 0

    def start(self, schema: Schema) -> NetworkRounds:
        """The first tables: even where all variables are columns, and drawn where one is hidden."""
        names, latent = self._names(schema), self._latent(schema)
        p = len(schema.columns)
        if self.structure is None:
            parents: Any = (*(tuple(range(p, len(names))) for _ in range(p)), *(() for _ in latent))
        else:
            parents = given_parents(self.structure, names, "variable")
        levels = np.concatenate([schema.levels, np.array(list(latent.values()), dtype=np.int64)]).astype(np.int64)
        layout = NetworkLayout.of(parents, levels)
        check_cells(schema, layout.size, "combinations of values")
        random = np.random.default_rng(self.random_state)
        tables = []
        for at, shape in enumerate(layout.shapes):
            drawn = max((*parents[at], at), default=0) >= p
            rows = random.dirichlet(np.full(shape[-1], 2.0), size=shape[:-1]) if drawn else np.ones(shape) / shape[-1]
            tables.append(np.asarray(rows, dtype=np.float64).reshape(shape))
        return NetworkRounds(0, EMModel(NetworkModel.of(layout, levels, tables), 0, False), -np.inf)

    def ask(self, state: State) -> ExpectedByFamily | None:
        """The expected counts at the tables."""
        return ExpectedByFamily.of(state.at.network) if isinstance(state, NetworkRounds) else None

    def update(self, state: State, s: ExpectedCounts) -> State:
        """Advance to the smoothed expected counts; stop if the last round gained less than the tolerance."""
        assert isinstance(state, NetworkRounds)
        if state.at.converged:
            return Done.of(state.at, state.step)
        found = self._objective(state.at.network, s)
        done = found - state.before < self.tol
        tables = [smoothed(count, self.alpha) for count in s.tables()]
        after = NetworkModel.of(s.layout, state.at.network.levels, tables)
        return NetworkRounds(state.step + 1, EMModel(after, state.step + 1, bool(done)), found)

    def _objective(self, network: NetworkModel, s: ExpectedCounts) -> float:
        """Mean log-likelihood of the rows, and of the tables under the prior that smoothing is."""
        if not s.weight:
            return 0.0
        return float(s.log_likelihood + xlogy(self.alpha, network.table).sum()) / s.weight

    def model(self, state: State) -> EMModel:
        found: EMModel = state.model if isinstance(state, Done) else state.at
        return found

    def certify(self, model: EMModel, s: ExpectedCounts) -> tuple[Claim, ...] | None:
        """The likelihood at these tables, and what the next round gains at least."""
        if not np.array_equal(s.table, model.network.table) or not s.weight:
            return None
        usual = "rounding errors of the usual size"
        after = np.concatenate([smoothed(count, self.alpha).ravel() for count in s.tables()])
        more = s.count + self.alpha
        gain = float((xlogy(more, after) - xlogy(more, model.network.table)).sum()) / s.weight
        return (
            Claim(
                "log-likelihood", s.log_likelihood / s.weight, "estimated",
                "mean log P of what each row has, summed in float64 at these very tables", "objective", usual,
            ),
            Claim(
                "next round gains", gain, "estimated",
                "the next round adds so much to the mean objective, at least: the expected one grows by it",
                "objective", usual,
            ),
        )  # fmt: skip

    def is_valid(self, model: EMModel, summary: ExpectedCounts | None, schema: Schema) -> bool:
        mine, first = model.network.layout, self.start(schema).at.network.layout
        return mine == first and (summary is None or (summary.layout == first and len(summary.table) == first.size))

    def resumable(self, state: State, summary: Any, schema: Schema) -> bool:
        return not isinstance(self.model(state), EMModel) or self.is_valid(self.model(state), summary, schema)

    def _after_fit(self, source: object) -> None:
        if not self.model_.converged and 0 < self.max_iter <= self.model_.n_iter:
            warn_not_converged(
                f"EM did not converge to tol={self.tol:g} within max_iter={self.max_iter} rounds. Remedy: a larger "
                "max_iter or tol, or fewer latent variables"
            )

    # ---- applying ------------------------------------------------------------------------------

    def log_density_from(self, model: EMModel, X: Columns) -> Array:
        """log P of what each row has."""
        out = np.empty(len(X))
        layout, tables = model.network.layout, model.network.tables()
        names = [f"variable number {at}" for at in range(len(tables))]
        for rows, codes in coded_blocks(X):
            unknown = np.full((len(tables) - len(codes), codes.shape[1]), MISSING)
            out[rows] = log_joint(tables, layout.parents, np.concatenate([codes, unknown]), None, names)[:, 0]
        return out

    @property
    @fitted
    def network_(self) -> BayesianNetwork:
        """The fitted `BayesianNetwork`, for inference."""
        values: list[Sequence[Any]] = [c.categories.tolist() for c in self.schema_.columns]
        return self.model_.network.network(
            self._names(self.schema_), [*values, *(range(k) for k in self._latent(self.schema_).values())]
        )

    @property
    @fitted
    def edges_(self) -> list[tuple[str, str]]:
        """Edges of the graph, as pairs of parent and child names."""
        names, network = self._names(self.schema_), self.model_.network
        return [(names[a], names[b]) for a, b in zip(network.parent.tolist(), network.child.tolist(), strict=True)]

    def _names(self, schema: Schema) -> tuple[str, ...]:
        return (*schema.names, *self._latent(schema))

    def _latent(self, schema: Schema) -> dict[str, int]:
        """The hidden variables that were asked for, checked."""
        for name, k in (self.latent or {}).items():
            if name in schema.names:
                raise ValueError(f"latent names {name!r}, which is a column. Remedy: another name")
            if not isinstance(name, str) or isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
                raise ValueError(f"latent: {name!r} must be a name with a number of values from 1 on, not {k!r}")
        return dict(self.latent or {})
