"""Independent answers: scikit-learn with the same parameters, LightGBM, brute force, rational arithmetic."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import sklearn.cluster
import sklearn.decomposition
import sklearn.discriminant_analysis
import sklearn.dummy
import sklearn.ensemble
import sklearn.linear_model
import sklearn.model_selection
import sklearn.naive_bayes
import sklearn.pipeline
import sklearn.preprocessing
import sklearn.tree

from adversary.answers import asked, finite, numbers, sane, steady, tame, weights_of
from adversary.case import Skip, close, must
from adversary.laws import classifies, named
from adversary.ways import MERGES

ORACLES: dict[str, tuple[Callable[[Any], None], Callable[[Any], bool], float]] = {}
"""by name: the check, whether it speaks of a case, and how often it is drawn"""


def oracle(when: Callable[[Any], bool] = lambda case: True, often: float = 1.0) -> Any:
    """Publish a check, with the cases it speaks of."""

    def publish(check: Any) -> Any:
        ORACLES[check.__name__] = (check, when, often)
        return check

    return publish


def counterpart(learner: Any) -> Any:
    """The estimator of scikit-learn that solves the same problem with the same parameters, or None."""
    name, p = type(learner).__name__, learner.get_params(deep=False)
    sk = sklearn
    trees = {k: p[k] for k in ("max_depth", "min_samples_split", "min_samples_leaf") if k in p}
    rounds = ("learning_rate", "max_iter", "max_leaf_nodes", "max_depth", "min_samples_leaf", "l2_regularization")
    boosted = {k: p[k] for k in rounds if k in p} | {"early_stopping": False, "max_bins": p.get("max_bins", 255)}
    match name:
        case "LinearRegression":
            return sk.linear_model.LinearRegression(fit_intercept=p["fit_intercept"])
        case "Ridge":
            return sk.linear_model.Ridge(p["alpha"], fit_intercept=p["fit_intercept"])
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
        case "LinearDiscriminantAnalysis":
            how = {"solver": "svd"} if p["shrinkage"] is None else {"solver": "lsqr", "shrinkage": p["shrinkage"]}
            return sk.discriminant_analysis.LinearDiscriminantAnalysis(**how)
        case "QuadraticDiscriminantAnalysis":
            return sk.discriminant_analysis.QuadraticDiscriminantAnalysis(reg_param=p["reg_param"])
        case "PCA":
            return sk.decomposition.PCA(p["n_components"], whiten=p["whiten"], svd_solver="full")
        case "StandardScaler" | "MinMaxScaler" | "MaxAbsScaler" | "PolynomialFeatures":
            return getattr(sk.preprocessing, name)(**p)
        case "UnitVector":
            return sk.preprocessing.Normalizer(p["norm"])
        case "PolynomialBasis":
            return sk.preprocessing.PolynomialFeatures(**p)
        case "PolynomialRegression":
            basis = sk.preprocessing.PolynomialFeatures(
                p["degree"], interaction_only=p["interaction_only"], include_bias=False
            )
            return sk.pipeline.make_pipeline(basis, sk.linear_model.LinearRegression(fit_intercept=p["fit_intercept"]))
        case "OneHot":
            return sk.preprocessing.OneHotEncoder(
                handle_unknown=p["handle_unknown"], drop=p["drop"], sparse_output=p["sparse_output"]
            )
        case "DummyClassifier" | "DummyRegressor":
            return getattr(sk.dummy, name)(strategy=p["strategy"])
        case "KMeans":
            return sk.cluster.KMeans(p["n_clusters"], max_iter=p["max_iter"], n_init=1, random_state=0)
        case "DecisionTreeClassifier" | "CART" | "SLIQ" | "ID3" | "C45":
            return sk.tree.DecisionTreeClassifier(**trees, random_state=0)
        case "DecisionStump":
            return sk.tree.DecisionTreeClassifier(max_depth=1, random_state=0)
        case "DecisionTreeRegressor":
            return sk.tree.DecisionTreeRegressor(**trees, random_state=0)
        case "RandomForestClassifier" | "RandomForestRegressor":
            return getattr(sk.ensemble, name)(p["n_estimators"], **trees, random_state=0)
        case "GradientBoostingClassifier":
            return sk.ensemble.HistGradientBoostingClassifier(**boosted)
        case "GradientBoostingRegressor":
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
            given = {}
            if case.weight is not None and not named(case, "UnitVector", "PCA", "OneHot", "LinearDisc", "Quadratic"):
                given = {"sample_weight": case.weight}
                if named(case, "PolynomialRegression"):
                    given = {"linearregression__sample_weight": case.weight}
                if named(case, "PolynomialBasis", "MinMax", "MaxAbs"):
                    given = {}
            y = case.y.astype(np.float64) if case.learner.need.target == "number" else case.y
            return theirs.fit(X, y, **given), X
        except Exception as error:
            raise Skip(f"scikit-learn: {type(error).__name__}") from error


ANSWERS = ("LinearRegression", "Ridge", "GaussianNB", "StandardScaler", "MinMax", "MaxAbs", "UnitVector", "Dummy")
ANSWERS += ("PolynomialBasis", "PolynomialRegression", "Quadratic", "LinearDiscriminant")
UNWEIGHTED = ("Quadratic", "LinearDiscriminant", "UnitVector", "MinMax", "MaxAbs", "PolynomialBasis", "PCA")


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
    if named(case, "GaussianNB") and theirs.var_.min() < 1e-3 * theirs.var_.max():
        raise Skip("scikit-learn smooths by the variance without weights")
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
        if np.linalg.cond((basis - basis.mean(axis=0)) / (basis.std(axis=0) + 1e-300)) > 1e5 or case.n < basis.shape[1]:
            raise Skip("ill conditioned")
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


def _solved(X: Any, y: Any, w: Any, alpha: float, intercept: bool) -> list[Fraction]:
    """The normal equations of the numbers as they are, in rational arithmetic."""
    rows = [[Fraction(v) for v in row] + [Fraction(1)] * intercept for row in X.tolist()]
    of, to = [Fraction(v) for v in w.tolist()], [Fraction(v) for v in y.tolist()]
    q = X.shape[1] + intercept
    A = [[sum(g * r[i] * r[j] for g, r in zip(of, rows)) for j in range(q)] for i in range(q)]
    b = [sum(g * r[i] * t for g, r, t in zip(of, rows, to)) for i in range(q)]
    for i in range(X.shape[1]):
        A[i][i] += Fraction(alpha)
    for i in range(q):
        pivot = next((k for k in range(i, q) if A[k][i]), None)
        if pivot is None:
            raise Skip("singular")
        A[i], A[pivot], b[i], b[pivot] = A[pivot], A[i], b[pivot], b[i]
        for k in range(q):
            if k != i and A[k][i]:
                f = A[k][i] / A[i][i]
                A[k] = [u - f * v for u, v in zip(A[k], A[i])]
                b[k] -= f * b[i]
    return [b[i] / A[i][i] for i in range(q)]


@oracle(
    when=lambda case: (
        named(case, "LinearRegression", "Ridge")
        and not named(case, "RidgeCV")
        and numbers(case) is not None
        and finite(case)
        and case.n <= 40
        and len(case.columns) <= 4
    ),
    often=6.0,
)
def digits_claimed_are_there(case: Any) -> None:
    """The coefficients have as many digits of the exact solution as the certificate says."""
    model = case.way(case)
    sane(model, case)
    model = model.steps[-1][1] if hasattr(model, "steps") else model
    claims = {claim.kind: claim for claim in model.certificate_.claims}
    if "digits" not in claims:
        raise Skip("no digits are claimed")
    if any(v.dtype.itemsize < 8 and v.dtype.kind == "f" for v in case.columns.values()):
        raise Skip("narrow floats")
    X, y, w = numbers(case), case.y.astype(np.float64), weights_of(case)
    alpha = getattr(case.learner, "alpha", 0.0)
    exact = _solved(X, y, w, alpha, case.learner.fit_intercept)[: X.shape[1]]
    truth = np.array([float(v) for v in exact])
    size = max(abs(v) for v in exact)
    if not size or not np.isfinite(truth).all():
        raise Skip("no coefficients")
    off = max(abs(Fraction(float(a)) - b) for a, b in zip(model.coef_, exact)) / size
    held = 15.0 if not off else -np.log10(float(off)) if float(off) > 0 else 15.0
    said = float(claims["digits"].value)
    must(held >= min(said, 14.0) - 1.0, f"{said:.1f} digits are claimed, {held:.1f} hold: {model.coef_}, {truth}")


def _impurity(counts: Any, criterion: str) -> Any:
    total = counts.sum(axis=-1, keepdims=True)
    p = counts / np.where(total > 0, total, 1)
    if criterion == "error":
        return total[..., 0] - counts.max(axis=-1)
    if criterion == "gini":
        return total[..., 0] * (1 - (p**2).sum(axis=-1))
    return -(counts * np.log2(np.where(p > 0, p, 1))).sum(axis=-1)


def _best_two_way(X: Any, inside: Any, whole: Callable[[Any], float], n: int) -> float:
    """The least impurity of all cuts of one column in two, or of no cut."""
    best = whole(np.ones(n, dtype=bool))
    for column in X.T:
        for value in np.unique(column)[:-1]:
            left = column <= value
            if inside(left) and inside(~left):
                best = min(best, whole(left) + whole(~left))
    return best


ONE_SPLIT = ("DecisionTreeClassifier", "DecisionStump", "DecisionTreeRegressor", "CART", "SLIQ")


def splits_once(case: Any) -> bool:
    if (
        not named(case, *ONE_SPLIT)
        or numbers(case) is None
        or not finite(case)
        or case.n > 150
        or len(case.columns) > 6
    ):
        return False
    p = case.learner.get_params()
    plainly = all(
        p.get(k) in (None, 0.0, "subset", "learned")
        for k in ("prune", "ccp_alpha", "min_impurity_decrease", "min_weight_fraction_leaf", "max_features", "split")
        + ("class_weight", "missing")
    )
    enough = p.get("max_bins", 255) > max(len(np.unique(v)) for v in case.columns.values())
    return plainly and enough and p.get("criterion", "gini") in ("gini", "entropy", "error") and steady(case)


@oracle(when=splits_once, often=10.0)
def one_split_is_the_best(case: Any) -> None:
    """A tree of one split has the least impurity of all splits, each tried by hand."""
    learner = case.learner
    if not named(case, "DecisionStump"):
        learner = type(learner)(**(learner.get_params() | {"max_depth": 1}))
    model = case.way(case._replace(learner=learner))
    sane(model, case)
    X, w = numbers(case), weights_of(case)
    X, y, w = X[w > 0], case.y[w > 0], w[w > 0]
    least = learner.min_samples_leaf
    few = getattr(learner, "min_samples_split", 2) > len(y)
    if (w != 1).any() and least > 1:
        raise Skip("rows or weights of a leaf")
    held = case.rows(weights_of(case) > 0)
    X_asked = asked(held)
    if classifies(case):
        codes = np.unique(y, return_inverse=True)[1]
        counts = np.eye(codes.max() + 1)[codes] * w[:, None]
        criterion = getattr(learner, "criterion", "gini")

        def whole(rows: Any) -> float:
            return float(_impurity(counts[rows].sum(axis=0), criterion))

        said = model.predict_proba(X_asked)
    else:
        t = y.astype(np.float64)
        t = t - t.mean()

        def whole(rows: Any) -> float:
            mean = np.average(t[rows], weights=w[rows])
            return float(w[rows] @ (t[rows] - mean) ** 2)

        said = model.predict(X_asked)[:, None]
    groups = np.unique(np.round(said / max(np.abs(said).max(), 1e-300), 12), axis=0, return_inverse=True)[1].ravel()
    ours = sum(whole(groups == g) for g in np.unique(groups))
    best = whole(np.ones(len(y), bool)) if few else _best_two_way(X, lambda r: r.sum() >= least, whole, len(y))
    start = whole(np.ones(len(y), dtype=bool))
    must(
        ours <= best + 1e-7 * start + 1e-300, f"impurity {ours} after the split, {best} by the best one, {start} before"
    )


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
        named(case, "GradientBoosting") and numbers(case) is not None and finite(case) and steady(case) and case.n >= 20
    ),
    often=5.0,
)
def boosting_fits_as_theirs(case: Any) -> None:
    """The training loss of boosting is about that of scikit-learn's histogram boosting."""
    p = case.learner.get_params()
    case = case._replace(weight=None)
    if p["subsample"] < 1 or p["early_stopping"] or _narrow_gaps(numbers(case)):
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
        y = case.y.astype(np.float64)
        scores = [
            np.abs(q - y) if p["loss"] != "squared_error" else (q - y) ** 2
            for q in (found["predict"], theirs.predict(X))
        ]
        losses = [s.mean() for s in scores]
        start = np.abs(y - np.median(y)).mean() if p["loss"] != "squared_error" else y.var()
    must(
        losses[0] <= losses[1] + 0.1 * start,
        f"training loss {losses[0]:.4g}, scikit-learn {losses[1]:.4g}, none {start:.4g}",
    )


