"""The perceptron: w ← w + η y x whenever y wᵀx ≤ 0.

If any plane separates the rows, it changes at most (R/γ)² times.
"""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, ClassVar, NamedTuple, TypeAlias

import numpy as np

from tenfold.compiled.linear_model.perceptrons import MAX_REPEATS
from tenfold.core import Array, Claim, Columns, Design, Need, Remedy, Schema
from tenfold.core.field_values import NOT_NAN, NOT_NEGATIVE
from tenfold.core.learner import Done
from tenfold.core.statistic import Expression
from tenfold.estimator.class_weights import ClassWeight, ClassWeighted
from tenfold.estimator.epochs import Epoch, FinalPass, TrainedByEpochs
from tenfold.estimator.feature_coefficients import Featured
from tenfold.estimator.shell.constraints import boolean, choice, integer, real, seed, share
from tenfold.estimator.shell.decision_function import Deciding
from tenfold.estimator.shell.keyword_decisions import (
    FROM_ZERO,
    ONLY_WITH,
    ignored_n_jobs,
    ignored_verbose,
    no_early_stopping,
    not_held_back,
)
from tenfold.estimator.shell.keywords import NoEffect, Refused
from tenfold.estimator.updating.continuing import Continues
from tenfold.linear_model.sgd.perceptron_epoch import Margins, MarginsOf, OrderedPerceptronEpoch, PerceptronEpoch, Round
from tenfold.theory.bounds.mistakes import perceptron_mistakes
from tenfold.theory.bounds.occam import compression_bound

DELTA = 0.05
"""the chance that the bound on the error fails"""


class Trail(NamedTuple):
    """Where the walk is, and what is in the pocket: constants, then coefficients."""

    weights: Annotated[Array, "output", "predictor"]
    average: Annotated[Array, "output", "predictor"]
    pocket: Annotated[Array, "output", "predictor"]
    time: Annotated[float, NOT_NEGATIVE]
    bound_holds: bool
    """whether all mistakes were made on the rows that are certified, from zero weights"""


class PerceptronModel(NamedTuple):
    """A plane for each output, and where its walk goes on if more rows come."""

    coef: Annotated[Array, "output", "feature"]
    intercept: Annotated[Array, "output"]
    n_iter: int
    mistakes: Annotated[Array, "epoch"]
    """in each epoch; of the mean part, if parts are mixed"""
    trail: Trail
    schema: Schema

    @property
    def weights(self) -> Array:
        """The weights of each output: the constant, then the coefficients."""
        return np.column_stack([self.intercept, self.coef])


class PerceptronTraining(NamedTuple):
    """How far the training is."""

    trail: Trail
    errors: Annotated[Array, "output", NOT_NAN]
    """of the pocket; infinite while nothing is in it"""
    left: int
    """epochs that may still come"""
    mistakes: Annotated[Array, "epoch"]


class Trying(NamedTuple):
    """The state of a fit that counts the errors of weights that may take the place of those in the pocket."""

    step: int
    schema: Schema
    training: PerceptronTraining
    tried: Annotated[Array, "output", "predictor"]


State: TypeAlias = Epoch[PerceptronTraining] | Trying | FinalPass[PerceptronModel] | Done


