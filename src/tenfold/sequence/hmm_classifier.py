"""Hidden Markov model of labelled sequences: the states are seen in fitting, and found again in new sequences.

Shares of counts are the most likely chances: how often each class begins a sequence, follows each other, and goes with
each symbol. Counts merge by adding, so one pass is enough and models add up.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, replace
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tenfold.core import Array, Chunk, Claim, Codes, Columns, Mergeable, Need, Schema
from tenfold.core.arrays import MatrixLike, VectorLike
from tenfold.core.field_values import NOT_NEGATIVE, Between
from tenfold.core.statistic import Statistic
from tenfold.estimator import OnePass, check_is_fitted, fitted, for_users
from tenfold.estimator.given_model import sorted_labels, with_model
from tenfold.estimator.sequences.sequence_rows import sequence_weights
from tenfold.estimator.shell.constraints import real, seed
from tenfold.sequence.decoding import StateDecoder
from tenfold.sequence.given_probabilities import checked_chain, checked_emissions, sorted_symbols
from tenfold.sequence.symbols import codes_of, drawn_symbols, one_column, pair_counts, symbol_table
from tenfold.stats.counts.counts import smoothed


class HMMClassifierModel(NamedTuple):
    """Chances of classes to begin, to follow each other, and to show each symbol."""

    startprob: Annotated[Array, "class", Between(0.0, 1.0)]
    transmat: Annotated[Array, "class", "class", Between(0.0, 1.0)]
    emissionprob: Annotated[Array, "class", "value", Between(0.0, 1.0)]


class LabelledCounts(Mergeable):
    """How often each class begins a sequence, follows each other, and goes with each symbol."""

    exact: ClassVar[bool] = True
    began: Annotated[Array, "class", NOT_NEGATIVE]
    moved: Annotated[Array, "class", "class", NOT_NEGATIVE]
    emitted: Annotated[Array, "class", "value", NOT_NEGATIVE]


class LabelledSymbols(Statistic[LabelledCounts]):
    """How often each class begins a sequence, follows each other, and goes with each symbol."""

    classes: int
    symbols: int

    def summarize(self, chunk: Chunk) -> LabelledCounts:
        k, m, starts = self.classes, self.symbols, chunk.starts
        began = np.bincount(chunk.y[starts], sequence_weights(chunk), k).astype(np.float64)
        emitted = np.bincount(chunk.y * (m + 1) + codes_of(chunk.X, m), chunk.weight, k * (m + 1))
        moved = pair_counts(chunk, chunk.y, k)
        return LabelledCounts(began, moved, np.ascontiguousarray(emitted.astype(np.float64).reshape(k, m + 1)[:, :m]))


class HMMClassifier(OnePass, StateDecoder):
    """Hidden Markov model of labelled sequences: each row's class from its symbol and those around it, in one pass.

    X has one column of symbols, y the class of each row. A class is predicted for all rows of a sequence at once, by
    the likeliest path (Viterbi). A missing value, or a symbol unknown from fitting, is no evidence about its row.

    Parameters
    ----------
    alpha : float, default=1.0
        Added to each count. With 0 what never occurred is impossible.
    random_state : int, default=0
        Seed of `sample`.

    Attributes
    ----------
    classes_ : array
    startprob_ : array of shape (classes,)
    transmat_ : array of shape (classes, classes)
        Row i has the chance of each class after class i.
    emissionprob_ : array of shape (classes, symbols)
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import HMMClassifier
    >>> words = [["the"], ["dog"], ["runs"], ["the"], ["run"], ["ends"]]
    >>> kinds = ["article", "noun", "verb", "article", "noun", "verb"]
    >>> model = HMMClassifier(alpha=0.1).fit(words, kinds, lengths=[3, 3])
    >>> model.predict([["the"], ["walk"], ["ends"]]).tolist()  # a new word between known ones
    ['article', 'noun', 'verb']
    """

    need = Need("categorical", missing=True, target="class", sequence="")
    law_params = ({}, {"alpha": 0.2})

    alpha: Annotated[float, real(0)] = 1.0
    _: KW_ONLY
    random_state: Annotated[int | None, seed] = 0

    @classmethod
    @for_users
    def from_parameters(
        cls, startprob: ArrayLike, transmat: ArrayLike, emissionprob: ArrayLike, classes: Any, symbols: Any = None,
        **params: Any,
    ) -> HMMClassifier:  # fmt: skip
        """Return a model whose states have names and these probabilities, which predicts at once: no rows are read.

        Parameters
        ----------
        startprob : array of shape (classes,)
        transmat : array of shape (classes, classes)
            Row i has the probability of each class after class i.
        emissionprob : array of shape (classes, symbols)
        classes : list
            The name of each state. Fitted attributes are in sorted order of the classes.
        symbols : list, optional
            The symbol of each column of `emissionprob`; by default 0, 1, 2, ... Fitted attributes are in sorted order.
        **params
            Other parameters, such as `random_state`.

        Returns
        -------
        model : HMMClassifier

        Examples
        --------
        >>> from tenfold import HMMClassifier
        >>> model = HMMClassifier.from_parameters(
        ...     [0.8, 0.2], [[0.6, 0.4], [0.5, 0.5]], [[0.2, 0.4, 0.4], [0.5, 0.4, 0.1]], ["hot", "cold"], [1, 2, 3]
        ... )
        >>> model.predict([[3], [1], [3]]).tolist()
        ['hot', 'cold', 'hot']
        """
        start, step = checked_chain(startprob, transmat)
        emission = checked_emissions(emissionprob, len(start))
        labels, states = sorted_labels(classes, "classes")
        if len(labels) != len(start):
            raise ValueError(f"classes must be {len(start)}, as many as startprob has, not {len(labels)}")
        schema, order = sorted_symbols(symbols, emission.shape[1], cls.need)
        schema = replace(schema, target="class", classes=labels)
        sorted_step = np.ascontiguousarray(step[np.ix_(states, states)])
        sorted_emission = np.ascontiguousarray(emission[np.ix_(states, order)])
        found = HMMClassifierModel(start[states], sorted_step, sorted_emission)
        model: HMMClassifier = with_model(cls(**params), schema, found)
        return model

    def statistic(self, schema: Schema) -> LabelledSymbols:
        one_column(schema, type(self).__name__)
        return LabelledSymbols(len(schema.classes), int(schema.levels[0]))

    def solve(self, schema: Schema, s: LabelledCounts) -> HMMClassifierModel:
        # The shares of the counts, smoothed as asked; what was never counted: all are equal.
        return HMMClassifierModel(*(smoothed(one, self.alpha) for one in (s.began, s.moved, s.emitted)))

    def certify(self, model: HMMClassifierModel, s: LabelledCounts) -> tuple[Claim, ...]:
        """The estimate is the optimum; the share due to smoothing is reported."""
        never = float((s.emitted == 0).mean()) if s.emitted.size else 0.0
        return (
            Claim("gap", 0.0, "proved", "the posterior mode given these counts: closed form", "objective"),
            Claim("unseen pairs", never, "proved", "share of pairs of class and symbol that never occurred", "data"),
        )

    def is_valid(self, model: HMMClassifierModel, summary: object, schema: Schema) -> bool:
        return len(schema.columns) == 1 and all(np.allclose(one.sum(axis=-1), 1.0) for one in model)

    # ---- applying ------------------------------------------------------------------------------

    @property
    @fitted
    def classes_(self) -> Any:
        """The labels of the classes, sorted."""
        check_is_fitted(self)
        return self.schema_.classes

    def named(self, states: Codes) -> Any:
        return self.schema_.classes[states]

    def numbered(self, states: Any) -> Codes:
        return np.searchsorted(self.classes_, states)

    @fitted
    def score(self, X: MatrixLike, y: VectorLike = None, lengths: VectorLike = None) -> float:
        """The share of rows whose class is predicted right.

        Parameters
        ----------
        X : array or frame
        y : array of shape (rows,)
            The true classes.
        lengths : int array, optional
            How many rows each sequence has. By default all rows are one sequence.

        Returns
        -------
        accuracy : float
        """
        if y is None:
            raise ValueError("score needs y, the true class of each row")
        return float((np.asarray(self.predict(X, lengths)) == np.asarray(y)).mean())

    def log_table(self, model: HMMClassifierModel, X: Columns) -> tuple[Codes, Array]:
        return codes_of(X, model.emissionprob.shape[1]), symbol_table(model.emissionprob)

    def drawn_rows(self, model: HMMClassifierModel, states: Codes, random: np.random.Generator) -> Any:
        return drawn_symbols(model.emissionprob, self.schema_, states, random)
