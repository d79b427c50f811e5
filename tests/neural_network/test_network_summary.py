"""The summary of a network: layers and numbers of parameters."""

import numpy as np
import pandas as pd

import tenfold as tn

X = np.random.default_rng(0).normal(size=(200, 3))


def test_layers_parameters_and_training():
    model = tn.MLPClassifier((5, 4), "tanh", max_iter=7, early_stopping=True, tol=0.0).fit(X, np.arange(200) % 3)
    summary = model.summary()
    assert summary.rows == (
        ("input", "3", "", "0"), ("hidden 1", "5", "tanh", "20"), ("hidden 2", "4", "tanh", "24"),
        ("output", "3", "softmax", "15"),
    )  # fmt: skip
    assert sum(W.size + b.size for W, b in zip(model.coefs_, model.intercepts_)) == 59
    text = str(summary)
    assert "59 parameters, 472 bytes" in text
    assert f"7 epochs of adam, {model.t_:,} rows in all" in text
    assert f"loss {model.loss_curve_[-1]:.6g}" in text
    assert f"of epoch {model.validation_scores_.argmax() + 1}" in text
    assert "gradient = " in text
    assert "<table>" in summary._repr_html_()


def test_of_numbers_by_lbfgs():
    text = str(tn.MLPRegressor((), solver="lbfgs", max_iter=9).fit(X, X[:, 0]).summary())
    assert "4 parameters" in text
    assert "steps of L-BFGS" in text


def test_embeddings_and_batch_normalisation_are_counted():
    frame = pd.DataFrame({"a": X[:, 0], "town": np.array(list("abcde"))[np.arange(200) % 5]})
    model = tn.MLPRegressor((4, 3), embedding=2, batch_norm=True, max_iter=2).fit(frame, X[:, 1])
    assert model.summary().rows == (
        ("input", "6", "", "0"), ("embedding of town", "2", "", "10"), ("hidden 1", "4", "relu, batch norm", "24"),
        ("hidden 2", "3", "relu, batch norm", "21"), ("output", "1", "identity", "4"),
    )  # fmt: skip
    assert "59 parameters" in str(model.summary())
