"""What becomes of each keyword of scikit-learn's learner of the same name: the same, renamed, without effect, refused.

A keyword that is not named here is a parameter of ours too, with the same meaning. One that has no effect is taken
in every value that scikit-learn takes, so that its programs run; one that is refused is taken in those values only
that say what is done anyway, and the error of any other has a remedy: the call to write instead. Of a keyword that is
ours too, some of scikit-learn's values may be refused, in the same words.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from functools import cache
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions, make_constraint

from tenfold.core.errors import ParameterError, Remedy
from tenfold.estimator.constraints import integer, real, share


class Renamed(NamedTuple):
    """A keyword that sets another of our parameters; both are accepted."""

    to: str

    def __str__(self) -> str:
        return f"renamed: {self.to} (both accepted)"


class Refused(NamedTuple):
    """A keyword that only these values are accepted of."""

    because: str
    remedy: Remedy
    takes: tuple[Any, ...]
    """the values: what is done anyway"""

    def __str__(self) -> str:
        return f"refused: {self.because}. Remedy: {self.remedy}"


class RefusedValue(NamedTuple):
    """A value of a keyword that scikit-learn takes and that cannot be had."""

    value: Any
    """the value, or what it is, in the terms of scikit-learn's constraints"""
    because: str
    remedy: Remedy

    def __str__(self) -> str:
        return f"refused: {self.because}. Remedy: {self.remedy}"

    def is_of(self, given: Any) -> bool:
        """Whether a parameter has this value, or is of this kind."""
        if isinstance(self.value, str) and self.value != "array-like":
            return isinstance(given, str) and given == self.value
        if isinstance(self.value, (Real, Interval)) and isinstance(given, (bool, np.bool_)):
            return False
        if isinstance(self.value, Real):
            return isinstance(given, Real) and bool(given == self.value)
        return bool(make_constraint(self.value).is_satisfied_by(given))


class NoEffect(NamedTuple):
    """A keyword that is accepted and changes nothing."""

    because: str
    takes: tuple[Any, ...]
    """what it may be, in the terms of scikit-learn's constraints"""
    refuses: tuple[RefusedValue, ...] = ()
    """values of scikit-learn's that would have an effect"""

    def __str__(self) -> str:
        return f"accepted: no effect because {self.because}"


class RefusedValues(NamedTuple):
    """A keyword that is our parameter too, of which these values are refused."""

    each: tuple[RefusedValue, ...]

    def __str__(self) -> str:
        names = {"array-like": "an array", callable: "a function", str: "text"}
        shown = [names.get(v, str(v) if isinstance(v, Interval) else repr(v)) for v in (one.value for one in self.each)]
        return "; ".join(f"{value} {one}" for value, one in zip(shown, self.each, strict=True))


def refused(because: str, remedy: Remedy, *values: Any) -> tuple[RefusedValue, ...]:
    """Values that are refused for one reason, with one remedy."""
    return tuple(RefusedValue(value, because, remedy) for value in values)


Decision = Renamed | NoEffect | Refused | RefusedValues
Keywords = dict[str, Decision]
"""what becomes of each keyword of a learner, by its name"""

_integer, _flag = (Integral, None), ("boolean",)
_count, _count_or_none, _not_negative = (integer(1),), (integer(1), None), (real(0),)
_any_start = "the minimum is found to `tol` from any start"
_exact = "the answer is computed exactly, from the merged summary"
_alone = "a fit depends on its rows alone, not on the fit before"
_only_with = "it is read only beside a keyword that is refused"
_needs_number = "a number is needed"

n_jobs = NoEffect("`tenfold.on` says which cores work, and results do not depend on them", _integer)
verbose = NoEffect("callbacks show how far a fit is", ("verbose",))
copied = NoEffect("the rows that are given are never changed", _flag)
unseeded = NoEffect("nothing is drawn", ("random_state",))
same_clusters = NoEffect("either finds the same clusters", (StrOptions({"lloyd", "elkan"}),))
restart = NoEffect(_any_start, _flag)
all_counted = NoEffect("all rows are counted", _count_or_none)
positive = Refused(
    "coefficients of least squares have any sign", Remedy("tn.ElasticNet(alpha=0.01, positive=True)"), (False,)
)
_functions = "a function cannot be written to a model file"


def _some_rounds(name: str) -> RefusedValues:
    return RefusedValues(refused("a model needs a round", Remedy(f"tn.{name}(max_iter=1)"), 0))


def _more_trees(name: str, many: int = 200) -> Refused:
    return Refused(_alone, Remedy(f"tn.{name}(n_estimators={many})", "which fits all trees at once"), (False,))


def _some_columns(kind: str, takes: tuple[Any, ...], because: str = "every column is tried at every split") -> Refused:
    return Refused(because, Remedy(f"tn.RandomForest{kind}(max_features=0.5)"), takes)


