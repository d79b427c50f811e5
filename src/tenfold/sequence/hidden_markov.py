"""Hidden Markov models: rows are seen, the states behind them follow each other and are not.

Baum and Welch's algorithm is expectation and maximisation: a round counts how often states are expected to start, to
follow each other, and to be behind which rows. These counts merge, and their shares are the next model: the likelihood
never falls.
"""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tenfold.core import MANY, Array, Claim, Schema
from tenfold.core.axes import Bundle
from tenfold.core.field_values import NOT_NAN
from tenfold.core.learner import Done
from tenfold.estimator.shell.constraints import array, choice, integer, real, seed
from tenfold.estimator.shell.kinds import warn_not_converged
from tenfold.mixture.mixture_claims import information_criteria
from tenfold.sequence.decoding import HiddenModel, StateDecoder
from tenfold.sequence.given_probabilities import checked_shares
from tenfold.sequence.sequence_windows import Windows, edges_of

EMPTY_STATE_SHARE = 1e-9
"""share of the rows below which a state is as good as never entered"""


class HMMRounds(NamedTuple):
    """The state of EM rounds: the current model."""

    step: int
    kept: Bundle
    """the model"""
    before: Annotated[float, NOT_NAN]
    """mean log-likelihood of a row in the round before, -inf if there was none"""
    cut: bool = False
    """whether some sequences come in windows: a round then looks first at what surrounds them"""
    edges: Bundle = Bundle(())
    """what surrounds them at the model, once it is known"""


def shares(counts: Array, otherwise: Array) -> Array:
    """Counts over their sums along the last axis; where there are none, what was."""
    total = counts.sum(axis=-1, keepdims=True)
    return np.where(total > 0, counts / np.where(total > 0, total, 1.0), otherwise)


def drawn_shares(random: np.random.Generator, *shape: int) -> Array:
    """Probabilities drawn uniformly among all, each row adding up to one."""
    found = random.exponential(size=shape)
    return np.asarray(found / found.sum(axis=-1, keepdims=True))


def left_to_right(states: int) -> Array:
    """Chances to stay, or to go on to the next state; from the last one there is no way back."""
    found = np.eye(states) + np.eye(states, k=1)
    return np.asarray(found / found.sum(axis=1, keepdims=True))


class Ties:
    """Transitions that have the same chance: those with the same number.

    Parameters
    ----------
    given : int array of shape (states, states)
        Rows that share a number must share all of theirs, each as often.
    states : int
    """

    def __init__(self, given: Any, states: int) -> None:
        numbers = np.asarray(given)
        if numbers.shape != (states, states) or numbers.dtype.kind not in "iu":
            raise ValueError(f"transmat_tied must be integers of shape {(states, states)}")
        kinds, self.kind = np.unique(np.sort(numbers, axis=1), axis=0, return_inverse=True)
        self.names, self.name = np.unique(numbers, return_inverse=True)
        self.name = self.name.reshape(numbers.shape)
        often = (kinds[:, :, None] == self.names).any(axis=1)
        if (often.sum(axis=0) > 1).any():
            wrong = self.names[often.sum(axis=0) > 1][0]
            raise ValueError(f"rows of transmat_tied share number {wrong}, but not all of their numbers, each as often")

    def __call__(self, counts: Array) -> Array:
        """Counts that are shared out evenly among the transitions that have the same chance."""
        total = np.bincount(self.name.ravel(), counts.ravel(), len(self.names))
        times = np.bincount(self.name.ravel(), minlength=len(self.names))
        return np.asarray((total / times)[self.name])


def gain_of(counts: Array, now: Array) -> float:
    """How much the expected log-likelihood of counts grows when their shares take the place of chances."""
    after = shares(counts, now)
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.where(counts > 0, counts * (np.log(after) - np.log(now)), 0.0).sum())


