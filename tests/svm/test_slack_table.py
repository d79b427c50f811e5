"""The slack of each row: its three cases, and the objective that it is part of."""

import numpy as np
import pytest

import tenfold as tn
from tenfold.svm.slack_table import CASES

random = np.random.default_rng(0)
X = random.normal(size=(80, 2))
Y = np.where(X[:, 0] + 0.7 * random.normal(size=80) > 0, "up", "down")


def test_slack_is_what_the_objective_pays_for():
    model = tn.SVC(kernel="linear", C=0.7, tol=1e-9).fit(X, Y)
    table = model.slack_table()
    sign = np.where(Y == "up", 1.0, -1.0)
    np.testing.assert_array_equal(table.row, np.arange(80))
    np.testing.assert_array_equal(table.target, sign)
    np.testing.assert_allclose(table.value, model.decision_function(X), atol=1e-12)
    np.testing.assert_allclose(table.slack, np.maximum(0, 1 - sign * model.decision_function(X)), atol=1e-12)
    gap = model.certificate_["gap"].value
    dual = table.alpha.sum() - 0.5 * float((model.coef_**2).sum())
    assert 0.5 * float((model.coef_**2).sum()) + 0.7 * table.slack.sum() == pytest.approx(dual + gap, rel=1e-8)


def test_cases_are_told_by_slack_and_dual_variables():
    model = tn.SVC(kernel="linear", C=0.7, tol=1e-9).fit(X, Y)
    table = model.slack_table()
    assert set(table.case.tolist()) == {0, 1, 2}
    assert (table.alpha[table.case > 0] == 0.7).all()  # inside the margin each has its price
    assert (table.slack[table.alpha < 0.7] <= 1e-9).all()
    np.testing.assert_array_equal(table.case == 2, model.predict(X) != Y)
    assert table.counts == {name: int((table.case == at).sum()) for at, name in enumerate(CASES)}
    assert table.words[0] == CASES[table.case[0]]
    assert "... and 60 rows more" in str(table)


def test_more_classes_have_a_table_for_each_machine():
    y = np.digitize(X[:, 0], [-0.4, 0.4])
    model = tn.SVC(C=0.5, decision_function_shape="ovo").fit(X, y)
    f = model.decision_function(X)
    for at, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        table = model.slack_table(at)
        np.testing.assert_array_equal(table.row, np.flatnonzero((y == i) | (y == j)))
        np.testing.assert_allclose(table.value, f[table.row, at], atol=1e-12)
        np.testing.assert_array_equal(table.target == 1, y[table.row] == i)
    with pytest.raises(ValueError, match="machine is a number from 0 to 2, not 3"):
        model.slack_table(3)


def test_a_model_without_its_rows_has_none(tmp_path):
    tn.SVC().fit(X, Y).save(tmp_path / "model", summary=False)
    with pytest.raises(ValueError, match="the rows were not kept"):
        tn.load(tmp_path / "model").slack_table()
