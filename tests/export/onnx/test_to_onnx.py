"""Models as ONNX graphs: onnxruntime predicts what the model does."""

import subprocess
import sys

import numpy as np
import onnxruntime
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import tenfold as tn
from tenfold.estimator.shell.estimator import Estimator
from tenfold.export.onnx.converters import classified, clustered, regressed, transformed

random = np.random.default_rng(0)
X = random.normal(size=(120, 4)) * [1.0, 5.0, 0.1, 2.0] + [0.0, 10.0, 3.0, -1.0]
Z = (X - X.mean(axis=0)) / X.std(axis=0)
new = random.normal(size=(300, 4)) * [2.0, 9.0, 0.3, 4.0] + [0.0, 10.0, 3.0, -1.0]
t = X @ [1.0, 0.2, -3.0, 0.0] + np.sin(X[:, 0])
TARGETS = {
    "two ints": (t > t.mean()).astype(int) * 7,
    "two bools": t > t.mean(),
    "two strings": np.where(t > t.mean(), "größer", "kleiner"),
    "three strings": np.array(["a", "b", "c"], dtype=object)[np.digitize(t, np.quantile(t, [0.3, 0.6]))],
    "three ints": np.digitize(t, np.quantile(t, [0.3, 0.6])) - 1,
    "three floats": np.digitize(t, np.quantile(t, [0.3, 0.6])) * 2.0,
}
ACTIVATIONS = ["relu", "leaky_relu", "tanh", "logistic", "identity"]
LINES = [
    tn.LinearRegression(), tn.Ridge(), tn.RidgeCV(), tn.Lasso(0.01), tn.LassoCV(), tn.ElasticNet(0.01),
    tn.ElasticNetCV(), tn.BridgeRegression(0.1), tn.SGDRegressor(max_iter=20), tn.LinearSVR(),
    tn.Ridge(fit_intercept=False),
]  # fmt: skip
PLANES = [
    tn.LogisticRegression(), tn.SGDClassifier(max_iter=5), tn.Perceptron(max_iter=5), tn.Adaline(), tn.LinearSVC(),
]  # fmt: skip


def run(proto, rows, dtype=np.float64):
    session = onnxruntime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
    names = [one.name for one in session.get_outputs()]
    return dict(zip(names, session.run(None, {"X": rows.astype(dtype)})))


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("target", TARGETS)
def test_networks_of_classes(target, activation):
    model = tn.MLPClassifier((6, 5), activation, solver="lbfgs", max_iter=20).fit(Z, TARGETS[target])
    found = run(tn.to_onnx(model), new)
    assert found["label"].tolist() == model.predict(new).tolist()
    np.testing.assert_allclose(found["probabilities"], model.predict_proba(new), atol=1e-12)


@pytest.mark.parametrize("hidden", [(), 3, (5, 4, 3)])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_networks_of_numbers(activation, hidden):
    model = tn.MLPRegressor(hidden, activation, solver="lbfgs", max_iter=20).fit(Z, t)
    np.testing.assert_allclose(run(tn.to_onnx(model), new)["prediction"], model.predict(new), rtol=1e-10, atol=1e-10)


def test_batch_normalisation_is_multiplied_in():
    model = tn.MLPClassifier((6, 5), "tanh", batch_norm=True, max_iter=5).fit(Z, TARGETS["three strings"])
    found = run(tn.to_onnx(model), new)
    assert found["label"].tolist() == model.predict(new).tolist()
    np.testing.assert_allclose(found["probabilities"], model.predict_proba(new), atol=1e-12)


@pytest.mark.parametrize("learner", LINES, ids=repr)
def test_linear_models_of_numbers(learner):
    model = learner.fit(Z, t)
    np.testing.assert_allclose(run(tn.to_onnx(model), new)["prediction"], model.predict(new), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("learner", PLANES, ids=repr)
@pytest.mark.parametrize("target", ["two strings", "three ints"])
def test_linear_models_of_classes(target, learner):
    model = learner.fit(Z, TARGETS[target])
    found = run(tn.to_onnx(model), new)
    assert found["label"].tolist() == model.predict(new).tolist()
    if "probabilities" in found:
        np.testing.assert_allclose(found["probabilities"], model.predict_proba(new), atol=1e-12)
    else:
        np.testing.assert_allclose(found["scores"], model.decision_function(new), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(
    "scaler", [tn.StandardScaler(), tn.StandardScaler(with_mean=False), tn.StandardScaler(with_std=False),
               tn.MinMaxScaler((-1, 1), clip=True), tn.MinMaxScaler(), tn.MaxAbsScaler()], ids=repr,
)  # fmt: skip
def test_scalers_go_into_the_graph(scaler):
    model = make_pipeline(scaler, tn.MLPClassifier(4, "tanh", solver="lbfgs", max_iter=9)).fit(X, TARGETS["three ints"])
    found = run(tn.to_onnx(model), new)
    assert found["label"].tolist() == model.predict(new).tolist()
    np.testing.assert_allclose(found["probabilities"], model.predict_proba(new), atol=1e-9)


def test_single_precision_and_a_file(tmp_path):
    model = tn.MLPRegressor(4, solver="lbfgs", max_iter=9).fit(Z, t)
    tn.to_onnx(model, tmp_path / "net.onnx", dtype="float32")
    session = onnxruntime.InferenceSession(tmp_path / "net.onnx", providers=["CPUExecutionProvider"])
    said = session.run(["prediction"], {"X": new.astype(np.float32)})[0]
    assert said.dtype == np.float32
    np.testing.assert_allclose(said, model.predict(new), rtol=1e-3, atol=1e-3)


def test_what_cannot_be_exported_is_refused_by_name():
    with pytest.raises(TypeError, match="linear models and networks.*not BisectingKMeans.*save"):
        tn.to_onnx(tn.BisectingKMeans(2).fit(Z))
    with pytest.raises(TypeError, match="not PolynomialFeatures"):
        tn.to_onnx(make_pipeline(tn.PolynomialFeatures(2), tn.Ridge()).fit(Z, t))
    with pytest.raises(TypeError, match="not SVC"):
        tn.to_onnx(SVC().fit(Z, t > t.mean()))
    with pytest.raises(ValueError, match="alone"):
        tn.to_onnx(tn.MLPClassifier(2, max_iter=1).fit(Z[:3], [1, 1, 1]))
    with pytest.raises(ValueError, match="dtype must be"):
        tn.to_onnx(tn.Ridge().fit(Z, t), dtype="int8")


HOOKS = [
    "predict_from", "scores_from", "scores_by", "scores", "decision_from", "probability_from", "label_from",
    "transform_from", "directions",
]  # fmt: skip


@pytest.mark.parametrize("kind", [classified, regressed, transformed, clustered], ids=lambda kind: kind.__name__)
def test_a_subclass_that_predicts_in_its_own_way_has_its_own_nodes(kind):
    learners = [
        one
        for one in (getattr(tn, name) for name in tn.__all__)
        if isinstance(one, type) and issubclass(one, Estimator)
    ]
    assert len(learners) > 60
    for learner in learners:
        registered = next((base for base in learner.__mro__ if base in kind.registry), object)
        for hook in HOOKS if registered is not object else ():
            assert getattr(learner, hook, None) is getattr(registered, hook, None), (learner, registered, hook)


def test_without_the_package_the_error_names_the_extra():
    program = """
import sys
sys.modules["onnx"] = None
import tenfold as tn
try:
    tn.to_onnx(tn.Ridge().fit([[0.0], [1.0]], [0.0, 1.0]))
except ImportError as error:
    print(error)
"""
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert "pip install 'tenfold[onnx]'" in out
