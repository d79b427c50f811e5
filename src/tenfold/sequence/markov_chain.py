"""Markov chain: the next symbol depends on the current one only.

Its chances are shares of counts: how often each symbol begins a sequence, and how often each follows each. Counts
merge by adding, so chains of days, sites and slices add up.
"""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tenfold.core import Array, Chunk, Claim, Mergeable, Need, Schema
from tenfold.core.arrays import MatrixLike, VectorLike
from tenfold.core.field_values import NOT_NEGATIVE, Between
from tenfold.core.statistic import Statistic
from tenfold.estimator import OnePass, check_is_fitted, fitted, for_users
from tenfold.estimator.given_model import with_model
from tenfold.estimator.sequences.sequence_rows import SequenceLearner, sequence_weights
from tenfold.estimator.shell.constraints import real, seed
from tenfold.sequence.given_probabilities import checked_chain, sorted_symbols
from tenfold.sequence.hidden_states import HiddenStates
from tenfold.sequence.long_run import long_run_shares
from tenfold.sequence.symbols import known_codes, one_column, pair_counts
from tenfold.stats.counts.counts import smoothed


class MarkovChainModel(NamedTuple):
    """The chance of each symbol to begin a sequence, and to follow each other."""

    startprob: Annotated[Array, "value", Between(0.0, 1.0)]
    transmat: Annotated[Array, "value", "value", Between(0.0, 1.0)]


class TransitionCounts(Mergeable):
    """How often each symbol begins a sequence, and how often each follows each."""

    exact: ClassVar[bool] = True
    began: Annotated[Array, "value", NOT_NEGATIVE]
    moved: Annotated[Array, "value", "value", NOT_NEGATIVE]
    by_weight = ("began", "moved")


class Transitions(Statistic[TransitionCounts]):
    """How often each symbol begins a sequence, and how often each follows each."""

    symbols: int

    def summarize(self, chunk: Chunk) -> TransitionCounts:
        m, starts, codes = self.symbols, chunk.starts, chunk.X.column(0).astype(np.int64)
        began = np.bincount(codes[starts], sequence_weights(chunk), m)
        return TransitionCounts(began.astype(np.float64), pair_counts(chunk, codes, m))


