"""Gradient boosting with the names and defaults of scikit-learn's HistGradientBoosting learners."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any

from tenfold.core import Remedy
from tenfold.ensemble.boosting.boosting import EARLY_STOPPING_ROWS, Boosting, Directions, every_column
from tenfold.estimator.shell.constraints import array, boolean, choice, integer, real, seed, share
from tenfold.estimator.shell.keyword_decisions import ignored_verbose
from tenfold.estimator.shell.keywords import Refused, refused

VALIDATION_REMEDY = Remedy("tn.{name}(validation_fraction=0.1)")
kept_back = refused("the loss of training rows does not show when to stop", VALIDATION_REMEDY, None)
by_share = refused("rows are kept back by a share of them", VALIDATION_REMEDY, integer(1))
by_dtype = Refused(
    "columns of text and categorical columns are categories",
    Remedy(
        'tn.{name}().fit(pd.DataFrame(X, columns=["a", "b", "c"]).astype({"a": "category"}), y)',
        "a frame with such columns, or tenfold.scan(..., categorical=[name]), without an encoder before it",
    ),
    ("from_dtype",),
)
any_interaction = Refused(
    "a tree may use any columns", Remedy("tn.{name}(max_depth=1)", "for no interactions"), (None,)
)
by_loss = Refused(
    "rows that are kept back are judged by the loss",
    Remedy('tn.tune(tn.{name}(), {"max_iter": [10, 100]}, X, y)'),
    ("loss",),
)


class HistGradientBoosting(Boosting):
    """Base of `HistGradientBoostingClassifier` and `HistGradientBoostingRegressor`."""

    _: KW_ONLY
    learning_rate: Annotated[float, real(0, open=True)] = 0.1
    max_iter: Annotated[int, integer(1)] = 100
    max_leaf_nodes: Annotated[int | None, integer(2), None] = 31
    max_depth: Annotated[int | None, integer(1), None] = None
    min_samples_leaf: Annotated[int, integer(1)] = 20
    l2_regularization: Annotated[float, real(0)] = 0.0
    max_features: Annotated[float, every_column] = 1.0
    max_bins: Annotated[int, integer(2)] = 255
    categorical_features: Annotated[str, by_dtype] = "from_dtype"
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

    @property
    def rounds(self) -> int:
        return self.max_iter

    def stops_early(self, rows: int) -> bool:
        # Whether a fit to so many rows keeps some back: "auto" does so if they are many.
        return rows > EARLY_STOPPING_ROWS if isinstance(self.early_stopping, str) else bool(self.early_stopping)