def _monotonic(kind: str) -> Refused:
    return Refused(
        "only boosted trees can be kept monotonic",
        Remedy(f"tn.HistGradientBoosting{kind}(monotonic_cst=[1, 0, 0])", "with a direction for each column"),
        (None,),
    )


def _dtype(name: str) -> Refused:
    return Refused(
        "what comes out are 64-bit floats", Remedy(f"tn.{name}().fit_transform(X).astype(np.float32)"), (np.float64,)
    )


def _covariance(call: str) -> Refused:
    return Refused("covariances come from summaries that merge, not from another estimator", Remedy(call), (None,))


def _smoothed(name: str) -> Refused:
    return Refused("alpha is taken as it is, 0 too", Remedy(f"tn.{name}(alpha=1e-10)"), (True,))


def _bag(kind: str) -> Keywords:
    name, bagged = f"Bagging{kind}", "tn.GaussianNB()" if kind == "Classifier" else "tn.Ridge()"
    return {
        "max_samples": Refused(
            "each row is drawn a Poisson number of times, of mean 1",
            Remedy(f"tn.{name}().fit(X[::2], y[::2])", "a share of the rows"),
            (None, 1.0),
        ),
        "max_features": _some_columns(kind, (1.0,), "members see all columns"),
        "bootstrap": Refused(
            "members draw rows with replacement",
            Remedy(f'tn.Voting{kind}([("a", {bagged}), ("b", tn.DecisionTree{kind}())])', "whose members see all rows"),
            (True,),
        ),
        "bootstrap_features": _some_columns(kind, (False,), "members see all columns"),
        "warm_start": _more_trees(name, 20),
        "n_jobs": n_jobs,
        "verbose": verbose,
    }


def _lasso(name: str) -> Keywords:
    no_penalty = refused("without a penalty it is least squares", Remedy("tn.LinearRegression()"), 0)
    outside = (Interval(Real, 0, 1e-12, closed="right"), Interval(Real, 1, None, closed="left"))
    grid = refused("penalties end at a share of the largest", Remedy(f"tn.{name}(eps=1e-3)"), *outside)
    return {
        **({"eps": RefusedValues(grid)} if name.endswith("CV") else {"alpha": RefusedValues(no_penalty)}),
        "max_iter": RefusedValues(refused(_needs_number, Remedy(f"tn.{name}(max_iter=1000)"), None)),
        "precompute": NoEffect(
            "the Gram matrix is what summaries merge to", ("boolean", "array-like", StrOptions({"auto"}))
        ),
        "copy_X": copied,
        "selection": NoEffect(_any_start, (StrOptions({"cyclic", "random"}),)),
    }


def _side_by_side(name: str) -> Keywords:
    columns = ", [0, 1]" if name == "ColumnTransformer" else ""
    scaled = f'tn.{name}([("scaled", tn.StandardScaler(){columns})]'
    doubled = "tn.make_pipeline(tn.StandardScaler(), tn.FunctionTransformer(lambda Z: 2 * Z))"
    names = refused(
        "names begin with that of the transformer, or do not",
        Remedy(f"{scaled}, verbose_feature_names_out=False)"),
        str,
        callable,
    )
    return {
        "verbose_feature_names_out": RefusedValues(names),
        "n_jobs": n_jobs,
        "transformer_weights": Refused(
            "outputs come as the transformers make them",
            Remedy(f'tn.{name}([("doubled", {doubled}{columns})])', "with a last step that multiplies"),
            (None,),
        ),
        "verbose": verbose,
    }


_glm: Keywords = {
    "solver": NoEffect(_any_start, (StrOptions({"lbfgs", "newton-cholesky"}),)),
    "warm_start": restart,
    "verbose": verbose,
}


def _metrics(name: str) -> RefusedValues:
    sphere = "[np.cos(X[:, 0]) * np.cos(X[:, 1]), np.cos(X[:, 0]) * np.sin(X[:, 1]), np.sin(X[:, 0])]"
    return RefusedValues((
        *refused("distances are computed from rows",
                 Remedy(f"tn.{name}(kernel=lambda A, B: A @ B.T)", "a function of two arrays of rows"),
                 "precomputed", "pyfunc", callable),
        *refused("the neighbours are those of the Euclidean distance",
                 Remedy(f'tn.{name}(metric="euclidean")'), "sqeuclidean"),
        *refused("attribute_weights scale columns",
                 Remedy(f"tn.{name}(attribute_weights=1 / X.var(axis=0))"), "seuclidean"),
        *refused("whitened rows have it",
                 Remedy(f"tn.make_pipeline(tn.PCA(whiten=True), tn.{name}())"), "mahalanobis"),
        *refused("it is the cosine of centred rows",
                 Remedy(f'tn.{name}(metric="cosine").fit(X - X.mean(axis=1, keepdims=True), y)'), "correlation"),
        *refused("it is no distance here",
                 Remedy(f'tn.{name}(metric="manhattan")', "of columns of similar scale"), "braycurtis", "canberra"),
        *refused("it is the order of distances on the unit sphere",
                 Remedy(f"tn.{name}().fit(np.column_stack({sphere}), y)", "of latitude and longitude"), "haversine"),
        *refused("rows must be complete",
                 Remedy(f"tn.make_pipeline(tn.SimpleImputer(), tn.{name}())"), "nan_euclidean"),
        *refused("rows of 0 and 1 are compared by how many columns differ", Remedy(f'tn.{name}(metric="hamming")'),
                 "dice", "jaccard", "rogerstanimoto", "russellrao", "sokalmichener", "sokalsneath", "yule"),
    ))  # fmt: skip


