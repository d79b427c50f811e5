"""Hidden Markov model of symbols: each state has a distribution over categories.

What a round of Baum and Welch's algorithm needs of the rows are expected counts, of states and symbols, states and
states: they merge by adding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Annotated, Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from tenfold.core import Array, Chunk, Claim, Codes, Columns, Mergeable, Need, Schema, Values
from tenfold.core.axes import Bundle
from tenfold.core.contract import RecordTypes
from tenfold.core.field_values import NOT_NEGATIVE, Between
from tenfold.core.learner import Done
from tenfold.core.statistic import Lens
from tenfold.estimator import fitted, for_users
from tenfold.estimator.given_model import with_model
from tenfold.estimator.sequences.sequence_rows import ends_of, sequence_weights
from tenfold.estimator.shell.constraints import array, integer, real
from tenfold.estimator.shell.parameters import Behind
from tenfold.sequence.given_probabilities import checked_chain, checked_emissions, checked_shares, sorted_symbols
from tenfold.sequence.hidden_markov import HiddenMarkov, HMMRounds, drawn_shares, gain_of, shares
from tenfold.sequence.hidden_states import SequenceRows
from tenfold.sequence.sequence_windows import AlongStates, Edges, Windows
from tenfold.sequence.symbols import codes_of, drawn_symbols, one_column, symbol_table
from tenfold.stats.combinators import Each
from tenfold.stats.member_summaries import Joint

S = TypeVar("S")

IMPOSSIBLE_SEQUENCE_REMEDY = "fewer zeros in startprob_init, transmat_init and emissionprob_init"
"""what to do about a sequence that is impossible where a fit is"""
SHORT_RUN = 10
"""rounds of each of several starts, before the best continues alone"""


class CategoricalHMMModel(NamedTuple):
    """Chances of states to start, to follow each other, and to show each category."""

    startprob: Annotated[Array, "state", Between(0.0, 1.0)]
    transmat: Annotated[Array, "state", "state", Between(0.0, 1.0)]
    emissionprob: Annotated[Array, "state", "value", Between(0.0, 1.0)]
    n_iter: int
    converged: bool


class SymbolCounts(Mergeable):
    """How often states are expected: at first rows, after each other, and with each category; and the likelihood."""

    transmat: Annotated[Array, "state", "state"]
    """of the model that they are expected by"""
    began: Annotated[Array, "state", NOT_NEGATIVE]
    moved: Annotated[Array, "state", "state", NOT_NEGATIVE]
    emitted: Annotated[Array, "state", "value", NOT_NEGATIVE]
    rows: Annotated[float, NOT_NEGATIVE]
    log_likelihood: float
    uncounted: int = 0
    """windows of long sequences whose surroundings are not known yet"""

    same_in_all = ("transmat",)


class Symbols(Lens):
    """The code of the symbol in each row, in as few bytes as will do; the last code is that of a missing one."""

    count: int

    def __call__(self, chunk: Chunk) -> Values:
        """Symbol codes of the rows of a chunk."""
        return codes_of(chunk.X, self.count).astype(np.min_scalar_type(self.count))


class AlongSymbols(AlongStates[S]):
    """Base of statistics of the symbols of sequences at a model."""

    emissionprob: Array

    def rows(self, chunk: Chunk) -> SequenceRows:
        starts: Any = chunk.starts
        return SequenceRows(ends_of(starts, chunk.n), chunk.held.astype(np.int64), symbol_table(self.emissionprob))


class SymbolWindows(AlongSymbols[Windows]):
    """Transfer matrices of the windows of long sequences under a model."""

    def summarize(self, chunk: Chunk) -> Windows:
        return self.window(chunk)


class ExpectedSymbols(AlongSymbols[SymbolCounts]):
    """How often states are expected behind the symbols of sequences, by a model."""

    edges: Edges | None = None
    """what surrounds windows of long sequences, if that is known"""

    def summarize(self, chunk: Chunk) -> SymbolCounts:
        found = self.expected(chunk, self.edges, IMPOSSIBLE_SEQUENCE_REMEDY)
        if found is None:
            began, emitted = np.zeros(len(self.startprob)), np.zeros(self.emissionprob.shape)
            return SymbolCounts(self.transmat, began, np.zeros(self.transmat.shape), emitted, chunk.total, 0.0, 1)
        emitted = np.ascontiguousarray(found.emitted[:-1].T)
        score = float(sequence_weights(chunk) @ found.log_likelihood)
        return SymbolCounts(self.transmat, found.began, found.moved, emitted, chunk.total, score)


State: TypeAlias = HMMRounds | Done


class Choosing(NamedTuple):
    """The state of short runs from several starts, of which the best continues."""

    step: int
    models: Bundle
    cut: bool = False
    """whether some sequences come in windows: a round then looks first at what surrounds them"""
    edges: Bundle = Bundle(())
    """what surrounds them at each of the models, once it is known"""


class CategoricalHMM(HiddenMarkov):
    """Hidden Markov model of symbols by Baum and Welch's algorithm, exact in each pass.

    X has one column, of numbers or text. A missing value, or a symbol unknown from fitting, is no evidence about
    its row. Sequences of any length are walked without underflow.

    Parameters
    ----------
    n_components : int, default=2
        Number of states.
    max_iter : int, default=100
        Maximum number of rounds.
    tol : float, default=1e-5
        Stop when a round changes the mean log-likelihood of a row by less than this.
    alpha : float, default=0.0
        Added to the expected count of each symbol in each state. With 0 the likelihood never falls.
    n_init : int, default=1
        Number of starts, of ten rounds each in shared scans; the best continues.
    startprob_init : array of shape (states,), optional
        Chances to start from; drawn by default. Zeros stay zeros.
    transmat_init : array of shape (states, states) or "left-right", optional
        Chances to start from; drawn by default. Zeros stay zeros. "left-right": from the first state on, each stays or
        goes to the next.
    transmat_tied : int array of shape (states, states), optional
        Transitions with the same number have the same chance; rows that share a number must share all of theirs. With
        1 for staying and 2 for going on, all states of a left-right model are left alike.
    emissionprob_init : array of shape (states, categories), optional
        Chances of the symbols to start from, in sorted order; drawn by default. Zeros stay zeros.
    random_state : int, default=0
        Seed of the start. None draws one, and the certificate records it.

    Attributes
    ----------
    startprob_ : array of shape (states,)
    transmat_ : array of shape (states, states)
        Row i has the chance of each state after state i.
    emissionprob_ : array of shape (states, categories)
    symbols_ : array of shape (categories,)
    converged_ : bool
    n_iter_ : int
    certificate_ : Certificate
        Likelihood, BIC, AIC, what the next round gains, and states that are never entered. EM finds a model that is the
        local optimum; a better one may exist.

    Examples
    --------
    >>> from tenfold import CategoricalHMM
    >>> X = [["a"], ["a"], ["b"], ["b"], ["b"], ["a"], ["a"]]
    >>> model = CategoricalHMM(2, emissionprob_init=[[0.9, 0.1], [0.1, 0.9]]).fit(X)
    >>> model.predict(X).tolist()
    [0, 0, 1, 1, 1, 0, 0]
    >>> model.predict([["a"], ["never seen"], ["a"]]).tolist()
    [0, 0, 0]
    """

    need = Need("categorical", missing=True, sequence="", windows=True)
    fewer_zeros = IMPOSSIBLE_SEQUENCE_REMEDY
    law_params = (
        {"max_iter": 4},
        {"n_components": 3, "alpha": 0.5, "max_iter": 3, "transmat_init": "left-right"},
        {"n_init": 2, "max_iter": 3},
    )

    _: KW_ONLY
    alpha: Annotated[float, real(0), Behind("tol")] = 0.0
    n_init: Annotated[int, integer(1), Behind("alpha")] = 1
    emissionprob_init: Annotated[ArrayLike | None, array, None, Behind("transmat_tied")] = None

    @classmethod
    @for_users
    def from_parameters(
        cls, startprob: ArrayLike, transmat: ArrayLike, emissionprob: ArrayLike, symbols: Any = None, **params: Any
    ) -> CategoricalHMM:
        """Return a model with these probabilities, which decodes and scores at once: no rows are read.

        They are also the `startprob_init`, `transmat_init` and `emissionprob_init` from which a later `fit` starts.

        Parameters
        ----------
        startprob : array of shape (states,)
        transmat : array of shape (states, states)
            Row i has the probability of each state after state i.
        emissionprob : array of shape (states, symbols)
        symbols : list, optional
            The symbol of each column of `emissionprob`; by default 0, 1, 2, ... The columns of `emissionprob_` are in
            sorted order of the symbols.
        **params
            Other parameters, such as `max_iter` or `random_state`.

        Returns
        -------
        model : CategoricalHMM

        Examples
        --------
        >>> from tenfold import CategoricalHMM
        >>> model = CategoricalHMM.from_parameters(
        ...     [0.6, 0.4], [[0.7, 0.3], [0.4, 0.6]], [[0.1, 0.4, 0.5], [0.7, 0.2, 0.1]], ["one", "two", "three"]
        ... )
        >>> days = [["three"], ["two"], ["one"]]
        >>> model.predict(days).tolist(), round(model.score(days), 4)
        ([0, 0, 1], -3.3298)
        """
        start, step = checked_chain(startprob, transmat)
        emission = checked_emissions(emissionprob, len(start))
        schema, order = sorted_symbols(symbols, emission.shape[1], cls.need)
        emission = np.ascontiguousarray(emission[:, order])
        learner = cls(len(start), startprob_init=start, transmat_init=step, emissionprob_init=emission, **params)
        model: CategoricalHMM = with_model(learner, schema, CategoricalHMMModel(start, step, emission, 0, False))
        return model

    def start(self, schema: Schema) -> State | Choosing:
        """Start from given or random probabilities; from several, if there are several starts."""
        one_column(schema, type(self).__name__)
        random = np.random.default_rng(self.random_state)
        models = tuple(self._first(random, int(schema.levels[0])) for _ in range(self.n_init))
        return HMMRounds(0, Bundle(models), -np.inf) if self.n_init == 1 else Choosing(0, Bundle(models))

    def _first(self, random: np.random.Generator, symbols: int) -> CategoricalHMMModel:
        k, given = self.n_components, self.emissionprob_init
        emission = drawn_shares(random, k, symbols)
        if given is not None:
            emission = checked_shares(given, "emissionprob_init", (k, symbols))
        return CategoricalHMMModel(*self._first_chances(random), emission, 0, False)

    def ask(self, state: State | Choosing) -> ExpectedSymbols | SymbolWindows | Each | None:
        """The expected counts by the model there is, or by each of several; first what surrounds windows, if any."""
        match state:
            case HMMRounds():
                return _statistics_at(state, state.kept.each)[0]
            case Choosing():
                return Each(_statistics_at(state, state.models.each))
        return None

    @property
    def record_types(self) -> RecordTypes:
        # A state holds what surrounds windows, once it is known.
        return super().record_types._replace(within=(Edges, Bundle))

    def update(self, state: State | Choosing, s: SymbolCounts | Windows | Joint) -> State | Choosing:
        """Advance to the normalized expected counts; after the short runs, with the best start alone."""
        match state, s:
            case HMMRounds(), SymbolCounts() | Windows():
                found: State = self._next(state, s)
                return found
            case Choosing(), Joint():
                each = s.each.each
                if isinstance(each[0], Windows) or each[0].uncounted:
                    chosen: Choosing = self.surrounded(state, *each)
                    return chosen
                after = tuple(map(self.maximised, state.models.each, each))
                if state.step + 1 < SHORT_RUN:
                    return Choosing(state.step + 1, Bundle(after), state.cut)
                best = int(np.argmax([one.log_likelihood for one in each]))
                return HMMRounds(0, Bundle((after[best],)), -np.inf, state.cut)
        raise TypeError(f"{type(s).__name__} does not belong to the state {type(state).__name__}")

    def maximised(self, model: CategoricalHMMModel, s: SymbolCounts) -> CategoricalHMMModel:
        # The shares of the expected counts; `alpha` is added to that of each symbol.
        return CategoricalHMMModel(
            shares(s.began, model.startprob),
            shares(self.tied(s.moved), model.transmat),
            shares(s.emitted + self.alpha, model.emissionprob),
            model.n_iter + 1,
            False,
        )

    def model(self, state: State | Choosing) -> CategoricalHMMModel | None:
        if isinstance(state, Done):
            solved: CategoricalHMMModel = state.model
            return solved
        return state.kept.each[0] if isinstance(state, HMMRounds) else None

    def certify(self, model: CategoricalHMMModel, s: SymbolCounts) -> tuple[Claim, ...] | None:
        """The likelihood at this model, what the next round gains, and states that are never entered."""
        if not isinstance(s, SymbolCounts) or s.uncounted or not np.array_equal(s.transmat, model.transmat):
            return None
        free = self.chances_free(model) + int(np.count_nonzero(model.emissionprob)) - len(model.emissionprob)
        gain = gain_of(s.emitted, model.emissionprob) if self.alpha == 0 else 0.0
        return self._claims(model, s, free, gain)

    def is_valid(self, model: CategoricalHMMModel, summary: object, schema: Schema) -> bool:
        fits = len(schema.columns) == 1 and model.emissionprob.shape[0] == self.n_components
        return fits and super().is_valid(model, summary, schema)

    # ---- applying ------------------------------------------------------------------------------

    def log_table(self, model: CategoricalHMMModel, X: Columns) -> tuple[Codes, Array]:
        return codes_of(X, model.emissionprob.shape[1]), symbol_table(model.emissionprob)

    def drawn_rows(self, model: CategoricalHMMModel, states: Codes, random: np.random.Generator) -> Any:
        return drawn_symbols(model.emissionprob, self.schema_, states, random)

    @property
    @fitted
    def symbols_(self) -> Any:
        """The categories of the column, in the order of `emissionprob_`."""
        if "model_" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'symbols_': it is not fitted")
        return self.schema_.columns[0].categories


def _statistics_at(state: HMMRounds | Choosing, models: Sequence[CategoricalHMMModel]) -> tuple[Any, ...]:
    """Statistics of the rows at each of some models."""
    lens = Symbols(models[0].emissionprob.shape[1])
    chances = [(model.startprob, model.transmat, model.emissionprob) for model in models]
    if state.cut and not state.edges.each:
        return tuple(SymbolWindows(*some, lens=lens) for some in chances)
    edges = state.edges.each or (None,) * len(models)
    return tuple(ExpectedSymbols(*some, around, lens=lens) for some, around in zip(chances, edges, strict=True))
