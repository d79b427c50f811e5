"""Scores of two classes: which one is the positive one, as scikit-learn has it, as asked for, and always said."""

import html

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, f1_score, make_scorer, precision_score, recall_score
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB as PeerNB

import tenfold as tn

ONE_SIDED = ["precision", "recall", "f1", "average_precision"]


@pytest.fixture(scope="module")
def rare():
    """Rows of two classes of unlike size; and what they can be called, with the positive class of scikit-learn."""
    random = np.random.default_rng(8)
    X = random.normal(size=(300, 3))
    return X, X[:, 0] + random.normal(size=300) > 0.9


@pytest.mark.parametrize(
    ("labels", "pos_label"),
    [((0, 1), None), ((1, 2), None), ((1, 2), 2), (("ill", "well"), "ill"), (("ill", "well"), "well"), ((-1, 1), -1)],
)
@pytest.mark.parametrize("ours", [True, False])
def test_the_positive_class_is_that_of_scikit_learn_or_the_one_asked_for(rare, labels, pos_label, ours):
    X, flag = rare
    y = np.array(labels, dtype=object if isinstance(labels[0], str) else None)[flag.astype(int)]
    learner = tn.GaussianNB() if ours else PeerNB()
    cv = tn.cross_validate(learner, X, y, folds=3, scoring=[*ONE_SIDED, "roc_auc"], pos_label=pos_label)
    label = 1 if pos_label is None else pos_label
    peers = [make_scorer(f, pos_label=label) for f in (precision_score, recall_score, f1_score)]
    peers.append(make_scorer(average_precision_score, pos_label=label, response_method="predict_proba"))
    for s, peer in enumerate([*peers, "roc_auc"]):
        theirs = cross_val_score(PeerNB(), X, y, cv=3, scoring=peer)
        np.testing.assert_allclose(cv.scores[0, s], theirs, atol=1e-12)
    assert cv.pos_label == label
    assert f"positive class: {label!r}" in str(cv)
    assert f"positive class: {html.escape(repr(label))}" in cv._repr_html_()


def test_the_positive_class_of_text_is_the_last_and_named_everywhere(rare):
    X, flag = rare
    y = np.where(flag, "ill", "well")
    for found in (
        tn.cross_validate(tn.GaussianNB(), X, y, folds=3, scoring="f1"),
        tn.tune(tn.GaussianNB(), {"var_smoothing": [1e-9, 1e-3]}, X, y, folds=3, scoring="recall"),
        tn.learning_curve(tn.GaussianNB(), X, y, folds=3, scoring="precision"),
        tn.learning_curve(PeerNB(), X, y, folds=3, scoring="precision"),
        tn.validation_curve(
            tn.GaussianNB(), X, y, param_name="var_smoothing", param_range=[1e-9], folds=3, scoring="f1"
        ),
        tn.permutation_importance(tn.GaussianNB().fit(X, y), X, y, scoring="f1", n_repeats=2),
        tn.certify(tn.GaussianNB().fit(X[:150], y[:150]), X[150:], y[150:], scoring="f1"),
    ):
        assert "positive class" in str(found)
        assert "'well'" in str(found)
        assert "positive class" in found._repr_html_()
    assert "positive class" not in str(tn.cross_validate(tn.GaussianNB(), X, y, folds=3, scoring="roc_auc"))


def test_everything_that_scores_takes_the_positive_class(rare):
    X, flag = rare
    y = np.where(flag, "ill", "well")
    ill = tn.cross_validate(tn.GaussianNB(), X, y, folds=3, scoring="f1", pos_label="ill")
    tuned = tn.tune(tn.GaussianNB(), {"var_smoothing": [1e-9]}, X, y, folds=3, scoring="f1", pos_label="ill")
    assert tuned.best_score_ == ill.mean[0, 0]
    curve = tn.learning_curve(tn.GaussianNB(), X, y, folds=3, scoring="f1", pos_label="ill", train_sizes=[1.0])
    np.testing.assert_allclose(curve.test_scores[0], ill.scores[0, 0])
    model = tn.GaussianNB().fit(X[:150], y[:150])
    right = f1_score(y[150:], model.predict(X[150:]), pos_label="ill")
    for one in (model, PeerNB().fit(X[:150], y[:150])):
        claims = tn.certify(one, X[150:], y[150:], scoring="f1", pos_label="ill", reused=1)
        assert claims["f1"].value == pytest.approx(right, abs=1e-12)
        found = tn.permutation_importance(one, X[150:], y[150:], scoring="f1", pos_label="ill", n_repeats=2)
        assert found.score == pytest.approx(right, abs=1e-12)
    ranked = tn.cross_validate(tn.GaussianNB(), X, y, folds=3, scoring="roc_auc", pos_label="ill")
    assert tn.display.RocCurveDisplay.from_cv_results(ranked).pos_label == "ill"


def test_a_positive_class_that_is_none_or_that_no_score_has_is_refused(rare):
    X, flag = rare
    y = np.where(flag, "ill", "well")
    with pytest.raises(ValueError, match=r"pos_label='sick' is not a valid label: It should be one of"):
        tn.cross_validate(tn.GaussianNB(), X, y, folds=3, scoring="f1", pos_label="sick")
    with pytest.raises(ValueError, match="pos_label='ill' goes with the scores"):
        tn.cross_validate(tn.GaussianNB(), X, y, folds=3, pos_label="ill")