@oracle(
    when=lambda case: named(case, "GradientBoosting") and case.n >= 150 and case.weight is None and finite(case),
    often=4.0,
)
def boosting_foretells_as_lightgbm(case: Any) -> None:
    """On rows not learnt from, boosting is not far behind LightGBM, whatever columns there are."""
    import pandas as pd

    try:
        import lightgbm
    except ImportError as error:
        raise Skip("no LightGBM") from error

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


@oracle(when=lambda case: named(case, "KMeans") and numbers(case) is not None and finite(case), often=5.0)
def inertia_is_of_the_nearest(case: Any) -> None:
    """The inertia is the sum of squares to the nearest centre, and not far above scikit-learn's best of several."""
    model = case.way(case)
    sane(model, case)
    model = model.steps[-1][1] if hasattr(model, "steps") else model
    X, w = numbers(case), weights_of(case)
    if np.abs(X).max() > 1e100 or (np.abs(X).max() < 1e-100) or not steady(case):
        raise Skip("squares leave the range")
    centre = np.average(X, axis=0, weights=w)
    squares = ((X[:, None] - model.cluster_centers_[None]) ** 2).sum(axis=2).min(axis=1)
    total = float(w @ ((X - centre) ** 2).sum(axis=1))
    if case.learner.max_iter >= 300:
        close(model.inertia_, w @ squares, 1e-6, "inertia", size=total * 1e-3 + float(w @ (X**2).sum(axis=1)) * 1e-9)
    must(w @ squares <= total * (1 + 1e-9) + 1e-9 * float(w @ (X**2).sum(axis=1)), "worse than one centre")


