"""A thousand rows of twenty columns, where most people try a library first: `python benchmarks/small.py [learner ...]`.

Each learner beside its counterpart of scikit-learn in one process, in turn, the best of many: `fit`, and `predict` (or
`transform`) of one row. Then five learners by `cross_validate`, at once here and one by one there.
"""

from __future__ import annotations

import gc
import os
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import sklearn
from sklearn import (
    cluster,
    compose,
    decomposition,
    discriminant_analysis,
    dummy,
    ensemble,
    impute,
    kernel_approximation,
    kernel_ridge,
    linear_model,
    mixture,
    model_selection,
    naive_bayes,
    neighbors,
    neural_network,
    pipeline,
    preprocessing,
    svm,
    tree,
)
from sklearn.feature_extraction import text

import tenfold as tn
from workloads import Promises, regression

FIT = 1.0
"""times as fast as the counterpart, at least"""
PREDICT = 1.2
"""times the counterpart's time for one row, at most"""
CROSS_VALIDATE = 3.0
"""times as fast as scikit-learn's `cross_validate` of the five counterparts, at least"""
BUDGET = float(os.environ.get("BUDGET", "1.0"))
"""seconds for each comparison; half as many for a row"""
RUNS, BLOCK = 20, 0.05
"""runs of one side before it is the other's turn; fewer, if they take so many seconds together"""
PAUSE = 0.04
"""seconds between the two sides: idle BLAS threads of one spin for a while and would slow the other"""
LEAST = 3
"""turns of each side"""


def best(ours: Callable[[], Any], theirs: Callable[[], Any], budget: float) -> tuple[float, float]:
    """The least time of both, in turn; after one run of each, which imports and compiles."""
    ours(), theirs()
    least = [float("inf"), float("inf")]
    end, turns = time.perf_counter() + budget, 0
    while turns < LEAST or time.perf_counter() < end:
        for side, call in enumerate((ours, theirs)):
            gc.collect()
            time.sleep(PAUSE)
            least[side] = min(least[side], _block(call))
        turns += 1
    return least[0], least[1]


def _block(call: Callable[[], Any]) -> float:
    """The least time of some runs, without the collector of garbage, which comes when it likes."""
    gc.disable()
    least, done, until = float("inf"), 0, time.perf_counter() + BLOCK
    while not done or (done < RUNS and time.perf_counter() < until):
        start = time.perf_counter()
        call()
        least = min(least, time.perf_counter() - start)
        done += 1
    gc.enable()
    return least