class PerceptronRule(Featured, TrainedByEpochs[State, Round | Margins, PerceptronModel]):
    """The learner of the mistakes: what it asks for, and what follows from it."""

    training_types = (PerceptronTraining,)
    variant: str
    eta0: float
    fit_intercept: bool

    def start(self, schema: Schema) -> State:
        """The state before the first epoch, with weights of zero."""
        k = self._outputs(schema)
        none = np.zeros((k, int(schema.size("feature") or 0) + 1))
        trail = Trail(none, none, none, 0.0, True)
        return Epoch.of(0, schema, PerceptronTraining(trail, np.full(k, np.inf), self.max_iter, np.zeros(0)))

    def _outputs(self, schema: Schema) -> int:
        return 1 if len(schema.classes) <= 2 else len(schema.classes)

    def onward(self, model: PerceptronModel) -> State:
        # One epoch more, over other rows; what is in the pocket is scored again.
        errors, trail = np.full(len(model.coef), np.inf), model.trail._replace(bound_holds=False)
        return Epoch.of(model.n_iter, model.schema, PerceptronTraining(trail, errors, 1, model.mistakes))

    def again(self, model: PerceptronModel, schema: Schema) -> State:
        """The state at the weights of a model, of which nothing else is taken over."""
        errors, trail = np.full(len(model.coef), np.inf), Trail(model.weights, model.weights, model.weights, 0.0, False)
        return Epoch.of(0, schema, PerceptronTraining(trail, errors, self.max_iter, np.zeros(0)))

    def ask(self, state: State) -> Expression | None:
        """Epochs, each followed by a look at what may go into the pocket; then the margins."""
        if isinstance(state, Trying):
            return MarginsOf(state.tried, self.fit_intercept, state.schema.levels)
        return super().ask(state)

    def _epoch(self, state: Epoch[PerceptronTraining]) -> PerceptronEpoch:
        trail = state.training.trail
        start = (trail.weights, trail.average, trail.time, float(self.eta0), self.fit_intercept)
        how = (self.turn(state), self.shuffle, state.schema.levels, state.step > 0, *start)
        order = self.order(state)
        return PerceptronEpoch(*how) if order is None else OrderedPerceptronEpoch(*how, order=order)

    def _final_pass(self, model: PerceptronModel) -> MarginsOf:
        return MarginsOf(model.weights, self.fit_intercept, model.schema.levels)

    def _model_of(self, step: int, schema: Schema, training: PerceptronTraining) -> None:
        # There is none before its margins are measured.
        return None

    def update(self, state: State, s: Round | Margins) -> State:
        """On to what comes next, or one epoch further."""
        match state, s:
            case Trying(step, schema, training, tried), Margins():
                better = s.wrong < training.errors
                pocket = np.where(better[:, None], tried, training.trail.pocket)
                training = training._replace(
                    trail=training.trail._replace(pocket=pocket), errors=np.where(better, s.wrong, training.errors)
                )
                return self._next(step, schema, training, pocket)
        return super().update(state, s)

    def _after_epoch(self, state: Epoch[PerceptronTraining], s: Round) -> State:
        now, step = state.training, state.step + 1
        mistakes = np.append(now.mistakes, s.mean_mistakes.sum())
        left = 0 if self.idle(mistakes / s.mass) or not s.mistakes.any() else now.left - 1
        trail = now.trail._replace(weights=s.weights, average=s.average, time=s.time)
        now = now._replace(trail=trail, left=left, mistakes=mistakes)
        if self.variant == "pocket":
            return Trying(step, state.schema, now, np.where((s.run > s.best)[:, None], s.weights, s.pocket))
        return self._next(step, state.schema, now, s.average if self.variant == "averaged" else s.weights)

    def _next(self, step: int, schema: Schema, training: PerceptronTraining, found: Array) -> State:
        """One more epoch, or the final pass over these weights."""
        if training.left > 0:
            return Epoch.of(step, schema, training)
        coef, constant = found[:, 1:].copy(), found[:, 0].copy()
        return FinalPass.of(PerceptronModel(coef, constant, step, training.mistakes, training.trail, schema), step)

    def certify(self, model: PerceptronModel, s: Round | Margins) -> tuple[Claim, ...] | None:
        """Errors on the rows; if there are none, the margin, and the mistakes against their bound."""
        if not isinstance(s, Margins) or not np.array_equal(s.weights, model.weights):
            return None
        made = f"changes of the weights on the way, {'in the mean part' if self.mixing else 'row weights counted'}"
        claims = [
            Claim("training error", float(s.wrong.max() / s.mass), "proved", "rows on the wrong side", "data"),
            Claim("mistakes", float(model.mistakes.sum()), "proved", made, "objective"),
            Claim("epochs", float(model.n_iter), "proved", "passes that learned", "objective"),
            self.mixed(),
        ]
        if (s.margin > 0).all():
            least, radius = float(s.margin.min()), float(np.sqrt(s.radius))
            why = "distance of the nearest row from the plane of this model"
            why += ", a column of ones counted in" if self.fit_intercept else ""
            claims.append(Claim("margin", least, "proved", why, "data"))
            if model.trail.bound_holds and s.heaviest <= MAX_REPEATS:
                most = sum(float(perceptron_mistakes(radius, float(m))) for m in s.margin)
                why = f"(R/γ)² with R = {radius:.6g} and γ = {least:.6g}, summed over the outputs"
                claims.append(Claim("mistake bound", most, "proved", why, "objective"))
                claims += self._compressed(model, s)
        return tuple(claims)

    def _compressed(self, model: PerceptronModel, s: Margins) -> tuple[Claim, ...]:
        """A bound on the error, if it is below one half: the rows of the mistakes, in their order, give the weights."""
        kept, m = int(model.mistakes.sum()), s.rows
        counted = s.mass == m and s.heaviest == 1
        if len(s.margin) > 1 or self.variant != "rule" or self.mixing or not counted or kept >= m:
            return ()
        bound = compression_bound(kept, 0, m, DELTA)
        if not float(bound) < 0.5:
            return ()
        why = f"with 95 % confidence: at most {kept:,} of {m:,} rows changed the weights, and determine them"
        return (Claim("compression bound", float(bound), "with confidence", why, "unseen rows", bound.assumptions),)

    def scores(self, model: PerceptronModel, X: Columns) -> Array:
        """Wx + b, rows x outputs."""
        return Design.of(X, model.schema.levels) @ np.ascontiguousarray(model.coef.T) + model.intercept

    def is_valid(self, model: PerceptronModel, summary: object, schema: Schema) -> bool:
        """Whether there are as many outputs as the classes need."""
        return len(model.coef) == len(model.trail.weights) == self._outputs(schema)

    def resumable(self, state: State, summary: object, schema: Schema) -> bool:
        """Whether a training has as many outputs as the classes need."""
        outputs = self._outputs(schema)
        match state:
            case Epoch():
                return len(state.training.errors) == len(state.training.trail.weights) == outputs
            case Trying(_, _, training, tried):
                return len(tried) == len(training.errors) == len(training.trail.weights) == outputs
            case FinalPass():
                return self.is_valid(state.model, summary, schema)
        return True