@oracle(when=lambda case: named(case, "FindS") and finite(case), often=5.0)
def find_s_by_hand(case: Any) -> None:
    """The most specific hypothesis: the values that all positive rows share."""
    model = case.way(case)
    found = sane(model, case)["predict"]
    held = case.rows(weights_of(case) > 0)
    positive = model.classes_[-1]
    chosen = held.y == positive
    if len(model.classes_) < 2 or not chosen.any():
        raise Skip("no positive rows")
    inside = np.ones(case.n, dtype=bool)
    for name, values in case.columns.items():
        some = held.columns[name][chosen]
        if all(v == some[0] for v in some):
            inside &= np.array([v == some[0] for v in values])
    must(np.array_equal(found == positive, inside), f"{found[:5]}, by hand {inside[:5]}")


@oracle(when=lambda case: named(case, "CategoricalNB") and finite(case) and case.learner.alpha > 0, often=5.0)
def bayes_by_hand(case: Any) -> None:
    """Smoothed counts of each category in each class, multiplied."""
    model = case.way(case)
    found = sane(model, case)["predict_proba"]
    w = weights_of(case)
    if not steady(case):
        raise Skip("weights of unlike scales")
    held = w > 0
    classes, y = np.unique(case.y[held], return_inverse=True)
    weight = w[held]
    prior = np.bincount(y, weight) if case.learner.fit_prior else np.ones(len(classes))
    score = np.tile(np.log(prior / prior.sum()), (case.n, 1))
    for values in case.columns.values():
        text = values.astype(str) if values.dtype.kind == "O" else values
        levels, codes = np.unique(text[held], return_inverse=True)
        at = np.searchsorted(levels, text)
        known = (at < len(levels)) & (levels[np.minimum(at, len(levels) - 1)] == text)
        counts = np.zeros((len(classes), len(levels)))
        np.add.at(counts, (y, codes), weight)
        smooth = counts + case.learner.alpha
        p = np.log(smooth / smooth.sum(axis=1, keepdims=True))
        score += np.where(known[:, None], p[:, np.minimum(at, len(levels) - 1)].T, 0.0)
    score = np.exp(score - score.max(axis=1, keepdims=True))
    truth = score / score.sum(axis=1, keepdims=True)
    close(found[held], truth[held], 1e-7, "probabilities by hand")


