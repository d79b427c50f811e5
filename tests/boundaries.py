"""Boundary values of every keyword of scikit-learn's learners, and what both libraries make of them.

The values come from scikit-learn's own constraints: both ends of every range, values just inside and just outside,
every word, flag, None and default. What a constraint does not spell out (arrays, functions, dicts) is listed in
`EXAMPLES`; what a value needs beside it, in `BESIDE`. `python tests/boundaries.py [LEARNER ...]` prints counts.
"""

import contextlib
import copy
import inspect
import io
import sys
import warnings
from dataclasses import dataclass
from numbers import Integral, Real
from types import SimpleNamespace

import joblib
import numpy as np
import pandas as pd
import scipy.sparse as sp
import sklearn
import sklearn.covariance
import sklearn.feature_selection
import sklearn.model_selection
from sklearn.utils import _param_validation as validation
from sklearn.utils import all_estimators
from threadpoolctl import threadpool_limits

import tenfold as tn
from helpers import learners, name_of
from tenfold.core.errors import ParameterError

THEIRS = dict(all_estimators())
OURS = {name_of(one): one for one in learners() if name_of(one) in THEIRS}
SKLEARN = SimpleNamespace(**THEIRS)
ROWS, COLUMNS = 48, 3
FAR = 1000
"""an integer far from the lower end of a range that has no upper end"""
COSTLY = {"max_samples", "n_estimators", "n_components", "hidden_layer_sizes", "degree", "n_init"}
"""of these, such a number is only looked at"""

_rng = np.random.default_rng(0)
NUMBERS = _rng.normal(size=(ROWS, COLUMNS))
CLASSES = (NUMBERS @ [1.0, -1.0, 0.5] + _rng.normal(size=ROWS) > 0).astype(int)
TARGET = np.round(np.exp(0.5 * NUMBERS @ [1.0, -0.5, 0.2] + 0.3 * _rng.normal(size=ROWS)), 3)
CATEGORIES = _rng.integers(0, 3, (ROWS, COLUMNS))
DOCUMENTS = [" ".join(_rng.choice(["aa", "bb", "Cc", "däd", "ee42", "of"], 4)) for _ in range(ROWS)]
SPLITTER = sklearn.model_selection.KFold(3)
FOLDS = list(SPLITTER.split(NUMBERS))


def table(case):
    """Rows and target for a learner."""
    name, need = case.name, OURS[case.name].need
    if (name, case.word, case.value is None) == ("BernoulliNB", "binarize", True):
        X = (NUMBERS > 0).astype(float)
    elif case.word == "kernel" and isinstance(case.value, str) and case.value == "precomputed":
        X = NUMBERS @ NUMBERS.T
    elif need.kinds == "text" or name.endswith("Vectorizer"):
        X = DOCUMENTS
    elif need.kinds == "categorical" or need.counts or name in ("OneHotEncoder", "OrdinalEncoder", "TargetEncoder"):
        X = CATEGORIES
    else:
        X = np.abs(NUMBERS) + 0.5 if name == "PowerTransformer" else NUMBERS
    y = CLASSES if need.target == "class" or name == "TargetEncoder" else TARGET
    return copy.deepcopy((X, y))  # copy=False: scikit-learn writes into them


def classifiers(lib):
    return {"estimators": [("a", lib.GaussianNB()), ("b", lib.LinearDiscriminantAnalysis())]}


def regressors(lib):
    return {"estimators": [("a", lib.Ridge()), ("b", lib.LinearRegression())]}