def _neighbors(name: str) -> Keywords:
    return {
        "metric": _metrics(name),
        "n_neighbors": RefusedValues(refused(_needs_number, Remedy(f"tn.{name}(n_neighbors=5)"), None)),
        "p": RefusedValues(
            (
                *refused(_needs_number, Remedy(f"tn.{name}(p=2)"), None),
                *refused(
                    "powers would overflow",
                    Remedy(f'tn.{name}(metric="chebyshev")', "to which distances of large p tend"),
                    Interval(Real, 300, None, closed="neither"),
                ),
            )
        ),
        "leaf_size": NoEffect("the neighbours are the same, however they are found", _count),
        "metric_params": Refused(
            "a metric has no parameters beside p",
            Remedy(f"tn.{name}(p=3, attribute_weights=[1.0, 2.0, 1.0])"),
            (None,),
        ),
        "n_jobs": n_jobs,
    }


def _forest(kind: str) -> Keywords:
    return {
        "oob_score": NoEffect(
            "`oob_score_` is always there",
            _flag,
            refused(
                "it is the share of right answers, or R²", Remedy(f"tn.RandomForest{kind}(oob_score=True)"), callable
            ),
        ),
        "max_samples": RefusedValues(
            refused(
                "no more rows are drawn than there are",
                Remedy(f"tn.RandomForest{kind}(max_samples=1.0)"),
                Interval(RealNotInt, 1, None, closed="neither"),
            )
        ),
        "n_jobs": n_jobs,
        "verbose": verbose,
        "warm_start": _more_trees(f"RandomForest{kind}"),
        "monotonic_cst": _monotonic(kind),
    }


def _naive(name: str) -> Keywords:
    return {
        "alpha": RefusedValues(
            refused("one alpha holds for all columns", Remedy(f"tn.{name}(alpha=1.0)"), "array-like")
        ),
        "force_alpha": _smoothed(name),
    }


def _not_random(name: str) -> RefusedValues:
    return RefusedValues(
        (
            *refused("centres begin far from each other", Remedy(f'tn.{name}(init="k-means++")'), "random"),
            *refused("rows are not all there at the start", Remedy(f"tn.{name}(init=X[:8])", "an array"), callable),
        )
    )


def _splitter(kind: str) -> Refused:
    return Refused("splits are the best there are", Remedy(f'tn.RandomForest{kind}(max_features="sqrt")'), ("best",))


_squares = Refused(
    "trees of numbers split by squared errors",
    Remedy('tn.HistGradientBoostingRegressor(loss="absolute_error")'),
    ("squared_error",),
)
_log_loss = Refused(
    "classes are boosted by their log loss",
    Remedy("tn.AdaBoostClassifier()", "for the exponential loss"),
    ("log_loss",),
)


def _losses(name: str) -> Refused:
    return Refused(
        "numbers are boosted by squared, absolute, quantile or Poisson loss",
        Remedy(f'tn.{name}(loss="absolute_error")', "for 'huber'; GammaRegressor() for 'gamma'"),
        ("squared_error", "absolute_error", "quantile", "poisson"),
    )


def _boosting(kind: str) -> Keywords:
    name, first = f"GradientBoosting{kind}", "tn.GaussianNB()" if kind == "Classifier" else "tn.Ridge()"
    by_rows = Refused(
        "nodes are limited by the rows of their leaves", Remedy(f"tn.{name}(min_samples_leaf=0.05)"), (0.0,)
    )
    return {
        "criterion": NoEffect(
            "both of scikit-learn's choose the same splits",
            (StrOptions({"deprecated", "friedman_mse", "squared_error"}),),
        ),
        "subsample": RefusedValues(refused("trees need rows", Remedy(f"tn.{name}(subsample=0.5)"), 0)),
        "min_weight_fraction_leaf": by_rows,
        "min_impurity_decrease": by_rows,
        "init": Refused(
            "boosting starts from the best constant",
            Remedy(f'tn.Stacking{kind}([("first", {first})], tn.{name}(), passthrough=True)'),
            (None,),
        ),
        "max_features": _some_columns(kind, (None, 1.0)),
        "verbose": verbose,
        "warm_start": _more_trees(name),
        "ccp_alpha": Refused("trees are not pruned", Remedy(f"tn.{name}(max_leaf_nodes=8)"), (0.0,)),
        "loss": _log_loss if kind == "Classifier" else _losses(name),
    }


