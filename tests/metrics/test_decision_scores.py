"""Scores of decision values in cross-validation: what `decision_function` says, as scikit-learn has it."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression as PeerLogistic
from sklearn.metrics import hinge_loss, make_scorer
from sklearn.model_selection import KFold, cross_val_score

import tenfold as tn

RNG = np.random.default_rng(5)
X = RNG.normal(size=(120, 3))
NOISY = X[:, 0] + RNG.normal(size=120)
TWO, THREE = (NOISY > 0).astype(int), np.digitize(NOISY, [-0.5, 0.5])
HINGE = make_scorer(hinge_loss, response_method="decision_function", greater_is_better=False)


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize(
    "learner",
    [
        tn.LogisticRegression(),
        tn.LinearDiscriminantAnalysis(),
        tn.LinearSVC(),
        tn.SVC(C=0.5),
        tn.HistGradientBoostingClassifier(max_iter=3),
        tn.AdaBoostClassifier(n_estimators=3),
        PeerLogistic(),
    ],
    ids=lambda one: f"{type(one).__module__.split('.')[0]}-{type(one).__name__}",
)
def test_hinge_loss_is_that_of_scikit_learn(learner, y):
    ours = tn.cross_validate(learner, X, y, scoring=HINGE, cv=KFold(3)).scores[0, 0]
    np.testing.assert_allclose(ours, cross_val_score(learner, X, y, scoring=HINGE, cv=KFold(3)), rtol=1e-12)


def test_roc_auc_where_probabilities_saturate():
    far = 400 * X
    for learner in (tn.LinearDiscriminantAnalysis(), PeerLogistic(C=1e6, max_iter=1000)):
        y = (NOISY > 1).astype(int)
        rows = far if isinstance(learner, PeerLogistic) else np.where(np.arange(120)[:, None] % 9, X, far)
        ours = tn.cross_validate(learner, rows, y, scoring="roc_auc", cv=KFold(3)).scores[0, 0]
        np.testing.assert_allclose(ours, cross_val_score(learner, rows, y, scoring="roc_auc", cv=KFold(3)), rtol=1e-12)
