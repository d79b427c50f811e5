"""Folds, curves, tuning, importances, intervals and learners of learners: each against a loop by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn.model_selection
from sklearn.base import clone

import tenfold as tn
from adversary import learners
from adversary.book import check
from adversary.case import Skip, close, must, refused
from tenfold.testing import bits

CLASSIFIERS = (
    "GaussianNB",
    "LogisticRegression",
    "DecisionTreeClassifier",
    "LinearDiscriminantAnalysis",
    "KNeighborsClassifier",
)
REGRESSORS = ("Ridge", "DecisionTreeRegressor", "LinearRegression", "KNeighborsRegressor")


def table_drawn(random: Any, size: int, classes: bool) -> tuple[Any, Any]:
    """Rows of numbers, and a target of two or three classes or of numbers."""
    n = 24 + 6 * size
    X = np.round(random.normal(size=(n, int(random.integers(1, 4)))), 2)
    s = X[:, 0] + 0.7 * random.normal(size=n)
    if not classes:
        return X, s
    count = int(random.integers(2, 4))
    return X, np.array(["no", "yes", "zz"], dtype=object)[np.argsort(np.argsort(s)) * count // n]


def learner_drawn(random: Any, classes: bool) -> Any:
    """A learner without draws."""
    names = CLASSIFIERS if classes else REGRESSORS
    return getattr(tn, names[int(random.integers(len(names)))])()


@check("evaluation", often=3.0)
def together_is_alone_for_learners(case: Any) -> None:
    """Learners fitted together over shared scans have the bits that each has alone."""
    random = case.random
    classes = random.random() < 0.5
    X, y = table_drawn(random, case.size, classes)
    wanted = "class" if classes else "number"
    several: list[Any] = []
    while len(several) < 4:
        one = learners.drawn(random)
        if (
            one.need.kinds in ("numeric", "mixed")
            and one.need.target in (wanted, None)
            and not one.need.counts | one.need.positive
        ):
            several.append(one)
    alone = []
    for one in several:
        try:
            uses_target = one.need.target or isinstance(one, tn.Profile)
            alone.append(clone(one).fit(X, y if uses_target else None))
        except ValueError as error:
            raise Skip(f"refused alone: {error}") from None
    models = tn.fit_together(several, X, y)
    for one, a, b in zip(several, alone, models, strict=True):
        must(bits(a.model_) == bits(b.model_), f"{one} together has other bits than alone")


@check("evaluation", often=3.0)
def curves_are_those_of_a_loop(case: Any) -> None:
    """Validation curves and tuning are loops over values of a parameter, and the best is the best."""
    random = case.random
    classes = random.random() < 0.5
    X, y = table_drawn(random, case.size, classes)
    if classes:
        learner, name, values = tn.DecisionTreeClassifier(), "max_depth", [1, 2, 5]
    else:
        learner, name, values = tn.Ridge(), "alpha", [0.01, 1.0, 100.0]
    split = sklearn.model_selection
    folds = split.PredefinedSplit(np.arange(len(y)) % 3)
    scoring = "accuracy" if classes else "r2"
    train, test = split.validation_curve(learner, X, y, param_name=name, param_range=values, cv=folds, scoring=scoring)
    curve = tn.validation_curve(learner, X, y, param_name=name, param_range=values, folds=folds, scoring=scoring)
    near = 1.01 / (len(y) // 3) if classes else 1e-7
    must(bool((np.abs(curve.test_scores - test) <= near).all()), f"{curve.test_scores}, by a loop {test}")
    must(bool((np.abs(curve.train_scores - train) <= near).all()), f"training: {curve.train_scores}, by a loop {train}")
    tuned = tn.tune(learner, {name: values}, X, y, folds=folds, scoring=scoring)
    means = test.mean(axis=1)
    must(means[values.index(tuned.best_params_[name])] >= means.max() - near, f"{tuned.best_params_} of {means}")
    alone = clone(learner).set_params(**tuned.best_params_).fit(X, y)
    if classes:
        must(bits(alone.model_) == bits(tuned.best_estimator_.model_), "the best model is not the one of all rows")
    else:  # it is merged from the folds
        close(tuned.predict(X), alone.predict(X), 1e-9, "the best model is not the one of all rows")


@check("evaluation", often=1.0)
def curves_end_at_all_rows(case: Any) -> None:
    """A learning curve at all rows is cross-validation; sizes grow, and scores are numbers."""
    random = case.random
    classes = random.random() < 0.5
    X, y = table_drawn(random, case.size, classes)
    learner = learner_drawn(random, classes)
    curve = tn.learning_curve(learner, X, y, train_sizes=[0.5, 1.0], folds=3)
    found = tn.cross_validate(learner, X, y, folds=3).scores[0, 0]
    near = 1.01 / (len(y) // 3) if classes else 1e-6
    must(bool((np.abs(curve.test_scores[-1] - found) <= near).all()), f"{curve.test_scores[-1]}, of all rows {found}")
    must(bool((np.diff(curve.train_sizes) > 0).all()), f"sizes {curve.train_sizes}")
    must(bool(np.isfinite(curve.test_scores).all()), f"scores {curve.test_scores}")


@check("evaluation", often=2.0)
def folds_are_those_that_are_named(case: Any) -> None:
    """Folds by names and by a splitter are those of the loop over them; two answers at once are refused."""
    random = case.random
    classes = random.random() < 0.5
    X, y = table_drawn(random, case.size, classes)
    learner = learner_drawn(random, classes)
    names = np.array(["mon", "tue", "wed"], dtype=object)[random.integers(0, 3, len(y))]
    names[:6] = ["mon", "tue", "wed"] * 2
    if classes and any(len(set(y[names != day])) < len(set(y)) for day in set(names)):
        raise Skip("a class in one fold only")
    scoring = "accuracy" if classes else "neg_mean_squared_error"
    fold = np.unique(names, return_inverse=True)[1]
    loop = sklearn.model_selection.cross_val_score(
        clone(learner), X, y, cv=sklearn.model_selection.PredefinedSplit(fold), scoring=scoring
    )
    near = 1.01 / min(np.bincount(fold)) if classes else 1e-6 * float(np.abs(loop).max())
    for what, given in (
        ("names", {"folds": names}),
        ("splitter", {"cv": sklearn.model_selection.PredefinedSplit(fold)}),
    ):
        found = tn.cross_validate(learner, X, y, scoring=scoring, **given).scores[0, 0]
        must(bool((np.abs(np.sort(found) - np.sort(loop)) <= near).all()), f"{what}: {found}, by a loop {loop}")
    refused(lambda: tn.cross_validate(learner, X, y, folds=3, cv=(3, 4)[case.size % 2]), "cv")


@check("evaluation", often=2.0)
def dependence_is_the_mean_of_predictions(case: Any) -> None:
    """Partial dependence sets a column and takes the mean; a column without any other value has no importance."""
    random = case.random
    classes = random.random() < 0.5
    X, y = table_drawn(random, case.size, classes)
    X = np.column_stack([X, np.full(len(X), 2.0)])
    y = np.where(y == "zz", "yes", y) if classes else y
    model = learner_drawn(random, classes).fit(X, y)
    values = [float(v) for v in X[:2, 0]]
    curve = tn.partial_dependence(model, X, 0, custom_values={0: values})
    grid = np.asarray(curve.grid_values[0]).tolist()
    by_hand = []
    for value in grid:
        Z = X.copy()
        Z[:, 0] = value
        by_hand.append(np.mean(model.predict_proba(Z)[:, 1] if classes else model.predict(Z)))
    close(np.ravel(curve.average), by_hand, 1e-9, "partial dependence", size=1.0)
    found = tn.permutation_importance(model, X, y, n_repeats=2)
    must(float(found.importances_mean[-1]) == 0.0, f"importance of a constant column: {found.importances_mean}")
    must(bool(np.isfinite(found.importances).all()), f"importances {found.importances}")
    score = (np.asarray(model.predict(X)) == y).mean() if classes else model.score(X, y)
    close(found.score, score, 1e-9, "score of the rows as they are", size=1.0)


@check("evaluation", often=1.0)
def intervals_hold_the_error(case: Any) -> None:
    """The error that is certified is that of the rows, between its ends; two learners compare either way round."""
    random = case.random
    X, y = table_drawn(random, case.size + 6, True)
    cut = len(y) // 2
    if len(set(y[:cut])) < len(set(y)):
        raise Skip("a class in one half only")
    model = learner_drawn(random, True).fit(X[:cut], y[:cut])
    promise = tn.certify(model, X[cut:], y[cut:], reused=1)
    wrong = float((np.asarray(model.predict(X[cut:])) != y[cut:]).mean())
    close(promise["error"].value, wrong, 1e-12, "error", size=1.0)
    low, high = promise["error at least"].value, promise["error at most"].value
    must(low <= wrong <= high, f"{wrong} is not between {low} and {high}")
    a, b = random.normal(size=10), random.normal(size=10)
    one, other = tn.compare(a, b, "paired"), tn.compare(b, a, "paired")
    must(0 <= one.p <= 1 and abs(one.p - other.p) < 1e-12, f"p {one.p} and {other.p}")


def member_drawn(random: Any, wanted: str) -> Any:
    """Any learner of numbers with a target of this kind."""
    while True:
        found = learners.drawn(random)
        need = found.need
        made_of_others = type(found).__name__.startswith(("Bagging", "AdaBoost", "Stacking", "Voting"))
        if need.kinds in ("numeric", "mixed") and need.target == wanted and not need.counts | need.positive:
            if made_of_others:
                continue
            return found


@check("evaluation", often=3.0)
def ensembles_of_any_learner(case: Any) -> None:
    """Bags and boosts of any learner: finite, a row alone as in a batch, and a bag is the mean of its members."""
    random = case.random
    classes = random.random() < 0.6
    X, y = table_drawn(random, case.size, classes)
    member = member_drawn(random, "class" if classes else "number")
    if classes and random.random() < 0.5:
        learner: Any = tn.AdaBoostClassifier(estimator=member, n_estimators=3)
    else:
        learner = (tn.BaggingClassifier if classes else tn.BaggingRegressor)(estimator=member, n_estimators=3)
    try:
        model = learner.fit(X, y)
    except (ValueError, TypeError) as error:
        if declared(str(error)):
            raise Skip(f"refused: {error}") from None
        raise
    name = "predict_proba" if hasattr(model, "predict_proba") else "predict"
    found = np.asarray(getattr(model, name)(X))
    must(found.dtype.kind != "f" or bool(np.isfinite(found).all()), f"{name} is not finite")
    alone = np.asarray(getattr(model, name)(X[3:4]))
    if found.dtype.kind == "f":
        close(alone, found[3:4], 1e-9, "one row", size=float(np.abs(found).max()))
    if type(learner).__name__ == "BaggingRegressor":
        mean = np.mean([np.asarray(m.predict(X)) for m in model.estimators_], axis=0)
        close(found, mean, 1e-9, "a bag is the mean of its members", size=float(np.abs(y).max()))


SAID = ("weights", "no better than chance", "diverge", "classes", "does not", "cannot", "set aside", "Remedy", "rows")
"""words of refusals that name what a member lacks"""


def declared(message: str) -> bool:
    """Whether a refusal gives a reason."""
    return any(word in message for word in SAID)