FEW = {"max_iter": 4, "hidden_layer_sizes": (4,)}
PRECISE = {"tol": 1e-10, "max_iter": 10_000}
BASE = {
    "AdaBoostClassifier": {"n_estimators": 3},
    "BaggingClassifier": {"n_estimators": 3},
    "BaggingRegressor": {"n_estimators": 3},
    "BisectingKMeans": {"n_clusters": 3},
    "ColumnTransformer": lambda lib: {"transformers": [("scale", lib.StandardScaler(), [0, 1])]},
    "ElasticNet": {"alpha": 0.1, **PRECISE},
    "ElasticNetCV": {"cv": 3, "alphas": 5, **PRECISE},
    "FeatureUnion": lambda lib: {"transformer_list": [("scale", lib.StandardScaler())]},
    "GammaRegressor": PRECISE,
    "GradientBoostingClassifier": {"n_estimators": 3},
    "GradientBoostingRegressor": {"n_estimators": 3},
    "HistGradientBoostingClassifier": {"max_iter": 3, "min_samples_leaf": 5},
    "HistGradientBoostingRegressor": {"max_iter": 3, "min_samples_leaf": 5},
    "KMeans": {"n_clusters": 3},
    "Lasso": {"alpha": 0.1, **PRECISE},
    "LassoCV": {"cv": 3, "alphas": 5, **PRECISE},
    "LinearSVC": PRECISE,
    "LinearSVR": PRECISE,
    "LogisticRegression": PRECISE,
    "MLPClassifier": FEW,
    "MLPRegressor": FEW,
    "MiniBatchKMeans": {"n_clusters": 3},
    "Nystroem": {"n_components": 5},
    "Perceptron": {"max_iter": 5},
    "PoissonRegressor": PRECISE,
    "QuantileTransformer": {"n_quantiles": 10},
    "RBFSampler": {"n_components": 5},
    "SVC": {"tol": 1e-5},
    "SelectKBest": {"k": 2},
    "SVR": {"tol": 1e-5},
    "ExtraTreesClassifier": {"n_estimators": 3},
    "ExtraTreesRegressor": {"n_estimators": 3},
    "RandomForestClassifier": {"n_estimators": 3},
    "RandomForestRegressor": {"n_estimators": 3},
    "SGDClassifier": {"max_iter": 5},
    "SGDRegressor": {"max_iter": 5},
    "StackingClassifier": lambda lib: {**classifiers(lib), "cv": 3},
    "StackingRegressor": lambda lib: {**regressors(lib), "cv": 3},
    "VotingClassifier": classifiers,
    "VotingRegressor": regressors,
}
"""parameters of both, beside the one that is looked at: small ones, so that fits are short, and members"""

_sgd_steps = {"learning_rate": "constant", "eta0": 0.01}
_mlp = {"solver": "sgd"}
BESIDE = {
    ("DummyClassifier", "constant"): {"strategy": "constant"},
    ("DummyClassifier", "strategy", "constant"): {"constant": 1},
    ("DummyRegressor", "constant"): {"strategy": "constant"},
    ("DummyRegressor", "quantile"): {"strategy": "quantile"},
    ("DummyRegressor", "strategy", "constant"): {"constant": 1.5},
    ("DummyRegressor", "strategy", "quantile"): {"quantile": 0.5},
    ("GradientBoostingRegressor", "alpha"): {"loss": "quantile"},
    ("HistGradientBoostingRegressor", "loss", "quantile"): {"quantile": 0.5},
    ("HistGradientBoostingRegressor", "quantile"): {"loss": "quantile"},
    ("KernelRidge", "coef0"): {"kernel": "poly"},
    ("KernelRidge", "degree"): {"kernel": "poly"},
    ("KernelRidge", "gamma"): {"kernel": "rbf"},
    ("LinearDiscriminantAnalysis", "covariance_estimator"): {"solver": "lsqr"},
    ("LinearDiscriminantAnalysis", "shrinkage"): {"solver": "lsqr"},
    ("LinearSVC", "loss", "hinge"): {"dual": True},
    ("LinearSVC", "penalty", "l1"): {"dual": False},
    ("LinearSVR", "loss", "squared_epsilon_insensitive"): {"dual": False},
    ("LogisticRegression", "dual"): {"solver": "liblinear"},
    ("LogisticRegression", "l1_ratio"): {"solver": "saga"},
    ("LogisticRegression", "penalty", "elasticnet"): {"solver": "saga", "l1_ratio": 0.5},
    ("LogisticRegression", "penalty", "l1"): {"solver": "saga"},
    **{(name, word): _mlp for name in ("MLPClassifier", "MLPRegressor")
       for word in ("learning_rate", "power_t", "momentum", "nesterovs_momentum")},
    **{(name, "max_fun"): {"solver": "lbfgs"} for name in ("MLPClassifier", "MLPRegressor")},
    **{(name, word): {"kernel": "poly"} for name in ("Nystroem", "SVC", "SVR") for word in ("degree", "coef0")},
    ("OrdinalEncoder", "handle_unknown", "use_encoded_value"): {"unknown_value": -1},
    ("OrdinalEncoder", "unknown_value"): {"handle_unknown": "use_encoded_value"},
    ("OrdinalEncoder", "unknown_value", None): {"handle_unknown": "error"},
    ("PCA", "svd_solver", "arpack"): {"n_components": 2},
    ("PCA", "svd_solver", "randomized"): {"n_components": 2},
    ("QuadraticDiscriminantAnalysis", "covariance_estimator"): {"solver": "eigen"},
    ("QuadraticDiscriminantAnalysis", "shrinkage"): {"solver": "eigen"},
    ("Ridge", "solver", "lbfgs"): {"positive": True},
    ("RidgeCV", "store_cv_results"): {"cv": None},
    **{(name, "l1_ratio"): {"penalty": "elasticnet"} for name in ("SGDClassifier", "SGDRegressor")},
    **{(name, "learning_rate"): {"eta0": 0.01} for name in ("SGDClassifier", "SGDRegressor")},
    **{(name, word): _sgd_steps for name in ("SGDClassifier", "SGDRegressor") for word in ("eta0",)},
    **{(name, "power_t"): {"learning_rate": "invscaling", "eta0": 0.01} for name in ("SGDClassifier", "SGDRegressor")},
    ("SGDRegressor", "epsilon"): {"loss": "epsilon_insensitive"},
    ("SimpleImputer", "fill_value"): {"strategy": "constant"},
    ("SVC", "break_ties", True): {"decision_function_shape": "ovr"},
    **{(name, "token_pattern", None): {"tokenizer": str.split} for name in ("CountVectorizer", "TfidfVectorizer")},
    **{(name, "ngram_range"): {} for name in ("CountVectorizer", "TfidfVectorizer")},
}  # fmt: skip
"""what a keyword, or one of its values, needs beside it to be read at all, or by scikit-learn"""


