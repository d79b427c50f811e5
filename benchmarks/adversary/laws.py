"""Laws that any learner keeps, or any of some kind: no other library is needed to see them broken."""

from __future__ import annotations

import pickle
import tempfile
from collections import Counter
from typing import Any

import numpy as np
import sklearn.model_selection
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import tenfold as tn
from adversary.answers import (
    alike,
    asked,
    decided,
    finite,
    main_method,
    numbers,
    outputs,
    sane,
    steady,
    tame,
    weights_of,
)
from adversary.book import classifies, law, named
from adversary.case import Skip, Wrong, again, close, must
from adversary.learners import draws
from adversary.ways import (
    FRAMES,
    MERGES,
    SAME_BITS,
    SPARSE,
    array,
    as_array,
    dask_array,
    frame,
    in_two_calls,
    plain,
    source_of_array,
    target,
    weighted,
)
from tenfold.testing import bits

TREES = ("CART", "SLIQ", "ID3", "DecisionTree", "DecisionStump")
BOOSTED = ("GradientBoosting", "HistGradientBoosting")
COUNTING = (
    *TREES,
    "Dummy",
    "CategoricalNB",
    "TreeAugmentedNB",
    "BayesianNetworkDensity",
    "FindS",
    "CandidateElimination",
    "ListThenEliminate",
    "KCNF",
    "KDNF",
    "OneHotEncoder",
    "MaxAbs",
    "MinMax",
    "Normalizer",
    "PolynomialFeatures",
)
"""learners whose sums of whole numbers are exact"""


def rounding_is_small(case: Any) -> bool:
    """Whether another order of adding can be seen in the tenth digit at most."""
    return tame(case) or (named(case, *COUNTING) and steady(case))


def _digits(model: Any) -> float:
    """How many digits of its coefficients a model claims; infinity, if it speaks of none, as a classifier does."""
    model = model.steps[-1][1] if hasattr(model, "steps") else model
    return next((float(claim.value) for claim in model.certificate_.claims if claim.kind == "digits"), np.inf)


def same_model(a: Any, b: Any, case: Any, what: str, tolerance: float = 1e-6) -> None:
    """Two models say the same of the rows of a case; k-means and mixtures come to an equal objective."""
    if named(case, "KMeans", "BisectingKMeans", "MiniBatchKMeans"):
        a, b = (m.steps[-1][1] if hasattr(m, "steps") else m for m in (a, b))
        close(a.inertia_, b.inertia_, 1e-6, f"{what}: inertia", size=float((numbers(case) ** 2).sum()) * 1e-6)
        return
    if named(case, "GaussianMixture"):
        a, b = (m.steps[-1][1] if hasattr(m, "steps") else m for m in (a, b))
        if any(m.certificate_.get("collapsed components") or m.certificate_["condition"].value > 1e8 for m in (a, b)):
            raise Skip("a component on few rows: the certificate says that the likelihood has no limit")
        close(a.lower_bound_, b.lower_bound_, tolerance, f"{what}: log-likelihood", size=1.0)
        return
    if named(case, "PolynomialRegression", "RBFNetwork") and 10 ** -min(_digits(a), _digits(b)) > tolerance:
        raise Skip("columns that others nearly add up to: the certificate says that digits are lost")
    if named(case, "PCA") and min(_direction_digits(m) for m in (a, b)) < -np.log10(tolerance):
        raise Skip("variances as good as equal: the certificate says that directions are not known")
    if named(case, "VotingC") and case.learner.voting == "hard":
        case = case.rows(_settled(a, asked(case)))
        if not case.n:
            raise Skip("of every row a member is undecided")
    if named(case, "Profile"):
        a, b = (m.steps[-1][1] if hasattr(m, "steps") else m for m in (a, b))
        x, y = ({n: np.asarray(v) for n, v in m.model_._asdict().items()} for m in (a, b))
        alike(x, y, tolerance, what)
        return
    if named(case, "LinearSV") and (reach := _distance_by_gaps(a, b)) > tolerance / 10:
        same_within_gaps(a, b, case, what, reach)
        return
    if named(case, "KernelRidge") and (reach := _distance_by_residuals(a, b)):
        x, y = (model.predict(asked(case)) for model in (a, b))
        off = np.abs(x - y) * np.sqrt(weights_of(case)) - tolerance * np.abs(x).max()
        must((off <= reach).all(), f"{what}: off by {off.max():.3g}, and the residuals prove {reach:.3g}")
        return
    x, y = outputs(a, asked(case)), outputs(b, asked(case))
    if named(case, "PCA", "LinearDiscriminant", "Fisher") and "transform" in x:  # axes may be turned
        x["transform"], y["transform"] = np.abs(x["transform"]), np.abs(y["transform"])
    size = float(np.abs(case.y.astype(np.float64)).max()) if case.learner.need.target == "number" else 0.0
    if named(case, "LogisticRegression"):
        size = 1e-3  # where no column tells classes apart, scores are rounding errors around zero
    alike(x, y, tolerance, what, size)


