"""What becomes of each keyword of scikit-learn's learner of the same name: the same, renamed, without effect, refused.

A keyword that is not named here is a parameter of ours too, with the same meaning. One that has no effect is taken
in every value that scikit-learn takes, so that its programs run; one that is refused is taken in those values only
that say what is done anyway, and the error of any other says what to do instead. Of a keyword that is ours too, some
of scikit-learn's values may be refused, in the same words.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from functools import cache
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils._param_validation import StrOptions, make_constraint


class Renamed(NamedTuple):
    """A keyword that sets another of our parameters; both are accepted."""

    to: str

    def __str__(self) -> str:
        return f"renamed: {self.to} (both accepted)"


class NoEffect(NamedTuple):
    """A keyword that is accepted and changes nothing."""

    because: str
    takes: tuple[Any, ...]
    """what it may be, in the terms of scikit-learn's constraints"""

    def __str__(self) -> str:
        return f"accepted: no effect because {self.because}"


class Refused(NamedTuple):
    """A keyword that only these values are accepted of."""

    because: str
    remedy: str
    takes: tuple[Any, ...]
    """the values: what is done anyway"""

    def __str__(self) -> str:
        return f"refused: {self.because}. Remedy: {self.remedy}"


class RefusedValue(NamedTuple):
    """A value of a keyword that scikit-learn takes and that cannot be had."""

    value: Any
    """the value, or what it is, in the terms of scikit-learn's constraints"""
    because: str
    remedy: str

    def __str__(self) -> str:
        return f"refused: {self.because}. Remedy: {self.remedy}"

    def is_of(self, given: Any) -> bool:
        """Whether a parameter has this value, or is of this kind."""
        if isinstance(self.value, str) and self.value != "array-like":
            return isinstance(given, str) and given == self.value
        return bool(make_constraint(self.value).is_satisfied_by(given))


class RefusedValues(NamedTuple):
    """A keyword that is our parameter too, of which these values are refused."""

    each: tuple[RefusedValue, ...]

    def __str__(self) -> str:
        names = {"array-like": "an array", callable: "a function"}
        return "; ".join(f"{names.get(one.value, repr(one.value))} {one}" for one in self.each)


def refused(because: str, remedy: str, *values: Any) -> tuple[RefusedValue, ...]:
    """Values that are refused for one reason, with one remedy."""
    return tuple(RefusedValue(value, because, remedy) for value in values)


Decision = Renamed | NoEffect | Refused | RefusedValues

_integer, _number, _flag = (Integral, None), (Real, None), ("boolean",)
_any_start = "the minimum is found to `tol` from any start"
_exact = "the answer is computed exactly, from the merged summary"
_alone = "a fit depends on its rows alone, not on the fit before"
_only_with = "it is read only beside a keyword that is refused"

n_jobs = NoEffect("`tenfold.on` says which cores work, and results do not depend on them", _integer)
verbose = NoEffect("callbacks show how far a fit is", ("verbose",))
copied = NoEffect("the rows that are given are never changed", _flag)
unseeded = NoEffect("nothing is drawn", ("random_state",))
same_clusters = NoEffect("either finds the same clusters", (StrOptions({"lloyd", "elkan"}),))
restart = NoEffect(_any_start, _flag)
no_restart = Refused(_alone, "partial_fit, where there is one", (False,))
no_more_trees = Refused(_alone, "fit with more n_estimators", (False,))
monotonic = Refused(
    "only boosted trees can be kept monotonic",
    "HistGradientBoostingClassifier or HistGradientBoostingRegressor",
    (None,),
)
smoothed = Refused("alpha is taken as it is, 0 too", "alpha=1e-10", (True,))
squares = Refused(
    "trees of numbers split by squared errors",
    'HistGradientBoostingRegressor(loss="absolute_error")',
    ("squared_error",),
)
covariance = Refused(
    "covariances come from summaries that merge, not from another estimator", "shrinkage or reg_param", (None,)
)
positive = Refused(
    "coefficients of least squares have any sign", "ElasticNet(positive=True), or Lasso(positive=True)", (False,)
)
poisson_draws = Refused(
    "each row is drawn a Poisson number of times, of mean 1", "fit to a share of the rows", (None, 1.0)
)
all_counted = NoEffect("all rows are counted", _integer)
dtype = Refused("what comes out are 64-bit floats", "astype of what comes out", (np.float64,))
one_metric = Refused("a metric has no parameters beside p", "metric, p and attribute_weights", (None,))

