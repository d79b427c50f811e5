"""Scores of the predictions of all rows: every name of scikit-learn's, make_scorer, functions."""

import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import (
    f1_score,
    fbeta_score,
    get_scorer_names,
    jaccard_score,
    make_scorer,
    mean_pinball_loss,
    recall_score,
    roc_auc_score,
)
from sklearn.model_selection import KFold, cross_val_score
from sklearn.model_selection import cross_validate as by_sklearn

import tenfold as tn

RNG = np.random.default_rng(3)
X = RNG.normal(size=(240, 4)).round(2)
Y = np.exp(0.3 * X[:, 0] + 0.2 * RNG.normal(size=240))
TWO = (X[:, 0] + RNG.normal(size=240) > 0).astype(int)
THREE = np.array(["low", "middle", "high"])[np.digitize(X[:, 0] + 0.5 * RNG.normal(size=240), [-0.5, 0.5])]
CV = KFold(4)
CLUSTERINGS = {
    "adjusted_mutual_info_score", "adjusted_rand_score", "completeness_score", "fowlkes_mallows_score",
    "homogeneity_score", "mutual_info_score", "normalized_mutual_info_score", "rand_score", "v_measure_score",
}  # fmt: skip


def both(learner, y, scoring):
    """The scores of each fold, by tenfold and by scikit-learn; None if scikit-learn has none for this target."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = cross_val_score(learner, X, y, scoring=scoring, cv=CV)
        if not np.isfinite(theirs).all():
            return None
        return tn.cross_validate(learner, X, y, scoring=scoring, cv=CV).scores[0, 0], theirs


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
def test_every_name_of_scikit_learn_for_classes(y):
    learner, seen = tn.GaussianNB(), 0
    refused = {"average_precision"} if y is THREE else set()
    for name in refused:
        with pytest.raises(ValueError, match="is of two classes and the target has 3: ask for"):
            tn.cross_validate(learner, X, y, scoring=name)
    for name in sorted(set(get_scorer_names()) - CLUSTERINGS - refused):
        of_numbers = "error" in name or name.startswith(("r2", "d2", "neg_mean"))
        if not of_numbers and (found := both(learner, y, name)) is not None:
            np.testing.assert_allclose(found[0], found[1], rtol=1e-9, atol=1e-12, err_msg=name)
            seen += 1
    assert seen >= (24 if y is TWO else 20)


def test_every_name_of_scikit_learn_for_numbers():
    learner, seen = tn.PoissonRegressor(), 0
    for name in sorted(set(get_scorer_names()) - CLUSTERINGS):
        if "error" in name or "variance" in name or "deviance" in name or name.startswith(("r2", "d2_abs")):
            found = both(learner, Y, name)
            np.testing.assert_allclose(found[0], found[1], rtol=1e-6, err_msg=name)
            seen += 1
    assert seen >= 10


def test_what_make_scorer_makes():
    f2 = make_scorer(fbeta_score, beta=2)
    ours = tn.cross_validate(tn.GaussianNB(), X, TWO, scoring=[f2, "accuracy"], cv=CV)
    assert ours.scoring == ["fbeta_score(beta=2)", "accuracy"]
    assert "fbeta_score(beta=2)" in str(ours)
    theirs = by_sklearn(tn.GaussianNB(), X, TWO, scoring={"f2": f2, "accuracy": "accuracy"}, cv=CV)
    np.testing.assert_allclose(ours.scores[0], [theirs["test_f2"], theirs["test_accuracy"]])
    pinball = make_scorer(mean_pinball_loss, alpha=0.9, greater_is_better=False)
    found, same = both(tn.Ridge(), Y, pinball)
    np.testing.assert_allclose(found, same)
    assert tn.cross_validate(tn.Ridge(), X, Y, scoring=pinball).scoring == ["neg_mean_pinball_loss(alpha=0.9)"]
    auc = make_scorer(roc_auc_score, response_method="predict_proba", multi_class="ovo")
    np.testing.assert_allclose(*both(tn.GaussianNB(), THREE, auc))
    values = make_scorer(roc_auc_score, response_method="decision_function")
    np.testing.assert_allclose(*both(tn.LinearSVC(), TWO, values))


def test_scores_that_are_given_names():
    asked = {"accuracy": make_scorer(recall_score), "f1": "neg_log_loss", "r2": "f1"}
    ours = tn.cross_validate(tn.GaussianNB(), X, TWO, scoring=asked, cv=CV, pos_label=1)
    theirs = by_sklearn(tn.GaussianNB(), X, TWO, scoring=asked, cv=CV)
    assert ours.scoring == list(asked)
    np.testing.assert_allclose(ours.scores[0], [theirs[f"test_{name}"] for name in asked], rtol=1e-12)
    assert (ours.interval()[0, 1] < 0).all()  # of a loss, whatever its name
    assert "positive class: 1" in str(ours)
    tuned = tn.tune(
        tn.GaussianNB(), {"var_smoothing": [1e-9, 10.0]}, X, TWO, scoring={"accuracy": "neg_log_loss"}, cv=CV
    )
    assert tuned.results.scoring == ["accuracy"]
    np.testing.assert_allclose(tuned.results.scores[0, 0], theirs["test_f1"], rtol=1e-12)
    with pytest.raises(ValueError, match="scoring names a score 1. Remedy: names that are text"):
        tn.cross_validate(tn.GaussianNB(), X, TWO, scoring={1: "f1"})


def test_a_function_of_predictions():
    def share_of_low(estimator, X, y):
        assert estimator.classes_.tolist() == ["high", "low", "middle"]
        return float(np.mean((estimator.predict(X) == "low") & (y == "low")))

    found, same = both(tn.GaussianNB(), THREE, share_of_low)
    np.testing.assert_allclose(found, same)


def test_from_a_source_and_on_any_number_of_threads_and_in_tune(tmp_path):
    frame = pd.DataFrame(X, columns=list("abcd")).assign(y=THREE)
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=37)
    rows = tn.scan(tmp_path / "rows.parquet", target="y")
    known = tn.cross_validate(tn.GaussianNB(), X, THREE, scoring="roc_auc_ovr", folds=4)
    for threads in (1, 2):
        with tn.on(tn.Local(threads=threads)):
            found = tn.cross_validate(tn.GaussianNB(), rows, scoring="roc_auc_ovr", cv=4, shuffle=False)
        np.testing.assert_allclose(found.scores, known.scores)
    grid = {"var_smoothing": [1e-9, 10.0]}
    tuned = tn.tune(tn.GaussianNB(), grid, rows, scoring=make_scorer(fbeta_score, beta=2, average="macro"), cv=3)
    assert tuned.best_params_ == {"var_smoothing": 1e-9}
    curve = tn.learning_curve(tn.GaussianNB(), X, TWO, scoring="jaccard", cv=3)
    assert curve.score_name == "jaccard"
    assert curve.test_scores.shape == (5, 3)


def test_weights_reach_the_metric():
    weight = RNG.integers(0, 4, 240).astype(float)
    rows = tn.scan(X, target=TWO, weight=weight)
    keep = np.repeat(np.arange(240), weight.astype(int))
    folds = np.arange(240) % 4
    weighted = tn.cross_validate(tn.GaussianNB(), rows, scoring=["jaccard", "matthews_corrcoef"], folds=folds)
    repeated = tn.cross_validate(
        tn.GaussianNB(), X[keep], TWO[keep], scoring=["jaccard", "matthews_corrcoef"], folds=folds[keep]
    )
    np.testing.assert_allclose(weighted.scores, repeated.scores)


def test_what_is_refused():
    with pytest.raises(tn.DataError, match=r"make_scorer\(metric, response_method='predict_proba'\)"):
        tn.cross_validate(tn.GaussianNB(), X, TWO, scoring=lambda e, X, y: e.predict_proba(X)[0, 0])
    with pytest.raises(tn.DataError, match="not the rows themselves"):
        tn.cross_validate(tn.GaussianNB(), X, TWO, scoring=lambda e, X, y: np.asarray(X).mean())
    with pytest.raises(TypeError, match=r"scoring function <lambda> gives (dict|list), not a number"):
        tn.cross_validate(tn.GaussianNB(), X, TWO, scoring=lambda e, X, y: [1.0])
    with pytest.raises(ValueError, match="there is no score 'best'"):
        tn.cross_validate(tn.GaussianNB(), X, TWO, scoring="best")
    for folds in (4, 10, 3):
        with pytest.raises(ValueError, match="are two answers to one question: give one of them"):
            tn.cross_validate(tn.GaussianNB(), X, TWO, cv=3, folds=folds)
    grid = {"var_smoothing": [0.1]}
    for judge in (partial(tn.tune, tn.GaussianNB(), grid), partial(tn.learning_curve, tn.GaussianNB())):
        with pytest.raises(ValueError, match="are two answers to one question: give one of them"):
            judge(X, TWO, cv=5, folds=10)
    with pytest.raises(ValueError, match="are two answers to one question: give one of them"):
        tn.validation_curve(tn.GaussianNB(), X, TWO, param_name="var_smoothing", param_range=[0.1], cv=5, folds=10)
    assert tn.cross_validate(tn.GaussianNB(), X, TWO).scores.shape[-1] == 10
    for judge in (tn.certify, tn.permutation_importance):
        with pytest.raises(ValueError, match="(must be the name of a score|a score is asked for by name)"):
            judge(tn.GaussianNB().fit(X, TWO), X, TWO, scoring=make_scorer(fbeta_score, beta=2))


def test_the_positive_class_reaches_the_metric():
    asked = [
        "f1",
        "jaccard",
        make_scorer(fbeta_score, beta=2),
        make_scorer(jaccard_score, pos_label=1),
        "jaccard_macro",
    ]
    ours = tn.cross_validate(tn.GaussianNB(), X, TWO, scoring=asked, pos_label=0, cv=CV).scores[0]
    metrics = [(f1_score, {}), (jaccard_score, {}), (fbeta_score, {"beta": 2})]
    theirs = [make_scorer(metric, pos_label=0, **given) for metric, given in metrics] + asked[3:]
    for found, scorer in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(found, cross_val_score(tn.GaussianNB(), X, TWO, scoring=scorer, cv=CV), rtol=1e-12)
    alone = tn.cross_validate(tn.GaussianNB(), X, TWO, scoring="jaccard", pos_label=0, cv=CV)
    np.testing.assert_array_equal(alone.scores[0, 0], ours[1])
    with pytest.raises(ValueError, match="pos_label=0: matthews_corrcoef takes no positive class. Remedy"):
        tn.cross_validate(tn.GaussianNB(), X, TWO, scoring=["f1", "matthews_corrcoef"], pos_label=0)
    with pytest.raises(ValueError, match=r"pos_label=5 is not a valid label: It should be one of \[0, 1\]"):
        tn.cross_validate(tn.GaussianNB(), X, TWO, scoring="jaccard", pos_label=5)


def test_a_fold_without_a_class_is_nan_and_the_others_are_scored():
    few, y = X[:60], np.array([0, 1, 2] * 10 + [0, 1] * 15)
    names = ["accuracy", "roc_auc_ovr"]
    with pytest.warns(UserWarning, match="roc_auc_ovr of split [23] is NaN: Number of classes"):
        ours = tn.cross_validate(tn.GaussianNB(), few, y, folds=CV, scoring=names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = by_sklearn(tn.GaussianNB(), few, y, cv=CV, scoring=names)
    assert np.isnan(ours.scores[0, 1]).tolist() == [False, False, True, True]
    np.testing.assert_allclose(ours.scores[0], [theirs[f"test_{name}"] for name in names], rtol=1e-12)
    last = [(np.arange(30), np.arange(30, 60))]
    with pytest.warns(UserWarning, match="of split 0"), pytest.raises(ValueError, match="Number of classes"):
        tn.cross_validate(tn.GaussianNB(), few, y, folds=last, scoring="roc_auc_ovr")


def test_scores_that_take_no_weights_are_refused_with_weights():
    weight = np.arange(240) % 3 + 1.0
    for learner, y, scoring, name in (
        (tn.Ridge(), Y, "neg_max_error", "neg_max_error"),
        (tn.GaussianNB(), TWO, lambda e, X, y: float(np.mean(e.predict(X) == y)), "<lambda>"),
    ):
        with pytest.raises(ValueError, match=f"{name} takes no weights. Remedy"):
            tn.cross_validate(learner, X, y, scoring=scoring, cv=3, sample_weight=weight)


@pytest.mark.parametrize(
    ("scoring", "error", "says"),
    [
        (lambda e, X, y: {"a": 1.0}, TypeError, "<lambda> gives dict, not a number. Remedy"),
        (f1_score, ValueError, r"Remedy: sklearn.metrics.make_scorer\(f1_score\)"),
        (lambda e, X, y: X.mean(), tn.DataError, "not the rows themselves"),
        ([], ValueError, "scoring is empty"),
        ({}, ValueError, "scoring is empty"),
    ],
)
def test_what_is_no_score_is_refused_with_a_remedy(scoring, error, says):
    with pytest.raises(error, match=says):
        tn.cross_validate(tn.GaussianNB(), X, TWO, scoring=scoring, cv=2)


def test_folds_that_are_given():
    pairs = [(np.arange(100), np.arange(100, 240)), (np.arange(120, 240), np.arange(120))]
    found = tn.cross_validate(tn.GaussianNB(), X, TWO, folds=[[a.tolist(), b.tolist()] for a, b in pairs])
    np.testing.assert_allclose(found.scores[0, 0], cross_val_score(tn.GaussianNB(), X, TWO, cv=pairs), rtol=1e-12)
    with pytest.raises(tn.DataError, match="split 0 is scored on some rows more than once. Remedy"):
        tn.cross_validate(tn.Ridge(), X, Y, folds=[(np.arange(50), np.array([60, 60, 61, 62]))])
    with pytest.raises(ValueError, match=r"folds\[1\] is not a pair. Remedy"):
        tn.cross_validate(tn.Ridge(), X, Y, folds=[pairs[0], (pairs[1][0],)])
    with pytest.raises(ValueError, match="random_state must be an integer, not RandomState"):
        tn.cross_validate(tn.Ridge(), X, Y, folds=3, shuffle=True, random_state=np.random.RandomState(0))