def _hist_boosting(kind: str) -> Keywords:
    name = f"HistGradientBoosting{kind}"
    frame = 'pd.DataFrame(X, columns=["a", "b", "c"]).astype({"a": "category"})'
    held_back = Remedy(f"tn.{name}(validation_fraction=0.1)")
    return {
        "validation_fraction": RefusedValues(
            (
                *refused("rows that were learned from do not tell when to stop", held_back, None),
                *refused("rows are kept back by a share of them", held_back, integer(1)),
            )
        ),
        "max_features": _some_columns(kind, (1.0,)),
        "categorical_features": Refused(
            "columns of text and categorical columns are categories",
            Remedy(
                f"tn.{name}().fit({frame}, y)",
                "a frame with such columns, or tenfold.scan(..., categorical=[name]), without an encoder before it",
            ),
            ("from_dtype",),
        ),
        "interaction_cst": Refused(
            "any columns may stand in one tree", Remedy(f"tn.{name}(max_depth=1)", "for no interactions"), (None,)
        ),
        "warm_start": Refused(_alone, Remedy(f"tn.{name}(max_iter=200)"), (False,)),
        "scoring": Refused(
            "rows that are kept back are judged by the loss",
            Remedy(f'tn.tune(tn.{name}(), {{"max_iter": [10, 100]}}, X, y)'),
            ("loss",),
        ),
        "verbose": verbose,
        "loss": _log_loss if kind == "Classifier" else _losses(name),
    }


def _network(name: str) -> Keywords:
    some = refused("no rows would be kept back", Remedy(f"tn.{name}(validation_fraction=0.1)"), 0)
    return {"verbose": verbose, "validation_fraction": RefusedValues(some)}


def _stopping(name: str) -> Keywords:
    return {
        "verbose": verbose,
        "early_stopping": Refused(
            "no rows are set aside",
            Remedy(f"tn.{name}(tol=1e-3, n_iter_no_change=5)", "or tenfold.tune over max_iter"),
            (False,),
        ),
        "validation_fraction": NoEffect(_only_with, (Interval(Real, 0, 1, closed="neither"),)),
        "warm_start": Refused(
            _alone, Remedy(f"tn.{name}().partial_fit(X, y)", "which goes on from where it is"), (False,)
        ),
    }


def _sgd(name: str) -> Keywords:
    return {
        **_stopping(name),
        "l1_ratio": RefusedValues(
            refused(_needs_number, Remedy(f"tn.{name}(l1_ratio=0.15)", 'which only penalty="elasticnet" reads'), None)
        ),
        "average": RefusedValues(
            refused(
                "weights are averaged from the first row on, or not", Remedy(f"tn.{name}(average=True)"), integer(0)
            )
        ),
        "learning_rate": RefusedValues(
            (
                *refused(
                    "steps shrink by a schedule that is known before",
                    Remedy(f'tn.{name}(learning_rate="invscaling", eta0=0.01)'),
                    "adaptive",
                ),
                *refused(
                    "steps do not depend on the loss of the row",
                    Remedy(f'tn.{name}(learning_rate="optimal")'),
                    "pa1",
                    "pa2",
                ),
            )
        ),
    }


_scaler: Keywords = {"copy": copied}


def _vectorizer(name: str) -> Keywords:
    return {
        "token_pattern": RefusedValues(refused("words are found by a pattern", Remedy(f"tn.{name}()"), None)),
        "input": Refused(
            "documents are text, not files",
            Remedy(f"tn.{name}().fit(X)", "of the text itself, pathlib.Path(name).read_text()"),
            ("content",),
        ),
        "analyzer": RefusedValues(refused(_functions, Remedy(f'tn.{name}(analyzer="char_wb")'), callable)),
        "strip_accents": RefusedValues(refused(_functions, Remedy(f'tn.{name}(strip_accents="unicode")'), callable)),
        "encoding": NoEffect("documents are text, not bytes", (str,)),
        "decode_error": NoEffect("documents are text, not bytes", (StrOptions({"strict", "ignore", "replace"}),)),
        "preprocessor": Refused(
            _functions,
            Remedy(f'tn.{name}(strip_accents="unicode", lowercase=True)', "or text made before"),
            (None,),
        ),
        "tokenizer": Refused(_functions, Remedy(f'tn.{name}(token_pattern=r"\\S+")'), (None,)),
        "dtype": Refused(
            "what comes out are 64-bit floats, which hold counts exactly",
            Remedy(f"tn.{name}().fit_transform(X).astype(np.float32)"),
            (np.int64, np.float64) if name == "CountVectorizer" else (np.float64,),
        ),
    }