unpenalised = Refused("the perceptron has no penalty", Remedy('tn.SGDClassifier(penalty="l2")'), (None,))


class Perceptron(ClassWeighted, Continues, PerceptronRule, Deciding):  # type: ignore[misc, override]  # two states more
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
        Learning rate: the factor on a row before it is added.
    fit_intercept : bool, default=True
        Whether to fit a constant term beside the coefficients.
    max_iter : int, default=1000
        Epochs at most.
    tol : float or None, default=0.001
        Stop when the share of mistakes in `n_iter_no_change` epochs is not lower by this much than before. None:
        go on until an epoch has none.
    n_iter_no_change : int, default=5
        How many epochs in a row may bring no improvement of `tol` before the fit stops.
    shuffle : bool, default=True
        Whether to take rows in another order in each epoch; if not, as they come.
    random_state : int, default=0
        Seed of the order. None draws one, and the certificate records it.
    mixing : bool, default=False
        False: one part after another. True: each part from the same weights, at the same time, and then their
        mean (iterative parameter mixing). Both give the same bits on any number of workers.
    class_weight : dict or "balanced", optional
        Weights by class, 1 for a class that is not listed; "balanced" gives all classes the
        same weight, with one scan more, and is not for `partial_fit`.
    warm_start : bool, default=False
        Whether a second `fit` begins at the coefficients of the first one.
    penalty, early_stopping : optional
        As in scikit-learn; other values raise an error that names an alternative.
    alpha, l1_ratio, verbose, n_jobs, validation_fraction : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

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

    kept_parameters: ClassVar[tuple[str, ...]] = ("fit_intercept",)
    need = Need("mixed", sparse=True, target="class")
    hidden = frozenset({"trail"})
    law_params = (
        {"max_iter": 5},
        {"variant": "averaged", "max_iter": 5, "shuffle": False},
        {"variant": "pocket", "max_iter": 5},
        {"mixing": True, "max_iter": 3},
        {"max_iter": 4, "class_weight": "balanced"},
    )

    variant: Annotated[str, choice("rule", "averaged", "pocket")] = "rule"
    _: KW_ONLY
    eta0: Annotated[float, real(0, open=True)] = 1.0
    fit_intercept: Annotated[bool, boolean] = True
    max_iter: Annotated[int, integer(1)] = 1000
    tol: Annotated[float | None, real(0), None] = 1e-3
    n_iter_no_change: Annotated[int, integer(1)] = 5
    shuffle: Annotated[bool, boolean] = True
    random_state: Annotated[int | None, seed] = 0
    mixing: Annotated[bool, boolean] = False
    class_weight: Annotated[ClassWeight, choice("balanced"), dict, None] = None
    penalty: Annotated[str | None, unpenalised] = None
    alpha: Annotated[float, NoEffect(ONLY_WITH, FROM_ZERO)] = 0.0001
    l1_ratio: Annotated[float, NoEffect(ONLY_WITH, (share(),))] = 0.15
    verbose: Annotated[int, ignored_verbose] = 0
    n_jobs: Annotated[int | None, ignored_n_jobs] = None
    early_stopping: Annotated[bool, no_early_stopping] = False
    validation_fraction: Annotated[float, not_held_back] = 0.1
    warm_start: Annotated[bool, boolean] = False
