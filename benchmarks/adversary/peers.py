"""Answers of scikit-learn with the same parameters, and of LightGBM."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np
import sklearn.cluster
import sklearn.decomposition
import sklearn.discriminant_analysis
import sklearn.dummy
import sklearn.ensemble
import sklearn.kernel_ridge
import sklearn.linear_model
import sklearn.metrics
import sklearn.mixture
import sklearn.naive_bayes
import sklearn.neighbors
import sklearn.pipeline
import sklearn.preprocessing
import sklearn.tree

from adversary.answers import asked, finite, numbers, sane, steady, tame, weights_of
from adversary.book import classifies, named, oracle
from adversary.case import Skip, close, must
from adversary.ways import MERGES


def counterpart(learner: Any) -> Any:
    """The estimator of scikit-learn that solves the same problem with the same parameters, or None."""
    name, p = type(learner).__name__, learner.get_params(deep=False)
    sk = sklearn
    trees = {k: p[k] for k in ("max_depth", "min_samples_split", "min_samples_leaf") if k in p}
    rounds = ("learning_rate", "max_iter", "max_leaf_nodes", "max_depth", "min_samples_leaf", "l2_regularization")
    boosted = {k: p[k] for k in rounds if k in p} | {"early_stopping": False, "max_bins": 255}
    boosted |= {"max_bins": p["max_bins"]} if isinstance(p.get("max_bins"), int) else {}
    match name:
        case "LinearRegression":
            return sk.linear_model.LinearRegression(fit_intercept=p["fit_intercept"], tol=1e-13)
        case "Ridge":
            return sk.linear_model.Ridge(p["alpha"], fit_intercept=p["fit_intercept"], tol=1e-13)
        case "Lasso":
            kept = {k: p[k] for k in ("alpha", "fit_intercept", "positive")}
            return sk.linear_model.Lasso(**kept, tol=1e-9, max_iter=20_000)
        case "ElasticNet":
            kept = {k: p[k] for k in ("alpha", "l1_ratio", "fit_intercept", "positive")}
            return sk.linear_model.ElasticNet(**kept, tol=1e-9, max_iter=20_000)
        case "LogisticRegression":
            solver = "lbfgs" if p["l1_ratio"] == 0 else "saga"
            kept = {k: p[k] for k in ("C", "l1_ratio", "fit_intercept")}
            return sk.linear_model.LogisticRegression(**kept, solver=solver, tol=1e-8, max_iter=2000)
        case "PoissonRegressor" | "GammaRegressor":
            cls = getattr(sk.linear_model, name)
            return cls(alpha=p["alpha"], fit_intercept=p["fit_intercept"], tol=1e-8, max_iter=1000)
        case "GaussianNB":
            return sk.naive_bayes.GaussianNB(var_smoothing=p["var_smoothing"])
        case "BernoulliNB" | "MultinomialNB" | "ComplementNB":
            return getattr(sk.naive_bayes, name)(**p)
        case "KernelRidge":
            return sk.kernel_ridge.KernelRidge(**p)
        case "KNeighborsClassifier" | "KNeighborsRegressor":
            kept = {k: p[k] for k in ("n_neighbors", "weights", "p", "metric")}
            return getattr(sk.neighbors, name)(**kept, algorithm="brute")
        case "LinearDiscriminantAnalysis":
            how = {"solver": "svd"} if p["shrinkage"] is None else {"solver": "lsqr", "shrinkage": p["shrinkage"]}
            return sk.discriminant_analysis.LinearDiscriminantAnalysis(**how)
        case "QuadraticDiscriminantAnalysis":
            return sk.discriminant_analysis.QuadraticDiscriminantAnalysis(reg_param=p["reg_param"])
        case "PCA":
            return sk.decomposition.PCA(p["n_components"], whiten=p["whiten"], svd_solver="full")
        case "StandardScaler" | "MinMaxScaler" | "MaxAbsScaler" | "PolynomialFeatures":
            return getattr(sk.preprocessing, name)(**p)
        case "Normalizer":
            return sk.preprocessing.Normalizer(p["norm"])
        case "PolynomialRegression":
            basis = sk.preprocessing.PolynomialFeatures(
                p["degree"], interaction_only=p["interaction_only"], include_bias=False
            )
            return sk.pipeline.make_pipeline(basis, sk.linear_model.LinearRegression(fit_intercept=p["fit_intercept"]))
        case "OneHotEncoder":
            return sk.preprocessing.OneHotEncoder(
                handle_unknown=p["handle_unknown"], drop=p["drop"], sparse_output=p["sparse_output"]
            )
        case "DummyClassifier" | "DummyRegressor":
            return getattr(sk.dummy, name)(strategy=p["strategy"])
        case "KMeans":
            return sk.cluster.KMeans(p["n_clusters"], max_iter=p["max_iter"], n_init=1, random_state=0)
        case "GaussianMixture":
            return sk.mixture.GaussianMixture(
                p["n_components"], covariance_type=p["covariance_type"], max_iter=p["max_iter"],
                reg_covar=p["reg_covar"], random_state=0,
            )  # fmt: skip
        case "DecisionTreeClassifier" | "CART" | "SLIQ" | "ID3" | "C45":
            return sk.tree.DecisionTreeClassifier(**trees, random_state=0)
        case "DecisionStump":
            return sk.tree.DecisionTreeClassifier(max_depth=1, random_state=0)
        case "DecisionTreeRegressor":
            return sk.tree.DecisionTreeRegressor(**trees, random_state=0)
        case "RandomForestClassifier" | "RandomForestRegressor":
            return getattr(sk.ensemble, name)(p["n_estimators"], **trees, random_state=0)
        case "HistGradientBoostingClassifier":
            return sk.ensemble.HistGradientBoostingClassifier(**boosted)
        case "HistGradientBoostingRegressor":
            return sk.ensemble.HistGradientBoostingRegressor(loss=p["loss"], quantile=p["quantile"], **boosted)
        case "SGDClassifier":
            return sk.linear_model.SGDClassifier(random_state=0)
        case "SGDRegressor":
            return sk.linear_model.SGDRegressor(random_state=0)
        case "Perceptron":
            return sk.linear_model.Perceptron(random_state=0)
        case "AdaBoostClassifier":
            return sk.ensemble.AdaBoostClassifier(n_estimators=p["n_estimators"], random_state=0)
        case "RidgeCV":
            return sk.linear_model.RidgeCV(p["alphas"], fit_intercept=p["fit_intercept"])
        case "LassoCV":
            return sk.linear_model.LassoCV(fit_intercept=p["fit_intercept"], alphas=5, cv=p["cv"])
        case "ElasticNetCV":
            return sk.linear_model.ElasticNetCV(fit_intercept=p["fit_intercept"], alphas=5, cv=p["cv"])
        case "BaggingClassifier" | "BaggingRegressor":
            return getattr(sk.ensemble, name)(n_estimators=p["n_estimators"], random_state=0)
    return None


def fitted(case: Any) -> Any:
    """The counterpart, fitted to the same rows; if there is none or it fails, the case is skipped."""
    theirs = counterpart(case.learner)
    if theirs is None:
        raise Skip("no counterpart")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            X = case.form(case.columns)
            if case.learner.need.kinds != "categorical" and numbers(case) is not None and not hasattr(X, "tocsr"):
                X = numbers(case)
            if hasattr(X, "tocsr"):
                X.sum_duplicates()  # scikit-learn's normalize takes the parts of an entry for entries
            given = {}
            if case.weight is not None and not named(case, "Normalizer", "PCA", "OneHot", "LinearDisc", "Quadratic"):
                given = {"sample_weight": case.weight}
                if named(case, "PolynomialRegression"):
                    given = {"linearregression__sample_weight": case.weight}
                if named(case, "PolynomialFeatures", "MinMax", "MaxAbs"):
                    given = {}
            y = case.y.astype(np.float64) if case.learner.need.target == "number" else case.y
            return theirs.fit(X, y, **given), X
        except Exception as error:
            raise Skip(f"scikit-learn: {type(error).__name__}") from error


ANSWERS = ("LinearRegression", "Ridge", "GaussianNB", "StandardScaler", "MinMax", "MaxAbs", "Normalizer", "Dummy")
ANSWERS += ("PolynomialFeatures", "PolynomialRegression", "Quadratic", "LinearDiscriminant")
ANSWERS += ("BernoulliNB", "MultinomialNB", "ComplementNB")
UNWEIGHTED = ("Quadratic", "LinearDiscriminant", "Normalizer", "MinMax", "MaxAbs", "PolynomialFeatures", "PCA")


def answered(case: Any) -> bool:
    if not named(case, *ANSWERS) or named(case, "RidgeCV") or (case.weight is not None and named(case, *UNWEIGHTED)):
        return False
    return tame(case) if not named(case, "Dummy") else steady(case)


@oracle(when=answered, often=5.0)
def scikit_learn_says_the_same(case: Any) -> None:
    ours = sane(case.way(case), case)
    theirs, X = fitted(case)
    loose = 1e-4 if named(case, "Linear", "Quadratic", "PolynomialReg", "GaussianNB") else 1e-6
    name = "transform" if hasattr(theirs, "transform") and "transform" in ours else "predict"
    name = "predict_proba" if "predict_proba" in ours else name
    if named(case, "Quadratic", "LinearDiscriminant", "GaussianNB") and len(set(case.y.tolist())) < 2:
        raise Skip("one class")
    if hasattr(theirs, "classes_") and len(theirs.classes_) > len(set(case.y[weights_of(case) > 0].tolist())):
        raise Skip("a class without weight")
    if named(case, "GaussianNB") and case.weight is not None and theirs.epsilon_ > 1e-7 * theirs.var_.min():
        raise Skip("scikit-learn smooths by the variance without weights")
    with np.errstate(all="ignore"):
        found = getattr(theirs, name)(X)
    found = found.toarray() if hasattr(found, "toarray") else found
    if not np.isfinite(found).all():
        raise Skip("scikit-learn: not finite")
    if named(case, "Quadratic"):
        counts = np.unique(case.y, return_counts=True)[1]
        if counts.min() <= len(case.columns) + 1:
            raise Skip("a class without full rank")
    if named(case, "PolynomialReg"):
        basis = theirs[0].transform(X)
        around = basis.mean(axis=0) if case.learner.fit_intercept else 0.0
        if np.linalg.cond(basis - around) > 1e6 or case.n < basis.shape[1]:
            raise Skip("ill conditioned: what is small beside the largest column is lost to scikit-learn")
    size = 1e-3 if name == "predict_proba" or case.learner.need.target != "number" else np.abs(case.y).max()
    close(ours[name], found, loose, f"scikit-learn's {name}", size=float(size))


def penalised(case: Any, theirs: Any, X: Any, model: Any) -> tuple[float, float]:
    """The objective at our coefficients and at theirs."""
    w = weights_of(case)

    def value(coef: Any, intercept: Any) -> float:
        p = case.learner.get_params()
        coef, intercept = np.atleast_2d(coef), np.atleast_1d(intercept)
        margin = X @ coef.T + intercept
        if named(case, "LogisticRegression"):
            codes = np.unique(case.y, return_inverse=True)[1]
            if margin.shape[1] == 1:
                loss = w @ np.logaddexp(0, np.where(codes == 1, -margin[:, 0], margin[:, 0]))
            else:
                loss = w @ (np.logaddexp.reduce(margin, axis=1) - margin[np.arange(case.n), codes])
            l1, l2 = p["l1_ratio"], 1 - p["l1_ratio"]
            return float(p["C"] * loss + l1 * np.abs(coef).sum() + l2 / 2 * (coef**2).sum())
        if named(case, "Poisson", "Gamma"):
            y, mean = case.y.astype(np.float64), np.exp(margin[:, 0])
            each = mean - y * margin[:, 0] if named(case, "Poisson") else margin[:, 0] + y / mean
            return float(w @ each / w.sum() + p["alpha"] / 2 * (coef**2).sum())
        l1 = p.get("l1_ratio", 1.0)
        fit = w @ (case.y.astype(np.float64) - margin[:, 0]) ** 2 / (2 * w.sum())
        return float(fit + p["alpha"] * (l1 * np.abs(coef).sum() + (1 - l1) / 2 * (coef**2).sum()))

    return value(model.coef_, model.intercept_), value(theirs.coef_, theirs.intercept_)


@oracle(
    when=lambda case: named(case, "Lasso", "ElasticNet", "LogisticReg", "Poisson", "Gamma") and tame(case), often=6.0
)
def objective_is_not_above_theirs(case: Any) -> None:
    """A convex problem has one optimum: ours is not above scikit-learn's, and where theirs is one, not below."""
    if named(case, "LassoCV", "ElasticNetCV"):
        raise Skip("alpha is chosen")
    if named(case, "LogisticReg") and len(set(case.y[weights_of(case) > 0].tolist())) < 2:
        raise Skip("one class")
    model = case.way(case)
    sane(model, case)
    model = model.steps[-1][1] if hasattr(model, "steps") else model
    theirs, X = fitted(case)
    X = X.toarray() if hasattr(X, "toarray") else X
    if not hasattr(theirs, "coef_") or np.shape(theirs.coef_) != np.shape(model.coef_):
        raise Skip("other shapes")
    a, b = penalised(case, theirs, X, model)
    must(a <= b + 1e-5 * abs(b) + 1e-12, f"objective {a}, scikit-learn's {b}")


