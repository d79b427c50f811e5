"""What certificates claim as proved, and what scikit-learn reaches: far values, rare classes, odd magnitudes."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
import sklearn.ensemble
import sklearn.linear_model
import sklearn.svm
import sklearn.tree
from sklearn.base import clone

import tenfold as tn
from adversary.book import check
from adversary.case import Skip, close, must


def claims_of(model: Any) -> dict[str, Any]:
    """The claims of a model by their kind."""
    return {claim.kind: claim for claim in model.certificate_.claims}


@check("claims", often=3.0)
def leave_one_out_bounds_hold(case: Any) -> None:
    """A bound on the leave-one-out error that is marked as proved is not below that error, counted one by one."""
    random = case.random
    n = int(random.integers(6, 18))
    X = random.normal(size=(n, 2))
    y = (X[:, 0] + random.normal(size=n) > 0).astype(int)
    if not 2 <= y.sum() <= n - 2:
        raise Skip("a class of one row")
    given = {
        "C": float(10.0 ** random.uniform(-2, 1)),
        "gamma": 0.5,
        "kernel": str(random.choice(["rbf", "linear", "poly"])),
    }
    claim = claims_of(tn.SVC(**given).fit(X, y)).get("leave-one-out bound")
    if claim is None or claim.status != "proved":
        raise Skip("nothing is proved")
    peer = sklearn.svm.SVC(**given, tol=1e-6, max_iter=100_000)
    wrong = 0
    for i in range(n):
        without = np.arange(n) != i
        score = peer.fit(X[without], y[without]).decision_function(X[i : i + 1])[0]
        if peer.fit_status_:
            raise Skip("scikit-learn does not converge")
        wrong += abs(score) > 1e-4 and (score > 0) != y[i]
    must(claim.value >= wrong / n - 1e-9, f"{claim.value} is proved, {wrong / n} is the error")


@check("claims", often=1.0)
def leave_one_out_errors_are_counted(case: Any) -> None:
    """Leave-one-out errors of neighbours and kernels are those of models without each row."""
    random = case.random
    n = int(random.integers(8, 20))
    X, y = random.normal(size=(n, 2)), random.normal(size=n)
    classes = np.where(y > 0, "yes", "no")
    which = case.size % 3
    learner: Any = (
        tn.KNeighborsClassifier(3),
        tn.KNeighborsRegressor(3),
        tn.KernelRidge(0.5, kernel="rbf", gamma=0.5),
    )[which]
    target = classes if which == 0 else y
    claim = claims_of(learner.fit(X, target)).get("leave-one-out error")
    if claim is None:
        raise Skip("no claim")
    off = []
    for i in range(n):
        without = np.arange(n) != i
        said = clone(learner).fit(X[without], target[without]).predict(X[i : i + 1])[0]
        off.append(said != target[i] if which == 0 else (said - target[i]) ** 2)
    truth = np.sqrt(np.mean(off)) if which == 1 else np.mean(off)  # of kernels it is the mean square
    close(claim.value, truth, 1e-6, "leave-one-out error", size=1.0)


@check("claims", often=2.0)
def gaps_hold(case: Any) -> None:
    """An objective less its proved gap is not above the objective of any other point: scikit-learn's, and near ones."""
    random = case.random
    n, p = 12 + 4 * case.size, int(random.integers(1, 4))
    X, y = random.normal(size=(n, p)), random.normal(size=n)
    labels = (y + X[:, 0] > 0).astype(int)
    if not 0 < labels.sum() < n:
        raise Skip("one class")
    which = case.size % 3
    if which == 0:
        model = tn.Lasso(alpha=0.1).fit(X, y)
        peer = sklearn.linear_model.Lasso(alpha=0.1, tol=1e-12, max_iter=10**5).fit(X, y)

        def value(w: Any, b: float) -> float:
            return float(((y - X @ w - b) ** 2).sum() / (2 * n) + 0.1 * np.abs(w).sum())

    elif which == 1:
        C = float(random.choice([0.1, 1.0, 10.0]))
        model = tn.LogisticRegression(C=C, tol=float(random.choice([1e-1, 1e-4]))).fit(X, labels)
        peer = sklearn.linear_model.LogisticRegression(C=C, tol=1e-10, max_iter=10**4).fit(X, labels)

        def value(w: Any, b: float) -> float:
            margin = np.where(labels == 1, 1, -1) * (X @ w + b)
            return float(np.logaddexp(0, -margin).sum() / n + (w @ w) / (2 * C * n))

    else:
        C = float(random.choice([0.1, 1.0]))
        model = tn.LinearSVC(C=C, max_iter=int(random.choice([5, 1000]))).fit(X, labels)
        peer = sklearn.svm.LinearSVC(C=C, tol=1e-10, max_iter=10**5).fit(X, labels)

        def value(w: Any, b: float) -> float:
            margin = np.where(labels == 1, 1, -1) * (X @ w + b)
            return float(C * (np.maximum(0, 1 - margin) ** 2).sum() + 0.5 * (w @ w + b * b))

    claim = claims_of(model)["gap"]
    w, b = np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])
    here = value(w, b)
    others = [(np.ravel(peer.coef_), float(np.ravel(peer.intercept_)[0]))]
    others += [(w + 1e-3 * random.normal(size=p), b + 1e-3 * random.normal()) for _ in range(5)]
    least = min(value(*other) for other in others)
    if claim.status == "proved" or which == 0:
        must(
            here - claim.value <= least + 1e-9 * (1 + abs(here)),
            f"{type(model).__name__}: {here} less the gap {claim.value} is above {least}",
        )