def _distance_by_gaps(a: Any, b: Any) -> float:
    """How far the weights of two linear machines may be apart: half the squared distance to the optimum is a gap."""
    models = [model.steps[-1][1] if hasattr(model, "steps") else model for model in (a, b)]
    return sum(float(np.sqrt(2.0 * max(model.certificate_["gap"].value, 0.0))) for model in models)


def _distance_by_residuals(a: Any, b: Any) -> float:
    """How far two kernel ridge regressions may be apart at rows learnt from; 0 if their kernel is not proved to be one.

    With K + αI of no eigenvalue below α, the error of K a is at most the residual of (K + αI) a = y, which the gap is
    the square of. It has the rounding of K a, as which predictions are rounded, in it.
    """
    gaps = [(m.steps[-1][1] if hasattr(m, "steps") else m).certificate_["gap"] for m in (a, b)]
    return sum(2.0 * float(np.sqrt(gap.value)) for gap in gaps) if all(g.status == "proved" for g in gaps) else 0.0


def same_within_gaps(a: Any, b: Any, case: Any, what: str, reach: float) -> None:
    """Two linear machines, which stop at their tolerance, are as near as their proved gaps say."""
    X, scale = numbers(case), case.learner.intercept_scaling
    if X is None or hasattr(a, "steps") or not np.isfinite(scale):
        raise Skip("it stops at its tolerance")
    name = "decision_function" if classifies(case) else "predict"
    x, y = (getattr(model, name)(asked(case)).reshape(case.n, -1) for model in (a, b))
    lengths = np.sqrt((X * X).sum(axis=1) + scale * scale)
    off = np.abs(x - y).max(axis=1) - 1e-6 * np.abs(x).max()
    must((off <= reach * lengths).all(), f"{what}: off by {off.max():.3g}, and the gaps prove {reach:.3g} of a length")


def unless_rounding_chooses(a: Any, b: Any, case: Any, what: str, *learners: str) -> None:
    """Two models say the same; of these learners skipped where cuts or distances tie, and last digits choose."""
    try:
        same_model(a, b, case, what)
    except Wrong:
        if named(case, *learners) and _rounding_chooses(case):
            raise Skip("cuts or distances are equal, and the last digits of sums choose among them") from None
        raise


def _rounding_chooses(case: Any) -> bool:
    """Whether weights that differ from one another in the tenth digit alone lead to other models."""
    nudges = 1.0 + 1e-10 * np.random.default_rng(case.n).standard_normal((12, case.n))
    first = case.way(case._replace(weight=weights_of(case) * nudges[0]))
    try:
        for nudge in nudges[1:]:
            same_model(first, case.way(case._replace(weight=weights_of(case) * nudge)), case, "nudged", 1e-7)
    except Wrong:
        return True
    return False


def _direction_digits(model: Any) -> float:
    """Of the directions of a PCA, as it claims them; all, if it claims none."""
    model = model.steps[-1][1] if hasattr(model, "steps") else model
    claims = {claim.kind: claim.value for claim in model.certificate_.claims}
    return float(claims.get("direction digits", 15.0))


def _settled(vote: Any, X: Any) -> Any:
    """The rows of which no member of a vote is undecided."""
    if hasattr(vote, "steps"):
        X, vote = vote[:-1].transform(X), vote.steps[-1][1]
    return decided(vote.estimators_, X)


@law(often=2.0)
def says_something_finite(case: Any) -> None:
    sane(case.way(case), case)


