"""scikit-learn's own checks, on little parts too: their data would fit one, and merging go untested."""

from __future__ import annotations

import warnings
from contextlib import AbstractContextManager, nullcontext
from unittest import SkipTest

from sklearn.base import clone
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import estimator_checks_generator

from tenfold.estimator import Estimator, Transformer
from tenfold.sources import part_rows

ALWAYS = ("check_dataframe_column_names_consistency", "check_param_validation")
ABOUT_ROWS = (
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
    "check_sample_weights_not_overwritten",
    "check_methods_subset_invariance",
    "check_methods_sample_order_invariance",
    "check_fit_idempotent",
    "check_fit2d_1sample",
    "check_fit2d_1feature",
    "check_estimators_nan_inf",
    "check_classifiers_one_label",
    "check_classifiers_one_label_sample_weights",
    "check_transformer_general",
    "check_clustering",
    "check_regressors_int",
)
"""checks that parts of very few rows may break; others would only take long"""
FEW = 7
"""rows of a part in those others, at the least"""
TRANSFORMERS = (
    "check_set_output_transform",
    "check_set_output_transform_pandas",
    "check_set_output_transform_polars",
    "check_global_output_transform_pandas",
    "check_global_set_output_transform_polars",
    "check_transformer_get_feature_names_out",
    "check_transformer_get_feature_names_out_pandas",
)


def check_contract(learner: Estimator, rows: int | None = None) -> list[str]:
    """Put scikit-learn's checks on a learner: none may fail, or be skipped, but those that it declares.

    Parameters
    ----------
    learner : learner
        Not fitted.
    rows : int, optional
        Rows of a part: of 7 at the least in checks that are not about rows. As many as usual by default.

    Returns
    -------
    names : list of str
        The checks that passed.
    """
    passed, wrong, known = [], [], learner.expected_failed_checks
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks provoke warnings on purpose
        for one, check in estimator_checks_generator(clone(learner)):
            name = check.func.__name__
            try:
                with _parts(rows, name):
                    check(one)
                passed.append(name)
            except SkipTest as error:
                wrong.append(f"{name} was skipped: {error}")
            except Exception as error:
                wrong += [] if name in known else [f"{name}: {error}"]
        assert not wrong, "\n".join(wrong)
        more = [*ALWAYS, *(TRANSFORMERS if isinstance(learner, Transformer) else ())]
        for name in more:
            with _parts(rows, name):
                getattr(estimator_checks, name)(type(learner).__name__, clone(learner))
    return passed + more


def _parts(rows: int | None, check: str) -> AbstractContextManager[None]:
    """Parts of so many rows, of `FEW` at the least where it makes no difference."""
    if rows is None:
        return nullcontext()
    return part_rows(rows if check in ABOUT_ROWS else max(rows, FEW))
