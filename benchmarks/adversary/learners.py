"""Every public learner with drawn parameters, small enough to be fitted in milliseconds."""

from __future__ import annotations

from typing import Any

import tenfold as tn
from adversary.data import pick
from tenfold.estimator import Estimator
from tenfold.estimator.sequences.sequence_rows import SequenceLearner

_PENALTY = [1e-6, 0.01, 0.3, 10.0, 1e5]
_GROWING = {"max_depth": [1, 2, 5], "min_samples_split": [2, 5, 30], "min_samples_leaf": [1, 2, 10]}
_LEAVES = {
    **_GROWING,
    "min_weight_fraction_leaf": [0.01, 0.2],
    "min_impurity_decrease": [1e-3, 0.1],
    "max_leaf_nodes": [2, 3, 8],
    "max_bins": [2, 16, 255],
}
_PATHS = {"fit_intercept": [False], "positive": [True]}
_ROUNDS = {
    "learning_rate": [0.05, 0.3, 1.0],
    "max_leaf_nodes": [2, 4, None],
    "max_depth": [1, 3],
    "min_samples_leaf": [1, 3, 20],
    "l2_regularization": [0.1, 10.0],
    "max_bins": [2, 16],
    "subsample": [0.5, 1.0],
    "validation_fraction": [0.3],
}
_LOSSES = ["absolute_error", "quantile", "poisson"]
_NETWORK = {
    "hidden_layer_sizes": [(), 3, (4, 3)],
    "activation": ["identity", "logistic", "tanh", "leaky_relu"],
    "alpha": [0.0, 0.1],
    "batch_size": [4],
    "shuffle": [False],
    "learning_rate": ["invscaling", "adaptive"],
    "early_stopping": [True],
    "embedding": ["auto", 2],
    "n_init": [2],
}
_STEPS = {
    "penalty": ["l1", "l2", "elasticnet", None],
    "alpha": [0.0, 1e-3, 0.1],
    "fit_intercept": [False],
    "tol": [None, 1e-2],
    "shuffle": [False],
    "learning_rate": ["invscaling", "constant", "exponential", "optimal"],
    "eta0": [1e-3, 0.1],
    "batch_size": [4, None],
    "momentum": [0.5],
    "average": [True],
}
_RARE = {"min_frequency": [2, 0.3], "max_categories": [1, 2]}
_INDICATORS = {
    "handle_unknown": ["ignore"],
    "handle_missing": ["ignore"],
    "drop": ["first", "if_binary"],
    "sparse_output": [False],
}
_SPREAD = {"centers": [1, 3, 9], "gamma": [0.1, 2.0], "spacing": ["grid"]}
_SPLITS = {
    "criterion": ["entropy", "gini", "error", "gain_ratio"],
    "split": ["multiway"],
    "missing": ["class_majority", "node_majority", "fractional"],
}
_KERNEL = {
    "kernel": ["linear", "poly", "rbf", "laplacian", "cosine"],
    "gamma": [0.01, 1.0],
    "degree": [2],
    "coef0": [0.0, 2.0],
}
_MACHINE: dict[str, list[Any]] = {
    "C": [1e-3, 0.1, 10.0],
    "dual": [True, False],
    "fit_intercept": [False],
    "intercept_scaling": [10.0],
    "max_iter": [1, 20],
}
_NEAR = {
    "n_neighbors": [1, 2, 3, 10],
    "weights": ["distance"],
    "p": [1, 1.5, 3],
    "metric": ["manhattan", "chebyshev", "hamming"],
}
_PRIOR = {"alpha": [0.0, 1e-9, 0.5, 10.0], "fit_prior": [False]}
_PRUNE = {"held_back": [0.4], "ccp_alpha": [0.01, 0.1]}

