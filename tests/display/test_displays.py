"""The displays: scikit-learn's numbers and attributes, from arrays, frames, sources and folds."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest
from sklearn import metrics
from sklearn.calibration import CalibrationDisplay as TheirCalibration
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import tenfold as tn
from tenfold.sources import part_rows

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

NAMES = list("abc")


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    random = np.random.default_rng(0)
    X = random.normal(size=(900, 3))
    y = np.where(X[:, 0] + random.normal(size=900) > 0.3, "yes", "no").astype(object)
    weight = random.integers(0, 3, 900).astype(float)
    frame = pd.DataFrame(X, columns=NAMES)
    path = tmp_path_factory.mktemp("rows") / "rows.parquet"
    frame.assign(y=y, weight=weight).to_parquet(path, row_group_size=70)
    return frame, y, weight, path


@pytest.fixture(scope="module")
def models(rows):
    frame, y, _, _ = rows
    return {
        "ours": tn.GaussianNB().fit(frame[:300], y[:300]),
        "pipeline": make_pipeline(tn.StandardScaler(), tn.GaussianNB()).fit(frame[:300], y[:300]),
        "theirs": LogisticRegression().fit(frame[:300], y[:300]),
        "no probabilities": LinearSVC().fit(frame[:300], y[:300]),
    }


def forms(rows, weighted=False):
    """The same rows, as positional and named arguments."""
    frame, y, weight, path = rows
    w = weight if weighted else None
    source = tn.scan(path, target="y", columns=NAMES, weight="weight" if weighted else None)
    return {"frame": ((frame, y), dict(sample_weight=w)), "source": ((source,), {})}


@pytest.mark.quick
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("form", ["frame", "source"])
@pytest.mark.parametrize("model", ["ours", "pipeline", "theirs", "no probabilities"])
def test_roc_and_pr_are_scikit_learns(rows, models, model, form, weighted):
    given, named = forms(rows, weighted)[form]
    frame, y, weight, _ = rows
    estimator = models[model]
    with part_rows(50):
        mine = tn.display.RocCurveDisplay.from_estimator(estimator, *given, **named, drop_intermediate=False)
        other = tn.display.PrecisionRecallDisplay.from_estimator(estimator, *given, **named)
    w = weight if weighted else None
    theirs = metrics.RocCurveDisplay.from_estimator(estimator, frame, y, sample_weight=w)
    np.testing.assert_allclose(mine.roc_auc, theirs.roc_auc, rtol=1e-12)
    assert (mine.auc_interval is None) == weighted
    assert mine.pos_label == "yes"
    assert mine.line_.get_xdata().tolist() == mine.fpr.tolist()
    assert mine.ax_.figure is mine.figure_
    theirs = metrics.PrecisionRecallDisplay.from_estimator(estimator, frame, y, sample_weight=w)
    np.testing.assert_allclose(other.average_precision, theirs.average_precision, rtol=1e-12)
    np.testing.assert_allclose(other.prevalence_pos_label, np.average(y == "yes", weights=w), rtol=1e-12)
    np.testing.assert_allclose(other.precision, theirs.precision, rtol=1e-12)
    np.testing.assert_allclose(other.recall, theirs.recall, rtol=1e-12)


@pytest.mark.parametrize("label", ["yes", "no"])
def test_roc_of_either_class_and_of_decision_function(rows, models, label):
    frame, y, _, _ = rows
    for how in ("auto", "decision_function"):
        mine = tn.display.RocCurveDisplay.from_estimator(
            models["theirs"], frame, y, pos_label=label, response_method=how
        )
        theirs = metrics.RocCurveDisplay.from_estimator(
            models["theirs"], frame, y, pos_label=label, response_method=how
        )
        np.testing.assert_allclose(mine.fpr, theirs.fpr, atol=1e-12)
        np.testing.assert_allclose(mine.tpr, theirs.tpr, atol=1e-12)


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
@pytest.mark.parametrize("form", ["frame", "source"])
@pytest.mark.parametrize("model", ["ours", "theirs"])
def test_calibration_is_scikit_learns_with_exact_intervals(rows, models, model, form, strategy):
    frame, y, _, _ = rows
    given, _ = forms(rows)[form]
    mine = tn.display.CalibrationDisplay.from_estimator(models[model], *given, n_bins=7, strategy=strategy, level=0.9)
    theirs = TheirCalibration.from_estimator(models[model], frame, y, n_bins=7, strategy=strategy)
    np.testing.assert_allclose(mine.prob_true, theirs.prob_true, rtol=1e-12)
    np.testing.assert_allclose(mine.prob_pred, theirs.prob_pred, rtol=1e-12)
    assert mine.rows.sum() == 900
    for n, share, low, high in zip(mine.rows.tolist(), mine.prob_true, *mine.interval):
        exact = binomtest(round(n * share), n).proportion_ci(0.9)
        np.testing.assert_allclose((low, high), exact, rtol=1e-9)
    assert len(mine.bars_.get_segments()) == len(mine.rows)


@pytest.mark.parametrize("normalize", [None, "true", "pred", "all"])
@pytest.mark.parametrize("form", ["frame", "source"])
@pytest.mark.parametrize("model", ["ours", "theirs", "no probabilities"])
def test_confusion_is_scikit_learns(rows, models, model, form, normalize):
    frame, y, _, _ = rows
    given, _ = forms(rows)[form]
    mine = tn.display.ConfusionMatrixDisplay.from_estimator(models[model], *given, normalize=normalize)
    theirs = metrics.ConfusionMatrixDisplay.from_estimator(models[model], frame, y, normalize=normalize)
    np.testing.assert_allclose(mine.confusion_matrix, theirs.confusion_matrix, rtol=1e-14)
    assert list(mine.display_labels) == list(theirs.display_labels)
    text = mine.text_[0, 0].get_text()
    if normalize is None:
        assert text == f"{mine.confusion_matrix[0, 0]:,}"
    else:
        assert f"({mine.counts[0, 0]:,})" in text
        assert "%" in text


def test_confusion_with_weights_labels_and_a_class_never_seen(rows, models):
    frame, y, weight, _ = rows
    y = y.copy()
    y[:5] = "maybe"
    mine = tn.display.ConfusionMatrixDisplay.from_estimator(models["ours"], frame, y, sample_weight=weight / 2)
    said = models["ours"].predict(frame)
    theirs = metrics.confusion_matrix(y, said, sample_weight=weight / 2)
    np.testing.assert_allclose(mine.confusion_matrix, theirs)
    mine = tn.display.ConfusionMatrixDisplay.from_predictions(y, said, labels=["yes", "no"])
    np.testing.assert_array_equal(mine.confusion_matrix, metrics.confusion_matrix(y, said, labels=["yes", "no"]))


@pytest.mark.quick
def test_predictions_as_arrays_and_as_sources(rows, models):
    frame, y, _, path = rows
    source, model = tn.scan(path, target="y", columns=NAMES), models["ours"]
    p = model.predict_proba(frame)
    for display in (tn.display.RocCurveDisplay, tn.display.PrecisionRecallDisplay, tn.display.CalibrationDisplay):
        shown = [
            display.from_predictions(y, p[:, 1], pos_label="yes"),
            display.from_predictions(y, p, pos_label="yes"),
            display.from_predictions(y == "yes", p[:, 1]),
            display.from_predictions(None, model.predict_proba(source)),
            display.from_estimator(model, frame, y),
        ]
        for one in shown:
            a, b = one.line_.get_data(), shown[0].line_.get_data()
            np.testing.assert_allclose(a, b, atol=1e-12)
    a = tn.display.ConfusionMatrixDisplay.from_predictions(y, model.predict(frame))
    b = tn.display.ConfusionMatrixDisplay.from_predictions(None, model.predict(source))
    np.testing.assert_array_equal(a.confusion_matrix, b.confusion_matrix)


def test_folds_of_a_cross_validation_and_of_scikit_learns(rows):
    frame, y, _, path = rows
    scoring = ["roc_auc", "average_precision", "accuracy"]
    learners = {"bayes": tn.GaussianNB(), "theirs": LogisticRegression()}
    cv = tn.cross_validate(learners, frame, y, folds=5, scoring=scoring)
    files = tn.scan(path, target="y", columns=NAMES)
    far = tn.cross_validate(tn.GaussianNB(), files, folds=5, shuffle=False, scoring=scoring)
    split = StratifiedKFold(5)
    for at, (name, model) in enumerate(learners.items()):
        theirs = cross_validate(model, frame, y, cv=split, return_estimator=True, return_indices=True)
        mine = tn.display.RocCurveDisplay.from_cv_results(cv, learner=name)
        peer = metrics.RocCurveDisplay.from_cv_results(theirs, frame, y)
        same = tn.display.RocCurveDisplay.from_cv_results(theirs, frame, y)
        np.testing.assert_allclose(mine.roc_auc, peer.roc_auc, rtol=1e-12)
        np.testing.assert_allclose(same.roc_auc, peer.roc_auc, rtol=1e-12)
        assert len(mine.line_) == len(peer.line_) == 5
        for a, b in zip(mine.fpr, peer.fpr, strict=True):
            np.testing.assert_allclose(a, b, atol=1e-12)
        assert mine.auc_interval == tuple(cv.interval()[at, 0])
        mine = tn.display.PrecisionRecallDisplay.from_cv_results(cv, learner=at)
        np.testing.assert_allclose(mine.average_precision, cv.scores[at, 1], rtol=1e-12)
        matrix = tn.display.ConfusionMatrixDisplay.from_cv_results(cv, learner=name).confusion_matrix
        said = np.empty(len(y), dtype=object)
        for model_, test in zip(theirs["estimator"], theirs["indices"]["test"], strict=True):
            said[test] = model_.predict(frame.iloc[test])
        np.testing.assert_array_equal(matrix, metrics.confusion_matrix(y, said))
        one = tn.display.CalibrationDisplay.from_cv_results(theirs, frame, y)
        assert one.rows.sum() == len(y)
    a, b = (tn.display.RocCurveDisplay.from_cv_results(one) for one in (cv, far))
    np.testing.assert_allclose(a.roc_auc, b.roc_auc, rtol=1e-12)


def test_what_a_cross_validation_did_not_keep_is_named(rows):
    frame, y, _, _ = rows
    cv = tn.cross_validate(tn.GaussianNB(), frame, y, folds=3)
    with pytest.raises(ValueError, match="scoring='roc_auc'"):
        tn.display.RocCurveDisplay.from_cv_results(cv)
    with pytest.raises(ValueError, match="return_indices"):
        tn.display.RocCurveDisplay.from_cv_results({"estimator": []}, frame, y)
    tuned = tn.tune(tn.GaussianNB(), {"var_smoothing": [1e-9, 1.0]}, frame, y, folds=3, scoring="roc_auc")
    with pytest.raises(ValueError, match="kept no Ranking"):
        tn.display.RocCurveDisplay.from_cv_results(tuned.results)


def test_rankings_that_are_kept_are_small(rows):
    random = np.random.default_rng(1)
    X = random.normal(size=(20_000, 2))
    y = X[:, 0] + random.normal(size=20_000) > 0
    cv = tn.cross_validate(tn.GaussianNB(), X, y, folds=2, scoring="roc_auc")
    kept = cv.summaries[0][0]["Ranking"]
    assert len(kept.low) <= 4096
    assert kept.auc_low <= cv.scores[0, 0, 0] <= kept.auc_high
    assert tn.display.RocCurveDisplay.from_cv_results(cv).roc_auc == cv.scores[0, 0].tolist()


def test_two_curves_on_the_same_axes_share_the_line_of_chance(rows, models):
    frame, y, _, _ = rows
    _, ax = plt.subplots()
    for display in (tn.display.RocCurveDisplay, tn.display.CalibrationDisplay):
        ax.clear()
        display.from_estimator(models["ours"], frame, y, ax=ax)
        second = display.from_estimator(models["theirs"], frame, y, ax=ax, name="theirs")
        assert second.ax_ is ax
        labels = [text.get_text() for text in ax.get_legend().get_texts()]
        assert len(labels) == len(ax.get_lines()) == 3
        assert labels[-1].startswith(("chance", "perfectly"))


@pytest.mark.quick
def test_curves_of_learning_and_validation(rows):
    frame, y, _, path = rows
    sizes = [0.2, 1.0]
    mine = tn.display.LearningCurveDisplay.from_estimator(tn.GaussianNB(), frame, y, train_sizes=sizes, folds=4)
    far = tn.display.LearningCurveDisplay.from_estimator(
        tn.GaussianNB(), tn.scan(path, target="y", columns=NAMES), train_sizes=sizes, folds=4, shuffle=False
    )
    np.testing.assert_allclose(mine.test_scores, far.test_scores, rtol=1e-12)
    assert len(mine.lines_) == len(mine.fill_between_) == 2
    np.testing.assert_allclose(mine.lines_[1].get_ydata(), mine.test_scores.mean(axis=1))
    assert len(mine.plot(score_type="test", band=None).fill_between_) == 0
    options = dict(param_name="var_smoothing", param_range=[1e-9, 1e-3, 1e3], folds=4, scoring="neg_log_loss")
    shown = tn.display.ValidationCurveDisplay.from_estimator(tn.GaussianNB(), frame, y, negate_score=True, **options)
    np.testing.assert_allclose(shown.lines_[1].get_ydata(), -shown.test_scores.mean(axis=1))
    assert shown.ax_.get_ylabel() == "log_loss"
    assert shown.ax_.get_xlabel() == "var_smoothing"
    words = tn.display.ValidationCurveDisplay.from_estimator(
        tn.DummyClassifier(), frame, y, param_name="strategy", param_range=["prior", "most_frequent"], folds=3
    )
    assert [t.get_text() for t in words.ax_.get_xticklabels()] == ["prior", "most_frequent"]


def test_refusals(rows, models):
    frame, y, _, path = rows
    three = np.digitize(frame["a"], [-1, 1])
    model = tn.GaussianNB().fit(frame, three)
    with pytest.raises(ValueError, match="two classes, and there are 3"):
        tn.display.RocCurveDisplay.from_estimator(model, frame, three)
    with pytest.raises(ValueError, match="not one of the classes"):
        tn.display.RocCurveDisplay.from_estimator(models["ours"], frame, y, pos_label="maybe")
    with pytest.raises(ValueError, match="pos_label="):
        tn.display.RocCurveDisplay.from_predictions(y, np.zeros(900))
    with pytest.raises(ValueError, match="pass X alone"):
        tn.display.RocCurveDisplay.from_estimator(models["ours"], tn.scan(path, target="y", columns=NAMES), y)
    with pytest.raises(ValueError, match="has no predict_proba"):
        tn.display.CalibrationDisplay.from_estimator(models["no probabilities"], frame, y)
    with pytest.raises(TypeError, match="not a classifier"):
        tn.display.ConfusionMatrixDisplay.from_estimator(tn.Ridge().fit(frame, frame["a"]), frame, frame["a"])


def test_without_matplotlib_the_extra_is_named_before_any_row_is_read(models, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    for display in (
        tn.display.RocCurveDisplay,
        tn.display.PrecisionRecallDisplay,
        tn.display.CalibrationDisplay,
        tn.display.ConfusionMatrixDisplay,
    ):
        with pytest.raises(ImportError, match=r"tenfold\[plot\]"):
            display.from_estimator(models["ours"], None, None)
    with pytest.raises(ImportError, match=r"tenfold\[plot\]"):
        tn.display.LearningCurveDisplay.from_estimator(tn.GaussianNB(), None)


def test_displays_do_not_load_matplotlib():
    program = (
        "import sys; from tenfold.display import LearningCurveDisplay, RocCurveDisplay; "
        "print('matplotlib' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "False"