_members: Keywords = {"n_jobs": n_jobs, "verbose": verbose}


def _stacked(kind: str) -> Keywords:
    member = "tn.GaussianNB()" if kind == "Classifier" else "tn.Ridge()"
    return {
        **_members,
        "cv": RefusedValues(
            refused(
                "members learn with the stack, in the same scans",
                Remedy(f'tn.Stacking{kind}([("a", {member})], cv=5)'),
                "prefit",
            )
        ),
    }


_drawn = "predictions are not drawn, so that they are the same each time"
_from_target = "the answer comes from the target"
_mean = "the answer is a mean, which merges"
_no_loss = "it is not among the losses of gradient descent here"

KEYWORDS: dict[str, Keywords] = {
    "BaggingClassifier": _bag("Classifier"),
    "BaggingRegressor": _bag("Regressor"),
    "BernoulliNB": _naive("BernoulliNB"),
    "BisectingKMeans": {
        "init": Refused(
            "a cluster is halved from two rows drawn by k-means++",
            Remedy("tn.BisectingKMeans(random_state=1)", "for other rows"),
            ("random", "k-means++"),
        ),
        "n_init": Refused(
            "each cluster is halved once",
            Remedy("min((tn.BisectingKMeans(random_state=s).fit(X) for s in range(3)), key=lambda m: m.inertia_)"),
            (1,),
        ),
        "verbose": verbose,
        "copy_x": copied,
        "algorithm": same_clusters,
    },
    "CategoricalNB": {
        "force_alpha": _smoothed("CategoricalNB"),
        "min_categories": Refused(
            "categories are those of the rows, or of a categorical column",
            Remedy(
                "tn.CategoricalNB().fit("
                'pd.DataFrame(X, columns=["a", "b", "c"]).astype(pd.CategoricalDtype(list(range(9)))), y)'
            ),
            (None,),
        ),
    },
    "ColumnTransformer": _side_by_side("ColumnTransformer"),
    "ComplementNB": _naive("ComplementNB"),
    "CountVectorizer": _vectorizer("CountVectorizer"),
    "DecisionTreeClassifier": {"splitter": _splitter("Classifier"), "monotonic_cst": _monotonic("Classifier")},
    "DecisionTreeRegressor": {
        "criterion": _squares,
        "splitter": _splitter("Regressor"),
        "monotonic_cst": _monotonic("Regressor"),
    },
    "DummyClassifier": {
        "strategy": RefusedValues(
            (
                *refused(
                    _drawn,
                    Remedy(
                        'tn.DummyClassifier(strategy="prior")', "whose predict_proba gives the shares of the classes"
                    ),
                    "stratified",
                    "uniform",
                ),
                *refused(_from_target, Remedy('tn.DummyClassifier(strategy="most_frequent")'), "constant"),
            )
        ),
        "random_state": unseeded,
        "constant": Refused(_from_target, Remedy('tn.DummyClassifier(strategy="prior")'), (None,)),
    },
    "DummyRegressor": {
        "strategy": RefusedValues(
            (
                *refused(
                    _mean,
                    Remedy('tn.HistGradientBoostingRegressor(loss="absolute_error")', "which starts from the median"),
                    "median",
                ),
                *refused(_mean, Remedy('tn.HistGradientBoostingRegressor(loss="quantile", quantile=0.9)'), "quantile"),
                *refused(_from_target, Remedy('tn.DummyRegressor(strategy="mean")'), "constant"),
            )
        ),
        "constant": Refused(_from_target, Remedy('tn.DummyRegressor(strategy="mean")'), (None,)),
        "quantile": Refused(_mean, Remedy('tn.HistGradientBoostingRegressor(loss="quantile", quantile=0.9)'), (None,)),
    },
    "ElasticNet": {**_lasso("ElasticNet"), "warm_start": restart, "random_state": unseeded},
    "ElasticNetCV": {**_lasso("ElasticNetCV"), "verbose": verbose, "n_jobs": n_jobs},
    "FeatureUnion": _side_by_side("FeatureUnion"),
    "FunctionTransformer": {
        "validate": NoEffect("a function is always given an array of numbers that was checked", _flag),
        "accept_sparse": Refused(
            "a function is given arrays",
            Remedy("tn.FunctionTransformer().fit(X.toarray() if hasattr(X, 'toarray') else X)"),
            (False,),
        ),
        "check_inverse": NoEffect("it only warns, and the inverse is taken as it is", _flag),
    },
    "GammaRegressor": _glm,
    "GaussianMixture": {
        "n_init": Refused(
            "a fit starts once",
            Remedy("max((tn.GaussianMixture(random_state=s).fit(X) for s in range(3)), key=lambda m: m.lower_bound_)"),
            (1,),
        ),
        "warm_start": Refused(
            _alone, Remedy("tn.GaussianMixture(means_init=X[:1])", "with weights_init and precisions_init"), (False,)
        ),
        "verbose": verbose,
        "verbose_interval": NoEffect("callbacks show how far a fit is", _count),
    },
    "GradientBoostingClassifier": _boosting("Classifier"),
    "GradientBoostingRegressor": _boosting("Regressor"),
    "HistGradientBoostingClassifier": _hist_boosting("Classifier"),
    "HistGradientBoostingRegressor": _hist_boosting("Regressor"),
    "KBinsDiscretizer": {
        "quantile_method": RefusedValues(
            refused(
                "it is not among the quantiles of counted values here",
                Remedy('tn.KBinsDiscretizer(quantile_method="linear")'),
                "hazen",
                "closest_observation",
                "interpolated_inverted_cdf",
                "median_unbiased",
                "normal_unbiased",
                "weibull",
            )
        ),
        "dtype": Refused(
            "what comes out is as precise as what went in",
            Remedy("tn.KBinsDiscretizer().fit_transform(X.astype(np.float32))"),
            (None,),
        ),
        "subsample": all_counted,
        "random_state": unseeded,
    },
    "KernelRidge": {
        "alpha": RefusedValues(
            refused(
                "one penalty holds for all targets",
                Remedy("tn.KernelRidge(alpha=1.0)", "and a model for each target"),
                "array-like",
            )
        )
    },
    "KMeans": {
        "init": _not_random("KMeans"),
        "verbose": verbose,
        "copy_x": copied,
        "algorithm": same_clusters,
    },
    "KNeighborsClassifier": _neighbors("KNeighborsClassifier"),
    "KNeighborsRegressor": _neighbors("KNeighborsRegressor"),
    "Lasso": {**_lasso("Lasso"), "warm_start": restart, "random_state": unseeded},
    "LassoCV": {**_lasso("LassoCV"), "verbose": verbose, "n_jobs": n_jobs},
    "LinearDiscriminantAnalysis": {
        "solver": NoEffect(_exact, (StrOptions({"svd", "lsqr", "eigen"}),)),
        "store_covariance": NoEffect("`covariance_` is always there", _flag),
        "covariance_estimator": _covariance('tn.LinearDiscriminantAnalysis(shrinkage="auto")'),
    },
    "LinearRegression": {
        "copy_X": copied,
        "tol": NoEffect(_exact, _not_negative),
        "n_jobs": n_jobs,
        "positive": positive,
    },
    "LinearSVC": {
        "penalty": RefusedValues(
            refused("it has no penalty of absolute values", Remedy("tn.LogisticRegression(l1_ratio=1.0)"), "l1")
        ),
        "multi_class": RefusedValues(
            refused(
                "it separates each class from the rest",
                Remedy(
                    "tn.LinearSVC(multi_class='ovr')", "or LogisticRegression(), which has one loss for all classes"
                ),
                "crammer_singer",
            )
        ),
        "max_iter": _some_rounds("LinearSVC"),
        "random_state": unseeded,
    },
    "LinearSVR": {"max_iter": _some_rounds("LinearSVR"), "random_state": unseeded},
    "LogisticRegression": {
        "l1_ratio": RefusedValues(refused(_needs_number, Remedy("tn.LogisticRegression(l1_ratio=0.0)"), None)),
        "penalty": Renamed("l1_ratio and C"),
        "max_iter": _some_rounds("LogisticRegression"),
        "dual": NoEffect(_any_start, _flag),
        "intercept_scaling": NoEffect("the intercept is not penalised", (real(0, open=True),)),
        "random_state": unseeded,
        "solver": NoEffect(
            "the minimum is the same; the intercept is not penalised, as it is by scikit-learn's liblinear",
            (StrOptions({"lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga"}),),
        ),
        "verbose": verbose,
        "warm_start": restart,
        "n_jobs": n_jobs,
    },
    "MaxAbsScaler": {
        **_scaler,
        "clip": Refused("unseen rows may be larger", Remedy("tn.MinMaxScaler(clip=True)"), (False,)),
    },
    "MiniBatchKMeans": {
        "init": _not_random("MiniBatchKMeans"),
        "verbose": verbose,
        "compute_labels": NoEffect("`labels_` are computed when they are read", _flag),
        "max_no_improvement": NoEffect("a fit ends by `tol` or `max_iter`", (integer(0), None)),
        "init_size": NoEffect("`init` draws from a sample of its own size", _count_or_none),
        "reassignment_ratio": Refused("no centre is drawn again", Remedy("tn.KMeans()"), (0.01, 0.0)),
    },
    "MinMaxScaler": _scaler,
    "MLPClassifier": _network("MLPClassifier"),
    "MLPRegressor": {
        **_network("MLPRegressor"),
        "loss": Refused(
            "networks of numbers are fitted by squared errors",
            Remedy("tn.PoissonRegressor()", "for counts"),
            ("squared_error",),
        ),
    },
    "MultinomialNB": _naive("MultinomialNB"),
    "Normalizer": _scaler,
    "Nystroem": {
        "kernel": RefusedValues(
            refused(
                "rows are compared with some of them by a function",
                Remedy('tn.Nystroem(kernel="rbf")', "or a kernel object"),
                "precomputed",
            )
        ),
        "kernel_params": Refused(
            "a kernel with parameters is an object here",
            Remedy("tn.Nystroem(kernel=tn.GaussianKernel(gamma=0.5), n_components=10)"),
            (None,),
        ),
        "n_jobs": n_jobs,
    },
    "OneHotEncoder": {
        "dtype": _dtype("OneHotEncoder"),
        "feature_name_combiner": Refused(
            "names are joined by an underscore",
            Remedy("tn.OneHotEncoder().fit(X).get_feature_names_out()", "which can be replaced in a frame"),
            ("concat",),
        ),
    },
    "OrdinalEncoder": {"dtype": _dtype("OrdinalEncoder")},
    "PCA": {
        "n_components": RefusedValues(
            (
                *refused(
                    "how many components there are is said by a number or by a share of the variance",
                    Remedy("tn.PCA(n_components=0.95)"),
                    "mle",
                ),
                *refused("no component is left", Remedy("tn.PCA(n_components=1)"), 0),
            )
        ),
        "copy": copied,
        "svd_solver": NoEffect(_exact, (StrOptions({"auto", "full", "covariance_eigh", "arpack", "randomized"}),)),
        "tol": NoEffect(_exact, _not_negative),
        "iterated_power": NoEffect(_exact, (integer(0), StrOptions({"auto"}))),
        "n_oversamples": NoEffect(_exact, _count),
        "power_iteration_normalizer": NoEffect(_exact, (StrOptions({"auto", "QR", "LU", "none"}),)),
        "random_state": unseeded,
    },
    "Perceptron": {
        **_stopping("Perceptron"),
        "penalty": Refused("the perceptron has no penalty", Remedy('tn.SGDClassifier(penalty="l2")'), (None,)),
        "alpha": NoEffect(_only_with, _not_negative),
        "l1_ratio": NoEffect(_only_with, (share(),)),
        "n_jobs": n_jobs,
    },
    "PoissonRegressor": _glm,
    "PolynomialFeatures": {
        "degree": RefusedValues(refused("degree 0 is a column of ones", Remedy("tn.PolynomialFeatures(degree=1)"), 0)),
        "order": NoEffect("it says how an array lies in memory, not what is in it", (StrOptions({"C", "F"}),)),
    },
    "PowerTransformer": _scaler,
    "QuadraticDiscriminantAnalysis": {
        "solver": NoEffect(_exact, (StrOptions({"svd", "eigen"}),)),
        "shrinkage": Refused(
            "covariances are shrunk towards the identity by reg_param",
            Remedy("tn.QuadraticDiscriminantAnalysis(reg_param=0.1)"),
            (None,),
        ),
        "store_covariance": NoEffect("`covariance_` is always there", _flag),
        "tol": NoEffect("a covariance that cannot be inverted is an error of its own", _not_negative),
        "covariance_estimator": _covariance("tn.QuadraticDiscriminantAnalysis(reg_param=0.1)"),
    },
    "QuantileTransformer": {
        **_scaler,
        "ignore_implicit_zeros": Refused(
            "zeros count, whether they are written or not",
            Remedy("tn.QuantileTransformer().fit(np.where(X == 0, np.nan, X))"),
            (False,),
        ),
        "subsample": all_counted,
        "random_state": unseeded,
    },
    "RandomForestClassifier": {
        **_forest("Classifier"),
        "class_weight": RefusedValues(
            refused(
                "classes have one weight in all trees",
                Remedy('tn.RandomForestClassifier(class_weight="balanced")'),
                "balanced_subsample",
            )
        ),
    },
    "RandomForestRegressor": {**_forest("Regressor"), "criterion": _squares},
    "Ridge": {
        "alpha": RefusedValues(
            refused(
                "one penalty holds for all targets",
                Remedy("tn.RidgeCV(alphas=[0.1, 1.0, 10.0])", "or a model for each target"),
                "array-like",
            )
        ),
        "copy_X": copied,
        "max_iter": NoEffect(_exact, _count_or_none),
        "tol": NoEffect(_exact, _not_negative),
        "solver": NoEffect(
            _exact, (StrOptions({"auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs"}),)
        ),
        "positive": positive,
        "random_state": unseeded,
    },
    "RidgeCV": {
        "scoring": Refused(
            "penalties are chosen by squared error",
            Remedy('tn.tune(tn.Ridge(), {"alpha": [0.1, 1.0, 10.0]}, X, y, scoring="neg_mean_absolute_error")'),
            (None,),
        ),
        "gcv_mode": NoEffect(_exact, (StrOptions({"auto", "svd", "eigen"}), None)),
        "store_cv_results": Refused(
            "only the best score is kept",
            Remedy('tn.validation_curve(tn.Ridge(), X, y, param_name="alpha", param_range=[0.1, 1.0, 10.0])'),
            (False,),
        ),
        "alpha_per_target": NoEffect("there is one target", _flag),
    },
    "RobustScaler": _scaler,
    "SGDClassifier": {
        **_sgd("SGDClassifier"),
        "loss": RefusedValues(
            (
                *refused(
                    _no_loss,
                    Remedy('tn.LinearSVC(loss="squared_hinge")', "whose minimum is found to `tol`"),
                    "squared_hinge",
                ),
                *refused(
                    _no_loss,
                    Remedy('tn.SGDClassifier(loss="log_loss")', "which gives probabilities too"),
                    "modified_huber",
                ),
                *refused("the perceptron is a learner of its own", Remedy("tn.Perceptron()"), "perceptron"),
                *refused(
                    "it is a loss of numbers",
                    Remedy('tn.SGDClassifier(loss="squared_error")', 'or loss="hinge"'),
                    "huber",
                    "epsilon_insensitive",
                    "squared_epsilon_insensitive",
                ),
            )
        ),
        "epsilon": NoEffect("no loss of classes has it here", _not_negative),
        "n_jobs": n_jobs,
    },
    "SGDRegressor": {
        **_sgd("SGDRegressor"),
        "loss": RefusedValues(
            (
                *refused(
                    _no_loss,
                    Remedy('tn.SGDRegressor(loss="epsilon_insensitive")', "whose slope is bounded too"),
                    "huber",
                ),
                *refused(
                    _no_loss,
                    Remedy('tn.LinearSVR(loss="squared_epsilon_insensitive")'),
                    "squared_epsilon_insensitive",
                ),
            )
        ),
    },
    "SimpleImputer": {
        **_scaler,
        "strategy": RefusedValues(refused(_functions, Remedy('tn.SimpleImputer(strategy="median")'), callable)),
        "missing_values": Refused(
            "what is missing is NaN, None or pandas.NA",
            Remedy("tn.SimpleImputer().fit(np.where(X == -1, np.nan, X))"),
            (math.nan, None),
        ),
    },
    "StackingClassifier": _stacked("Classifier"),
    "StackingRegressor": _stacked("Regressor"),
    "StandardScaler": _scaler,
    "SVC": {"random_state": unseeded},
    "SVR": {
        "C": RefusedValues(refused("a tube that holds all rows need not exist", Remedy("tn.SVR(C=1e6)"), math.inf))
    },
    "TargetEncoder": {
        "categories": Refused(
            "the categories are those of the rows",
            Remedy("tn.TargetEncoder().fit(X, y)", "of rows that have them"),
            ("auto",),
        ),
        "shuffle": NoEffect("folds are dealt by the numbers of rows", ("boolean", StrOptions({"deprecated"}))),
        "random_state": NoEffect("nothing is drawn", ("random_state", StrOptions({"deprecated"}))),
    },
    "TfidfVectorizer": _vectorizer("TfidfVectorizer"),
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
            raise _error(cls, name, params[name], one)
        if isinstance(one, (RefusedValues, NoEffect)):
            for value in one.each if isinstance(one, RefusedValues) else one.refuses:
                if value.is_of(params[name]):
                    raise _error(cls, name, params[name], value)


def _error(cls: type, name: str, given: Any, one: Refused | RefusedValue) -> ParameterError:
    return ParameterError(f"{cls.__name__}: {name}={given!r} is refused: {one.because}", one.remedy)


def has_no_effect(cls: type, name: str) -> bool:
    """Whether a keyword is there for programs written for scikit-learn only."""
    return isinstance(keywords_of(cls).get(name), NoEffect)


def _same(given: Any, value: Any) -> bool:
    """Whether a parameter has a value; an array is no single value, and a dtype has several names.

    True is not 1; nor is 1 the same as 1.0, a share: of columns or rows, 1 is one of them and 1.0 are all.
    """
    if isinstance(value, type) and isinstance(given, (type, str, np.dtype)):
        try:
            return bool(np.dtype(given) == value)
        except TypeError:
            return False
    if type(given).__name__ == "NAType":  # which is missing, as NaN is
        return isinstance(value, float) and value != value
    if isinstance(given, Integral) and isinstance(value, float) and value == 1:
        return False
    return (
        isinstance(given, bool) == isinstance(value, bool)
        and isinstance(given, (Real, str, type(None)))
        and (given == value or (given != given and value != value))
    )