_TERMS: dict[str, list[Any]] = {
    "ngram_range": [(1, 2), (2, 3)],
    "analyzer": ["char", "char_wb"],
    "lowercase": [False],
    "strip_accents": ["unicode", "ascii"],
    "stop_words": ["english", ["red"]],
    "min_df": [2, 0.1],
    "max_df": [0.7],
    "max_features": [1, 5],
    "vocabulary": [["red", "blue"]],
}
SPACES: dict[str, dict[str, list[Any]]] = {
    "AdaBoostClassifier": {"learning_rate": [0.3, 2.0], "max_bins": [2, 16]},
    "BaggingClassifier": {"oob_score": [True]},
    "BaggingRegressor": {"oob_score": [True]},
    "BayesianNetworkDensity": {"alpha": [0.0, 0.5, 10.0]},
    "BayesianNetworkEM": {"alpha": [0.0, 0.5, 10.0], "latent": [{"h": 1}, {"h": 2}, {"g": 2, "h": 3}], "tol": [1e-2]},
    "BayesOptimalClassifier": {"max_literals": [1], "noise": [0.01, 0.3]},
    "BisectingKMeans": {
        "n_clusters": [1, 2, 3],
        "max_iter": [1, 5],
        "tol": [0.0],
        "bisecting_strategy": ["largest_cluster"],
    },
    "BernoulliNB": {**_PRIOR, "binarize": [0.5, -1.0]},
    "BridgeRegression": {"alpha": _PENALTY, "q": [1.0, 1.1, 2.0, 4.0], "fit_intercept": [False]},
    "C45": {**_GROWING, "prune": [None, "chi_squared"], "confidence": [0.05, 0.5]},
    "CART": _GROWING,
    "CandidateElimination": {},
    "CategoricalNB": {**_PRIOR, "m": [0.0, 3.0], "p": ["marginal"]},
    "ComplementNB": {**_PRIOR, "norm": [True]},
    "DecisionStump": {**_SPLITS, "min_samples_leaf": [1, 5], "max_bins": [2, 16]},
    "DecisionTreeClassifier": {
        **_LEAVES,
        **_SPLITS,
        **_PRUNE,
        "method": ["exact"],
        "min_impurity": [0.2, 0.45],
        "max_features": [1, 0.5, "sqrt"],
        "class_weight": ["balanced"],
        "prune": ["chi_squared", "best_cut", "pessimistic", "reduced_error", "cost_complexity"],
    },
    "DecisionTreeRegressor": {
        **_LEAVES,
        **_PRUNE,
        "split": ["multiway"],
        "missing": ["node_majority", "fractional"],
        "method": ["exact"],
        "max_features": [1, 0.5, "sqrt"],
        "prune": ["best_cut", "reduced_error", "cost_complexity"],
    },
    "DummyClassifier": {"strategy": ["most_frequent"]},
    "DummyRegressor": {},
    "ElasticNet": {**_PATHS, "alpha": _PENALTY, "l1_ratio": [0.0, 0.1, 0.9, 1.0]},
    "ElasticNetCV": {**_PATHS, "l1_ratio": [0.1, 1.0, [0.2, 0.8]], "cv": [2, 3]},
    "FindS": {},
    "FisherDiscriminant": {"n_components": [1]},
    "GammaRegressor": {"alpha": [0.0, 0.1, 10.0], "fit_intercept": [False]},
    "GaussianNB": {"var_smoothing": [0.0, 1e-3]},
    "GaussianMixture": {
        "n_components": [1, 2, 3],
        "covariance_type": ["tied", "diag", "spherical"],
        "init_params": ["k-means++", "random_from_data", "random"],
        "reg_covar": [1e-3],
        "max_iter": [1, 5],
    },
    "GradientBoostingClassifier": {**_ROUNDS, "n_iter_no_change": [2], "min_samples_split": [5, 30]},
    "GradientBoostingRegressor": {
        **_ROUNDS,
        "loss": _LOSSES,
        "alpha": [0.1],
        "n_iter_no_change": [2],
        "min_samples_split": [5, 30],
    },
    "HistGradientBoostingClassifier": {**_ROUNDS, "early_stopping": [True], "class_weight": ["balanced"]},
    "HistGradientBoostingRegressor": {**_ROUNDS, "early_stopping": [True], "loss": _LOSSES},
    "ID3": _GROWING,
    "KCNF": {"k": [1, 3], "binarize": [0.5]},
    "KDNF": {"k": [1, 3], "binarize": [0.5]},
    "KMeans": {"n_clusters": [1, 2, 3], "max_iter": [1, 5], "tol": [0.0]},
    "KNeighborsClassifier": _NEAR,
    "KNeighborsRegressor": _NEAR,
    "KernelPerceptron": {**_KERNEL, "eta0": [0.1], "fit_intercept": [False]},
    "KernelRidge": {**_KERNEL, "alpha": _PENALTY},
    "Lasso": {**_PATHS, "alpha": _PENALTY},
    "LassoCV": {**_PATHS, "cv": [2, 3], "eps": [0.1]},
    "LeastSquaresClassifier": {},
    "LinearDiscriminantAnalysis": {"shrinkage": ["auto", 0.0, 0.3, 1.0], "n_components": [1]},
    "LinearRegression": {
        "fit_intercept": [False],
        "standard_errors": ["HC0", "HC1", "HC2", "HC3"],
        "precision": ["high"],
    },
    "LinearSVC": {**_MACHINE, "loss": ["hinge"], "class_weight": ["balanced"]},
    "LinearSVR": {**_MACHINE, "loss": ["squared_epsilon_insensitive"], "epsilon": [0.1]},
    "LocallyWeightedRegression": {
        "n_neighbors": [3, 10],
        "bandwidth": [0.5, 3.0],
        "kernel": ["gaussian", "epanechnikov"],
        "degree": [0, 2],
    },
    "ListThenEliminate": {"max_literals": [1], "hypotheses": ["power set"]},
    "LogisticRegression": {"C": [1e-3, 0.1, 100.0], "l1_ratio": [0.5, 1.0], "fit_intercept": [False]},
    "MaxAbsScaler": {},
    "MinMaxScaler": {"feature_range": [(-1, 1), (0, 1e-3)], "clip": [True]},
    "MiniBatchKMeans": {"n_clusters": [1, 2, 3], "batch_size": [3, 50], "max_iter": [1, 5], "shuffle": [False]},
    "MultinomialNB": _PRIOR,
    "NaiveBayes": {**_PRIOR, "m": [0.0, 3.0], "p": ["marginal"], "bernoulli": [[]], "var_smoothing": [0.0, 1e-3]},
    "Nystroem": {**_KERNEL, "n_components": [1, 3, 20]},
    "DateParts": {"parts": [["hour"], ["week", "elapsed_seconds", "is_month_end"]], "cyclic": [True]},
    "FunctionTransformer": {"feature_names_out": ["one-to-one"]},
    "SimpleImputer": {
        "strategy": ["median", "most_frequent", "constant"],
        "add_indicator": [True],
        "keep_empty_features": [True],
    },
    "KBinsDiscretizer": {
        "n_bins": [2, 9],
        "encode": ["ordinal", "onehot-dense"],
        "strategy": ["uniform", "kmeans"],
        "quantile_method": ["linear"],
    },
    "OneHotEncoder": _INDICATORS,
    "PowerTransformer": {"standardize": [False]},
    "QuantileTransformer": {"n_quantiles": [1, 5], "output_distribution": ["normal"]},
    "RobustScaler": {"with_centering": [False], "quantile_range": [(0.0, 100.0)], "unit_variance": [False]},
    "OrdinalEncoder": {"encoded_missing_value": [-1.0], **_RARE},
    "PCA": {"n_components": [1, 0.5], "whiten": [True]},
    "MLPClassifier": {**_NETWORK, "solver": ["sgd", "lbfgs", "cg"]},
    "MLPRegressor": {**_NETWORK, "solver": ["lbfgs", "cg"]},
    "Adaline": {"batch_size": [1, 7], "fit_intercept": [False], "tol": [None], "shuffle": [False], "mixing": [True]},
    "Perceptron": {
        "variant": ["pocket", "averaged"],
        "eta0": [0.1],
        "fit_intercept": [False],
        "tol": [None],
        "shuffle": [False],
    },
    "PoissonRegressor": {"alpha": [0.0, 0.1, 10.0], "fit_intercept": [False], "standard_errors": ["HC0", "HC3"]},
    "PolynomialFeatures": {"degree": [1, 3], "interaction_only": [True], "include_bias": [False]},
    "PolynomialRegression": {"degree": [1, 3], "interaction_only": [True], "fit_intercept": [False]},
    "Profile": {"top": [1, 3], "max_values": [5]},
    "QuadraticDiscriminantAnalysis": {"reg_param": [0.01, 0.5, 1.0]},
    "RadialBasis": _SPREAD,
    "RBFNetworkClassifier": {"n_centers": [1, 3, 40], "gamma": [1e-3, 10.0], "C": [1e-3, 1e6]},
    "RBFNetworkRegressor": {"n_centers": [1, 3, 40], "gamma": [1e-3, 10.0], "alpha": [0.0, 1e3]},
    "RBFSampler": {"kernel": ["laplacian"], "gamma": ["scale", 0.1], "n_components": [1, 5, 30]},
    "ExtraTreesClassifier": {
        **_LEAVES,
        "criterion": ["entropy"],
        "max_features": [1, 0.5, None],
        "class_weight": ["balanced"],
        "bootstrap": [True],
    },
    "ExtraTreesRegressor": {**_LEAVES, "max_features": [1, 0.5, "sqrt"], "bootstrap": [True]},
    "RandomForestClassifier": {
        **_LEAVES,
        "criterion": ["entropy"],
        "max_features": [1, 0.5, None],
        "class_weight": ["balanced"],
        "bootstrap": [False],
    },
    "RandomForestRegressor": {**_LEAVES, "max_features": [1, 0.5, "sqrt"], "bootstrap": [False]},
    "Ridge": {
        "alpha": [0.0, *_PENALTY],
        "fit_intercept": [False],
        "standard_errors": ["HC0", "HC3"],
        "precision": ["high"],
    },
    "RidgeCV": {"alphas": [(1e-3, 1.0), (0.1,)], "fit_intercept": [False], "cv": [2, 3]},
    "RuleListClassifier": {
        "criterion": ["entropy", "gini"],
        "split": ["subset"],
        "prune": ["reduced_error"],
        "held_back": [0.4],
        "missing": ["node_majority", "class_majority"],
        **_GROWING,
        "max_bins": [2, 16],
    },
    "SGDClassifier": {**_STEPS, "loss": ["squared_error", "log_loss", "exponential"]},
    "SGDRegressor": {**_STEPS, "loss": ["epsilon_insensitive"]},
    "SLIQ": _GROWING,
    "SVC": {
        "C": [1e-3, 30.0],
        "kernel": ["linear", "poly", "laplacian"],
        "class_weight": ["balanced"],
        "multi_class": ["ovr"],
    },
    "SVR": {"C": [1e-3, 30.0], "kernel": ["linear", "laplacian"], "epsilon": [0.0, 1.0]},
    "SelectKBest": {"k": [0, 1, 3, "all"]},
    "SelectPercentile": {"percentile": [0, 30, 50, 100]},
    "SplineTransformer": {
        "n_knots": [2, 9],
        "degree": [1, 2],
        "knots": ["quantile"],
        "extrapolation": ["linear", "continue"],
        "include_bias": [False],
        "sparse_output": [True],
    },
    "SigmoidBasis": _SPREAD,
    "StackingClassifier": {"cv": [2, 3], "passthrough": [True], "stack_method": ["predict"]},
    "StackingRegressor": {"cv": [2, 3], "passthrough": [True]},
    "StandardScaler": {"with_mean": [False], "with_std": [False]},
    "TanhBasis": _SPREAD,
    "TextFeatures": {
        **_TERMS,
        "weighting": ["binary", "count"],
        "stemmer": ["english", "german"],
        "max_terms": [1000],
        "n_features": [1, 64],
        "alternate_sign": [True],
        "sublinear_tf": [True],
        "smooth_idf": [False],
        "norm": ["l1", None],
    },
    "CountVectorizer": {**_TERMS, "binary": [True]},
    "TfidfVectorizer": {**_TERMS, "sublinear_tf": [True], "smooth_idf": [False], "norm": ["l1", None]},
    "TreeAugmentedNB": _PRIOR,
    "TruncatedSVD": {"n_components": [1, 3]},
    "ColumnTransformer": {"verbose_feature_names_out": [False], "sparse_threshold": [0.0]},
    "FeatureUnion": {"verbose_feature_names_out": [False]},
    "TargetEncoder": {"smooth": [0.0, 5.0], "cv": [2, 7]},
    "Normalizer": {"norm": ["l1", "max"]},
    "VarianceThreshold": {"threshold": [0.1, 1.0]},
    "VotingClassifier": {"voting": ["soft"], "weights": [[1.0, 3.0]]},
    "VotingRegressor": {"weights": [[1.0, 3.0]]},
}
"""What a parameter may be instead of its default, for each learner."""

