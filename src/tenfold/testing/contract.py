"""scikit-learn's own checks, on little parts too: their data would fit one, and merging go untested."""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from typing import Any

from sklearn.base import clone
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import check_estimator

from tenfold.sources import part_rows

ALWAYS = ("check_dataframe_column_names_consistency", "check_param_validation")
TRANSFORMERS = (
    "check_set_output_transform",
    "check_set_output_transform_pandas",
    "check_set_output_transform_polars",
    "check_global_output_transform_pandas",
    "check_global_set_output_transform_polars",
    "check_transformer_get_feature_names_out",
    "check_transformer_get_feature_names_out_pandas",
)


def check_contract(learner: Any, rows: int | None = None) -> list[str]:
    """Put scikit-learn's checks on a learner: none may fail, or be skipped, but those that it declares.

    Parameters
    ----------
    learner : learner
        Not fitted.
    rows : int, optional
        Rows of a part; as many as usual by default.

    Returns
    -------
    names : list of str
        The checks that passed.
    """
    with warnings.catch_warnings(), nullcontext() if rows is None else part_rows(rows):
        warnings.simplefilter("ignore")  # the checks provoke warnings on purpose
        known = learner.expected_failed_checks
        done = check_estimator(clone(learner), on_fail=None, on_skip=None, expected_failed_checks=known)
        wrong = [f"{r['check_name']}: {r['exception']}" for r in done if r["status"] not in ("passed", "xfail")]
        assert not wrong, "\n".join(wrong)
        more = [*ALWAYS, *(TRANSFORMERS if hasattr(learner, "transform") else ())]
        for name in more:
            getattr(estimator_checks, name)(type(learner).__name__, clone(learner))
    return [r["check_name"] for r in done if r["status"] == "passed"] + more