@law(when=lambda case: case.way is not plain, often=6.0)
def every_way_is_fit(case: Any) -> None:
    """Whichever way the rows come, the model is that of `fit`."""
    found = case.way(case)
    sane(found, case)
    whole = plain(case._replace(target=as_array))
    model = found.steps[-1][1] if hasattr(found, "steps") else found
    if case.way in SAME_BITS:
        must(bits(model.model_) == bits(whole.model_), f"{case.way.__name__} gives other bits than fit")
    elif case.way in MERGES and named(case, "DecisionTree", "AdaBoost", "LogisticRegression"):
        return
    elif rounding_is_small(case) and not draws(case.learner):
        form = frame if case.way in FRAMES else array if case.way in (source_of_array, dask_array) else case.form
        same_model(found, plain(case._replace(form=form, target=as_array)), case, case.way.__name__, 1e-5)


@law(when=lambda case: case.weight is not None and not draws(case.learner) and rounding_is_small(case), often=2.0)
def weight_is_repetition(case: Any) -> None:
    """A row of weight 2 is two rows, one of weight 0 is none."""
    w = weights_of(case)
    if (w != np.rint(w)).any() or w.sum() > 3000:
        raise Skip("weights are not whole")
    p = case.learner.get_params(deep=False)
    if p.get("min_samples_leaf", 1) > 1 or p.get("min_samples_split", 2) > 2:
        raise Skip("rows are counted, whatever their weight")
    model = case.way(case)
    repeated = case.rows(np.repeat(np.arange(case.n), w.astype(int)))._replace(weight=None)
    same_model(model, again(lambda: case.way(repeated), "rows repeated"), case.rows(w > 0), "rows repeated")


@law(when=lambda case: not draws(case.learner) and rounding_is_small(case), often=2.0)
def order_does_not_matter(case: Any) -> None:
    if case.way is in_two_calls and named(case, "VarianceThreshold"):
        raise Skip("no column may change in the rows of the first call")
    model = case.way(case)
    shuffled = case.rows(np.random.default_rng(case.n).permutation(case.n))
    other = again(lambda: case.way(shuffled), "shuffled")
    unless_rounding_chooses(model, other, case.rows(weights_of(case) > 0), "shuffled", "KMeans", "BisectingKMeans")


WEIGHT_SCALE = (*TREES, "GaussianNB", "Quadratic", "LinearRegression", "StandardScaler", "MinMax", "MaxAbs", "Dummy")
WEIGHT_SCALE += (*BOOSTED, "AdaBoost", "Lasso", "ElasticNet", "Bridge", "Poisson", "Gamma")
WEIGHT_SCALE += ("LeastSquaresClassifier", "PolynomialRegression")


@law(when=lambda case: named(case, *WEIGHT_SCALE) and not draws(case.learner) and steady(case), often=2.0)
def size_of_weights_does_not_matter(case: Any) -> None:
    """All weights times a power of two: the same model, where no penalty or pruning counts them."""
    if getattr(case.learner, "l2_regularization", 0) or getattr(case.learner, "prune", None):
        raise Skip("weights count against a penalty")
    if numbers(case) is None and named(case, *TREES, *BOOSTED):
        raise Skip("splits of categories are penalised by how much weight they have")
    if not (tame(case) or named(case, *COUNTING)):
        raise Skip("ill conditioned")
    model = case.way(case)
    power = 2.0 ** (-45, -9, 9, 45)[case.n % 4]
    scaled = case._replace(weight=weights_of(case) * power)
    other = again(lambda: case.way(scaled), f"weights times {power}")
    unless_rounding_chooses(model, other, case, f"weights times {power}", *BOOSTED)


COLUMN_SCALE = (*TREES, "GaussianNB", "LinearRegression", "StandardScaler", "MinMax", "MaxAbs", "Dummy")
COLUMN_SCALE += (*BOOSTED, "AdaBoost", "LinearDiscriminant", "Quadratic", "Normalizer", "RuleList", "C45")


def _times(columns: dict[str, Any], factor: float) -> dict[str, Any]:
    return {n: v * factor if v.dtype == np.float64 else v for n, v in columns.items()}