def kernel_of_rows(a, b):
    return float(np.dot(a, b))


def gram(A, B):
    return A @ B.T


def first_rows(X, n_clusters, random_state):
    return X[:n_clusters]


@dataclass(frozen=True)
class Made:
    """A value that each library makes for itself: a learner, or a list of them."""

    make: object

    def __repr__(self):
        return repr(self.make(tn))


def value_of(value, lib):
    """A value, as a library has it."""
    return value.make(lib) if isinstance(value, Made) else value


EXAMPLES = {
    "estimator": [Made(lambda lib: lib.GaussianNB())],
    ("BaggingRegressor", "estimator"): [Made(lambda lib: lib.Ridge())],
    ("VotingClassifier", "estimators"): [Made(lambda lib: classifiers(lib)["estimators"])],
    ("VotingRegressor", "estimators"): [Made(lambda lib: regressors(lib)["estimators"])],
    ("StackingClassifier", "estimators"): [Made(lambda lib: classifiers(lib)["estimators"])],
    ("StackingRegressor", "estimators"): [Made(lambda lib: regressors(lib)["estimators"])],
    ("StackingClassifier", "final_estimator"): [Made(lambda lib: lib.GaussianNB())],
    ("StackingRegressor", "final_estimator"): [Made(lambda lib: lib.Ridge())],
    ("ColumnTransformer", "transformers"): [
        Made(lambda lib: [("scale", lib.StandardScaler(), [0])]),
        Made(lambda lib: (("scale", lib.StandardScaler(), [0]),)),
    ],
    ("ColumnTransformer", "remainder"): [Made(lambda lib: lib.StandardScaler())],
    "score_func": [sklearn.feature_selection.f_regression, sklearn.feature_selection.mutual_info_classif],
    "transformer_list": [Made(lambda lib: [("scale", lib.StandardScaler())])],
    ("GradientBoostingClassifier", "init"): [Made(lambda lib: lib.GaussianNB())],
    ("GradientBoostingRegressor", "init"): [Made(lambda lib: lib.Ridge())],
    "alpha": [[0.5] * COLUMNS],
    "alphas": [[0.1, 1.0]],
    "analyzer": [str.split],
    "binarize": [0.0],
    "categorical_features": [[0], [True, False, False]],
    "categories": [[[0, 1, 2]] * COLUMNS],
    "class_prior": [[0.4, 0.6]],
    "class_weight": [{0: 1.0, 1: 2.0}, [{0: 1.0, 1: 2.0}]],
    "constant": [1, 0, [1], "1"],
    "covariance_estimator": [sklearn.covariance.OAS()],
    "cv": [3, SPLITTER, FOLDS],
    "degree": [(1, 2), (0, 2)],
    "drop": [[0] * COLUMNS],
    "dtype": [np.float64, np.float32, "float64"],
    "encoding": ["latin-1"],
    "feature_name_combiner": [lambda feature, category: f"{feature}={category}"],
    "feature_names_out": [lambda self, names: names],
    "feature_range": [(0, 2), (-1.5, 0.5)],
    "fill_value": [None, 0, 1.5],
    "func": [np.cbrt],
    "hidden_layer_sizes": [[3], (3, 2)],
    "init": [NUMBERS[:3], first_rows],
    "interaction_cst": [[{0, 1}, {2}], ({0, 1}, {2})],
    "inv_kw_args": [{}],
    "inverse_func": [np.square],
    "kernel": [kernel_of_rows],
    ("SVC", "kernel"): [gram],
    ("SVR", "kernel"): [gram],
    "kernel_params": [{"gamma": 0.5}],
    "knots": [np.quantile(NUMBERS, [0.0, 0.3, 1.0], axis=0)],
    "kw_args": [{}],
    "l1_ratio": [[0.1, 0.9]],
    "max_features": ["sqrt"],
    "means_init": [NUMBERS[:1]],
    "metric": [lambda a, b: float(np.abs(a - b).sum())],
    "metric_params": [{}],
    "min_categories": [5, [4, 5, 6]],
    "monotonic_cst": [[1, 0, 0], [0, -1, 1], {"x0": 1}],
    "n_bins": [[2, 3, 4]],
    "ngram_range": [(1, 1), (1, 2), (2, 3)],
    "oob_score": [sklearn.metrics.accuracy_score],
    "precisions_init": [np.eye(COLUMNS)[None]],
    "precompute": [NUMBERS.T @ NUMBERS],
    "preprocessor": [str.lower],
    "priors": [[0.4, 0.6]],
    "quantile_range": [(10.0, 90.0), (0.0, 100.0)],
    "scoring": ["neg_mean_squared_error", sklearn.metrics.get_scorer("accuracy")],
    ("RidgeCV", "scoring"): [sklearn.metrics.get_scorer("neg_mean_absolute_error")],
    ("SimpleImputer", "strategy"): [np.nanmax],
    "stop_words": [["aa", "of"]],
    "strip_accents": [str.lower],
    "token_pattern": [r"\S+"],
    "tokenizer": [str.split],
    "transformer_weights": [{"scale": 2.0}],
    "verbose_feature_names_out": ["{transformer_name}__{feature_name}", lambda name, feature: feature],
    "vocabulary": [{"aa": 0, "bb": 1}, ["aa", "ee42"]],
    "weights": [[1.0, 2.0], lambda distances: 1 / (1 + distances)],
    "weights_init": [[1.0]],
}
"""values of keywords whose constraints do not spell them out: of arrays, functions, dicts, text"""


