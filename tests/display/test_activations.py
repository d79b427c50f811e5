"""What hidden units say of rows."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

import tenfold as tn

X = np.random.default_rng(0).normal(size=(60, 3))
y = np.array(["low", "mid", "top"])[np.digitize(X[:, 0], [-0.5, 0.5])]


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_states_are_those_of_the_layers_by_hand():
    model = tn.MLPClassifier((5, 4), "tanh", max_iter=3).fit(X, y)
    display = tn.display.ActivationsDisplay.from_estimator(model, X[:20])
    h = np.tanh(X[:20] @ model.coefs_[0] + model.intercepts_[0])
    np.testing.assert_allclose(display.activations[0], h, rtol=1e-12)
    np.testing.assert_allclose(display.activations[1], np.tanh(h @ model.coefs_[1] + model.intercepts_[1]), rtol=1e-12)
    assert [image.get_array().shape for image in display.images_] == [(20, 5), (20, 4)]


def test_rows_are_drawn_class_by_class():
    model = tn.MLPClassifier(4, "tanh", max_iter=3).fit(X, y)
    display = tn.display.ActivationsDisplay.from_estimator(model, X, y)
    order = np.argsort(y, kind="stable")
    np.testing.assert_array_equal(display.images_[0].get_array(), display.activations[0][order])
    assert [label.get_text() for label in display.axes_[0].get_yticklabels()] == ["low", "mid", "top"]


def test_through_a_pipeline_and_of_a_frame_with_categories():
    whole = make_pipeline(tn.StandardScaler(), tn.MLPClassifier(4, max_iter=3)).fit(X, y)
    scaled = tn.display.ActivationsDisplay.from_estimator(whole[-1], whole[0].transform(X))
    np.testing.assert_array_equal(
        tn.display.ActivationsDisplay.from_estimator(whole, X).activations[0], scaled.activations[0]
    )
    frame = pd.DataFrame({"a": X[:, 0], "colour": np.where(X[:, 1] > 0, "red", "blue")})
    model = tn.MLPRegressor(3, "identity", max_iter=2).fit(frame, X[:, 2])
    rows = np.column_stack([X[:, 0], X[:, 1] <= 0, X[:, 1] > 0])
    found = tn.display.ActivationsDisplay.from_estimator(model, frame).activations[0]
    np.testing.assert_allclose(found, rows @ model.coefs_[0] + model.intercepts_[0], rtol=1e-12)


def test_dead_units_are_found():
    display = tn.display.ActivationsDisplay(activations=[np.array([[0.0, 1.0, 5.0], [0.0, 2.0, 5.1]])])
    assert display.dead_units() == [[0]]
    assert display.dead_units(tol=0.2) == [[0, 2]]


def test_what_has_no_hidden_layers_is_refused():
    with pytest.raises(TypeError, match="Ridge has no hidden layers"):
        tn.display.ActivationsDisplay.from_estimator(tn.Ridge().fit(X, X[:, 0]), X)
    with pytest.raises(ValueError, match="no hidden layers"):
        tn.display.ActivationsDisplay.from_estimator(tn.MLPClassifier((), max_iter=2).fit(X, y), X)
    with pytest.raises(ValueError, match="a class for each of the 60 rows"):
        tn.display.ActivationsDisplay.from_estimator(tn.MLPClassifier(2, max_iter=2).fit(X, y), X, y[:5])