@oracle(
    when=lambda case: (
        named(case, "DecisionTree", "CART", "SLIQ")
        and numbers(case) is not None
        and finite(case)
        and steady(case)
        and case.n < 250
    ),
    often=3.0,
)
def a_full_tree_fits_as_theirs(case: Any) -> None:
    """Grown to the end, a tree says of its own rows what scikit-learn's does: the mean, or class, of equal rows."""
    p = case.learner.get_params()
    cls = type(case.learner)
    case = case._replace(learner=cls(**({"method": p["method"]} if "method" in p else {})))
    model = case.way(case)
    found = sane(model, case)["predict"]
    theirs, X = fitted(case)
    w = weights_of(case)
    if max(len(np.unique(c)) for c in X.T) > 254 or np.abs(X).max() > 1e30 or _narrow_gaps(X):
        raise Skip("bins, or float32 in scikit-learn")
    said = theirs.predict(X)
    if classifies(case):
        ours, peer = w @ (found == case.y) / w.sum(), w @ (said == case.y) / w.sum()
        must(ours >= peer - 1e-9, f"{ours:.4f} of its own rows right, scikit-learn {peer:.4f}")
    else:
        y = case.y.astype(np.float64)
        ours, peer = w @ (found - y) ** 2, w @ (said - y) ** 2
        total = w @ (y - np.average(y, weights=w)) ** 2
        must(
            ours <= peer + 1e-6 * total + 1e-300,
            f"squared error {ours} of its own rows, scikit-learn {peer} of {total}",
        )