@dataclass(frozen=True)
class Case:
    """A value of a keyword of a learner."""

    name: str
    word: str
    value: object
    inside: bool
    """whether scikit-learn's constraints take it"""
    fits: bool = True
    """whether it is fitted, not only looked at"""

    def __str__(self):
        said = " ".join(repr(self.value).split())
        return f"{self.name}({self.word}={said if len(said) < 60 else said[:57] + '...'})"


def keywords(cls):
    """The parameters of a class, by name."""
    return dict(list(inspect.signature(cls.__init__).parameters.items())[1:])


def constraints(name, word):
    """What scikit-learn takes as a keyword; None: whatever it is."""
    takes = getattr(THEIRS[name], "_parameter_constraints", {}).get(word, "no_validation")
    return None if isinstance(takes, str) else [one for one in map(validation.make_constraint, takes) if is_public(one)]


def is_public(constraint):
    """Whether users may give such values: no objects of classes in modules that are scikit-learn's own affair."""
    kind = getattr(constraint, "type", object)
    return not (isinstance(constraint, validation._InstancesOf) and (kind is type or "._" in kind.__module__))


FARTHEST = {"learning_rate": 2.0, "learning_rate_init": 1.0, "eta0": 1.0, "coef0": 10.0}
"""of ranges without an upper end, a number beyond which fits diverge; 1e6 of others"""


