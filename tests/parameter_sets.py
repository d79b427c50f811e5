"""Two sets of parameters of each learner, beside its defaults, that scikit-learn's checks are made with.

They are those of the laws (`law_params`), unless scikit-learn's data do not suit them: its classes are not called "no",
its thirty columns have too many values for some concepts, and scores are looked at, which need a few rounds.
"""

import numpy as np

import tenfold as tn
from helpers import name_of

TREES = ({"max_depth": 3}, {"min_samples_split": 4})
BASES = ({"spacing": "grid", "centers": 3}, {"gamma": 0.5})
POWERS = ({"degree": 1}, {"degree": 3, "interaction_only": True})
BOOSTED = {"max_iter": 30, "learning_rate": 0.3, "min_samples_leaf": 1}
EPOCHS = {"max_iter": 30, "learning_rate_init": 0.02}
LINES = [("line", tn.Ridge()), ("mean", tn.DummyRegressor())]
CLASSES = [("normal", tn.GaussianNB()), ("line", tn.LinearDiscriminantAnalysis())]

SETS = {
    "BayesOptimalClassifier": ({"noise": 0.1, "max_literals": 1}, {"noise": 0.2, "max_literals": 1}),
    "BayesianNetworkDensity": ({"alpha": 0.0}, {"alpha": 0.5}),
    "CART": TREES,
    "CandidateElimination": (),
    "ColumnTransformer": (
        {"transformers": [("scale", tn.StandardScaler(), [0]), ("rest", "passthrough", slice(1, None))]},
        {"transformers": [("scale", tn.StandardScaler(), slice(None))], "verbose_feature_names_out": False},
    ),
    "ComplementNB": ({"norm": True}, {"alpha": 0.1}),
    "DecisionStump": ({"criterion": "entropy", "split": "multiway", "missing": "fractional"}, {"max_bins": 16}),
    "DummyClassifier": ({"strategy": "most_frequent"},),
    "DummyRegressor": (),
    "FeatureUnion": (
        {"transformer_list": [("scale", tn.StandardScaler()), ("same", "passthrough")]},
        {"transformer_list": [("scale", tn.StandardScaler())], "verbose_feature_names_out": False},
    ),
    "FindS": (),
    "FisherDiscriminant": (),
    "FunctionTransformer": ({"func": np.cbrt, "inverse_func": np.square}, {"func": np.arctan}),
    "GammaRegressor": ({"alpha": 0.1}, {"alpha": 0.0}),
    "GaussianNB": ({"var_smoothing": 1e-3}, {"var_smoothing": 0.1}),
    "GradientBoostingClassifier": ({"n_estimators": 30, "max_leaf_nodes": 4}, {"n_estimators": 30, "max_depth": 2}),
    "GradientBoostingRegressor": (
        {"n_estimators": 30, "loss": "absolute_error"},
        {"n_estimators": 30, "learning_rate": 0.3, "max_depth": 2},
    ),
    "HistGradientBoostingClassifier": (BOOSTED, {**BOOSTED, "max_leaf_nodes": 4, "l2_regularization": 1.0}),
    "HistGradientBoostingRegressor": (BOOSTED, {**BOOSTED, "loss": "absolute_error"}),
    "ID3": TREES,
    "KCNF": ({"k": 1},),
    "KDNF": ({"k": 1},),
    "LeastSquaresClassifier": (),
    "ListThenEliminate": ({"max_literals": 1},),
    "LocallyWeightedRegression": ({"bandwidth": 3.0}, {"degree": 0, "kernel": "gaussian"}),
    "MLPClassifier": ({**EPOCHS, "activation": "tanh"}, {**EPOCHS, "hidden_layer_sizes": (30,)}),
    "MLPRegressor": ({**EPOCHS, "activation": "tanh"}, {**EPOCHS, "hidden_layer_sizes": (30,)}),
    "MaxAbsScaler": (),
    "MinMaxScaler": ({"clip": True, "feature_range": (-1, 1)}, {"feature_range": (2, 3)}),
    "PCA": ({"whiten": True}, {"n_components": 1}),
    "PolynomialFeatures": POWERS,
    "PolynomialRegression": ({"degree": 1}, {"fit_intercept": False, "interaction_only": True}),
    "PoissonRegressor": ({"alpha": 0.1}, {"alpha": 0.0}),
    "PowerTransformer": ({"standardize": False},),
    "QuadraticDiscriminantAnalysis": ({"reg_param": 0.2}, {"reg_param": 0.5}),
    "RBFSampler": ({"n_components": 6}, {"n_components": 4, "gamma": 0.5}),
    "RBFNetworkClassifier": ({"n_centers": 12}, {"n_centers": 8, "gamma": 0.5}),
    "RBFNetworkRegressor": ({"n_centers": 30}, {"n_centers": 40, "alpha": 0.1}),
    "RadialBasis": BASES,
    "ExtraTreesRegressor": ({"n_estimators": 9, "max_features": 0.5}, {"n_estimators": 9, "bootstrap": True}),
    "RandomForestRegressor": ({"n_estimators": 9, "max_features": 0.5}, {"n_estimators": 9, "bootstrap": False}),
    "SLIQ": TREES,
    "SigmoidBasis": BASES,
    "TanhBasis": BASES,
    "TargetEncoder": ({"cv": 3}, {"cv": 4}),
    "VotingClassifier": ({"voting": "soft"}, {"estimators": CLASSES, "weights": [2, 1]}),
    "VotingRegressor": ({"estimators": LINES}, {"estimators": LINES, "weights": [2, 1]}),
}
"""those with fewer than two have no more parameters that could be otherwise"""


def parameter_sets(learner):
    """Up to two, beside the defaults."""
    return SETS.get(name_of(learner), [given for given in learner.law_params[:3] if given][-2:])
