"""Targets of several columns: a model for each, the same bits as alone, over shared scans."""

from __future__ import annotations

import pickle
from contextlib import nullcontext
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import ElasticNet, Lasso, LinearRegression, Ridge
from sklearn.metrics import r2_score
from sklearn.model_selection import cross_val_score
from sklearn.multioutput import MultiOutputClassifier, MultiOutputRegressor
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.utils import estimator_checks

import tenfold as tn
from tenfold.estimator.files import container

PAIRS: list[tuple[Any, Any]] = [
    (tn.LinearRegression(), LinearRegression()),
    (tn.Ridge(2.0), Ridge(2.0)),
    (tn.Lasso(0.1), Lasso(0.1)),
    (tn.ElasticNet(0.1), ElasticNet(0.1)),
    (tn.KNeighborsRegressor(3), KNeighborsRegressor(3)),
    (tn.DummyRegressor(), DummyRegressor()),
    (tn.KernelRidge(), KernelRidge()),
]
MULTILABEL = (
    estimator_checks.check_classifiers_multilabel_representation_invariance,
    estimator_checks.check_classifiers_multilabel_output_format_predict,
    estimator_checks.check_classifiers_multilabel_output_format_predict_proba,
)
NAMES = [type(ours).__name__ for ours, _ in PAIRS]


def fresh(learner: Any) -> Any:
    return type(learner)(**learner.get_params())


def rows(n: int = 80) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    return X, X @ rng.normal(size=(3, 2)) + 0.3 * rng.normal(size=(n, 2))


@pytest.mark.parametrize(("ours", "theirs"), PAIRS, ids=NAMES)
def test_it_is_a_model_for_each_column_and_that_of_scikit_learn(ours: Any, theirs: Any) -> None:
    X, Y = rows()
    model, peer = tn.fit_together([ours], X, Y[:, 0])[0].fit(X, Y), theirs.fit(X, Y)
    np.testing.assert_allclose(model.predict(X), peer.predict(X), atol=1e-5)
    assert model.score(X, Y) == pytest.approx(peer.score(X, Y), abs=1e-6)
    alone = [fresh(ours).fit(X, Y[:, j]) for j in range(2)]
    assert model.predict(X).tobytes() == np.column_stack([one.predict(X) for one in alone]).tobytes()
    for name in {"coef_", "intercept_"} & set(dir(peer)):
        assert getattr(model, name).shape == np.shape(getattr(peer, name))
        assert getattr(model, name).tolist() == [np.asarray(getattr(one, name)).tolist() for one in alone]
    for j, one in enumerate(alone):
        said = [claim._replace(kind=f"output {j}: {claim.kind}") for claim in one.certificate_.claims]
        assert said == [claim for claim in model.certificate_.claims if claim.kind.startswith(f"output {j}")]
    assert model.fit(X, Y[:, 0]).predict(X).shape == (80,)
    assert not hasattr(model, "estimators_")


@pytest.mark.parametrize(("ours", "theirs"), PAIRS, ids=NAMES)
def test_a_table_of_one_column_is_what_it_is_in_scikit_learn(ours: Any, theirs: Any) -> None:
    X, Y = rows()
    with pytest.warns() if not ours.one_column_is_table else nullcontext():
        found = ours.fit(X, Y[:, :1]).predict(X)
    assert found.shape == theirs.fit(X, Y[:, :1]).predict(X).shape


@pytest.mark.parametrize("learner", [ours for ours, _ in PAIRS], ids=NAMES)
def test_models_add_up_are_saved_and_verified(learner: Any, tmp_path: Any) -> None:
    X, Y = rows()
    whole, a, b = fresh(learner).fit(X, Y), fresh(learner).fit(X[:50], Y[:50]), fresh(learner).fit(X[50:], Y[50:])
    both = a + b
    np.testing.assert_allclose(both.predict(X), whole.predict(X), atol=1e-10)
    assert both.certificate_.provenance.rows == 80
    assert (
        both.predict(X).tobytes() == fresh(learner).fit(X[:50], Y[:50]).partial_fit(X[50:], Y[50:]).predict(X).tobytes()
    )
    both.save(tmp_path / "both.tenfold")
    loaded = tn.load(tmp_path / "both.tenfold")
    assert loaded.certificate_.origin == "claimed by the file"
    assert (
        loaded.predict(X).tobytes()
        == both.predict(X).tobytes()
        == pickle.loads(pickle.dumps(both)).predict(X).tobytes()
    )
    assert loaded.verify().origin == "verified"
    assert (loaded + fresh(learner).fit(X[:1], Y[:1])).predict(X).shape == (80, 2)
    with pytest.raises(tn.MergeError, match="targets of 2 and one columns"):
        a + fresh(learner).fit(X[50:], Y[50:, 0])