def _narrow_gaps(X: Any) -> bool:
    """Whether values fall together in float32, which scikit-learn's trees use."""
    with np.errstate(all="ignore"):
        return any(len(np.unique(c.astype(np.float32))) < len(np.unique(c)) for c in X.T)


@oracle(
    when=lambda case: (
        named(case, "HistGradientBoosting")
        and numbers(case) is not None
        and finite(case)
        and steady(case)
        and case.n >= 20
    ),
    often=5.0,
)
def boosting_fits_as_theirs(case: Any) -> None:
    """The training loss of boosting is about that of scikit-learn's histogram boosting."""
    p = case.learner.get_params()
    case = case._replace(weight=None)
    if p["subsample"] < 1 or p["early_stopping"] is True or p.get("class_weight") or _narrow_gaps(numbers(case)):
        raise Skip("drawn")
    if len(set(case.y.tolist())) < 2 or (p.get("loss") == "poisson" and case.y.min() < 0):
        raise Skip("nothing to learn")
    model = case.way(case)
    found = sane(model, case)
    theirs, X = fitted(case)
    if classifies(case):
        codes = np.unique(case.y, return_inverse=True)[1]
        rows = np.arange(case.n)
        losses = [
            -np.log(np.maximum(q[rows, codes], 1e-300)).mean()
            for q in (found["predict_proba"], theirs.predict_proba(X))
        ]
        start = -np.log(np.bincount(codes)[codes] / case.n).mean()
    else:
        losses, start = _regression_losses(case, p, (found["predict"], theirs.predict(X)))
    must(
        losses[0] <= losses[1] + 0.1 * start,
        f"training loss {losses[0]:.4g}, scikit-learn {losses[1]:.4g}, none {start:.4g}",
    )