_bag: dict[str, Decision] = {
    "max_samples": poisson_draws,
    "max_features": Refused("members see all columns", "RandomForestClassifier or RandomForestRegressor", (1.0,)),
    "bootstrap": Refused("members draw rows with replacement", "VotingClassifier or VotingRegressor", (True,)),
    "bootstrap_features": Refused("members see all columns", "RandomForestClassifier(max_features=...)", (False,)),
    "warm_start": no_more_trees,
    "n_jobs": n_jobs,
    "verbose": verbose,
}
_lasso: dict[str, Decision] = {
    "max_iter": RefusedValues(refused("a number is needed", "max_iter=1000", None)),
    "precompute": NoEffect(
        "the Gram matrix is what summaries merge to", ("boolean", "array-like", StrOptions({"auto"}))
    ),
    "copy_X": copied,
    "selection": NoEffect(_any_start, (StrOptions({"cyclic", "random"}),)),
}
_side_by_side: dict[str, Decision] = {
    "n_jobs": n_jobs,
    "transformer_weights": Refused(
        "outputs come as the transformers make them", "a scaler, or penalties of the learner that follows", (None,)
    ),
    "verbose": verbose,
}
_glm: dict[str, Decision] = {
    "solver": NoEffect(_any_start, (StrOptions({"lbfgs", "newton-cholesky"}),)),
    "warm_start": restart,
    "verbose": verbose,
}
_metrics = RefusedValues((
    *refused(
        "distances are computed from rows",
        "kernel=, a function of two arrays of rows that gives their kernel values", "precomputed", "pyfunc", callable,
    ),
    *refused("the neighbours are those of the Euclidean distance", 'metric="euclidean"', "sqeuclidean"),
    *refused("attribute_weights scale columns", "attribute_weights=1 / X.var(axis=0)", "seuclidean"),
    *refused("whitened rows have it", "make_pipeline(PCA(whiten=True), KNeighborsClassifier())", "mahalanobis"),
    *refused("it is the cosine of centred rows", 'metric="cosine", X - X.mean(axis=1, keepdims=True)', "correlation"),
    *refused("it is no distance here", 'metric="manhattan", of columns of similar scale', "braycurtis", "canberra"),
    *refused("it is the order of distances on the unit sphere",
             "np.column_stack([cos(a) * cos(b), cos(a) * sin(b), sin(a)]) of latitude and longitude", "haversine"),
    *refused("rows must be complete", "make_pipeline(SimpleImputer(), KNeighborsClassifier())", "nan_euclidean"),
    *refused("rows of 0 and 1 are compared by how many columns differ", 'metric="hamming"',
             "dice", "jaccard", "rogerstanimoto", "russellrao", "sokalmichener", "sokalsneath", "yule"),
))  # fmt: skip
_neighbors: dict[str, Decision] = {
    "metric": _metrics,
    "n_neighbors": RefusedValues(refused("a number is needed", "n_neighbors=5", None)),
    "p": RefusedValues(refused("a number is needed", "p=2", None)),
    "leaf_size": NoEffect("the neighbours are the same, however they are found", (Integral,)),
    "metric_params": one_metric,
    "n_jobs": n_jobs,
}
_forest: dict[str, Decision] = {
    "oob_score": NoEffect("`oob_score_` is always there", _flag),
    "n_jobs": n_jobs,
    "verbose": verbose,
    "warm_start": no_more_trees,
    "monotonic_cst": monotonic,
}
_drawn = "predictions are not drawn, so that they are the same each time"
_one_penalty = RefusedValues(
    refused("one penalty holds for all targets", "RidgeCV(alphas=...), or a model for each target", "array-like")
)
_naive: dict[str, Decision] = {
    "alpha": RefusedValues(refused("one alpha holds for all columns", "alpha=1.0, or another number", "array-like")),
    "force_alpha": smoothed,
}
_not_random = RefusedValues(refused("centres begin far from each other", 'init="k-means++", or an array', "random"))
_learning_rates = RefusedValues(
    (
        *refused("steps shrink by a schedule that is known before", 'learning_rate="invscaling"', "adaptive"),
        *refused("steps do not depend on the loss of the row", 'learning_rate="optimal"', "pa1", "pa2"),
    )
)
_share = RefusedValues(refused("a number is needed", "l1_ratio=0.15, which only penalty='elasticnet' reads", None))
_splitter = Refused("splits are the best there are", 'RandomForestClassifier, or max_features="sqrt"', ("best",))
_log_loss = Refused(
    "classes are boosted by their log loss", "AdaBoostClassifier for the exponential loss", ("log_loss",)
)
_losses = Refused(
    "numbers are boosted by squared, absolute, quantile or Poisson loss",
    "'absolute_error' for 'huber', 'poisson' or GammaRegressor for 'gamma'",
    ("squared_error", "absolute_error", "quantile", "poisson"),
)
_columns_of_splits = (
    "every column is tried at every split",
    "max_features of RandomForestClassifier or RandomForestRegressor",
)
_boosting: dict[str, Decision] = {
    "criterion": NoEffect(
        "both of scikit-learn's choose the same splits", (StrOptions({"deprecated", "friedman_mse", "squared_error"}),)
    ),
    "min_weight_fraction_leaf": Refused("nodes are limited by the rows of their leaves", "min_samples_leaf", (0.0,)),
    "min_impurity_decrease": Refused("nodes are limited by the rows of their leaves", "min_samples_leaf", (0.0,)),
    "init": Refused("boosting starts from the best constant", "StackingClassifier or StackingRegressor", (None,)),
    "max_features": Refused(*_columns_of_splits, (None, 1.0)),
    "verbose": verbose,
    "warm_start": no_more_trees,
    "ccp_alpha": Refused("trees are not pruned", "max_depth, min_samples_leaf or max_leaf_nodes", (0.0,)),
}
_hist_boosting: dict[str, Decision] = {
    "validation_fraction": RefusedValues(
        refused("rows that were learned from do not tell when to stop", "validation_fraction=0.1", None)
    ),
    "max_features": Refused(*_columns_of_splits, (1.0,)),
    "categorical_features": Refused(
        "columns of text and categorical columns are categories",
        "a frame with such columns, X.astype({name: 'category'}), or tenfold.scan(..., categorical=[name]), without an "
        "encoder before it",
        ("from_dtype",),
    ),
    "interaction_cst": Refused("any columns may stand in one tree", "max_depth=1, for no interactions", (None,)),
    "warm_start": Refused(_alone, "fit with more max_iter", (False,)),
    "scoring": Refused("rows that are kept back are judged by the loss", "tenfold.tune over max_iter", ("loss",)),
    "verbose": verbose,
}
_stopping: dict[str, Decision] = {
    "verbose": verbose,
    "early_stopping": Refused(
        "no rows are set aside", "tol and n_iter_no_change, or tenfold.tune over max_iter", (False,)
    ),
    "validation_fraction": NoEffect(_only_with, (Real,)),
    "warm_start": no_restart,
}
_scaler: dict[str, Decision] = {"copy": copied}
_vectorizer: dict[str, Decision] = {
    "token_pattern": RefusedValues(refused("words are found by a pattern", "leave token_pattern out", None)),
    "input": Refused("documents are text, not files", "tenfold.scan, or the text itself", ("content",)),
    "encoding": NoEffect("documents are text, not bytes", (str,)),
    "decode_error": NoEffect("documents are text, not bytes", (StrOptions({"strict", "ignore", "replace"}),)),
    "preprocessor": Refused(
        "a function cannot be written to a model file", "strip_accents, lowercase, or text made before", (None,)
    ),
    "tokenizer": Refused("a function cannot be written to a model file", "token_pattern", (None,)),
    "dtype": dtype,
}
_members: dict[str, Decision] = {"n_jobs": n_jobs, "verbose": verbose}
_stacked: dict[str, Decision] = {
    **_members,
    "cv": RefusedValues(refused("members learn with the stack, in the same scans", "cv=5", "prefit")),
}