def around(end, kind, down):
    """The end of a range, a value just inside and one just outside; of a lower end, inside is above."""
    if issubclass(kind, Integral):
        return int(end), int(end) + (-1 if down else 1), int(end) - (-1 if down else 1)
    step = 1e-6 * max(1.0, abs(end))
    return float(end), end + (-step if down else step), end - (-step if down else step)


def of_interval(one, word):
    """Both ends, values just inside and just outside, and the infinite ones."""
    for end, down in ((one.left, False), (one.right, True)):
        if end is not None:
            yield from around(end, one.type, down)
        elif not issubclass(one.type, Integral):
            yield -np.inf if not down else np.inf
    if one.right is None:
        yield FAR if issubclass(one.type, Integral) else FARTHEST.get(word, 1e6)
    if one.type is Real:
        yield from (int(end) for end in (one.left, one.right) if end is not None)
        yield np.nan


def of_constraint(one, word):
    """Values at the boundary of a constraint: some that it takes, and some that it does not."""
    match one:
        case validation.Interval():
            yield from of_interval(one, word)
        case validation.Options():
            yield from sorted(one.options, key=repr)
            yield "no such word"
        case validation._NoneConstraint():
            yield None
        case validation._NanConstraint():
            yield np.nan
        case validation._Booleans():
            yield from (True, False, np.True_, "no flag")
        case validation._VerboseHelper():
            yield from (0, 1, True, False, -1)
        case validation._RandomStates():
            yield from (0, 7, None, np.random.RandomState(3), 2**32 - 1, 2**32, -1, 0.5)
        case validation._CVObjects():
            yield from (2, 3, None, SPLITTER, FOLDS, 1)
        case validation.MissingValues():
            yield from (np.nan, None, pd.NA, 0, -1, "?")
        case validation._InstancesOf() if one.type is Integral:
            yield from (-1, 0, 1, 2, 0.5)
        case validation._InstancesOf() if one.type in (Real, float):
            yield from (-1.0, 0.0, 0.5, 1)
    yield NOTHING


class Nothing:
    """A value that no keyword takes."""

    def __repr__(self):
        return "Nothing()"


NOTHING = Nothing()


def same(a, b):
    """Whether two values are one; 1 is not True, and 1.0 not 1."""
    return a is b or (type(a) is type(b) and isinstance(a, (Real, str)) and (a == b or (a != a and b != b)))


def is_inside(takes, value):
    """Whether scikit-learn's constraints take a value."""
    return any(one.is_satisfied_by(value_of(value, SKLEARN)) for one in takes)


def cases(name):
    """All values of all keywords of a learner that are looked at, each once."""
    found = []
    for word, parameter in keywords(THEIRS[name]).items():
        takes = constraints(name, word)
        values = [] if parameter.default is inspect.Parameter.empty else [parameter.default]
        values += [value for one in takes or () for value in of_constraint(one, word)]
        examples = EXAMPLES.get((name, word), EXAMPLES.get(word, ()))
        values += [value for value in examples if takes is None or is_inside(takes, value)]
        for at, value in enumerate(values):
            if not any(same(value, other) for other in values[:at]):
                inside = takes is None or is_inside(takes, value)
                found.append(Case(name, word, value, inside, not (same(value, FAR) and word in COSTLY)))
    return found


def given(case, lib):
    """The parameters of a case."""
    base = BASE.get(case.name, {})
    base = dict(base(lib) if callable(base) else base)
    special = (case.name, case.word, case.value) if isinstance(case.value, (str, bool, type(None))) else None
    beside = BESIDE.get(special, BESIDE.get((case.name, case.word), {}))
    takes = keywords(THEIRS[case.name])
    seeded = {"random_state": 0} if "random_state" in takes and case.name != "TargetEncoder" else {}
    return {**seeded, **base, **beside, case.word: value_of(case.value, lib)}


def model(case, lib):
    cls = getattr(tn, case.name) if lib is tn else THEIRS[case.name]
    return cls(**given(case, lib))


