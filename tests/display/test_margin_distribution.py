"""Margins against votes that are counted one by one, from arrays, frames, sources and a pipeline."""

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

import tenfold as tn
from tenfold.sources import part_rows

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

ROUNDS = (1, 5, 30)
MODELS = {
    "stumps": tn.AdaBoostClassifier(n_estimators=30),
    "trees": tn.AdaBoostClassifier(tn.DecisionTreeClassifier(max_depth=2), n_estimators=30),
    "Bayes": tn.AdaBoostClassifier(tn.GaussianNB(), n_estimators=30, learning_rate=0.1),
}


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def draw(classes, n=400):
    random = np.random.default_rng(classes)
    X = random.normal(size=(n, 3))
    y = np.digitize(X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * random.normal(size=n), np.linspace(-1, 1, classes + 1)[1:-1])
    return X, np.array(["never", "rarely", "often", "always"])[y], random.integers(0, 3, n).astype(float)


def said_by(model, X):
    """The class that each member says of each row, members x rows."""
    if model.estimator is not None:
        return np.array([member.predict(X) for member in model.estimators_])
    stumps = zip(model.feature_, model.threshold_, model.left_, model.right_)
    return model.classes_[[np.where(X[:, j] <= bar, low, high) for j, bar, low, high in stumps]]


def margins(model, X, y, rounds):
    """By counting votes."""
    said, alpha = said_by(model, X)[:rounds], model.estimator_weights_[:rounds]
    votes = np.array([alpha @ (said == c) for c in model.classes_]) / alpha.sum()
    own = model.classes_[:, None] == y
    return votes.max(axis=0, where=own, initial=0.0) - votes.max(axis=0, where=~own, initial=0.0)


def share(margin, weight, at):
    return np.array([weight[margin <= a].sum() for a in at]) / weight.sum()


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("name", MODELS)
def test_margins_are_those_of_the_votes(name, classes):
    X, y, weight = draw(classes)
    model = MODELS[name].fit(X[:200], y[:200])
    display = tn.display.MarginsDisplay.from_estimator(model, X, y, rounds=ROUNDS, sample_weight=weight)
    every = len(model.estimator_weights_)
    assert display.rounds == sorted({min(t, every) for t in ROUNDS})
    grid = np.linspace(-1, 1, 41) + 0.0123
    for t, m, s in zip(display.rounds, display.margin, display.share, strict=True):
        expected = margins(model, X, y, t)
        assert (np.diff(m) > 0).all()
        assert s[-1] == 1.0
        at = np.searchsorted(m, grid, side="right")
        np.testing.assert_allclose(np.append(0.0, s)[at], share(expected, weight, grid), atol=1e-12)
    wrong = weight[model.predict(X) != y].sum() / weight.sum()
    assert display.share_below(-1e-12)[-1] <= wrong <= display.share_below(1e-12)[-1]


@pytest.mark.parametrize("name", ["stumps", "trees"])
def test_the_same_from_arrays_frames_parts_files_and_pipelines(name, tmp_path):
    X, y, weight = draw(2)
    frame = pd.DataFrame(X, columns=list("abc"))
    frame.assign(y=y, weight=weight).to_parquet(tmp_path / "rows.parquet", row_group_size=60)
    model = MODELS[name].fit(frame, y, sample_weight=weight)
    whole = tn.display.MarginsDisplay.from_estimator(model, frame, y, sample_weight=weight, rounds=ROUNDS)
    source = tn.scan(tmp_path / "rows.parquet", target="y", weight="weight")
    with part_rows(37):
        others = [
            tn.display.MarginsDisplay.from_estimator(model, frame, y, sample_weight=weight, rounds=ROUNDS),
            tn.display.MarginsDisplay.from_estimator(model, source, rounds=ROUNDS),
        ]
    piped = make_pipeline(tn.MinMaxScaler(), MODELS[name]).fit(
        X, y, **{f"{step}__sample_weight": weight for step in ("minmaxscaler", "adaboostclassifier")}
    )
    others.append(tn.display.MarginsDisplay.from_estimator(piped, X, y, sample_weight=weight, rounds=ROUNDS))
    grid = np.linspace(-1, 1, 41) + 0.0123
    for other in others:
        for at in grid:
            np.testing.assert_allclose(other.share_below(at), whole.share_below(at), atol=1e-12)


def test_the_bound_on_small_margins_holds():
    """The theorem of Schapire and others for every margin and number of rounds."""
    X, y, weight = draw(2)
    model = tn.AdaBoostClassifier(n_estimators=60).fit(X, y, sample_weight=weight)
    display = tn.display.MarginsDisplay.from_estimator(model, X, y, sample_weight=weight, rounds=range(1, 61, 6))
    tight = 0
    for theta in np.linspace(0, 0.9, 19):
        for t, found in zip(display.rounds, display.share_below(theta), strict=True):
            bound = float(tn.theory.adaboost_bound(model.estimator_errors_[:t], margin=theta))
            assert found <= bound + 1e-12
            tight += bound < 1
    assert tight > 20


def test_a_class_that_the_model_does_not_know_has_no_votes():
    X, y, _ = draw(2)
    model = MODELS["stumps"].fit(X, y)
    strange, known = np.full(len(y), "sometimes"), model.score(X, y)
    both = tn.display.MarginsDisplay.from_estimator(model, np.vstack([X, X]), np.append(y, strange), rounds=(30,))
    assert both.share_below(-1e-12)[0] == pytest.approx(0.5 + (1 - known) / 2)
    display = both
    assert display.margin[0].min() >= -1.0


def test_the_picture():
    X, y, _ = draw(2)
    figure, ax = plt.subplots()
    display = tn.display.MarginsDisplay.from_estimator(
        MODELS["stumps"].fit(X, y), X, y, rounds=(1, 30, 900), ax=ax, name="seen", curve_kwargs={"linewidth": 3}
    )
    assert display.ax_ is ax
    assert display.figure_ is figure
    assert [line.get_label() for line in display.lines_] == ["1 round", "30 rounds"]
    assert all(line.get_linewidth() == 3 for line in display.lines_)
    assert ax.get_title() == "seen"
    x, s = display.lines_[1].get_data()
    np.testing.assert_array_equal(x[1:-1], display.margin[1])
    np.testing.assert_array_equal(s[1:-1], display.share[1])


def test_what_has_no_margins():
    X, y, _ = draw(2)
    with pytest.raises(TypeError, match="GaussianNB has no rounds that vote"):
        tn.display.MarginsDisplay.from_estimator(tn.GaussianNB().fit(X, y), X, y)
    with pytest.raises(ValueError, match="whole numbers from 1 on"):
        tn.display.MarginsDisplay.from_estimator(MODELS["stumps"].fit(X, y), X, y, rounds=(0, 5))
    with pytest.raises(ValueError, match="a list of whole numbers"):
        tn.display.MarginsDisplay.from_estimator(MODELS["stumps"].fit(X, y), X, y, rounds=5)
    with pytest.raises(ValueError, match="not fitted yet"):
        tn.display.MarginsDisplay.from_estimator(tn.AdaBoostClassifier(), X, y)
