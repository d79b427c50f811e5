"""scikit-learn's own checks, on little parts too: their data would fit one, and merging go untested."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from unittest import SkipTest

from sklearn.base import clone
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import estimator_checks_generator

from tenfold.estimator import Estimator, Transformer
from tenfold.estimator.ensembles.parallel_transformers import Branches
from tenfold.sources import part_rows

ROWLESS_CHECKS = (
    "check_estimator_cloneable",
    "check_estimator_tags_renamed",
    "check_valid_tag_types",
    "check_estimator_repr",
    "check_no_attributes_set_in_init",
    "check_do_not_raise_errors_in_init_or_set_params",
    "check_mixin_order",
    "check_parameters_default_constructible",
    "check_get_params_invariance",
    "check_set_params",
    "check_param_validation",
)
"""checks that give no rows: scikit-learn's have rows of numbers only, so it puts none on learners of text or dates"""
SEQUENCE_CHECKS = (
    "check_estimators_overwrite_params",
    "check_estimators_fit_returns_self",
    "check_estimators_pickle",
    "check_estimators_dtypes",
    "check_dict_unchanged",
    "check_fit_idempotent",
    "check_fit2d_predict1d",
    "check_f_contiguous_array_estimator",
    "check_fit_check_is_fitted",
    "check_n_features_in",
    "check_fit1d",
    "check_dataframe_column_names_consistency",
    "check_readonly_memmap_input",
    "check_positive_only_tag_during_fit",
    "check_estimators_nan_inf",
    "check_estimators_unfitted",
    "check_estimators_empty_data_messages",
    "check_complex_data",
    "check_dtype_object",
    "check_sample_weights_list",
    "check_sample_weights_pandas_series",
    "check_sample_weights_shape",
    "check_fit2d_1feature",
    "check_pipeline_consistency",
    "check_n_features_in_after_fitting",
    "check_non_transformer_estimators_n_iter",
)
"""checks that give one sequence of measured rows; others take it that rows do not depend on each other"""
ALWAYS_SKIPPED = ("check_dataframe_column_names_consistency", "check_param_validation")
"""of which scikit-learn does not put the first on a learner that takes columns by their names, in any order"""
SMALL_PART_CHECKS = (
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
MIN_PART_ROWS = 7
"""rows of a part in those others, at least"""
TRANSFORMER_CHECKS = (
    "check_set_output_transform",
    "check_set_output_transform_pandas",
    "check_set_output_transform_polars",
    "check_global_output_transform_pandas",
    "check_global_set_output_transform_polars",
    "check_transformer_get_feature_names_out",
    "check_transformer_get_feature_names_out_pandas",
)


def check_contract(learner: Estimator, rows: int | None = None, only: Callable[[str], bool] = bool) -> list[str]:
    """Run scikit-learn's estimator checks on a learner: none may fail or be skipped, except those it declares.

    Parameters
    ----------
    learner : learner
        Not fitted.
    rows : int, optional
        Rows of a part: of 7 at least in checks that are not about rows. As many as usual by default.
    only : callable, default=bool
        Whether to make a check, by its name: all of them by default.

    Returns
    -------
    names : list of str
        The checks that passed.
    """
    if learner.need.kinds in ("text", "date"):
        return _check(learner, ROWLESS_CHECKS, rows, only)
    if learner.need.sequence is not None:
        on = SEQUENCE_CHECKS if learner.need.kinds == "numeric" else ()
        refused = {"check_estimators_nan_inf"} if learner.need.missing else set()  # as scikit-learn does
        return _check(learner, ROWLESS_CHECKS + tuple(name for name in on if name not in refused), rows, only)
    passed, wrong, known = [], [], learner.expected_failed_checks
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks provoke warnings on purpose
        for one, check in estimator_checks_generator(clone(learner)):
            name = check.func.__name__
            if not only(name):
                continue
            try:
                with _parts(rows, name):
                    check(one)
                passed.append(name)
            except SkipTest as error:
                wrong.append(f"{name} was skipped: {error}")
            except Exception as error:
                wrong += [] if name in known else [f"{name}: {error}"]
        assert not wrong, "\n".join(wrong)
    always = ALWAYS_SKIPPED[1:] if isinstance(learner, Branches) and learner.by_name else ALWAYS_SKIPPED
    more = (*always, *(TRANSFORMER_CHECKS if isinstance(learner, Transformer) else ()))
    return passed + _check(learner, more, rows, only)


def _check(learner: Estimator, names: tuple[str, ...], rows: int | None, only: Callable[[str], bool]) -> list[str]:
    """Put checks by name on a learner: such as scikit-learn would not by itself."""
    made = [name for name in names if only(name)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in made:
            with _parts(rows, name):
                getattr(estimator_checks, name)(type(learner).__name__, clone(learner))
    return made


def _parts(rows: int | None, check: str) -> AbstractContextManager[None]:
    """Cut rows into parts of n rows, of at least `MIN_PART_ROWS` for checks that allow it."""
    if rows is None:
        return nullcontext()
    return part_rows(rows if check in SMALL_PART_CHECKS else max(rows, MIN_PART_ROWS))