@law(
    when=lambda case: (
        named(case, *COLUMN_SCALE)
        and not draws(case.learner)
        and tame(case)
        and case.form not in SPARSE
        and all(v.dtype == np.float64 for v in case.columns.values())
    ),
    often=2.0,
)
def unit_of_columns_does_not_matter(case: Any) -> None:
    """All columns times a power of two: the same predictions."""
    if getattr(case.learner, "with_mean", True) is False or getattr(case.learner, "with_std", True) is False:
        raise Skip("not scaled")
    if getattr(case.learner, "reg_param", 0):
        raise Skip("what is added to a variance has its unit")
    if classifies(case) and len(set(case.y[weights_of(case) > 0].tolist())) < 2:
        raise Skip("one class: a score has the unit of a density")
    power = 2.0 ** (-300, -40, 40, 300)[case.n % 4]
    if getattr(case.learner, "shrinkage", None) == "auto":
        power **= 0.5  # of which fourth powers are taken, not squares
    model = case.way(case)
    other = case._replace(columns=_times(case.columns, power))
    scaled = again(lambda: case.way(other), f"columns times {power}")
    what = f"columns times {power}"
    a, b = outputs(model, asked(case)), outputs(scaled, asked(other))
    if named(case, "Quadratic") and len(model.classes_) > 2:
        a.pop("decision_function", None)  # logarithms of densities
    a.pop("transform" if not hasattr(model, "inverse_transform") else "", None)
    alike(a, {name: b[name] for name in a}, 1e-6, what)


TARGET_SCALE = ("LinearRegression", "Ridge", "DecisionTreeReg", "RandomForestReg", "DummyReg", "PolynomialReg")
TARGET_SCALE += ("GradientBoostingReg", "HistGradientBoostingReg", "BaggingReg", "VotingReg", "StackingReg")


@law(when=lambda case: named(case, *TARGET_SCALE) and not draws(case.learner) and tame(case), often=3.0)
def unit_of_target_does_not_matter(case: Any) -> None:
    """The target times a power of two: predictions times the same."""
    if getattr(case.learner, "loss", "squared_error") == "poisson" or getattr(case.learner, "min_impurity_decrease", 0):
        raise Skip("not linear in the target")
    if getattr(case.learner, "ccp_alpha", 0) or getattr(case.learner, "early_stopping", False):
        raise Skip("not linear in the target")
    power = 2.0 ** (-400, -100, 30, 100, 400)[case.n % 5]
    model = case.way(case)
    y = case.y.astype(np.float64)
    scaled = again(lambda: case.way(case._replace(y=y * power)), f"target times {power}")
    a, b = model.predict(asked(case)), scaled.predict(asked(case))
    close(np.asarray(a), np.asarray(b) / power, 1e-6, f"target times {power}", size=float(np.abs(y).max()))


@law(often=2.0)
def other_widths_are_refused(case: Any) -> None:
    """Rows with a column more or fewer, or with other names, are refused."""
    model = case.way(case)
    X = asked(case)
    name = main_method(model)
    columns = dict(case.columns)
    first = next(iter(columns))
    fewer = {n: v for n, v in columns.items() if n != first}
    more = {**columns, "one more": columns[first]}
    other = {("other" if n == first else n): v for n, v in columns.items()}
    tries = [("a column more", more), *([("a column fewer", fewer)] if fewer else [])]
    if hasattr(model, "feature_names_in_"):
        tries.append(("another name", other))
    rows = type(X).__module__.split(".")[0] in ("pandas", "polars", "pyarrow")
    for what, wrong in tries:
        sources = [("array", lambda w=wrong: case.form(w) if case.form(w) is not None else None)]
        if not rows and numbers(case) is not None:
            sources.append(("source", lambda w=wrong: tn.scan(array(w))))
        elif rows:
            sources = [("frame", lambda w=wrong: frame(w)), ("source", lambda w=wrong: tn.scan(frame(w)))]
        for kind, make in sources:
            try:
                found = getattr(model, name)(make())
                found = found.collect() if hasattr(found, "collect") else found
            except (ValueError, TypeError):
                continue
            if (kind == "source" or named(case, "ColumnTransformer")) and rows and what == "a column more":
                continue  # a source may hold more than a model takes, and names tell which; so do those of branches
            if kind == "source" and case.learner.need.kinds == "unused":
                continue  # it needs to hold only the columns that are used
            must(False, f"{name} of {what} ({kind}) is answered: {np.asarray(found)[:2]}")


