"""The perceptron: w ← w + η y x whenever y wᵀx ≤ 0.

If any plane separates the rows, it changes at most (R/γ)² times.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from tenfold.core import Array, Claim, Codes, Columns, Design, Need, Schema
from tenfold.core.allowed import LEVELS, NOT_NAN, NOT_NEGATIVE, OneOf
from tenfold.estimator.constraints import Constraints, boolean, choice, integer, real, seed
from tenfold.estimator.deciding import Deciding
from tenfold.estimator.featured import Featured
from tenfold.estimator.sequential import Sequential
from tenfold.kernels.perceptrons import TIMES
from tenfold.linear.margins import Margins, MarginsOf, OrderedPerceptronEpoch, PerceptronEpoch, Round
from tenfold.theory.mistakes import perceptron_mistakes


class PerceptronState(NamedTuple):
    """The model, where the walk is, and what is in the pocket."""

    step: int
    phase: Annotated[str, OneOf("epoch", "trial", "margin", "done")]
    coef: Annotated[Array, "output", "feature"]
    intercept: Annotated[Array, "output"]
    weights: Annotated[Array, "output", "predictor"]
    """where the walk is: constants, then coefficients"""
    average: Annotated[Array, "output", "predictor"]
    pocket: Annotated[Array, "output", "predictor"]
    tried: Annotated[Array, "output", "predictor"]
    """the weights that may take its place, once their errors are counted"""
    errors: Annotated[Array, "output", NOT_NAN]
    """of the pocket; infinite while nothing is in it"""
    time: Annotated[float, NOT_NEGATIVE]
    left: int
    """epochs that may still come"""
    bound_holds: bool
    """whether all mistakes were made on the rows that are certified, from zero weights"""
    mistakes: Annotated[Array, "epoch"]
    """in each epoch; of the mean part, if parts are mixed"""
    levels: Annotated[Codes, "column", LEVELS]


class Perceptron(Featured, Sequential, Deciding):  # type: ignore[override]
    """The perceptron of Rosenblatt, averaged, or with a pocket; sequential.

    It learns only from mistakes. If a plane separates the classes, an epoch without a mistake comes after at most
    (R/γ)² of them, where no row is longer than R and the plane has a margin γ, whatever `eta0`; the certificate
    compares. If not, "averaged" and "pocket" are better than the last weights. More than two classes: each against
    the rest.

    Parameters
    ----------
    variant : {"rule", "averaged", "pocket"}, default="rule"
        The model is the last weights; the mean of all weights on the way; or, of those that were right about the
        most rows in a row in an epoch, those that make the fewest errors on all rows.
    eta0 : float, default=1.0
        What is added is so many times the row.
    fit_intercept : bool, default=True
    max_iter : int, default=1000
        Epochs at the most.
    tol : float or None, default=0.001
        Stop when the share of mistakes in `n_iter_no_change` epochs is not lower by this much than before. None:
        go on until an epoch has none.
    n_iter_no_change : int, default=5
    shuffle : bool, default=True
        Whether to take rows in another order in each epoch; if not, as they come.
    random_state : int, default=0
        Seed of the order. None draws one, and the certificate records it.
    mixing : bool, default=False
        False: one part after another. True: each part from the same weights, at the same time, and then their
        mean (iterative parameter mixing). Both give the same bits on any number of workers.

    Attributes
    ----------
    classes_ : array
    coef_ : array of shape (1, features) for two classes, else (classes, features)
    intercept_ : array of shape (1,) or (classes,)
    mistakes_ : array of shape (epochs,)
    n_iter_ : int
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import Perceptron
    >>> model = Perceptron(tol=None).fit([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 0, 0, 1])
    >>> model.predict([[1.0, 1.0], [0.0, 1.0]]).tolist()
    [1, 0]
    >>> model.certificate_["mistakes"].value <= model.certificate_["mistake bound"].value
    True
    """

    need = Need("mixed", sparse=True, target="class")
    model_type = PerceptronState
    summary_types = (Round, Margins)
    steering = frozenset(PerceptronState._fields) - {"coef", "intercept", "mistakes"}
    law_params = (
        {"max_iter": 5},
        {"variant": "averaged", "max_iter": 5, "shuffle": False},
        {"variant": "pocket", "max_iter": 5},
        {"mixing": True, "max_iter": 3},
    )
    _parameter_constraints: ClassVar[Constraints] = {
        "variant": [choice("rule", "averaged", "pocket")],
        "eta0": [real(0, open=True)],
        "fit_intercept": [boolean],
        "max_iter": [integer(1)],
        "tol": [real(0), None],
        "n_iter_no_change": [integer(1)],
        "shuffle": [boolean],
        "random_state": [seed],
        "mixing": [boolean],
    }

    def __init__(
        self,
        variant: str = "rule",
        *,
        eta0: float = 1.0,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        random_state: int | None = 0,
        mixing: bool = False,
    ) -> None:
        self.variant = variant
        self.eta0 = eta0
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.random_state = random_state
        self.mixing = mixing

    def start(self, schema: Schema) -> PerceptronState:
        """Zero weights."""
        outputs = 1 if len(schema.classes) <= 2 else len(schema.classes)
        none = np.zeros((outputs, int(schema.size("feature") or 0) + 1))
        errors = np.full(outputs, np.inf)
        return PerceptronState(
            0, "epoch", none[:, 1:], none[:, 0], none, none, none, none, errors, 0.0, self.max_iter, True,
            np.zeros(0), schema.levels,
        )  # fmt: skip

    def onward(self, state: PerceptronState) -> PerceptronState:
        """One epoch more, over other rows; what is in the pocket is judged anew."""
        errors = np.full(len(state.coef), np.inf)
        return state._replace(phase="epoch", left=1, bound_holds=False, errors=errors)

    def ask(self, state: PerceptronState) -> PerceptronEpoch | MarginsOf | None:
        """Epochs, each followed by a look at what may go into the pocket; then the margins."""
        if state.phase == "done":
            return None
        if state.phase == "epoch":
            walk = (state.weights, state.average, state.time, float(self.eta0), self.fit_intercept)
            how = (self.turn(state), self.shuffle, state.levels, state.step > 0, *walk)
            order = self.order(state)
            return PerceptronEpoch(*how) if order is None else OrderedPerceptronEpoch(*how, order=order)
        weights = state.tried if state.phase == "trial" else _model(state)
        return MarginsOf(weights, self.fit_intercept, state.levels)

    def update(self, state: PerceptronState, s: Round | Margins) -> PerceptronState:
        """On to the next phase, or one epoch further."""
        if state.phase == "margin":
            return state._replace(phase="done")
        if isinstance(s, Margins):
            better = s.wrong < state.errors
            pocket = np.where(better[:, None], state.tried, state.pocket)
            state = state._replace(pocket=pocket, errors=np.where(better, s.wrong, state.errors))
            return self._next(state, pocket)
        mistakes = np.append(state.mistakes, s.mean_mistakes.sum())
        tried = np.where((s.run > s.best)[:, None], s.weights, s.pocket)
        idle = self._idle(mistakes / s.mass)
        left = 0 if idle or not s.mistakes.any() else state.left - 1
        state = state._replace(
            step=state.step + 1, weights=s.weights, average=s.average, tried=tried, time=s.time, left=left,
            mistakes=mistakes,
        )  # fmt: skip
        if self.variant == "pocket":
            return state._replace(phase="trial")
        return self._next(state, s.average if self.variant == "averaged" else s.weights)

    def _next(self, state: PerceptronState, found: Array) -> PerceptronState:
        phase = "epoch" if state.left > 0 else "margin"
        return state._replace(phase=phase, coef=found[:, 1:], intercept=found[:, 0])

    def _idle(self, share: Array) -> bool:
        """Whether the share of mistakes has not fallen by `tol` for some epochs."""
        last = self.n_iter_no_change
        if self.tol is None or len(share) <= last:
            return False
        return bool(share[-last:].min() > share[:-last].min() - self.tol)

    def certify(self, state: PerceptronState, s: Round | Margins) -> tuple[Claim, ...] | None:
        """Errors on the rows; if there are none, the margin, and the mistakes against their bound."""
        if not isinstance(s, Margins) or state.phase != "done" or not np.array_equal(s.weights, _model(state)):
            return None
        made = "changes of the weights on the way, row weights counted"
        how = "one part after another, each from where the last one led"
        if self.mixing:
            made = "changes of the weights on the way, in the mean part"
            how = "each part from the same weights, then their mean (iterative parameter mixing)"
        claims = [
            Claim("training error", float(s.wrong.max() / s.mass), "proved", "rows on the wrong side", "data"),
            Claim("mistakes", float(state.mistakes.sum()), "proved", made, "objective"),
            Claim("epochs", float(state.step), "proved", "passes that learned", "objective"),
            Claim("mixed", float(self.mixing), "proved", how, "objective"),
        ]
        if (s.margin > 0).all():
            least, radius = float(s.margin.min()), float(np.sqrt(s.radius))
            why = "distance of the nearest row from the plane of this model"
            why += ", a column of ones counted in" if self.fit_intercept else ""
            claims.append(Claim("margin", least, "proved", why, "data"))
            if state.bound_holds and s.heaviest <= TIMES:
                most = sum(float(perceptron_mistakes(radius, float(m))) for m in s.margin)
                why = f"(R/γ)² with R = {radius:.6g} and γ = {least:.6g}, summed over the outputs"
                claims.append(Claim("mistake bound", most, "proved", why, "objective"))
        return tuple(claims)

    def scores(self, state: PerceptronState, X: Columns) -> Array:
        """Wx + b, rows x outputs."""
        return Design.of(X, state.levels) @ np.ascontiguousarray(state.coef.T) + state.intercept

    @property
    def n_iter_(self) -> int:
        """Epochs."""
        return int(self.model_.step)


def _model(state: PerceptronState) -> Array:
    """Constants, then coefficients."""
    return np.column_stack([state.intercept, state.coef])