def test_weights_and_frames_and_lists() -> None:
    X, Y = rows()
    w = np.arange(80) % 3.0
    model = tn.Ridge().fit(X, Y, w)
    np.testing.assert_allclose(model.coef_, Ridge().fit(X, Y, w).coef_, atol=1e-12)
    assert model.score(X, Y, w) == pytest.approx(r2_score(Y, model.predict(X), sample_weight=w))
    for make in (
        pd.DataFrame,
        lambda t: pl.DataFrame(t, schema=["a", "b"]),
        lambda t: t.tolist(),
        lambda t: pa.table(pd.DataFrame(t, columns=["a", "b"])),
    ):
        assert tn.Ridge().fit(X, make(Y), w).coef_.tobytes() == model.coef_.tobytes()
    frame = pd.DataFrame(X, columns=list("abc"))
    assert tn.Ridge().fit(frame, Y, w).feature_names_in_.tolist() == ["a", "b", "c"]
    assert tn.Ridge().fit(frame, Y, w).coef_.tobytes() == model.coef_.tobytes()
    with pytest.raises(ValueError, match="feature names"):
        tn.Ridge().fit(frame, Y).predict(frame[["b", "a", "c"]])
    holes = Y.copy()
    holes[3, 1] = np.nan
    with pytest.raises(ValueError, match="contains NaN"):
        tn.Ridge().fit(X, holes)
    assert cross_val_score(tn.Ridge(), X, Y).shape == (5,)


def test_several_columns_of_files_are_the_target_in_one_scan(tmp_path: Any) -> None:
    X, Y = rows(400)
    table = pa.table({**dict(zip("abc", X.T)), "y": Y[:, 0], "z": Y[:, 1], "w": np.arange(400) % 3})
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=100)
    source = tn.scan(tmp_path / "rows.parquet", target=["y", "z"], weight="w")
    assert source.outputs == 2
    assert "target ['y', 'z']" in repr(source)
    model = tn.LinearRegression().fit(source)
    assert model.certificate_.provenance.passes == 1
    for at, name in enumerate("yz"):
        other = "zy"[at]
        alone = tn.LinearRegression().fit(tn.scan(tmp_path / "rows.parquet", target=name, drop=[other], weight="w"))
        assert model.coef_[at].tobytes() == alone.coef_.tobytes()
    found, frame = model.predict(source), pd.DataFrame(X, columns=list("abc"))
    assert found.collect().shape == (400, 2)
    assert found.to_arrow().column_names == ["prediction_0", "prediction_1"]
    np.testing.assert_allclose(found.collect(), model.predict(frame), atol=1e-12)
    w = np.arange(400) % 3.0
    assert model.score(source) == pytest.approx(r2_score(Y, found.collect(), sample_weight=w))
    scaled = tn.StandardScaler().fit(source).transform(source)
    np.testing.assert_allclose(tn.LinearRegression().fit(scaled).predict(scaled).collect(), found.collect(), atol=1e-10)
    with pytest.raises(tn.DataError, match="there is no column 'x'"):
        tn.scan(tmp_path / "rows.parquet", target=["y", "x"])
    with pytest.raises(tn.DataError, match="2 columns, and one is wanted here. Remedy: one of them, target='y'"):
        tn.DecisionTreeRegressor().fit(source)
    with tn.on(tn.Local(threads=2)):
        assert tn.LinearRegression().fit(source).coef_.tobytes() == model.coef_.tobytes()


