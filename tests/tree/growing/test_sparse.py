"""Sparse matrices give the trees of dense ones, to the bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import tenfold as tn
from tenfold.sources import part_rows
from tenfold.testing import bits

rng = np.random.default_rng(0)
X = np.where(rng.random((300, 6)) < 0.3, rng.normal(size=(300, 6)).round(1), 0.0)
Z = X[:, 0] - 2 * X[:, 2] + rng.normal(size=300)
WEIGHT = rng.integers(0, 3, 300).astype(float)
LEARNERS: list[Any] = [
    tn.DecisionTreeClassifier(),
    tn.DecisionTreeClassifier(method="exact"),
    tn.DecisionTreeRegressor(),
    tn.RandomForestClassifier(3),
    tn.RandomForestRegressor(3),
    tn.GradientBoostingClassifier(max_iter=3),
    tn.GradientBoostingRegressor(max_iter=3),
    tn.RuleListClassifier(),
    tn.AdaBoostClassifier(n_estimators=3),
    tn.AdaBoostClassifier(tn.DecisionTreeClassifier(max_depth=2), n_estimators=2),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
def test_a_sparse_matrix_gives_the_model_of_the_dense_one(learner: Any) -> None:
    y = Z if learner.need.target == "number" else (Z > 0).astype(int) + (Z > 2)
    says = "predict" if learner.need.target == "number" else "predict_proba"
    for rows, makes in ((1 << 20, (sp.csr_array, sp.csc_matrix, sp.coo_array)), (70, (sp.csr_array,))):
        with part_rows(rows):  # bootstraps are drawn by the places of rows
            dense = bits(learner.fit(X, y, WEIGHT).model_)
            said = getattr(learner, says)(X)
            for make in makes:
                assert bits(learner.fit(make(X), y, WEIGHT).model_) == dense
                assert getattr(learner, says)(make(X)).tobytes() == said.tobytes()
    assert learner.__sklearn_tags__().input_tags.sparse


def test_a_sparse_source_and_what_is_read_off_a_tree() -> None:
    y = Z > 0
    tree = tn.DecisionTreeClassifier().fit(tn.scan(sp.csr_array(X), target=y))
    assert bits(tree.model_) == bits(tn.DecisionTreeClassifier().fit(X, y).model_)
    assert tree.apply(sp.csr_array(X)).tolist() == tree.apply(X).tolist()
    holes = X.copy()
    holes[3, 1] = np.nan  # is stored, and missing as in a dense matrix
    assert bits(tn.DecisionTreeClassifier().fit(sp.csr_array(holes), y).model_) == bits(
        tn.DecisionTreeClassifier().fit(holes, y).model_
    )