KEYWORDS: dict[str, dict[str, Decision]] = {
    "BaggingClassifier": _bag,
    "BaggingRegressor": _bag,
    "BernoulliNB": _naive,
    "BisectingKMeans": {
        "init": Refused(
            "a cluster is halved from two rows drawn by k-means++", "random_state", ("random", "k-means++")
        ),
        "n_init": Refused("each cluster is halved once", "fits of several random_state, the least inertia_", (1,)),
        "verbose": verbose,
        "copy_x": copied,
        "algorithm": same_clusters,
    },
    "CategoricalNB": {
        "force_alpha": smoothed,
        "min_categories": Refused(
            "categories are those of the rows, or of a categorical column", "a frame with categorical columns", (None,)
        ),
    },
    "ColumnTransformer": _side_by_side,
    "ComplementNB": _naive,
    "DecisionTreeClassifier": {"splitter": _splitter, "monotonic_cst": monotonic},
    "DecisionTreeRegressor": {"criterion": squares, "splitter": _splitter, "monotonic_cst": monotonic},
    "DummyClassifier": {
        "strategy": RefusedValues(
            (
                *refused(
                    _drawn,
                    'strategy="prior", whose predict_proba gives the shares of the classes',
                    "stratified",
                    "uniform",
                ),
                *refused("the answer comes from the target", 'strategy="most_frequent"', "constant"),
            )
        ),
        "random_state": unseeded,
        "constant": Refused("the answer comes from the target", 'strategy="prior"', (None,)),
    },
    "DummyRegressor": {
        "strategy": RefusedValues(
            (
                *refused(
                    "the answer is a mean, which merges",
                    'HistGradientBoostingRegressor(loss="absolute_error"), which starts from the median',
                    "median",
                ),
                *refused(
                    "the answer is a mean, which merges",
                    'HistGradientBoostingRegressor(loss="quantile", quantile=...)',
                    "quantile",
                ),
                *refused("the answer comes from the target", 'strategy="mean"', "constant"),
            )
        ),
        "constant": Refused("the answer comes from the target", 'strategy="mean"', (None,)),
        "quantile": Refused(
            "the answer is a mean, which merges", "HistGradientBoostingRegressor(loss='quantile')", (None,)
        ),
    },
    "ElasticNet": {**_lasso, "warm_start": restart, "random_state": unseeded},
    "ElasticNetCV": {**_lasso, "verbose": verbose, "n_jobs": n_jobs},
    "FunctionTransformer": {
        "validate": NoEffect("a function is always given an array of numbers that was checked", _flag),
        "accept_sparse": Refused("a function is given arrays", "toarray() before", (False,)),
        "check_inverse": NoEffect("it only warns, and the inverse is taken as it is", _flag),
    },
    "GammaRegressor": _glm,
    "FeatureUnion": _side_by_side,
    "GaussianMixture": {
        "n_init": Refused("a fit starts once", "fits of several random_state, the greatest lower_bound_", (1,)),
        "warm_start": Refused(_alone, "weights_init, means_init and precisions_init", (False,)),
        "verbose": verbose,
        "verbose_interval": NoEffect("callbacks show how far a fit is", (Integral,)),
    },
    "GradientBoostingClassifier": {**_boosting, "loss": _log_loss},
    "GradientBoostingRegressor": {**_boosting, "loss": _losses},
    "HistGradientBoostingClassifier": {**_hist_boosting, "loss": _log_loss},
    "HistGradientBoostingRegressor": {**_hist_boosting, "loss": _losses},
    "CountVectorizer": {
        **_vectorizer,
        "dtype": Refused(
            "counts come as 64-bit floats, which hold them exactly", "astype of what comes out", (np.int64, np.float64)
        ),
    },
    "KBinsDiscretizer": {
        "quantile_method": RefusedValues(
            refused(
                "it is not among the quantiles of counted values here",
                'quantile_method="linear"',
                "hazen",
                "closest_observation",
                "interpolated_inverted_cdf",
                "median_unbiased",
                "normal_unbiased",
                "weibull",
            )
        ),
        "dtype": Refused("what comes out is as precise as what went in", "astype of what goes in", (None,)),
        "subsample": all_counted,
        "random_state": unseeded,
    },
    "MLPClassifier": {"verbose": verbose},
    "MLPRegressor": {
        "verbose": verbose,
        "loss": Refused(
            "networks of numbers are fitted by squared errors", "PoissonRegressor for counts", ("squared_error",)
        ),
    },
    "MaxAbsScaler": {**_scaler, "clip": Refused("unseen rows may be larger", "MinMaxScaler(clip=True)", (False,))},
    "MinMaxScaler": _scaler,
    "Normalizer": _scaler,
    "OneHotEncoder": {
        "dtype": dtype,
        "feature_name_combiner": Refused("names are joined by an underscore", "rename the columns", ("concat",)),
    },
    "OrdinalEncoder": {"dtype": dtype},
    "PolynomialFeatures": {
        "order": NoEffect("it says how an array lies in memory, not what is in it", (StrOptions({"C", "F"}),))
    },
    "PowerTransformer": _scaler,
    "QuantileTransformer": {
        **_scaler,
        "ignore_implicit_zeros": Refused(
            "zeros count, whether they are written or not", "a column of NaN for zeros", (False,)
        ),
        "subsample": all_counted,
        "random_state": unseeded,
    },
    "RobustScaler": _scaler,
    "SimpleImputer": {
        **_scaler,
        "missing_values": Refused(
            "what is missing is NaN, None or pandas.NA", "replace other marks by NaN before", (math.nan, None)
        ),
    },
    "StandardScaler": _scaler,
    "TfidfVectorizer": _vectorizer,
    "KernelRidge": {"alpha": _one_penalty},
    "KMeans": {
        "init": _not_random,
        "verbose": verbose,
        "copy_x": copied,
        "algorithm": same_clusters,
    },
    "KNeighborsClassifier": _neighbors,
    "KNeighborsRegressor": _neighbors,
    "Lasso": {**_lasso, "warm_start": restart, "random_state": unseeded},
    "LassoCV": {**_lasso, "verbose": verbose, "n_jobs": n_jobs},
    "LinearDiscriminantAnalysis": {
        "solver": NoEffect(_exact, (StrOptions({"svd", "lsqr", "eigen"}),)),
        "store_covariance": NoEffect("`covariance_` is always there", _flag),
        "covariance_estimator": covariance,
    },
    "LinearRegression": {
        "copy_X": copied,
        "tol": NoEffect(_exact, (Real,)),
        "n_jobs": n_jobs,
        "positive": positive,
    },
    "LogisticRegression": {
        "l1_ratio": RefusedValues(refused("a number is needed", "l1_ratio=0.0", None)),
        "penalty": Renamed("l1_ratio and C"),
        "dual": NoEffect(_any_start, _flag),
        "intercept_scaling": NoEffect("the intercept is not penalised", (Real,)),
        "random_state": unseeded,
        "solver": NoEffect(
            "the minimum is the same; the intercept is not penalised, as it is by scikit-learn's liblinear",
            (StrOptions({"lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga"}),),
        ),
        "verbose": verbose,
        "warm_start": restart,
        "n_jobs": n_jobs,
    },
    "LinearSVC": {"random_state": unseeded},
    "LinearSVR": {"random_state": unseeded},
    "MiniBatchKMeans": {
        "init": _not_random,
        "verbose": verbose,
        "compute_labels": NoEffect("`labels_` are computed when they are read", _flag),
        "max_no_improvement": NoEffect("a fit ends by `tol` or `max_iter`", _integer),
        "init_size": NoEffect("`init` draws from a sample of its own size", _integer),
        "reassignment_ratio": Refused("no centre is drawn again", "KMeans, or another random_state", (0.01, 0.0)),
    },
    "MultinomialNB": _naive,
    "Nystroem": {
        "kernel": RefusedValues(
            refused("rows are compared with some of them by a function", "a kernel by name or object", "precomputed")
        ),
        "kernel_params": Refused(
            "a kernel with parameters is an object here", "kernel=tenfold.GaussianKernel(...), or another", (None,)
        ),
        "n_jobs": n_jobs,
    },
    "PCA": {
        "n_components": RefusedValues(
            refused(
                "how many components there are is said by a number or by a share of the variance",
                "n_components=0.95, or another share",
                "mle",
            )
        ),
        "copy": copied,
        "svd_solver": NoEffect(_exact, (StrOptions({"auto", "full", "covariance_eigh", "arpack", "randomized"}),)),
        "tol": NoEffect(_exact, (Real,)),
        "iterated_power": NoEffect(_exact, (Integral, StrOptions({"auto"}))),
        "n_oversamples": NoEffect(_exact, (Integral,)),
        "power_iteration_normalizer": NoEffect(_exact, (StrOptions({"auto", "QR", "LU", "none"}),)),
        "random_state": unseeded,
    },
    "Perceptron": {
        **_stopping,
        "penalty": Refused("the perceptron has no penalty", "SGDClassifier(penalty=...)", (None,)),
        "alpha": NoEffect(_only_with, (Real,)),
        "l1_ratio": NoEffect(_only_with, (Real,)),
        "n_jobs": n_jobs,
    },
    "PoissonRegressor": _glm,
    "QuadraticDiscriminantAnalysis": {
        "solver": NoEffect(_exact, (StrOptions({"svd", "eigen"}),)),
        "shrinkage": Refused("covariances are shrunk towards the identity by reg_param", "reg_param", (None,)),
        "store_covariance": NoEffect("`covariance_` is always there", _flag),
        "tol": NoEffect("a covariance that cannot be inverted is an error of its own", (Real,)),
        "covariance_estimator": covariance,
    },
    "RandomForestClassifier": {
        **_forest,
        "class_weight": RefusedValues(
            refused("classes have one weight in all trees", 'class_weight="balanced"', "balanced_subsample")
        ),
    },
    "RandomForestRegressor": {**_forest, "criterion": squares},
    "Ridge": {
        "alpha": _one_penalty,
        "copy_X": copied,
        "max_iter": NoEffect(_exact, _integer),
        "tol": NoEffect(_exact, (Real,)),
        "solver": NoEffect(
            _exact, (StrOptions({"auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs"}),)
        ),
        "positive": positive,
        "random_state": unseeded,
    },
    "RidgeCV": {
        "scoring": Refused("penalties are chosen by squared error", "tenfold.tune(Ridge(), ..., scoring=...)", (None,)),
        "gcv_mode": NoEffect(_exact, (StrOptions({"auto", "svd", "eigen"}), None)),
        "store_cv_results": Refused("only the best score is kept", "tenfold.validation_curve", (False,)),
        "alpha_per_target": NoEffect("there is one target", _flag),
    },
    "SGDClassifier": {
        **_stopping,
        "l1_ratio": _share,
        "learning_rate": _learning_rates,
        "loss": RefusedValues(
            (
                *refused(
                    "it is not among the losses of gradient descent here",
                    'LinearSVC(loss="squared_hinge"), whose minimum is found to `tol`',
                    "squared_hinge",
                ),
                *refused(
                    "it is not among the losses of gradient descent here",
                    'loss="log_loss", which gives probabilities too',
                    "modified_huber",
                ),
                *refused("the perceptron is a learner of its own", "Perceptron()", "perceptron"),
                *refused(
                    "it is a loss of numbers",
                    'loss="squared_error", or loss="hinge"',
                    "huber",
                    "epsilon_insensitive",
                    "squared_epsilon_insensitive",
                ),
            )
        ),
        "epsilon": NoEffect("no loss of classes has it here", (Real,)),
        "n_jobs": n_jobs,
    },
    "SGDRegressor": {
        **_stopping,
        "l1_ratio": _share,
        "learning_rate": _learning_rates,
        "loss": RefusedValues(
            (
                *refused(
                    "it is not among the losses of gradient descent here",
                    'loss="epsilon_insensitive", whose slope is bounded too',
                    "huber",
                ),
                *refused(
                    "it is not among the losses of gradient descent here",
                    'LinearSVR(loss="squared_epsilon_insensitive")',
                    "squared_epsilon_insensitive",
                ),
            )
        ),
    },
    "SVC": {"random_state": unseeded},
    "StackingClassifier": _stacked,
    "StackingRegressor": _stacked,
    "TargetEncoder": {
        "categories": Refused("the categories are those of the rows", "fit to rows that have them", ("auto",)),
        "shuffle": NoEffect("folds are dealt by the numbers of rows", ("boolean", StrOptions({"deprecated"}))),
        "random_state": NoEffect("nothing is drawn", ("random_state", StrOptions({"deprecated"}))),
    },
    "VotingClassifier": _members,
    "VotingRegressor": _members,
}