def cases() -> dict[str, tuple[Any, Any, Any, Any]]:
    """Learner, counterpart, rows and target."""
    X, y = regression(1000, 20)
    c, codes, counts = (y > 0).astype(int), np.digitize(X, [-1, 0, 1]), np.exp(y / np.abs(y).max()).round(3)
    lm, pre = linear_model, preprocessing
    documents = [" ".join(f"word{code}{j}" for j, code in enumerate(row)) for row in codes.tolist()]
    return {
        "AdaBoostClassifier": (tn.AdaBoostClassifier(), ensemble.AdaBoostClassifier(random_state=0), X, c),
        "BaggingClassifier": (tn.BaggingClassifier(), ensemble.BaggingClassifier(random_state=0), X, c),
        "BaggingRegressor": (tn.BaggingRegressor(), ensemble.BaggingRegressor(random_state=0), X, y),
        "BernoulliNB": (tn.BernoulliNB(), naive_bayes.BernoulliNB(), X, c),
        "CategoricalNB": (tn.CategoricalNB(), naive_bayes.CategoricalNB(), codes, c),
        "ComplementNB": (tn.ComplementNB(), naive_bayes.ComplementNB(), codes, c),
        "DecisionTreeClassifier": (tn.DecisionTreeClassifier(), tree.DecisionTreeClassifier(random_state=0), X, c),
        "DecisionTreeRegressor": (tn.DecisionTreeRegressor(), tree.DecisionTreeRegressor(random_state=0), X, y),
        "DummyClassifier": (tn.DummyClassifier(), dummy.DummyClassifier(), X, c),
        "DummyRegressor": (tn.DummyRegressor(), dummy.DummyRegressor(), X, y),
        "ElasticNet": (tn.ElasticNet(), lm.ElasticNet(), X, y),
        "ElasticNetCV": (tn.ElasticNetCV(), lm.ElasticNetCV(), X, y),
        "GammaRegressor": (tn.GammaRegressor(), lm.GammaRegressor(), X, counts),
        "GaussianNB": (tn.GaussianNB(), naive_bayes.GaussianNB(), X, c),
        "MiniBatchKMeans": (tn.MiniBatchKMeans(), cluster.MiniBatchKMeans(random_state=0), X, None),
        "BisectingKMeans": (tn.BisectingKMeans(), cluster.BisectingKMeans(random_state=0), X, None),
        "GaussianMixture": (tn.GaussianMixture(3), mixture.GaussianMixture(3, random_state=0), X, None),
        "GradientBoostingClassifier": (
            tn.GradientBoostingClassifier(), ensemble.GradientBoostingClassifier(random_state=0), X, c,
        ),
        "GradientBoostingRegressor": (
            tn.GradientBoostingRegressor(), ensemble.GradientBoostingRegressor(random_state=0), X, y,
        ),
        "HistGradientBoostingClassifier": (
            tn.HistGradientBoostingClassifier(), ensemble.HistGradientBoostingClassifier(random_state=0), X, c,
        ),
        "HistGradientBoostingRegressor": (
            tn.HistGradientBoostingRegressor(), ensemble.HistGradientBoostingRegressor(random_state=0), X, y,
        ),
        "KernelRidge": (tn.KernelRidge(kernel="rbf"), kernel_ridge.KernelRidge(kernel="rbf"), X, y),
        "KMeans": (tn.KMeans(), cluster.KMeans(random_state=0), X, None),
        "KNeighborsClassifier": (tn.KNeighborsClassifier(), neighbors.KNeighborsClassifier(), X, c),
        "KNeighborsRegressor": (tn.KNeighborsRegressor(), neighbors.KNeighborsRegressor(), X, y),
        "LinearSVC": (tn.LinearSVC(), svm.LinearSVC(), X, c),
        "LinearSVR": (tn.LinearSVR(), svm.LinearSVR(), X, y),
        "Lasso": (tn.Lasso(), lm.Lasso(), X, y),
        "LassoCV": (tn.LassoCV(), lm.LassoCV(), X, y),
        "LinearDiscriminantAnalysis": (
            tn.LinearDiscriminantAnalysis(), discriminant_analysis.LinearDiscriminantAnalysis(), X, c,
        ),
        "LinearRegression": (tn.LinearRegression(), lm.LinearRegression(), X, y),
        "LogisticRegression": (tn.LogisticRegression(), lm.LogisticRegression(), X, c),
        "SVC": (tn.SVC(), svm.SVC(), X, c),
        "SVR": (tn.SVR(), svm.SVR(), X, y),
        "MaxAbsScaler": (tn.MaxAbsScaler(), pre.MaxAbsScaler(), X, None),
        "MinMaxScaler": (tn.MinMaxScaler(), pre.MinMaxScaler(), X, None),
        "Nystroem": (tn.Nystroem(), kernel_approximation.Nystroem(random_state=0), X, None),
        "DateParts": (
            tn.DateParts(["year"]), pre.FunctionTransformer(lambda X: X.astype("M8[Y]").astype(float)),
            (codes * 10**9).astype("M8[s]"), None,
        ),
        "FunctionTransformer": (tn.FunctionTransformer(np.cbrt), pre.FunctionTransformer(np.cbrt), X, None),
        "SimpleImputer": (tn.SimpleImputer(), impute.SimpleImputer(), X, None),
        "KBinsDiscretizer": (tn.KBinsDiscretizer(), pre.KBinsDiscretizer(), X, None),
        "PowerTransformer": (tn.PowerTransformer(), pre.PowerTransformer(), X, None),
        "QuantileTransformer": (tn.QuantileTransformer(), pre.QuantileTransformer(), X, None),
        "RobustScaler": (tn.RobustScaler(), pre.RobustScaler(), X, None),
        "OneHotEncoder": (tn.OneHotEncoder(), pre.OneHotEncoder(), codes, None),
        "OrdinalEncoder": (tn.OrdinalEncoder(), pre.OrdinalEncoder(), codes, None),
        "TextFeatures": (tn.TextFeatures(), text.TfidfVectorizer(), documents, None),
        "MultinomialNB": (tn.MultinomialNB(), naive_bayes.MultinomialNB(), codes, c),
        "MLPClassifier": (tn.MLPClassifier(), neural_network.MLPClassifier(random_state=0), X, c),
        "MLPRegressor": (tn.MLPRegressor(), neural_network.MLPRegressor(random_state=0), X, y),
        "NaiveBayes": (tn.NaiveBayes(), naive_bayes.GaussianNB(), X, c),
        "PCA": (tn.PCA(), decomposition.PCA(), X, None),
        "Adaline": (tn.Adaline(), lm.SGDClassifier("squared_error", random_state=0), X, c),
        "Perceptron": (tn.Perceptron(), lm.Perceptron(), X, c),
        "PoissonRegressor": (tn.PoissonRegressor(), lm.PoissonRegressor(), X, counts),
        "PolynomialFeatures": (tn.PolynomialFeatures(), pre.PolynomialFeatures(), X, None),
        "QuadraticDiscriminantAnalysis": (
            tn.QuadraticDiscriminantAnalysis(), discriminant_analysis.QuadraticDiscriminantAnalysis(), X, c,
        ),
        "RandomForestClassifier": (tn.RandomForestClassifier(), ensemble.RandomForestClassifier(random_state=0), X, c),
        "RandomForestRegressor": (tn.RandomForestRegressor(), ensemble.RandomForestRegressor(random_state=0), X, y),
        "Ridge": (tn.Ridge(), lm.Ridge(), X, y),
        "RidgeCV": (tn.RidgeCV(), lm.RidgeCV(), X, y),
        "SGDClassifier": (tn.SGDClassifier(), lm.SGDClassifier(random_state=0), X, c),
        "SGDRegressor": (tn.SGDRegressor(), lm.SGDRegressor(random_state=0), X, y),
        "StackingClassifier": (
            tn.StackingClassifier(), ensemble.StackingClassifier(_classifiers()), X, c,
        ),
        "StackingRegressor": (
            tn.StackingRegressor(), ensemble.StackingRegressor(_regressors()), X, y,
        ),
        "StandardScaler": (tn.StandardScaler(), pre.StandardScaler(), X, None),
        "ColumnTransformer": (
            tn.ColumnTransformer([("a", tn.StandardScaler(), [0, 1]), ("b", tn.MinMaxScaler(), [2])]),
            compose.ColumnTransformer([("a", pre.StandardScaler(), [0, 1]), ("b", pre.MinMaxScaler(), [2])]), X, None,
        ),
        "FeatureUnion": (
            tn.FeatureUnion([("a", tn.StandardScaler()), ("b", tn.MinMaxScaler())]),
            pipeline.FeatureUnion([("a", pre.StandardScaler()), ("b", pre.MinMaxScaler())]), X, None,
        ),
        "TargetEncoder": (tn.TargetEncoder(), pre.TargetEncoder(), codes, y),
        "Normalizer": (tn.Normalizer(), pre.Normalizer(), X, None),
        "VotingClassifier": (tn.VotingClassifier(), ensemble.VotingClassifier(_classifiers()), X, c),
        "VotingRegressor": (tn.VotingRegressor(), ensemble.VotingRegressor(_regressors()), X, y),
    }  # fmt: skip


