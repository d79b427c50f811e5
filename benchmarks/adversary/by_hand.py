"""Answers by hand: brute force over all splits, counts multiplied, least squares in rational arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from math import prod
from typing import Any

import numpy as np
from sklearn.base import clone

from adversary.answers import asked, decided, finite, numbers, sane, steady, tame, weights_of
from adversary.book import classifies, named, oracle
from adversary.case import Skip, close, must
from adversary.ways import plain

MOST_TERMS = 10


def _terms(case: Any) -> list[list[Fraction]]:
    """The rows that least squares has the coefficients of, in rational arithmetic: columns, or products of them."""
    rows = [[Fraction(v) for v in row] for row in numbers(case).tolist()]
    if not named(case, "Polynomial"):
        return rows
    draw = combinations if case.learner.interaction_only else combinations_with_replacement
    p, degree = len(case.columns), case.learner.degree
    factors = [some for k in range(1, degree + 1) for some in draw(range(p), k)]
    return [[prod((row[j] for j in some), start=Fraction(1)) for some in factors] for row in rows]


def _solved(rows: list[list[Fraction]], y: Any, w: Any, alpha: float, intercept: bool) -> list[Fraction]:
    """The coefficients that solve the normal equations of the numbers as they are, in rational arithmetic."""
    p = len(rows[0])
    rows = [[*row, *[Fraction(1)] * intercept] for row in rows]
    of, to = [Fraction(v) for v in w.tolist()], [Fraction(v) for v in y.tolist()]
    q = p + intercept
    A = [[sum(g * r[i] * r[j] for g, r in zip(of, rows)) for j in range(q)] for i in range(q)]
    b = [sum(g * r[i] * t for g, r, t in zip(of, rows, to)) for i in range(q)]
    for i in range(p):
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
    return [b[i] / A[i][i] for i in range(p)]


def _squares(rows: list[list[Fraction]], w: Any, intercept: bool) -> list[Fraction]:
    """Of each column about its mean, or about zero."""
    of = [Fraction(v) for v in w.tolist()]
    found = []
    for column in zip(*rows):
        mean = sum(g * v for g, v in zip(of, column)) / sum(of) if intercept else Fraction(0)
        found.append(sum((g * (v - mean) ** 2 for g, v in zip(of, column)), start=Fraction(0)))
    return found


def _float(v: Fraction) -> float:
    """The nearest float; infinity if it is too large for one."""
    try:
        return float(v)
    except OverflowError:
        return np.inf if v > 0 else -np.inf


@oracle(
    when=lambda case: (
        named(case, "LinearRegression", "Ridge", "PolynomialRegression")
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
    if len(model.coef_) > MOST_TERMS:
        raise Skip("too many terms to solve for by hand")
    y, w = case.y.astype(np.float64), weights_of(case)
    rows = _terms(case)
    exact = _solved(rows, y, w, getattr(case.learner, "alpha", 0.0), case.learner.fit_intercept)
    truth, spread = np.array([_float(v) for v in exact]), _squares(rows, w, case.learner.fit_intercept)
    size = max(b * b * s for b, s in zip(exact, spread))  # of what a column adds to predictions: units do not matter
    if not size or not np.isfinite(truth).all():
        raise Skip("no coefficients")
    off = _float(max((Fraction(float(a)) - b) ** 2 * s for a, b, s in zip(model.coef_, exact, spread)) / size)
    held = -np.log10(off) / 2 if off > 0 else 15.0
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
        + ("class_weight", "missing", "min_impurity")
    )
    bins = p.get("max_bins", 255)  # "auto": so few rows have a bin for every number
    enough = bins == "auto" or bins > max(len(np.unique(v)) for v in case.columns.values())
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


def _adds(learner: Any) -> float:
    """What is added to the counts: Laplace's alpha, or m."""
    return float(learner.alpha if learner.m is None else learner.m)


@oracle(when=lambda case: named(case, "CategoricalNB") and finite(case) and _adds(case.learner) > 0, often=5.0)
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
        k, m = len(levels), case.learner.m
        shares = counts.sum(axis=0) / weight.sum() if case.learner.p == "marginal" else np.full(k, 1 / k)
        smooth = counts + (case.learner.alpha * k if m is None else m) * shares
        p = np.log(smooth / smooth.sum(axis=1, keepdims=True))
        score += np.where(known[:, None], p[:, np.minimum(at, len(levels) - 1)].T, 0.0)
    score = np.exp(score - score.max(axis=1, keepdims=True))
    truth = score / score.sum(axis=1, keepdims=True)
    close(found[held], truth[held], 1e-7, "probabilities by hand")


@oracle(when=lambda case: named(case, "Voting") and numbers(case) is not None and tame(case), often=4.0)
def votes_are_those_of_members(case: Any) -> None:
    """A vote is the mean of what the members say by themselves."""
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
        most = votes[np.arange(case.n), at] >= votes.max(axis=1) - 1e-9
        must(most[decided(members, X)].all(), "not the class with most votes")


@oracle(when=lambda case: named(case, "OneHotEncoder") and finite(case), often=4.0)
def indicators_by_hand(case: Any) -> None:
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
def one_round_is_the_best_stump(case: Any) -> None:
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
