"""Nomograms: dots are differences of evidence, their sum the log-odds that the model predicts."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

import tenfold as tn

mpl.use("Agg")


@pytest.fixture
def model():
    random = np.random.default_rng(0)
    n = 300
    y = np.array(["a", "b", "c"])[random.integers(0, 3, n)]
    X = pd.DataFrame({
        "size": random.normal(size=n) + (y == "b"),
        "colour": np.array(["red", "green", "blue"], object)[random.integers(0, 3, n)],
        "has": (random.random(n) < 0.3 + 0.4 * (y == "a")).astype(int),
        "clicks": random.poisson(1 + 2 * (y == "c")),
    })  # fmt: skip
    return tn.NaiveBayes(poisson=["clicks"]).fit(X, y), X


def test_dots_add_up_to_the_log_odds(model):
    learner, X = model
    for i in range(5):
        row = X[i : i + 1]
        display = tn.display.NomogramDisplay.from_estimator(learner, row, pos_label="b", against="c")
        p = learner.predict_proba(row)[0]
        assert display.total == pytest.approx(np.log(p[1] / p[2]), abs=1e-9)
        said = learner.evidence(row)[0]
        np.testing.assert_allclose([scale.point for scale in display.scales], said[:, 1] - said[:, 2], atol=1e-12)
        dots = [line.get_xdata()[0] for line in display.ax_.lines if line.get_marker() in "oD"]
        np.testing.assert_allclose(
            sorted(dots), sorted([*(s.point for s in display.scales), display.prior, display.total])
        )
        mpl.pyplot.close(display.figure_)


def test_the_most_probable_class_speaks_by_default_and_marks_are_values(model):
    learner, X = model
    row = X[:1].assign(size=np.nan, colour="never seen")
    display = tn.display.NomogramDisplay.from_estimator(learner, row, most=2)
    order = np.argsort(-learner.predict_proba(row)[0])
    assert display.classes == (learner.classes_[order[0]], learner.classes_[order[1]])
    size, colour, has, clicks = display.scales
    assert (size.label, size.point, colour.label, colour.point) == ("?", 0.0, "?", 0.0)
    assert (colour.labels, has.labels) == (["blue", "green", "red"], ["0", "1"])
    table = learner.feature_log_prob_["colour"]
    np.testing.assert_allclose(colour.odds, table[order[0]] - table[order[1]], rtol=1e-12)
    assert all(float(label).is_integer() for label in clicks.labels)
    assert "2 more columns" in [text.get_text() for text in display.ax_.get_yticklabels()]
    mpl.pyplot.close(display.figure_)


def test_wrong_input_is_named(model):
    learner, X = model
    for given, message in (
        ({"X": X[:2]}, "a nomogram is of one row, and X has 2"),
        ({"pos_label": "z"}, "'z' is not one of the classes"),
        ({"pos_label": "a", "against": "a"}, "a class against itself"),
    ):
        with pytest.raises(ValueError, match=message):
            tn.display.NomogramDisplay.from_estimator(learner, **{"X": X[:1], **given})
    with pytest.raises(TypeError, match="GaussianNB has no evidence"):
        tn.display.NomogramDisplay.from_estimator(tn.GaussianNB(), X[:1])