class MarkovChain(OnePass, SequenceLearner):
    """Markov chain of symbols, exact in one pass; chains of several sources add up.

    Parameters
    ----------
    alpha : float, default=0.0
        Added to each count. With 0 a pair that never occurred is impossible.
    random_state : int, default=0
        Seed of `sample`.

    Attributes
    ----------
    symbols_ : array of shape (symbols,)
    startprob_ : array of shape (symbols,)
    transmat_ : array of shape (symbols, symbols)
        Row i has the chance of each symbol after symbol i. One that nothing ever followed: all are equal.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import MarkovChain
    >>> days = [["sun"], ["sun"], ["rain"], ["sun"], ["rain"], ["rain"], ["sun"]]
    >>> chain = MarkovChain().fit(days, lengths=[4, 3])
    >>> chain.symbols_.tolist(), chain.transmat_.round(2).tolist()
    (['rain', 'sun'], [[0.33, 0.67], [0.5, 0.5]])
    >>> chain.stationary_distribution().round(2).tolist()
    [0.43, 0.57]
    """

    need = Need("categorical", sequence="")
    law_params = ({}, {"alpha": 0.5})

    alpha: Annotated[float, real(0)] = 0.0
    _: KW_ONLY
    random_state: Annotated[int | None, seed] = 0

    @classmethod
    @for_users
    def from_parameters(
        cls, startprob: ArrayLike, transmat: ArrayLike, symbols: Any = None, **params: Any
    ) -> MarkovChain:
        """Return a chain with these probabilities, which scores and draws at once: no rows are read.

        Parameters
        ----------
        startprob : array of shape (symbols,)
        transmat : array of shape (symbols, symbols)
            Row i has the probability of each symbol after symbol i.
        symbols : list, optional
            The symbol of each row; by default 0, 1, 2, ... `startprob_` and `transmat_` are in sorted order of the
            symbols.
        **params
            Other parameters, such as `random_state`.

        Returns
        -------
        chain : MarkovChain

        Examples
        --------
        >>> from tenfold import MarkovChain
        >>> weather = MarkovChain.from_parameters([0.5, 0.5], [[0.8, 0.2], [0.4, 0.6]], ["sun", "rain"])
        >>> round(2 ** (weather.score([["sun"], ["sun"], ["rain"]]) / 0.6931471805599453), 3)  # .5 .8 .2
        0.08
        >>> weather.stationary_distribution().round(3).tolist(), weather.symbols_.tolist()
        ([0.333, 0.667], ['rain', 'sun'])
        """
        start, step = checked_chain(startprob, transmat)
        schema, order = sorted_symbols(symbols, len(start), cls.need)
        sorted_step = np.ascontiguousarray(step[np.ix_(order, order)])
        chain: MarkovChain = with_model(cls(**params), schema, MarkovChainModel(start[order], sorted_step))
        return chain

    def statistic(self, schema: Schema) -> Transitions:
        one_column(schema, type(self).__name__)
        return Transitions(int(schema.levels[0]))

    def solve(self, schema: Schema, s: TransitionCounts) -> MarkovChainModel:
        return MarkovChainModel(smoothed(s.began, self.alpha), smoothed(s.moved, self.alpha))

    def certify(self, model: MarkovChainModel, s: TransitionCounts) -> tuple[Claim, ...]:
        """The estimate is the optimum; transitions that never occurred are reported."""
        never = float((s.moved == 0).mean()) if s.moved.size else 0.0
        left = float(np.count_nonzero(s.moved.sum(axis=1) == 0))
        return (
            Claim("gap", 0.0, "proved", "the posterior mode given these counts: closed form", "objective"),
            Claim("unseen pairs", never, "proved", "share of pairs of symbols that never followed each other", "data"),
            Claim("dead ends", left, "proved", "symbols that nothing ever followed: all are taken to be equal", "data"),
        )

    def is_valid(self, model: MarkovChainModel, summary: object, schema: Schema) -> bool:
        one = len(schema.columns) == 1
        return one and all(np.allclose(some.sum(axis=-1), 1.0) for some in (model.startprob, model.transmat))

    # ---- what it says ----------------------------------------------------------------------------

    @property
    @fitted
    def symbols_(self) -> Any:
        """The symbols, in the order of `startprob_` and `transmat_`."""
        check_is_fitted(self)
        return self.schema_.columns[0].categories

    @fitted
    def predict(self, X: MatrixLike, lengths: VectorLike = None) -> Any:
        """The symbol that is most probable after each row.

        Parameters
        ----------
        X : array, frame or Source
        lengths : int array, optional
            How many rows each sequence has; what comes next depends on the row alone.

        Returns
        -------
        symbols : array of shape (rows,)
        """
        return self._over(_likeliest_next, X, lengths, lambda: ["next"])

    @fitted
    def predict_proba(self, X: MatrixLike, lengths: VectorLike = None) -> Any:
        """The probability of each symbol to come after each row.

        Parameters
        ----------
        X : array, frame or Source
        lengths : int array, optional
            How many rows each sequence has; what comes next depends on the row alone.

        Returns
        -------
        p : array of shape (rows, symbols)
        """
        return self._over(_chances_next, X, lengths, lambda: [f"probability_{symbol}" for symbol in self.symbols_])

    @fitted
    def score_samples(self, X: MatrixLike, lengths: VectorLike = None) -> Array:
        """The log-probability of each sequence.

        Parameters
        ----------
        X : array, frame or Source
        lengths : int array, optional
            How many rows each sequence has. By default all rows are one sequence.

        Returns
        -------
        log_probability : array of shape (sequences,)
        """
        return np.concatenate(self._each(_log_probability, X, lengths))

    @fitted
    def score(self, X: MatrixLike, y: VectorLike = None, lengths: VectorLike = None) -> float:
        """The log-probability of all sequences together.

        Parameters
        ----------
        X : array, frame or Source
        y : None
            Not used.
        lengths : int array, optional
            How many rows each sequence has. By default all rows are one sequence.

        Returns
        -------
        log_probability : float
        """
        return float(self.score_samples(X, lengths).sum())

    @fitted
    def stationary_distribution(self) -> Array:
        """How often each symbol comes in the long run.

        Returns
        -------
        p : array of shape (symbols,)
            The mean over time from the start, which is the limit of `startprob_ @ transmat_^n` if there is one: also
            where chances come back in turns, where symbols are left for good, or never.
        """
        check_is_fitted(self)
        return long_run_shares(self.startprob_, self.transmat_)

    @fitted
    def sample(self, n_samples: int = 1) -> Any:
        """Draw one sequence, by the seed.

        Parameters
        ----------
        n_samples : int, default=1
            How many symbols it has.

        Returns
        -------
        X : array of shape (n_samples, 1)
        """
        check_is_fitted(self)
        if n_samples < 1:
            raise ValueError(f"n_samples must be at least 1, not {n_samples}")
        random = np.random.default_rng(self.seed())
        drawn = HiddenStates(self.startprob_, self.transmat_).drawn(np.array([n_samples]), random)
        return self.symbols_[drawn][:, None]


def _chances_next(learner: MarkovChain, model: MarkovChainModel, chunk: Chunk) -> Array:
    return np.asarray(model.transmat[known_codes(chunk.X)])


def _likeliest_next(learner: MarkovChain, model: MarkovChainModel, chunk: Chunk) -> Any:
    return learner.symbols_[_chances_next(learner, model, chunk).argmax(axis=1)]


def _log_probability(learner: MarkovChain, model: MarkovChainModel, chunk: Chunk) -> Array:
    starts: Any = chunk.starts
    codes = known_codes(chunk.X)
    with np.errstate(divide="ignore"):
        log = np.log(model.transmat)[np.roll(codes, 1), codes]
        log[starts] = np.log(model.startprob)[codes[starts]]
    return np.add.reduceat(log, starts) if len(starts) else np.zeros(0)