@law(when=lambda case: not named(case, "Voting", "Stacking"), often=2.5)
def set_params_leaves_a_model_alone(case: Any) -> None:
    """A fitted model speaks from what it was fitted with."""
    from adversary.learners import SPACES

    model = case.way(case)
    model = model.steps[-1][1] if hasattr(model, "steps") else model
    before = outputs(model, asked(case))
    random = np.random.default_rng(case.n)
    space = SPACES[type(case.learner).__name__]
    other = {name: values[int(random.integers(len(values)))] for name, values in space.items()}
    model.set_params(**other)
    after = again(lambda: outputs(model, asked(case)), f"after set_params({other})")
    kept = before.keys() & after.keys()
    alike({n: before[n] for n in kept}, {n: after[n] for n in kept}, 0.0, f"after set_params({other})")


@law(when=lambda case: 1 < case.n < 400)
def rows_speak_for_themselves(case: Any) -> None:
    """What is said of a row does not depend on the rows it came with."""
    model = case.way(case)
    whole = outputs(model, asked(case))
    some = case.rows(np.random.default_rng(case.n).permutation(case.n)[: max(1, case.n // 3)])
    index = np.random.default_rng(case.n).permutation(case.n)[: max(1, case.n // 3)]
    found = again(lambda: outputs(model, asked(some)), "some of the rows")
    tolerance = 1e-9
    if named(case, "KernelRidge", "SVR") and hasattr(model, "dual_coef_"):  # large terms that cancel are rounded
        tolerance = max(tolerance, 1e-14 * float(np.abs(model.dual_coef_).sum()))
    alike({n: v[index] for n, v in whole.items()}, found, tolerance, "some of the rows")


RANGED = ("DecisionTreeReg", "RandomForestReg", "DummyReg", "BaggingReg")


@law(when=lambda case: named(case, *RANGED), often=2.0)
def predictions_stay_in_range(case: Any) -> None:
    """Means of targets lie between the least and the largest."""
    if named(case, "BaggingReg") and not isinstance(case.learner.estimator, (tn.DecisionTreeRegressor, type(None))):
        raise Skip("lines have no range")
    found = sane(case.way(case), case)["predict"]
    y = case.y.astype(np.float64)[weights_of(case) > 0]
    slack = 1e-8 * max(np.abs(y).max(), np.finfo(float).tiny)
    must(
        found.min() >= y.min() - slack and found.max() <= y.max() + slack,
        f"predictions from {found.min()} to {found.max()} of targets from {y.min()} to {y.max()}",
    )


@law()
def a_file_holds_all_of_it(case: Any) -> None:
    """Saved and loaded, pickled and copied: the same bits, answers and claims."""
    model = case.way(case)
    model = model.steps[-1][1] if hasattr(model, "steps") else model
    before = outputs(model, asked(case))
    with tempfile.TemporaryDirectory() as folder:
        model.save(f"{folder}/model")
        back = tn.load(f"{folder}/model")
    for what, other in (("file", back), ("pickle", pickle.loads(pickle.dumps(model)))):
        must(bits(model.model_) == bits(other.model_), f"{what}: other bits")
        alike(before, outputs(other, asked(case)), 0.0, what)
        must(model.certificate_.claims == other.certificate_.claims, f"{what}: other claims")


@law()
def certificates_are_verified(case: Any) -> None:
    model = case.way(case)
    model = model.steps[-1][1] if hasattr(model, "steps") else model
    must(again(model.verify, "verify").origin == "verified", "not verified")
    must("nan" not in str(model.certificate_).lower().split(), f"the certificate says nan: {model.certificate_}")
    must(isinstance(repr(model), str) and isinstance(model.certificate_._repr_html_(), str), "no text")


@law(when=lambda case: not named(case, "OneHot", "Scaler") and case.form not in SPARSE, often=1.0)
def sources_are_answered_alike(case: Any) -> None:
    """Predictions of a source are those of its rows."""
    model = case.way(case)
    X = asked(case)
    if hasattr(model, "steps"):
        raise Skip("a pipeline takes no sources")
    if isinstance(X, list) or (isinstance(X, np.ndarray) and X.dtype.kind == "O"):
        raise Skip("not a source")
    name = main_method(model)
    if name == "transform" and named(case, "FeatureUnion"):
        try:
            model.get_feature_names_out()
        except ValueError:
            raise Skip("columns of a source have names, and those of this union are not unique") from None
    direct = getattr(model, name)(X)
    through = again(lambda: getattr(model, name)(tn.scan(X)).collect(), "of a source")
    direct, through = (np.asarray(v.toarray() if hasattr(v, "toarray") else v) for v in (direct, through))
    if direct.dtype.kind == "f":
        close(direct, through.reshape(direct.shape), 1e-9, f"{name} of a source")
    else:
        must(np.array_equal(direct, through.reshape(direct.shape)), f"{name} of a source")


def coin(case: Any) -> Any:
    """A fair coin for each row, the same every time."""
    return np.random.default_rng([case.n, 7]).integers(0, 2, case.n)


@law(
    when=lambda case: (
        case.n >= 60
        and case.weight is None
        and case.learner.need.target is not None
        and hasattr(type(case.learner), "predict")
        and finite(case)
    ),
    often=1.5,
)
def noise_is_near_chance(case: Any) -> None:
    """A coin cannot be foretold: half the rows learnt, half of them asked."""
    tossed = case._replace(y=coin(case) if classifies(case) else coin(case) + 1.0, target=as_array)
    cut = case.n // 2
    model = case.way(tossed.rows(slice(0, cut)))
    rest = tossed.rows(slice(cut, None))
    said = np.asarray(model.predict(asked(rest)))
    right = (said == rest.y).mean() if classifies(case) else ((said > 1.5) == (rest.y > 1.5)).mean()
    sigma = 0.5 / np.sqrt(case.n - cut)
    must(abs(right - 0.5) < 5.5 * sigma, f"a coin was foretold {right:.3f} of {case.n - cut} times")


def chance_by_row(case: Any) -> Any:
    """Two classes with a chance that depends on the first column's value: equal rows differ in class."""
    values = next(iter(case.columns.values()))
    codes = np.unique(values.astype(str), return_inverse=True)[1]
    random = np.random.default_rng([case.n, 8])
    return (random.random(case.n) < np.where(codes % 2, 0.8, 0.3)).astype(np.int64)


@law(
    when=lambda case: (
        named(case, "RandomForestC", "BaggingC")
        and case.n >= 100
        and case.weight is None
        and finite(case)
        and case.form not in SPARSE  # which trees do not take
        and case.way not in MERGES  # bags of trees do not
    ),
    often=8.0,
)
def out_of_bag_is_near_test(case: Any) -> None:
    """The out-of-bag accuracy is near that of rows not learnt from."""
    learner = clone(case.learner).set_params(n_estimators=40, random_state=case.n)
    if named(case, "RandomForest"):
        learner.set_params(bootstrap=True, class_weight=None)
    else:
        learner.set_params(oob_score=True, estimator=tn.DecisionTreeClassifier())
    shuffled = case.rows(np.random.default_rng([case.n, 9]).permutation(case.n))
    tossed = shuffled._replace(learner=learner, y=chance_by_row(shuffled), target=as_array)
    cut = case.n // 2
    model = case.way(tossed.rows(slice(0, cut)))
    model = model.steps[-1][1] if hasattr(model, "steps") else model
    rest = tossed.rows(slice(cut, None))
    right = (np.asarray(model.predict(asked(rest))) == rest.y).mean()
    sigma = np.sqrt(0.25 / cut + 0.25 / (case.n - cut))
    must(
        abs(model.oob_score_ - right) < 4.5 * sigma + 0.02,
        f"out of bag {model.oob_score_:.3f}, on other rows {right:.3f}",
    )


@law(
    when=lambda case: (
        named(case, "StackingC")
        and case.n >= 80
        and case.weight is None
        and finite(case)
        and numbers(case) is not None
        and np.abs(numbers(case)).max() < 1e6
    ),
    often=10.0,
)
def a_stack_is_not_worse_than_its_members(case: Any) -> None:
    shuffled = case.rows(np.random.default_rng([case.n, 9]).permutation(case.n))
    tossed = shuffled._replace(y=chance_by_row(shuffled), target=as_array)
    cut = case.n // 2
    learnt, rest = tossed.rows(slice(0, cut)), tossed.rows(slice(cut, None))
    X = asked(rest)
    stack = (np.asarray(case.way(learnt).predict(X)) == rest.y).mean()
    members = [clone(member) for _, member in case.learner.estimators]
    scores = [(plain(learnt._replace(learner=m)).predict(X) == rest.y).mean() for m in members]
    sigma = np.sqrt(0.5 / len(rest.y))
    must(stack > max(scores) - 4 * sigma - 0.02, f"a stack of {stack:.3f} of members of {scores}")


@law(
    when=lambda case: (
        case.n >= 20
        and case.learner.need.target is not None
        and hasattr(type(case.learner), "predict")
        and case.form not in SPARSE
        and case.weight is None
    ),
    often=1.0,
)
def cross_validation_is_theirs(case: Any) -> None:
    """Scores of `tn.cross_validate` are those of scikit-learn's loop over the same folds."""
    X, y = case.form(case.columns), target(case)
    plain(case)
    fold = np.arange(case.n) % 3
    folds = sklearn.model_selection.PredefinedSplit(fold)
    kind = "accuracy" if classifies(case) else "neg_mean_squared_error"
    theirs = sklearn.model_selection.cross_val_score(
        clone(case.learner), X, y, cv=folds, scoring=kind, error_score="raise"
    )
    ours = again(lambda: tn.cross_validate(clone(case.learner), X, y, folds=folds, scoring=kind), "cross_validate")
    categories = case.learner.need.kinds == "categorical" or numbers(case) is None  # they are known from all rows
    if draws(case.learner) or categories or not rounding_is_small(case):
        must(np.isfinite(ours.scores).all(), f"scores {ours.scores}")
        return
    if classifies(case) and np.abs(ours.scores[0, 0] - theirs).max() > 1e-6:
        off = np.abs(ours.scores[0, 0] - theirs) - tied_in_folds(case, fold)
        must((off <= 1e-6).all(), f"scores {ours.scores[0, 0]}, {theirs}: more rows than tie, by shares {off}")
    elif not classifies(case):
        size = float(np.abs(case.y.astype(np.float64)).max() ** 2)
        close(ours.scores[0, 0], theirs, 1e-6, "scores", size=size * 1e-3)


def tied_in_folds(case: Any, fold: Any) -> Any:
    """The share of the rows of each fold for which two classes score the same, but for rounding."""
    found = []
    for k in np.unique(fold):
        rest, own = case.rows(fold != k), case.rows(fold == k)
        model = clone(case.learner).fit(case.form(rest.columns), target(rest))
        found.append(1.0 - decided([model], case.form(own.columns)).mean())
    return np.array(found)


@law(
    when=lambda case: case.learner.need.target is not None and numbers(case) is not None and case.form not in SPARSE,
    often=1.0,
)
def a_pipeline_is_its_steps(case: Any) -> None:
    """A scaler and a learner in a pipeline are the two by hand."""
    scaler = tn.StandardScaler() if case.n % 2 and not case.learner.need.counts else tn.MinMaxScaler()
    X, y = case.form(case.columns), target(case)
    if case.learner.need.kinds == "categorical":
        raise Skip("takes no numbers")
    Z = clone(scaler).fit(X).transform(X)
    by_hand = clone(case.learner).fit(Z, y, **weighted(case))
    given = {f"{type(case.learner).__name__.lower()}__{n}": v for n, v in weighted(case).items()}
    steps = again(lambda: make_pipeline(scaler, clone(case.learner)).fit(X, y, **given), "a pipeline")
    alike(outputs(by_hand, Z), outputs(steps, X), 0.0, "a pipeline")


@law(
    when=lambda case: (
        case.way is plain
        and case.weight is None
        and case.y is not None
        and case.n >= 30
        and hasattr(case.learner, "score")
        and not draws(case.learner)
        and numbers(case) is not None  # of text, folds know the categories of all rows
        and rounding_is_small(case)
    ),
    often=2.0,
)
def folds_are_those_of_a_loop(case: Any) -> None:
    """All folds over shared scans are scored as if each were fitted by itself to its own rows."""
    classes = classifies(case)
    if classes and min(Counter(case.y.tolist()).values()) < 3:
        raise Skip("a class that not every fold has")
    if len(set(case.y.tolist())) < 2:
        raise Skip("a score of constant rows says nothing")
    X, y = case.form(case.columns), case.y
    found = tn.cross_validate(case.learner, X, y, folds=3).scores[0, 0]
    split = sklearn.model_selection
    cv = split.StratifiedKFold(3) if classes else split.KFold(3)
    scoring = "accuracy" if classes else "r2"
    loop = split.cross_val_score(clone(case.learner), X, y, cv=cv, scoring=scoring, error_score="raise")
    size = 3.0 / (case.n // 3) if classes else 1e-4 * max(1.0, float(np.abs(loop).max()))  # rows that tie
    must(bool((np.abs(found - loop) <= size).all()), f"folds {found}, one by one {loop}")