@contextlib.contextmanager
def quietly():
    """Neither warnings nor words, and one thread: rows are few."""
    nowhere = contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO())
    one = threadpool_limits(1), joblib.parallel_config(backend="sequential")
    with warnings.catch_warnings(), np.errstate(all="ignore"), one[0], one[1], nowhere[0], nowhere[1]:
        warnings.simplefilter("ignore")
        yield


def attempt(case, lib):
    """What a model says of the rows it was fitted to, as numbers, or the error.

    None: there is nothing to compare, or the value is only looked at.
    """
    X, y = table(case)
    with quietly():
        try:
            made = model(case, lib)
            if not case.fits:
                made._validate_params()
                return None
            made.fit(X, y)
            for method in ("predict_proba", "decision_function", "transform", "predict"):
                if hasattr(made, method):
                    out = getattr(made, method)(table(case)[0])
                    return np.asarray(out.toarray() if sp.issparse(out) else out, dtype=np.float64)
        except Exception as error:
            return error
    return None


FOLLOWED = {}
"""calls of remedies that ran, each once for a learner"""


def follow(remedy, case):
    """Run the call of a remedy, and fit what it gives, if that is a learner."""
    if (case.name, remedy.call) in FOLLOWED:
        return
    X, y = table(case)
    names = {"tn": tn, "np": np, "pd": pd, "sklearn": sklearn, "X": X, "y": y}
    with quietly():
        made = eval(remedy.call, names)
        if hasattr(made, "fit") and not hasattr(made, "model_"):
            made.fit(X, y)
    FOLLOWED[case.name, remedy.call] = made


DRAWN = {
    "BaggingClassifier", "BaggingRegressor", "BisectingKMeans", "ExtraTreesClassifier", "ExtraTreesRegressor",
    "KMeans", "MLPClassifier", "MLPRegressor", "MiniBatchKMeans", "Nystroem", "Perceptron", "RBFSampler",
    "RandomForestClassifier", "RandomForestRegressor", "SGDClassifier", "SGDRegressor", "StackingClassifier",
    "StackingRegressor",
}  # fmt: skip
"""learners whose answers depend on draws, which differ between the libraries"""


ROUNDS = {"max_iter", "tol", "n_iter_no_change", "early_stopping"}
"""keywords that end a fit before its end, from where no two solvers are alike"""
ALIKE, LOOSELY = 1e-4, 2e-3
"""of the largest number: how far answers may be apart; of support vector machines, whose minimum is flat"""

WIDER = {
    ("DecisionTreeClassifier", "min_weight_fraction_leaf"),
    ("DecisionTreeRegressor", "min_weight_fraction_leaf"),
    ("ExtraTreesClassifier", "min_weight_fraction_leaf"),
    ("ExtraTreesRegressor", "min_weight_fraction_leaf"),
    ("GammaRegressor", "tol"),
    ("GradientBoostingRegressor", "alpha"),
    ("HistGradientBoostingClassifier", "max_bins"),
    ("HistGradientBoostingRegressor", "max_bins"),
    ("LinearSVC", "intercept_scaling"),
    ("LinearSVR", "intercept_scaling"),
    ("Nystroem", "degree"),
    ("OneHotEncoder", "min_frequency"),
    ("OrdinalEncoder", "min_frequency"),
    ("PoissonRegressor", "tol"),
    ("RandomForestClassifier", "min_weight_fraction_leaf"),
    ("RandomForestRegressor", "min_weight_fraction_leaf"),
}
"""keywords of which more values have a meaning here"""