class HiddenMarkov(StateDecoder):
    """Base of hidden Markov models that are fitted to rows alone.

    A subclass writes what a `StateDecoder` does, `maximised`, and how a model is started and counted.
    `startprob_init` and `transmat_init` are parameters of all of them: zeros stay zeros, in every round.
    """

    passes = MANY
    fewer_zeros: ClassVar[str]
    """what to do about a sequence that is impossible where a fit is"""

    n_components: Annotated[int, integer(1, 1 << 15)] = 2
    _: KW_ONLY
    max_iter: Annotated[int, integer(1)] = 100
    tol: Annotated[float, real(0)] = 1e-5
    startprob_init: Annotated[ArrayLike | None, array, None] = None
    transmat_init: Annotated[ArrayLike | str | None, array, choice("left-right"), None] = None
    transmat_tied: Annotated[ArrayLike | None, array, None] = None
    random_state: Annotated[int | None, seed] = 0

    def maximised(self, model: Any, summary: Any) -> Any:
        """The model that makes the expected counts of a summary most likely."""
        raise NotImplementedError

    def _first_chances(self, random: np.random.Generator | None) -> tuple[Array, Array]:
        """Initial start and transition probabilities: given, random, or (without a generator) uniform with persistent
        states."""
        k, start, step = self.n_components, self.startprob_init, self.transmat_init
        if start is not None:
            start = checked_shares(start, "startprob_init", (k,))
        elif isinstance(step, str):
            start = np.eye(k)[0]
        else:
            start = np.full(k, 1 / k) if random is None else drawn_shares(random, k)
        if isinstance(step, str):
            step = left_to_right(k)
        elif step is not None:
            step = checked_shares(step, "transmat_init", (k, k))
        else:
            step = (np.eye(k) + 1 / k) / 2 if random is None else drawn_shares(random, k, k)
        return start, self.tied(step)

    def tied(self, counts: Array) -> Array:
        """Counts of transitions, or chances, the same for those that are tied to each other."""
        return counts if self.transmat_tied is None else Ties(self.transmat_tied, self.n_components)(counts)

    def _next(self, state: HMMRounds, s: Any) -> Any:
        """The model of the expected counts; the end, if the round before hardly changed the likelihood."""
        (model,) = state.kept.each
        if model.converged:
            return Done.of(model, state.step)
        if isinstance(s, Windows) or s.uncounted:
            return self.surrounded(state, s)
        found = s.log_likelihood / s.rows
        done = abs(found - state.before) < self.tol
        after = self.maximised(model, s)._replace(n_iter=state.step + 1, converged=done)
        return HMMRounds(state.step + 1, Bundle((after,)), found, state.cut)

    def surrounded(self, state: Any, *summaries: Any) -> Any:
        """Return the state with the messages around the windows of long sequences, for each model."""
        if not all(isinstance(s, Windows) for s in summaries):
            return state._replace(cut=True)
        return state._replace(edges=Bundle(tuple(edges_of(s, self.fewer_zeros) for s in summaries)))

    def _after_fit(self, source: object) -> None:
        if not self.model_.converged and self.max_iter <= self.model_.n_iter:
            warn_not_converged(
                f"{type(self).__name__} did not converge to tol={self.tol:g} within max_iter={self.max_iter} rounds. "
                "Remedy: a larger max_iter or tol, or fewer states"
            )

    def _claims(self, model: HiddenModel, s: Any, free: int, gain: float) -> tuple[Claim, ...]:
        """The likelihood at a model, what the next round gains, and states that are never entered."""
        usual, score = "rounding errors of the usual size", s.log_likelihood
        bic, aic = information_criteria(score, s.rows, free)
        what = f"{free} free parameters, log-likelihood {score:.9g} of weight {s.rows:g}"
        why = "the next round adds so much to the mean log-likelihood, at least: the expected one grows by it"
        gain += gain_of(s.began, model.startprob) + gain_of(self.tied(s.moved), model.transmat)
        claims = [
            Claim("log-likelihood", score / s.rows, "estimated",
                  "mean over all rows, summed along each sequence in float64 at this very model", "objective", usual),
            Claim("bic", bic, "estimated", what, "objective", usual),
            Claim("aic", aic, "estimated", what, "objective", usual),
            Claim("next round gains", gain / s.rows, "estimated", why, "objective", usual),
        ]  # fmt: skip
        entered = s.began + s.moved.sum(axis=0)
        if len(found := np.flatnonzero(entered <= EMPTY_STATE_SHARE * entered.sum())):
            which = ", ".join(map(str, found[:5].tolist()))
            why = f"states number {which}: no row is expected in them. Remedy: fewer states, or another random_state"
            claims.append(Claim("empty states", float(len(found)), "proved", why, "data"))
        return tuple(claims)

    def chances_free(self, model: HiddenModel) -> int:
        """How many of the chances to start and to follow each other may be chosen: not zeros, and tied ones once."""
        steps, rows = int(np.count_nonzero(model.transmat)), len(model.transmat)
        if self.transmat_tied is not None:
            ties = Ties(self.transmat_tied, rows)
            steps, rows = len(np.unique(ties.name[model.transmat > 0])), len(np.unique(ties.kind))
        return int(np.count_nonzero(model.startprob) - 1 + steps - rows)

    def is_valid(self, model: Any, summary: object, schema: Schema) -> bool:
        k = self.n_components
        fits = model.startprob.shape == (k,) and model.transmat.shape == (k, k)
        return fits and all(np.allclose(one.sum(axis=-1), 1.0) for one in (model.startprob, model.transmat))