@check("claims", often=1.0)
def clusters_are_within_their_gap(case: Any) -> None:
    """The inertia of k-means less its proved gap is not above the least of all partitions."""
    random = case.random
    n, k = int(random.integers(3, 8)), 2
    X = np.round(random.normal(size=(n, 2)), 1)
    if len(np.unique(X, axis=0)) < 3:
        raise Skip("few rows")
    model = tn.KMeans(k, n_init=1, random_state=case.size).fit(X)
    best = np.inf
    for labels in itertools.product(range(k), repeat=n - 1):
        at = np.array([0, *labels])
        best = min(best, sum(((X[at == j] - X[at == j].mean(axis=0)) ** 2).sum() for j in range(k) if (at == j).any()))
    claim = claims_of(model)["gap"]
    must(model.inertia_ >= best - 1e-9, f"inertia {model.inertia_} below the least there is, {best}")
    least = model.inertia_ * (1 - claim.value)  # the gap is a share
    must(least <= best + 1e-9, f"inertia {model.inertia_} less {claim.value:.0%} is above {best}")


@check("claims", often=1.0)
def one_start_is_one_start(case: Any) -> None:
    """k-means with n_init=1 runs from one start: of many seeds some end elsewhere than the best of several starts."""
    random = case.random
    X = random.random((30 + 4 * case.size, 2))
    several, once = (
        [tn.KMeans(6, n_init=starts, random_state=seed).fit(X).inertia_ for seed in range(8)] for starts in ("auto", 1)
    )
    must(several != once, f"one start is the best of several, whatever the seed: {once}")