SIZES: dict[str, dict[str, list[Any]]] = {
    "AdaBoostClassifier": {"n_estimators": [1, 3, 10]},
    "BaggingClassifier": {"n_estimators": [1, 3, 5]},
    "BaggingRegressor": {"n_estimators": [1, 3, 5]},
    "ElasticNetCV": {"alphas": [5, 20]},
    "LassoCV": {"alphas": [5, 20]},
    "GradientBoostingClassifier": {"n_estimators": [1, 3, 10]},
    "GradientBoostingRegressor": {"n_estimators": [1, 3, 10]},
    "HistGradientBoostingClassifier": {"max_iter": [1, 3, 10]},
    "HistGradientBoostingRegressor": {"max_iter": [1, 3, 10]},
    "KernelPerceptron": {"max_iter": [1, 2, 20]},
    "MLPClassifier": {"max_iter": [1, 2, 20]},
    "MLPRegressor": {"max_iter": [1, 2, 20]},
    "Adaline": {"max_iter": [1, 2, 20]},
    "Perceptron": {"max_iter": [1, 2, 20]},
    "ExtraTreesClassifier": {"n_estimators": [1, 3, 10]},
    "ExtraTreesRegressor": {"n_estimators": [1, 3, 10]},
    "RandomForestClassifier": {"n_estimators": [1, 3, 10]},
    "RandomForestRegressor": {"n_estimators": [1, 3, 10]},
    "SGDClassifier": {"max_iter": [1, 2, 20]},
    "SGDRegressor": {"max_iter": [1, 2, 20]},
}
"""What is drawn every time, since the default takes too long."""