OTHERWISE = {
    ("AdaBoostClassifier", None): "stumps of equal gain",
    ("DecisionTreeClassifier", None): "splits of equal gain",
    ("GaussianMixture", "n_components"): "another local optimum",
    ("GradientBoostingClassifier", None): "splits are judged by slope and curvature, there by the slope alone",
    ("GradientBoostingRegressor", "loss"): "gradients of two values: splits of equal gain",
    ("GradientBoostingRegressor", "alpha"): "gradients of two values: splits of equal gain",
    ("GradientBoostingRegressor", "subsample"): "draws",
    ("HistGradientBoostingClassifier", "learning_rate"): "a leaf moves a margin no farther than across",
    ("HistGradientBoostingRegressor", "loss"): "gradients of two values: splits of equal gain",
    ("HistGradientBoostingRegressor", "quantile"): "gradients of two values: splits of equal gain",
    (
        "HistGradientBoostingRegressor",
        "categorical_features",
    ): "gains of chance are taken off",
    **{(f"HistGradientBoosting{kind}", "monotonic_cst"): "other bounds" for kind in ("Classifier", "Regressor")},
    ("KBinsDiscretizer", "subsample"): "all rows are counted",
    **{(f"KNeighbors{kind}", "metric", "hamming"): "all rows are equally far" for kind in ("Classifier", "Regressor")},
    ("LinearSVR", "C"): "liblinear does not converge",
    ("LinearSVR", "intercept_scaling"): "liblinear does not converge",
    ("LogisticRegression", "dual"): "liblinear penalises the intercept",
    ("LogisticRegression", "solver", "liblinear"): "liblinear penalises the intercept",
    ("RidgeCV", "cv"): "penalties are chosen by squared error, there by R²",
    ("SVC", "C"): "a hard margin of rows that hardly separate",
    ("SVC", "probability"): "folds of the sigmoids",
}
"""learners, keywords and values whose answers differ from scikit-learn's, and why"""

RIGHT = {"equal", "taken", "refused", "remedy", "wider", "neither", "here alone"}
"""what may become of a value"""


def outcome(case):
    """What becomes of a value here, beside scikit-learn; and why that is wrong, if it is."""
    ours = attempt(case, tn)
    if not case.inside:
        return outside(case, ours)
    if isinstance(ours, ParameterError):
        return refusal(case, ours)
    np.random.seed(0)  # scikit-learn's solvers that draw, draw the same whatever was run before
    theirs = attempt(case, SKLEARN)
    if isinstance(theirs, Exception):  # the value does not go with these rows
        if not isinstance(ours, Exception):
            return "here alone", ""
        return "neither", "" if isinstance(ours, ValueError) else repr(ours)
    if isinstance(ours, Exception):
        return "refused without a remedy", repr(ours)
    keys = [(case.name, None), (case.name, case.word)]
    keys += [(case.name, case.word, case.value)] if isinstance(case.value, str) else []
    if case.name in DRAWN or case.word in ROUNDS or not OTHERWISE.keys().isdisjoint(keys):
        return "taken", ""
    if ours is None or theirs is None:
        return "taken", ""
    off = apart(ours, theirs)
    return (
        ("equal", "")
        if off < (LOOSELY if case.name in ("SVC", "SVR") else ALIKE)
        else ("taken", f"differs by {off:.3g}")
    )


def outside(case, ours):
    """A value that scikit-learn refuses is refused by name, unless it has a meaning here."""
    if isinstance(ours, (ValueError, TypeError)):
        return "refused", "" if case.word in str(ours) else f"without the name of the keyword: {ours!r}"
    if isinstance(ours, Exception):
        return "refused", repr(ours)
    return "wider", "" if (case.name, case.word) in WIDER else "taken, and refused by scikit-learn"


def refusal(case, error):
    """A refusal whose remedy is a call that runs."""
    if error.remedy.call is None:
        return "remedy", "its remedy is not a call"
    try:
        follow(error.remedy, case)
    except Exception as wrong:
        return "remedy", f"{error.remedy.call}: {wrong!r}"
    return "remedy", ""


def apart(a, b):
    """How far two arrays are apart, as a share of the largest number."""
    if a.shape != b.shape or (np.isnan(a) != np.isnan(b)).any():
        return np.inf
    scale = max(float(np.nanmax(np.abs(b), initial=0.0)), 1e-300)
    return float(np.nanmax(np.abs(a - b), initial=0.0)) / scale


if __name__ == "__main__":
    import time
    from collections import Counter

    total = Counter()
    words = {word for word in sys.argv[1:] if word.islower()}
    for name in [name for name in sys.argv[1:] if name in OURS] or OURS:
        began = time.process_time()
        each = [case for case in cases(name) if not words or case.word in words]
        counts = Counter()
        for case in each:
            kind, why = outcome(case)
            counts[kind] += 1
            if why:
                print(f"   {kind:10} {case}: {why[:230]}", flush=True)
        total += counts
        print(f"{name}: {dict(counts)} {time.process_time() - began:.1f} s", flush=True)
    print(dict(total), len(OURS))