@oracle(when=lambda case: named(case, "Voting") and numbers(case) is not None and tame(case), often=4.0)
def votes_are_those_of_members(case: Any) -> None:
    """A vote is the mean of what the members say by themselves."""
    from sklearn.base import clone

    from adversary.ways import plain

    model = case.way(case)
    found = sane(model, case)
    members = [plain(case._replace(learner=clone(m))) for _, m in case.learner.estimators]
    shares = np.array(case.learner.weights or [1.0] * len(members))
    X = case.form(case.columns)
    if named(case, "VotingReg"):
        truth = sum(s * m.predict(X) for s, m in zip(shares, members)) / shares.sum()
        close(found["predict"], truth, 1e-6, "mean of members")
    elif case.learner.voting == "soft":
        truth = sum(s * m.predict_proba(X) for s, m in zip(shares, members)) / shares.sum()
        close(found["predict_proba"], truth, 1e-6, "mean of members")
    else:
        votes = sum(s * (m.predict(X)[:, None] == model.classes_[None]) for s, m in zip(shares, members))
        at = np.searchsorted(model.classes_, found["predict"])
        must((votes[np.arange(case.n), at] >= votes.max(axis=1) - 1e-9).all(), "not the class with most votes")


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


@oracle(when=lambda case: named(case, "OneHot") and finite(case), often=4.0)
def one_hot_is_theirs(case: Any) -> None:
    case = case._replace(weight=None)
    found = sane(case.way(case), case)["transform"]
    columns = [v.astype(str) if v.dtype.kind == "O" else v for v in case.columns.values()]
    blocks = []
    for values in columns:
        levels = np.unique(values)
        block = (values[:, None] == levels[None]).astype(np.float64)
        drop = case.learner.drop == "first" or (case.learner.drop == "if_binary" and len(levels) == 2)
        blocks.append(block[:, 1:] if drop else block)
    close(found, np.column_stack(blocks), 0.0, "by hand")