def test_arrays_that_are_scanned() -> None:
    X, Y = rows()
    source = tn.scan(X, target=Y)
    assert source.head(2).column_names == ["x0", "x1", "x2", "target_0", "target_1"]
    assert tn.Ridge().fit(source).coef_.tobytes() == tn.Ridge().fit(X, Y).coef_.tobytes()
    with pytest.raises(tn.DataError, match="shape"):
        tn.scan(X, target=Y[:10])


def test_classes_of_several_outputs() -> None:
    X, Y = rows()
    Z = pd.DataFrame({"size": np.where(Y[:, 0] > 0, "large", "small"), "zone": np.digitize(Y[:, 1], [-1, 1])})
    for ours, theirs in (
        (tn.KNeighborsClassifier(3), KNeighborsClassifier(3)),
        (tn.DummyClassifier(), DummyClassifier()),
    ):
        model, peer = ours.fit(X, Z), theirs.fit(X, Z.astype(str).to_numpy(dtype="U9"))
        assert model.predict(X).astype(str).tolist() == peer.predict(X).tolist()
        assert [c.astype(str).tolist() for c in model.classes_] == [c.tolist() for c in peer.classes_]
        for p, q in zip(model.predict_proba(X), peer.predict_proba(X), strict=True):
            np.testing.assert_allclose(p, q)
    for learner in (tn.KNeighborsClassifier(), tn.DummyClassifier()):
        for check in MULTILABEL:
            check(type(learner).__name__, learner)
    labels = (Y > 0).astype(int)
    assert ours.fit(X, labels).score(X, labels) == theirs.fit(X, labels).score(X, labels)


def test_what_is_of_one_output_says_where_it_is() -> None:
    X, Y = rows()
    model = tn.LinearRegression().fit(X, Y)
    assert model.standard_errors_.tolist() == [one.standard_errors_.tolist() for one in model.estimators_]
    assert model.coef_names_.tolist() == ["x0", "x1", "x2"]
    assert model.estimators_[1].conf_int().shape == (4, 2)
    with pytest.raises(AttributeError, match=r"fitted to 2 outputs.* Remedy: estimators_\[0\]"):
        model.conf_int()
    assert {"coef_", "estimators_"} <= set(dir(model))
    assert "model_" not in dir(model)
    neighbours = tn.KNeighborsRegressor(3).fit(X, Y)
    assert neighbours.kneighbors(X[:2], return_distance=False).shape == (2, 3)
    assert neighbours.n_samples_fit_ == 80
    assert neighbours.estimators_[0].model_.rows.X is neighbours.estimators_[1].model_.rows.X


def test_learners_of_one_output_name_the_way_out() -> None:
    X, Y = rows()
    with pytest.raises(
        ValueError, match=r"Remedy: sklearn.multioutput.MultiOutputRegressor\(DecisionTreeRegressor\(\)\)"
    ):
        tn.DecisionTreeRegressor().fit(X, Y)
    assert MultiOutputRegressor(tn.DecisionTreeRegressor(max_depth=2)).fit(X, Y).predict(X).shape == (80, 2)
    with pytest.raises(ValueError, match=r"Remedy: sklearn.multioutput.MultiOutputClassifier\(GaussianNB\(\)\)"):
        tn.GaussianNB().fit(X, Y > 0)
    assert MultiOutputClassifier(tn.GaussianNB()).fit(X, Y > 0).predict(X).shape == (80, 2)
    with pytest.raises(ValueError, match="Remedy: one column at a time"):
        tn.cross_validate(tn.Ridge(), X, Y)
    with pytest.raises(ValueError, match="Remedy: leave checkpoint out"):
        tn.Ridge().fit(X, Y, checkpoint="saves")


def test_files_with_outputs_that_do_not_belong_together_are_refused(tmp_path: Any) -> None:
    X, Y = rows()
    path = tmp_path / "model.tenfold"
    for change, why in (
        (lambda d: d.update(learner="PoissonRegressor"), "different parameters|has one"),
        (lambda d: d.update(outputs=[]), "has one"),
        (lambda d: d.update(outputs=d["outputs"][:1]), "do not belong to the model"),
    ):
        tn.DummyRegressor().fit(X, Y).save(path)
        document, tensors = container.read(path)
        change(document)
        container.write(path, document, tensors)
        with pytest.raises(tn.ModelFileError, match=why):
            tn.load(path)