def public() -> dict[str, Any]:
    """Every public learner of rows by name, found in the package; what is drawn here are no sequences."""
    named = {name: getattr(tn, name) for name in tn.__all__}
    found = {name: cls for name, cls in named.items() if isinstance(cls, type) and issubclass(cls, Estimator)}
    return {name: cls for name, cls in found.items() if not issubclass(cls, SequenceLearner)}


def _members(random: Any, name: str) -> dict[str, Any]:
    """The learners that a learner of learners is made of."""
    classifiers = [tn.GaussianNB(), tn.LogisticRegression(), tn.DecisionTreeClassifier(max_depth=3)]
    regressors = [tn.Ridge(), tn.LinearRegression(), tn.DecisionTreeRegressor(max_depth=3)]
    some = regressors if name.endswith("Regressor") else classifiers
    if name.startswith(("Voting", "Stacking")):
        order = random.permutation(3)[:2]
        return {"estimators": [(f"m{k}", some[k]) for k in order]}
    if name.startswith("Bagging") and random.random() < 0.5:
        return {"estimator": pick(random, some)}
    return {}


def drawn(random: Any, only: str = "") -> Any:
    """A learner with drawn parameters; `only` is its name, or a part of the names of some."""
    names = [only] if only in public() else sorted(name for name in public() if only.lower() in name.lower())
    name = pick(random, names)
    params = {key: pick(random, values) for key, values in SIZES.get(name, {}).items()}
    share = pick(random, [0.0, 0.15, 0.4])
    for key, values in SPACES.get(name, {}).items():
        if random.random() < share:
            params[key] = pick(random, values)
    params |= _members(random, name)
    if name.startswith("Hist") and params.get("loss") == "quantile":
        params["quantile"] = pick(random, [0.1, 0.9])
    if name in ("VotingClassifier", "VotingRegressor") and "estimators" not in params:
        params.pop("weights", None)
    return public()[name](**params)


def draws(learner: Any) -> bool:
    """Whether rows are drawn by their places, or visited in an order: then neither order nor repetition is a law."""
    folds = hasattr(learner, "cv") and (learner.cv is None or isinstance(learner.cv, int))
    return bool(learner.draws_rows or folds or learner.passes == "sequential" or getattr(learner, "max_features", None))