@cache
def keywords_of(cls: type) -> Mapping[str, Decision]:
    """What becomes of scikit-learn's keywords of a learner, or of the learner that it is a kind of."""
    return next((KEYWORDS[base.__name__] for base in cls.__mro__ if base.__name__ in KEYWORDS), {})


def constraints_of(cls: type, params: Collection[str]) -> dict[str, Any]:
    """What those keywords may be that a learner does not itself look at, in scikit-learn's terms."""
    decided = {name: one for name, one in keywords_of(cls).items() if name in params}
    ignored = {name: list(one.takes) for name, one in decided.items() if isinstance(one, NoEffect)}
    return ignored | {name: "no_validation" for name, one in decided.items() if isinstance(one, Refused)}


def refuse_keywords(cls: type, params: Mapping[str, Any]) -> None:
    """Refuse values of scikit-learn's keywords that cannot be had, and say what to do instead."""
    for name, one in keywords_of(cls).items():
        if name not in params:
            continue
        if isinstance(one, Refused) and not any(_same(params[name], value) for value in one.takes):
            raise ValueError(f"{cls.__name__}: {name}={params[name]!r} is {one}")
        if isinstance(one, RefusedValues):
            for value in one.each:
                if value.is_of(params[name]):
                    raise ValueError(f"{cls.__name__}: {name}={params[name]!r} is {value}")


def has_no_effect(cls: type, name: str) -> bool:
    """Whether a keyword is there for programs written for scikit-learn only."""
    return isinstance(keywords_of(cls).get(name), NoEffect)


def _same(given: Any, value: Any) -> bool:
    """Whether a parameter has a value; True is not 1, and an array is no single value. A dtype has several names."""
    if isinstance(value, type) and isinstance(given, (type, str, np.dtype)):
        try:
            return bool(np.dtype(given) == value)
        except TypeError:
            return False
    if type(given).__name__ == "NAType":  # which is missing, as NaN is
        return isinstance(value, float) and value != value
    return (
        isinstance(given, bool) == isinstance(value, bool)
        and isinstance(given, (Real, str, type(None)))
        and (given == value or (given != given and value != value))
    )