@check("claims", often=3.0)
def far_targets_do_not_hide_the_others(case: Any) -> None:
    """One target far from all others: trees fit the others as well as scikit-learn's, or as the resolution claimed."""
    random = case.random
    n = 60 + 20 * case.size
    X = random.normal(size=(n, 2))
    y = 3 * X[:, 0] + 0.1 * random.normal(size=n)
    at = int(random.integers(n))
    y[at] = float(random.choice([1e4, 1e6, 1e8, 1e10, 1e15])) * float(random.choice([-1, 1]))
    rest = np.arange(n) != at
    forest = random.random() < 0.3
    ours: Any = tn.RandomForestRegressor(5, random_state=0) if forest else tn.DecisionTreeRegressor()
    if forest:
        peer: Any = sklearn.ensemble.RandomForestRegressor(5, random_state=0)
    else:
        peer = sklearn.tree.DecisionTreeRegressor(random_state=0)
    model = ours.fit(X, y)
    a = np.median(np.abs(np.asarray(model.predict(X))[rest] - y[rest]))
    b = np.median(np.abs(peer.fit(X, y).predict(X)[rest] - y[rest]))
    claim = claims_of(model).get("resolution")
    told_apart = 0.0 if claim is None else float(claim.value)
    must(
        a <= 3 * b + 0.3 + told_apart,
        f"{type(ours).__name__}: median error {a:.3g} of the others, scikit-learn {b:.3g}, one target {y[at]:.0e}",
    )


RARE = ("DecisionTreeClassifier", "RandomForestClassifier", "AdaBoostClassifier", "GradientBoostingClassifier", "CART")


