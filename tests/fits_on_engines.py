"""Twelve shapes of fit, one learner for each thing that an engine must be able to do, with rows for each."""

import numpy as np

import tenfold as tn
from tenfold.sources import part_rows

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(2400, 3))
Y = X[:, 0] - X[:, 1] + RANDOM.normal(size=2400)
SHAPES = {
    "read": tn.Ridge(),
    "many rounds": tn.KMeans(3),
    "a share of the parts": tn.LogisticRegression(),
    "held": tn.HistGradientBoostingRegressor(max_iter=12, max_leaf_nodes=4),
    "held, and its scratch kept": tn.AdaBoostClassifier(n_estimators=20),
    "in order": tn.SGDRegressor(max_iter=3),
    "drawn": tn.BaggingRegressor(tn.Ridge(), n_estimators=3),
    "held and drawn": tn.RandomForestRegressor(3, max_depth=3),
    "a team of unlike": tn.VotingRegressor([("a", tn.Ridge()), ("b", tn.DecisionTreeRegressor(max_depth=2))]),
    "stacked": tn.StackingRegressor([("a", tn.Ridge()), ("b", tn.DecisionTreeRegressor(max_depth=2))], cv=3),
    "gathered": tn.DecisionTreeRegressor(method="exact", max_depth=3),
    "held of a share of the parts, then of all": tn.AdaBoostClassifier(tn.LogisticRegression(), n_estimators=2),
}


def rows_of(shape, rows_of_a_part=60):
    """The rows of a shape, in memory, in many parts."""
    target = {"number": Y, "class": Y > 0, None: None}[SHAPES[shape].need.target]
    with part_rows(rows_of_a_part):
        return tn.scan(X, target)