@oracle(when=lambda case: named(case, "PCA") and tame(case) and case.weight is None, often=4.0)
def components_are_theirs(case: Any) -> None:
    model = case.way(case)
    sane(model, case)
    model = model.steps[-1][1] if hasattr(model, "steps") else model
    theirs, _ = fitted(case)
    close(model.explained_variance_, theirs.explained_variance_, 1e-6, "explained variance")


@oracle(when=lambda case: named(case, "LeastSquaresClassifier") and tame(case), often=4.0)
def least_squares_of_indicators(case: Any) -> None:
    model = case.way(case)
    found = sane(model, case)["predict"]
    X, w = np.column_stack([numbers(case), np.ones(case.n)]), weights_of(case)
    classes, y = np.unique(case.y[w > 0], return_inverse=True)
    root = np.sqrt(w[w > 0])[:, None]
    B = np.linalg.lstsq(X[w > 0] * root, np.eye(len(classes))[y] * root, rcond=None)[0]
    scores = X @ B
    at = np.searchsorted(classes, found)
    must((scores[np.arange(case.n), at] >= scores.max(axis=1) - 1e-6).all(), "not the class of the highest score")


@oracle(
    when=lambda case: named(case, "AdaBoost") and numbers(case) is not None and finite(case) and steady(case), often=4.0
)
def boosted_stumps_are_not_worse_than_chance(case: Any) -> None:
    """One round of boosting is the best stump by hand."""
    learner = type(case.learner)(n_estimators=1)
    model = case.way(case._replace(learner=learner))
    found = sane(model, case)["predict"]
    X, w = numbers(case), weights_of(case)
    classes, y = np.unique(case.y[w > 0], return_inverse=True)
    if len(classes) != 2 or case.n > 150 or case.way.__name__ == "dask_frame":
        raise Skip("two classes, few rows")
    X, w, found = X[w > 0], w[w > 0], found[w > 0]
    sign = np.where(y == 1, w, -w)
    best = max(abs(sign.sum()), *(abs(sign[c <= v].sum() - sign[c > v].sum()) for c in X.T for v in np.unique(c)))
    ours = w @ (found == classes[y]) - w @ (found != classes[y])
    must(ours >= best - 1e-9 * w.sum(), f"edge {ours / w.sum():.6f}, the best stump {best / w.sum():.6f}")