def _classifiers() -> list[tuple[str, Any]]:
    """What our teams of classifiers are made of."""
    return [("bayes", naive_bayes.GaussianNB()), ("lda", discriminant_analysis.LinearDiscriminantAnalysis())]


def _regressors() -> list[tuple[str, Any]]:
    """What our teams of regressors are made of."""
    return [("line", linear_model.LinearRegression()), ("tree", tree.DecisionTreeRegressor(random_state=0))]


FIVE = ("GaussianNB", "LinearDiscriminantAnalysis", "LogisticRegression", "DecisionTreeClassifier", "DummyClassifier")
"""classifiers that are cross-validated together"""


def cross_validated(known: dict[str, tuple[Any, Any, Any, Any]], promises: Promises) -> None:
    """Five learners in five folds: all at once, and one by one."""
    _, _, X, c = known[FIVE[0]]
    mine = [known[name][0] for name in FIVE]
    peers = [known[name][1] for name in FIVE]
    ours, theirs = best(
        lambda: tn.cross_validate(mine, X, c, folds=5),
        lambda: [model_selection.cross_validate(peer, X, c, cv=5) for peer in peers],
        2 * BUDGET,
    )
    print(f"{'cross_validate of five':30} {1000 * ours:8.3f} {1000 * theirs:8.3f} {theirs / ours:6.2f}")
    promises.at_least("cross_validate of five learners, times as fast", theirs / ours, CROSS_VALIDATE)


def main(wanted: list[str]) -> None:
    """Print a line for each learner."""
    warnings.simplefilter("ignore")
    known, promises = cases(), Promises(not wanted)
    print(f"1,000 x 20, milliseconds; tenfold {tn.__version__}, scikit-learn {sklearn.__version__}")
    print(f"{'':30} {'fit':>8} {'peer':>8} {'x':>6}   {'one row':>8} {'peer':>8} {'times':>6}")
    for name in wanted or known:
        if name not in known:
            continue
        learner, peer, X, y = known[name]
        fit, other = best(lambda: learner.fit(X, y), lambda: peer.fit(X, y), BUDGET)  # noqa: B023
        row, use = X[:1], "predict" if hasattr(peer, "predict") else "transform"
        one, another = best(
            lambda: getattr(learner, use)(row), lambda: getattr(peer, use)(row), BUDGET / 2  # noqa: B023
        )  # fmt: skip
        print(
            f"{name:30} {1000 * fit:8.3f} {1000 * other:8.3f} {other / fit:6.2f}   "
            f"{1000 * one:8.3f} {1000 * another:8.3f} {one / another:6.2f}"
            f"{'' if other / fit >= FIT else '  slow fit'}{'' if one / another <= PREDICT else '  slow row'}",
            flush=True,
        )
        promises.at_least(f"{name}, fit, times as fast", other / fit, FIT)
        promises.at_most(f"{name}, one row, times the counterpart's time", one / another, PREDICT)
    if not wanted or "cross_validate" in wanted:
        cross_validated(known, promises)
    promises.settle()


if __name__ == "__main__":
    main(sys.argv[1:])