def _regression_losses(case: Any, p: dict[str, Any], said: Any) -> tuple[list[float], float]:
    """Mean loss of what two models say, and of the best constant."""
    y = case.y.astype(np.float64)
    level = p["quantile"] if p["loss"] == "quantile" else 0.5
    metrics = sklearn.metrics
    pinball = partial(metrics.mean_pinball_loss, alpha=level)
    losses: dict[str, tuple[Any, float]] = {
        "squared_error": (metrics.mean_squared_error, y.mean()),
        "poisson": (metrics.mean_poisson_deviance, y.mean()),
        "absolute_error": (pinball, float(np.median(y))),
        "quantile": (pinball, float(np.quantile(y, level))),
    }
    loss, constant = losses[p["loss"]]
    if p["loss"] == "poisson":
        said = [np.maximum(q, 1e-300) for q in said]
    return [float(loss(y, q)) for q in said], float(loss(y, np.full(len(y), constant)))


@oracle(
    when=lambda case: named(case, "HistGradientBoosting") and case.n >= 150 and case.weight is None and finite(case),
    often=4.0,
)
def boosting_foretells_as_lightgbm(case: Any) -> None:
    """On rows not learnt from, boosting is not far behind LightGBM, whatever columns there are."""
    import lightgbm
    import pandas as pd

    frame = pd.DataFrame(
        {n: pd.Categorical(v) if v.dtype.kind == "O" else v.astype(np.float64) for n, v in case.columns.items()}
    )
    random = np.random.default_rng([case.n, 5])
    first = next(iter(case.columns.values()))
    codes = np.unique(first.astype(str), return_inverse=True)[1] if first.dtype.kind == "O" else first
    order = np.argsort(np.argsort(codes, kind="stable"), kind="stable") / case.n
    y = (random.random(case.n) < np.where(order > 0.5, 0.85, 0.15)).astype(np.int64)
    names = type(case.learner).__name__
    params = {"max_iter": 30, "learning_rate": 0.1} | ({"random_state": 0})
    case = case._replace(learner=type(case.learner)(**params), y=y if names.endswith("Classifier") else y * 1.0)
    order = random.permutation(case.n)
    half = case.n // 2
    rest = case.rows(order[half:])
    model = case.way(case.rows(order[:half]))
    right = ((np.asarray(model.predict(asked(rest))) > 0.5) == (rest.y > 0.5)).mean()
    peer = lightgbm.LGBMClassifier(n_estimators=30, verbose=-1, n_jobs=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer.fit(frame.iloc[order[:half]], y[order[:half]])
        theirs = (peer.predict(frame.iloc[order[half:]]) == y[order[half:]]).mean()
    sigma = np.sqrt(0.5 / len(rest.y))
    must(right > theirs - 4 * sigma - 0.03, f"{right:.3f} of other rows right, LightGBM {theirs:.3f}")


@oracle(when=lambda case: named(case, "RidgeCV", "LassoCV") and tame(case) and case.n >= 12, often=5.0)
def choice_of_alpha_is_theirs(case: Any) -> None:
    """With folds that are given, the penalty chosen is as good by scikit-learn's own loop as its best."""
    if case.way in MERGES:
        raise Skip("folds are given for all rows")
    fold = np.arange(case.n) % 3
    alphas = [1e-3, 0.1, 1.0, 30.0]
    case = case._replace(weight=None)
    learner = type(case.learner)(alphas=alphas, cv=fold, fit_intercept=case.learner.fit_intercept)
    model = case.way(case._replace(learner=learner))
    model = model.steps[-1][1] if hasattr(model, "steps") else model
    sane(model, case)
    cls = sklearn.linear_model.Ridge if named(case, "RidgeCV") else sklearn.linear_model.Lasso
    X, y = numbers(case), case.y.astype(np.float64)
    errors = {}
    for alpha in alphas:
        total = 0.0
        for k in range(3):
            peer = cls(alpha=alpha, fit_intercept=learner.fit_intercept).fit(X[fold != k], y[fold != k])
            total += ((peer.predict(X[fold == k]) - y[fold == k]) ** 2).mean()
        errors[alpha] = total / 3
    chosen = min(alphas, key=lambda a: abs(np.log(a / model.alpha_)))
    best = min(errors.values())
    must(errors[chosen] <= best * 1.01 + 1e-9 * float(y @ y), f"alpha {model.alpha_} of {errors}")


@oracle(when=lambda case: named(case, "PCA") and tame(case) and case.weight is None, often=4.0)
def components_are_theirs(case: Any) -> None:
    model = case.way(case)
    sane(model, case)
    model = model.steps[-1][1] if hasattr(model, "steps") else model
    theirs, _ = fitted(case)
    close(model.explained_variance_, theirs.explained_variance_, 1e-6, "explained variance")
