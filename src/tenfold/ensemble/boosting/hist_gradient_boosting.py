"""Gradient boosting with the names and defaults of scikit-learn's HistGradientBoosting learners."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any, ClassVar

from numpy.typing import ArrayLike

from tenfold.core import Remedy, Stop
from tenfold.core.arrays import MatrixLike, VectorLike
from tenfold.core.contract import for_users
from tenfold.ensemble.boosting.boosting import EARLY_STOPPING_ROWS, Boosting, Directions, every_column
from tenfold.estimator.categorical_columns import ListsCategories
from tenfold.estimator.shell.callbacks import with_callbacks
from tenfold.estimator.shell.constraints import array, boolean, choice, integer, real, seed, share
from tenfold.estimator.shell.keyword_decisions import ignored_verbose
from tenfold.estimator.shell.keywords import Refused, refused
from tenfold.estimator.validation_rows import TakesValidationRows, ValidationRows

VALIDATION_REMEDY = Remedy("tn.{name}(validation_fraction=0.1)")
kept_back = refused("the loss of training rows does not show when to stop", VALIDATION_REMEDY, None)
by_share = refused("rows are kept back by a share of them", VALIDATION_REMEDY, integer(1))
any_interaction = Refused(
    "a tree may use any columns", Remedy("tn.{name}(max_depth=1)", "for no interactions"), (None,)
)
by_loss = Refused(
    "rows that are kept back are judged by the loss",
    Remedy('tn.tune(tn.{name}(), {"max_iter": [10, 100]}, X, y)'),
    ("loss",),
)


Categorical = ArrayLike | str | None


class HistGradientBoosting(ListsCategories, Boosting, TakesValidationRows):
    """Base of `HistGradientBoostingClassifier` and `HistGradientBoostingRegressor`."""

    kept_parameters: ClassVar[tuple[str, ...]] = (*Boosting.kept_parameters, "categorical_features")

    _: KW_ONLY
    learning_rate: Annotated[float, real(0, open=True)] = 0.1
    max_iter: Annotated[int, integer(1)] = 100
    max_leaf_nodes: Annotated[int | None, integer(2), None] = 31
    max_depth: Annotated[int | None, integer(1), None] = None
    min_samples_leaf: Annotated[int, integer(1)] = 20
    l2_regularization: Annotated[float, real(0)] = 0.0
    max_features: Annotated[float, every_column] = 1.0
    max_bins: Annotated[int, integer(2)] = 255
    categorical_features: Annotated[Categorical, choice("from_dtype"), array, None] = "from_dtype"
    monotonic_cst: Annotated[Directions, array, dict, None] = None
    interaction_cst: Annotated[Any, any_interaction] = None
    warm_start: Annotated[bool, boolean] = False
    early_stopping: Annotated[bool | str, boolean, choice("auto")] = "auto"
    scoring: Annotated[str, by_loss] = "loss"
    validation_fraction: Annotated[float, share(open=True), kept_back, by_share] = 0.1
    n_iter_no_change: Annotated[int, integer(1)] = 10
    tol: Annotated[float, real(0)] = 1e-7
    verbose: Annotated[int, ignored_verbose] = 0
    random_state: Annotated[int | None, seed] = 0
    subsample: Annotated[float, share()] = 1.0
    min_data_per_group: Annotated[int, integer(1)] = 1
    cat_smooth: Annotated[float, real(0)] = 0.0
    cat_penalty: Annotated[float, real(0)] = 1.0

    @with_callbacks
    @for_users
    def fit(
        self,
        X: MatrixLike,
        y: VectorLike = None,
        sample_weight: VectorLike = None,
        *,
        X_val: MatrixLike = None,
        y_val: VectorLike = None,
        sample_weight_val: VectorLike = None,
        start: Any = None,
        checkpoint: Any = None,
        stop: Stop | None = None,
    ) -> Any:
        """Fit to arrays, a frame, or a Source.

        Parameters
        ----------
        X : array, CSR matrix, frame or Source
            The rows. A Source brings its own target and weights.
        y : array, optional
            The target.
        sample_weight : array, optional
            A weight for each row. A row of weight 2 counts as two rows, one of weight 0 as none.
        X_val : array, CSR matrix, frame or Source, optional
            Rows by whose loss the fit stops early, also of fewer than 10,000 rows; then none of X is kept back. No tree
            and no edge of a bin is learned from them.
        y_val : array, optional
            The target of `X_val`, unless that is a Source.
        sample_weight_val : array, optional
            A weight for each of these rows; `class_weight` does not multiply it.
        start : fitted model of the same class, optional
            A model to continue from. It is not changed. With `warm_start=True` a fitted learner continues from itself.
        checkpoint : str, path or Checkpoint, optional
            Folder for checkpoints; an interrupted fit resumes from the last one.
        stop : Gap, Rounds, Seconds or a rule of your own, optional
            When to stop early, `Gap(1e-3) | Seconds(60)`: looked at after each round that leaves a certified model.
            Limits of the learner itself, such as `max_iter`, hold as well. `certificate_.provenance.stopped` says why a
            fit ended.

        Returns
        -------
        self : object
        """
        validation = ValidationRows(X_val, y_val, sample_weight_val)
        given = {"validation": validation} if validation.given else {}
        return self._fit(X, y, sample_weight, start=start, checkpoint=checkpoint, stop=stop, **given)

    def check_validation(self) -> None:
        # Without early stopping nobody would look at validation rows.
        if not self.early_stopping:
            raise ValueError(
                "X_val and y_val are passed to fit while at the same time early_stopping is False. Remedy: "
                "early_stopping=True or 'auto', or fit(X, y)"
            )

    @property
    def rounds(self) -> int:
        return self.max_iter

    def stops_early(self, rows: int) -> bool:
        # Whether a fit to so many rows keeps some back: "auto" does so if they are many.
        return rows > EARLY_STOPPING_ROWS if isinstance(self.early_stopping, str) else bool(self.early_stopping)
