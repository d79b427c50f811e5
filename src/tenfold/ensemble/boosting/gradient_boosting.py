"""Gradient boosting with the names and defaults of scikit-learn's GradientBoosting learners."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any

from tenfold.core import Remedy
from tenfold.ensemble.boosting.boosting import Boosting, Directions, every_column_or_none, losses_of_numbers
from tenfold.estimator.shell.constraints import array, boolean, choice, integer, nonzero_fraction, real, seed, share
from tenfold.estimator.shell.keyword_decisions import ignored_verbose, one_of
from tenfold.estimator.shell.keywords import NoEffect, Refused, refused
from tenfold.tree.records import MaxBins

same_splits = NoEffect(
    "both of scikit-learn's choose the same splits", (one_of("deprecated", "friedman_mse", "squared_error"),)
)
some_rows = refused("trees need rows", Remedy("tn.{name}(subsample=0.5)"), 0)
by_rows = Refused("nodes are limited by the rows of their leaves", Remedy("tn.{name}(min_samples_leaf=0.05)"), (0.0,))
from_a_constant = Refused(
    "boosting starts from the best constant",
    Remedy('tn.Stacking{kind}([("first", {member})], tn.{name}(), passthrough=True)'),
    (None,),
)
not_pruned = Refused("trees are not pruned", Remedy("tn.{name}(max_leaf_nodes=8)"), (0.0,))


class GradientBoosting(Boosting):
    """Base of `GradientBoostingClassifier` and `GradientBoostingRegressor`."""

    scores_are_losses = True
    refines = True
    rounds_name = "n_estimators"
    without_validation = "n_iter_no_change=None"

    _: KW_ONLY
    loss: Annotated[str, losses_of_numbers] = "squared_error"
    learning_rate: Annotated[float, real(0)] = 0.1
    n_estimators: Annotated[int, integer(1)] = 100
    subsample: Annotated[float, share(), some_rows] = 1.0
    criterion: Annotated[str, same_splits] = "deprecated"
    min_samples_split: Annotated[int | float, integer(2), nonzero_fraction] = 2
    min_samples_leaf: Annotated[int | float, integer(1), share(open=True)] = 1
    min_weight_fraction_leaf: Annotated[float, by_rows] = 0.0
    max_depth: Annotated[int | None, integer(1), None] = 3
    min_impurity_decrease: Annotated[float, by_rows] = 0.0
    init: Annotated[Any, from_a_constant] = None
    random_state: Annotated[int | None, seed] = 0
    max_features: Annotated[Any, every_column_or_none] = None
    verbose: Annotated[int, ignored_verbose] = 0
    max_leaf_nodes: Annotated[int | None, integer(2), None] = None
    warm_start: Annotated[bool, boolean] = False
    validation_fraction: Annotated[float, share(open=True)] = 0.1
    n_iter_no_change: Annotated[int | None, integer(1), None] = None
    tol: Annotated[float, real(0)] = 1e-4
    ccp_alpha: Annotated[float, not_pruned] = 0.0
    l2_regularization: Annotated[float, real(0)] = 0.0
    max_bins: Annotated[MaxBins, integer(2), choice("auto")] = "auto"
    monotonic_cst: Annotated[Directions, array, dict, None] = None
    min_data_per_group: Annotated[int, integer(1)] = 1
    cat_smooth: Annotated[float, real(0)] = 0.0
    cat_penalty: Annotated[float, real(0)] = 1.0
    max_iter: Annotated[int | None, integer(1), None] = None

    @property
    def rounds(self) -> int:
        return self.n_estimators if self.max_iter is None else self.max_iter

    def stops_early(self, rows: int) -> bool:
        # Whether rows are kept back, however many there are: if `n_iter_no_change` is given.
        return self.n_iter_no_change is not None