@check("claims", often=1.5)
def rare_classes_are_found(case: Any) -> None:
    """Few positives among many rows, above a quantile: recall on new rows is near that of scikit-learn's learner."""
    random = case.random
    n, few = 4500 + 100 * case.size, int(random.integers(6, 12))  # above 4,096 rows, trees bin numbers
    X, Z = (np.column_stack([random.lognormal(3, 1, n), random.normal(size=(n, 2))]) for _ in range(2))
    cut = np.sort(X[:, 0])[-few]
    y, t = (X[:, 0] >= cut).astype(int), (Z[:, 0] >= cut).astype(int)
    if t.sum() < 3:
        raise Skip("no positives to find")
    name = RARE[int(random.integers(len(RARE)))]
    size = {"n_estimators": 5} if name[:4] in ("Rand", "AdaB", "Grad") else {}
    ours = getattr(tn, name)(**size, **({"random_state": 0} if name.startswith("Random") else {}))
    peer_name = "DecisionTreeClassifier" if name == "CART" else name
    home = sklearn.tree if "Tree" in peer_name else sklearn.ensemble
    peer = getattr(home, peer_name)(**size, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        a = (np.asarray(ours.fit(X, y).predict(Z)) == 1)[t == 1].mean()
        b = (peer.fit(X, y).predict(Z) == 1)[t == 1].mean()
    slack = 0.35 if name in ("RandomForestClassifier", "GradientBoostingClassifier") else 0.15
    must(a >= b - slack - 1.0 / t.sum(), f"{name}: recall {a:.3f}, scikit-learn {b:.3f}, {few} of {n} rows")


SCALED = (
    "LinearRegression",
    "LinearDiscriminantAnalysis",
    "GaussianNB",
    "PCA",
    "QuadraticDiscriminantAnalysis",
    "KMeans",
)
SCALED += ("StandardScaler", "Ridge", "DecisionTreeRegressor", "GaussianMixture")


@check("claims", often=3.0)
def any_unit_is_answered_or_named(case: Any) -> None:
    """All columns times a power of ten, from 1e-200 to 1e200: answers in the new unit, or an error that says why."""
    random = case.random
    n = 12 + 3 * case.size
    X = random.normal(size=(n, 2))
    y = X @ [1.0, -2.0] + 0.1 * random.normal(size=n)
    labels = np.where(y > 0, "yes", "no")
    labels[:2] = ["yes", "no"]
    name = SCALED[int(random.integers(len(SCALED)))]
    power = float(random.choice([-200, -170, -150, -146, -100, -30, 30, 100, 150, 170, 200]))
    Z = X * 10.0**power
    target = labels if name.endswith(("Analysis", "NB")) else y if name.endswith(("ssion", "Ridge", "ssor")) else None
    given = {"n_clusters": 2} if name == "KMeans" else {"n_components": 2} if name == "GaussianMixture" else {}
    given |= {"alpha": 0.0} if name == "Ridge" else {}
    a = getattr(tn, name)(**given).fit(X, target)
    with np.errstate(all="ignore"):
        try:
            b = getattr(tn, name)(**given).fit(Z, target)
        except ValueError as error:
            must(abs(power) >= 100, f"{power}: refused: {error}")
            must(
                any(word in str(error) for word in ("small", "large", "scale", "Remedy", "range")),
                f"no reason: {error}",
            )
            return
    if name in ("KMeans", "GaussianMixture"):  # rows of other bits are drawn as other starts
        if name == "KMeans" and abs(power) < 140:
            ratio = b.inertia_ / 10.0 ** (2 * power) / a.inertia_
            must(0.5 < ratio < 2, f"columns times 1e{power:.0f}: inertia times {ratio:.3g}")
        return
    if name == "PCA":
        close(
            b.explained_variance_ratio_,
            a.explained_variance_ratio_,
            1e-6,
            f"columns times 1e{power:.0f}: shares of the variance",
        )
        return
    method = "predict_proba" if target is labels else "predict" if target is not None else "transform"
    found, expected = (np.asarray(getattr(m, method)(rows)) for m, rows in ((b, Z), (a, X)))
    close(found, expected, 1e-5, f"{name}, columns times 1e{power:.0f}", size=1e-3)


@check("claims", often=1.5)
def weights_of_any_size_are_answered_or_said(case: Any) -> None:
    """All weights times 1e9 or 1e-9: the same accuracy, or a warning or an error."""
    random = case.random
    n = 40 + 10 * case.size
    X = random.normal(size=(n, 2))
    y = np.where(X[:, 0] + 0.1 * random.normal(size=n) > 0, "yes", "no")
    name = ("SGDClassifier", "Perceptron", "LogisticRegression", "LinearSVC", "MLPClassifier", "GaussianNB")[
        int(random.integers(6))
    ]
    learner = getattr(tn, name)(**({"max_iter": 20} if name == "MLPClassifier" else {}))
    plain = (learner.fit(X, y).predict(X) == y).mean()
    factor = float(random.choice([1e-9, 1e-3, 1e3, 1e9]))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model = clone(learner).fit(X, y, sample_weight=np.full(n, factor))
        except ValueError:
            return
    right = (model.predict(X) == y).mean()
    stopped = {c.kind: c.value for c in model.certificate_.claims}
    must(
        right >= plain - 0.2 or bool(caught) or name in ("LogisticRegression", "LinearSVC", "MLPClassifier"),
        f"{name}: {right:.2f} right with weights of {factor:g}, {plain:.2f} with 1, and no warning ({stopped})",
    )


@check("claims", often=1.0)
def alpha_is_chosen_by_leaving_out_each_row(case: Any) -> None:
    """By default RidgeCV leaves out each row once: its choice is the best by scikit-learn's models without each row."""
    random = case.random
    n, p = int(random.integers(8, 14)), int(random.integers(1, 4))
    X = random.normal(size=(n, p))
    y = X[:, 0] * random.choice([0.0, 0.3, 2.0]) + random.normal(size=n)
    alphas = [1e-2, 1.0, 10.0, 100.0, 1000.0]
    errors = []
    for alpha in alphas:
        off = 0.0
        for i in range(n):
            without = np.arange(n) != i
            peer = sklearn.linear_model.Ridge(alpha).fit(X[without], y[without])
            off += float(peer.predict(X[i : i + 1])[0] - y[i]) ** 2
        errors.append(off / n)
    chosen = tn.RidgeCV(alphas=alphas).fit(X, y).alpha_
    at = int(np.argmin(np.abs(np.log(alphas) - np.log(chosen))))
    must(errors[at] <= min(errors) * (1 + 1e-6), f"alpha {chosen}: {dict(zip(alphas, errors, strict=True))}")
