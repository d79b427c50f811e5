"""What pipelines must keep: scikit-learn's answers where it has the same steps, and laws of every pipeline."""

from __future__ import annotations

import itertools
import pickle
import re
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import sklearn.compose
import sklearn.feature_extraction.text
import sklearn.impute
import sklearn.model_selection
import sklearn.pipeline
import sklearn.preprocessing
from sklearn.base import clone

import tenfold as tn
from adversary import peers
from adversary.answers import outputs
from adversary.book import check
from adversary.case import Skip, Wrong, again, close, must, refused
from adversary.learners import draws
from adversary.pipelines import of_model, of_source, taken
from adversary.ways import arrow, frame, with_roles
from tenfold.sources import part_rows

HOMES = (sklearn.preprocessing, sklearn.impute, sklearn.feature_extraction.text)


def counterpart(step: Any) -> Any:
    """The same step, or steps, of scikit-learn; cases without one are skipped."""
    name = type(step).__name__
    if isinstance(step, str):
        return step
    if name == "Pipeline":
        return sklearn.pipeline.Pipeline([(label, counterpart(one)) for label, one in step.steps])
    if name == "ColumnTransformer":
        if any(isinstance(columns, str) and hasattr(one, "steps") for _, one, columns in step.transformers):
            raise Skip("texts after an imputer are a table to scikit-learn, which no vectorizer takes")
        branches = [(label, counterpart(one), columns) for label, one, columns in step.transformers]
        return sklearn.compose.ColumnTransformer(
            branches, remainder=step.remainder, sparse_threshold=step.sparse_threshold
        )
    if name in ("DateParts", "TextFeatures", "TargetEncoder"):
        raise Skip("scikit-learn has no such step, or draws folds in it")
    for home in HOMES:
        if hasattr(home, name):
            cls = getattr(home, name)
            known = cls().get_params()
            return cls(**{k: v for k, v in step.get_params(deep=False).items() if k in known})
    found = peers.counterpart(step)
    if found is None:
        raise Skip("no counterpart")
    return found


def of_part(case: Any, part: Any) -> Any:
    """Fit a part of the rows. If they are refused and scikit-learn refuses them too, the case is skipped."""
    try:
        return case.way(part)
    except (ValueError, TypeError):
        theirs(part)
        raise


def theirs(case: Any) -> Any:
    """scikit-learn's pipeline of the same steps, fitted to the same frame."""
    model = counterpart(case.learner)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return model.fit(frame(case.columns), case.y, **of_model(case))
        except Exception as error:
            raise Skip(f"scikit-learn: {type(error).__name__}") from error


def asked_of_theirs(case: Any) -> Any:
    """The rows as a frame; a column of gaps alone is text, as among rows learnt from: scikit-learn fills no None."""
    rows = frame(case.columns)
    empty = [name for name, values in case.columns.items() if values.dtype.kind == "O" and rows[name].isna().all()]
    return rows.astype(dict.fromkeys(empty, "str"))


def _nearly_constant(values: Any) -> bool:
    """Whether numbers differ in the fourth digit or later."""
    if values.dtype.kind not in "fiu":
        return False
    x = values[np.isfinite(values)].astype(np.float64)
    return bool(len(x) and np.ptp(x) <= 1e-3 * np.abs(x).max())


def last(case: Any) -> Any:
    """The learner of a pipeline."""
    return case.learner.steps[-1][1]


def steps_of(case: Any) -> list[Any]:
    """All transformers of a pipeline, those within others too."""
    found, stack = [], [one for _, one in case.learner.steps[:-1]]
    while stack:
        step = stack.pop()
        if type(step).__name__ == "ColumnTransformer":
            stack += [one for _, one, _ in step.transformers]
        elif type(step).__name__ == "Pipeline":
            stack += [one for _, one in step.steps]
        elif not isinstance(step, str):
            found.append(step)
    return found


def raised(case: Any) -> list[str]:
    """The columns of which a PowerTransformer takes powers."""
    found: list[str] = []
    for _, step, columns in case.learner.steps[0][1].transformers:
        within = [one for _, one in step.steps] if hasattr(step, "steps") else [step]
        if any(type(one).__name__ == "PowerTransformer" for one in within):
            found += columns
    return found


def by_place(case: Any) -> bool:
    """Whether a step, or the learner, draws rows by their places."""
    return draws(last(case)) or any(type(step).__name__ == "TargetEncoder" for step in steps_of(case))


def by_bits(case: Any) -> bool:
    """Whether the learner draws rows by the bits of their values, as k-means does its first centres.

    A scaler whose sums are merged, as in folds over shared scans, rounds its rows otherwise: other rows are drawn.
    """
    return type(last(case)).__name__.startswith("RBFNetwork")


def source_fitted(case: Any) -> Any:
    """Fitted to a source; skipped where documents of little weight leave no term, since `min_df` counts weights."""
    try:
        return of_source(case)
    except ValueError as error:
        rare = any(isinstance(getattr(step, "min_df", 1), int) and step.min_df > 1 for step in _of_text(case))
        if rare and case.weight is not None and re.search("no terms remain|max_df corresponds", str(error)):
            raise Skip("no term is in documents of enough weight") from error
        raise


def _of_text(case: Any) -> list[Any]:
    return [step for step in steps_of(case) if hasattr(step, "min_df")]


def dense(values: Any) -> Any:
    """Outputs as an array of float64."""
    return np.asarray(values.toarray() if hasattr(values, "toarray") else values, dtype=np.float64)


def halves(case: Any) -> tuple[Any, Any]:
    """Rows to learn from, and others: with categories and gaps of their own."""
    cut = max(3, case.n * 2 // 3)
    learnt, rest = case.rows(slice(0, cut)), case.rows(slice(cut, None))
    if not rest.n or (learnt.weight is not None and not learnt.weight.any()):
        raise Skip("no rows are left")
    return learnt, rest


def shared(case: Any) -> Any:
    """The case without the branches that scikit-learn has not; if none is left, it is skipped."""
    transformer = case.learner.steps[0][1]
    left = []
    for branch in transformer.transformers:
        try:
            counterpart(branch[1])
        except Skip:
            continue
        if not (isinstance(branch[2], str) and hasattr(branch[1], "steps")):
            left.append(branch)
    if not left or all(isinstance(one, str) and one == "drop" for _, one, _ in left):
        raise Skip("scikit-learn has none of the steps")
    given: dict[str, Any] = {"columns__transformers": left}
    if len(left) < len(transformer.transformers):
        given["columns__remainder"] = "drop"
    return case._replace(learner=clone(case.learner).set_params(**given))


def _torn(peer: Any) -> bool:
    """Whether quantiles of scikit-learn's that are one value of the rows differ by rounding.

    That value is then ranked by the upper of its quantiles, not halfway between the shares of all of them.
    """
    for _, step, _ in peer.steps[0][1].transformers_:
        for one in [each for _, each in step.steps] if hasattr(step, "steps") else [step]:
            if type(one).__name__ == "QuantileTransformer":
                apart = np.diff(one.quantiles_, axis=0)
                if ((apart > 0) & (apart <= 1e-14 * np.abs(one.quantiles_[1:]))).any():
                    return True
    return False


@check("pipelines", often=4.0)
def steps_make_what_theirs_make(case: Any) -> None:
    """What the steps before the learner make of rows, learnt from and others, is what scikit-learn's make."""
    case = shared(case)
    learnt, rest = halves(case)
    ours, peer = of_part(case, learnt)[:-1], theirs(learnt)[:-1]
    if _torn(peer):
        raise Skip("scikit-learn's quantiles of a value that repeats differ by rounding")
    for what, some in (("rows learnt from", learnt), ("other rows", rest)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                expected = peer.transform(asked_of_theirs(some))
            except Exception as error:
                raise Skip(f"scikit-learn: {type(error).__name__}") from error
        made = ours.transform(case.form(some.columns))
        power = any(type(step).__name__ == "PowerTransformer" for step in steps_of(case))
        if any(_nearly_constant(learnt.columns[name]) for name in raised(case)):
            raise Skip("powers of a column that is nearly constant have few digits")
        a, b = dense(made), dense(expected)
        must(a.shape == b.shape, f"{what}: shapes {a.shape} and {b.shape}")
        if power and np.abs(b[np.isfinite(b)]).max(initial=0.0) > 1e6:
            raise Skip("a power of a column that is nearly constant")
        for j in range(a.shape[1]):
            close(a[:, j], b[:, j], 1e-3 if power else 1e-9, f"{what}, column {j}", size=1e-3)


@check(
    "pipelines", when=lambda case: type(last(case)).__name__ in ("Ridge", "LogisticRegression", "GaussianNB"), often=4.0
)
def predictions_are_theirs(case: Any) -> None:
    """Of rows that were not learnt from, predictions are those of scikit-learn's pipeline of the same steps."""
    case = shared(case)
    learnt, rest = halves(case)
    if any(type(step).__name__ == "PowerTransformer" for step in steps_of(case)):
        raise Skip("of few rows, powers are known to few digits, and other rows lie far outside")
    if learnt.weight is not None and type(last(case)).__name__ == "GaussianNB":
        raise Skip("scikit-learn smooths by the variance without weights")
    if hasattr(last(case), "predict_proba") and len(set(learnt.y[_held(learnt)].tolist())) < len(
        set(learnt.y.tolist())
    ):
        raise Skip("a class without weight")
    model, peer = of_part(case, learnt), theirs(learnt)
    if _torn(peer):
        raise Skip("scikit-learn's quantiles of a value that repeats differ by rounding")
    name = "predict_proba" if hasattr(last(case), "predict_proba") else "predict"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        X = asked_of_theirs(rest)
        inner = dense(peer[:-1].transform(asked_of_theirs(learnt)))
        if np.abs(inner).max(initial=0.0) > 1e3 * max(1.0, np.abs(inner).min(initial=1.0)):
            raise Skip("columns of unlike scales: scikit-learn's solvers stop early")
        try:
            expected = getattr(peer, name)(X)
        except Exception as error:
            raise Skip(f"scikit-learn: {type(error).__name__}") from error
    found = np.asarray(getattr(model, name)(case.form(rest.columns)), dtype=np.float64)
    size = float(np.abs(learnt.y).max()) if name == "predict" else 1.0
    loose = {"Ridge": 1e-6, "LogisticRegression": 2e-3, "GaussianNB": 1e-5}[type(last(case)).__name__]
    close(found, expected, loose, f"scikit-learn's {name}", size=size)


def _held(case: Any) -> Any:
    return np.ones(case.n, bool) if case.weight is None else case.weight > 0


@check("pipelines", often=1.0)
def a_pipeline_says_something_finite(case: Any) -> None:
    """Of rows learnt from, and of others, every answer is a number or a class that was seen."""
    learnt, rest = halves(case)
    model = of_part(case, learnt)
    seen = set(learnt.y.tolist())
    for some in (learnt, rest):
        found = outputs(model, case.form(some.columns))
        for name, values in found.items():
            must(len(values) == some.n, f"{name}: {len(values)} answers of {some.n} rows")
            if values.dtype.kind == "f":
                must(np.isfinite(values).all() or _may_be_infinite(case), f"{name} is not finite: {values[:5]}")
        if "predict_proba" in found:
            close(found["predict_proba"].sum(axis=1), np.ones(some.n), 1e-9, "probabilities do not add up to 1")
        if hasattr(model, "classes_"):
            must(set(found["predict"].tolist()) <= seen, "a class is predicted that no row has")


def _may_be_infinite(case: Any) -> bool:
    return type(last(case)).__name__ in ("PoissonRegressor", "GammaRegressor")


def in_row_groups(case: Any, path: Path, rows: int) -> dict[str, str]:
    """Write the table of a case with target and weights in row groups like the parts of a frame; return the roles."""
    columns, roles = with_roles(case)
    table = arrow(columns)
    cuts = np.linspace(0, case.n, -(-case.n // rows) + 1).astype(int)
    with pq.ParquetWriter(path, table.schema) as writer:
        for start, stop in itertools.pairwise(cuts):
            writer.write_table(table.slice(start, stop - start))
    return roles


@check("pipelines", often=3.0)
def parquet_has_the_bits_of_a_frame(case: Any) -> None:
    """Parts of a Parquet file and parts of a frame make the same model, and it says the same of both."""
    rows = (1000, 5, 11)[case.n % 3]
    with part_rows(rows):
        model = source_fitted(case)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        roles = in_row_groups(case, path, rows)
        scanned = tn.scan(path, **roles)
        other = again(lambda: clone(case.learner).fit(scanned), "of Parquet")
        found = again(lambda: other.predict(scanned).collect(), "predictions of Parquet")
    X = frame(case.columns)
    a, b = outputs(model, X), outputs(other, X)
    for name in a:
        must(np.array_equal(a[name], b[name], equal_nan=a[name].dtype.kind == "f"), f"{name}: other bits of Parquet")
    direct = a["predict"]
    if direct.dtype.kind == "f":
        close(direct, np.asarray(found).reshape(direct.shape), 1e-9, "predictions of Parquet")
    else:
        must(np.array_equal(direct, np.asarray(found).ravel()), "predictions of Parquet")


@check("pipelines", when=lambda case: not by_place(case), often=2.0)
def weightless_rows_are_no_rows(case: Any) -> None:
    """To a source's weights: rows of weight zero do not matter, to any step."""
    if case.weight is None or (case.weight > 0).all():
        raise Skip("no rows without weight")
    model = source_fitted(case)
    fewer = again(lambda: of_source(case.rows(case.weight > 0)), "without rows of no weight")
    X = case.form(case.rows(case.weight > 0).columns)
    a, b = (dense(m[:-1].transform(X)) for m in (model, fewer))
    if any(type(s).__name__ in ("OneHotEncoder", "OrdinalEncoder") for s in steps_of(case)) and a.shape != b.shape:
        raise Skip("encoders have the categories of all rows, as is documented")
    close(a, b, 1e-6, "steps without rows of no weight", size=1e-3)


@check("pipelines", often=2.0)
def a_row_alone_is_a_row_in_a_batch(case: Any) -> None:
    """What is said of a row does not depend on the rows it came with, nor on the order of columns."""
    model = case.way(case)
    whole = outputs(model, case.form(case.columns))
    moved = _moved_by_last_digits(model, case.form(case.columns), whole)
    for at in {0, case.n // 2, case.n - 1}:
        one = case.rows(slice(at, at + 1))
        found = again(lambda one=one: outputs(model, case.form(one.columns)), "one row")
        for name, values in whole.items():
            _same(values, found[name], f"{name} of one row", moved[name], slice(at, at + 1))
    turned = dict(reversed(case.columns.items()))
    found = again(lambda: outputs(model, case.form({**turned, "one more": case.columns["n0"]})), "other order")
    for name, values in whole.items():
        _same(values, found[name], f"{name} in another order of columns", moved[name])


def _moved_by_last_digits(model: Any, X: Any, whole: dict[str, Any]) -> dict[str, Any]:
    """How far each answer moves when every number that the learner of a pipeline gets moves by its last digit.

    A scaler divides a column that is nearly constant by very little: large terms cancel in its sum, however it adds.
    """
    found = {name: np.zeros(values.shape) for name, values in whole.items()}
    Z, learner = model[:-1].transform(X), model.steps[-1][1]
    values = getattr(Z, "data", None) if hasattr(Z, "toarray") else Z
    if not isinstance(values, np.ndarray) or values.dtype.kind != "f":
        return found
    random = np.random.default_rng(len(values))
    for _ in range(4):
        moved = values * (1.0 + np.finfo(values.dtype).eps * random.choice([-1.0, 1.0], values.shape))
        if hasattr(Z, "toarray"):
            Z = Z.copy()
            Z.data = moved.astype(values.dtype)
        else:
            Z = moved.astype(values.dtype)
        for name, other in outputs(learner, Z).items():
            apart = np.nan_to_num(np.abs(other - whole[name])) if other.dtype.kind == "f" else other != whole[name]
            found[name] = np.maximum(found[name], apart)
    return found


def _same(whole: Any, found: Any, what: str, moved: Any, rows: slice = slice(None)) -> None:
    """Rows are answered as among all, but for eight times what last digits move them by; tied classes may differ."""
    some, moved = whole[rows], moved[rows]
    must(some.shape == found.shape, f"{what}: shapes {some.shape} and {found.shape}")
    if whole.dtype.kind == "f":
        size = float(np.abs(whole[np.isfinite(whole)]).max(initial=0.0))
        with np.errstate(invalid="ignore"):
            near = np.abs(some - found) <= 8 * moved
        close(some[~near], found[~near], 1e-9, what, size=size)
    else:
        same = (some == found) | (moved > 0)
        must(same.all(), f"{what}: {found[:3]}, not {some[:3]}")


@check("pipelines", often=2.0)
def a_file_holds_all_of_a_pipeline(case: Any) -> None:
    """Saved and loaded, or pickled, a pipeline says the same to the last bit."""
    model = case.way(case)
    before = outputs(model, case.form(case.columns))
    with tempfile.TemporaryDirectory() as folder:
        model.save(f"{folder}/model")
        back = tn.load(f"{folder}/model")
    for what, other in (("file", back), ("pickle", pickle.loads(pickle.dumps(model)))):
        after = outputs(other, case.form(case.columns))
        for name, values in before.items():
            must(np.array_equal(values, after[name], equal_nan=values.dtype.kind == "f"), f"{what}: {name} differs")


@check("pipelines", when=lambda case: case.n >= 18 and case.weight is None, often=2.0)
def folds_of_pipelines_are_those_of_a_loop(case: Any) -> None:
    """Scores of all folds over shared scans are those of pipelines fitted to each fold by themselves."""
    fold = np.arange(case.n) % 3
    folds = sklearn.model_selection.PredefinedSplit(fold)
    classes = hasattr(last(case), "classes_") or case.learner.steps[-1][1].need.target == "class"
    kind = "accuracy" if classes else "neg_mean_squared_error"
    X = case.form(case.columns)
    Z = X if isinstance(X, pd.DataFrame) else frame(case.columns)
    try:
        loop = sklearn.model_selection.cross_val_score(
            clone(case.learner), Z, case.y, cv=folds, scoring=kind, error_score="raise"
        )
    except (ValueError, TypeError):
        for at in range(3):  # rows that scikit-learn's steps refuse too, such as empty texts
            theirs(case.rows(fold != at))
        raise
    try:
        ours = again(
            lambda: tn.cross_validate(clone(case.learner), X, case.y, folds=folds, scoring=kind), "cross_validate"
        )
    except Wrong as wrong:
        if by_place(case) and "early stopping sets no row aside" in str(wrong):
            raise Skip(
                "rows for validation are drawn by their places among all rows: in a fold, perhaps none"
            ) from wrong
        raise
    found = ours.scores[0, 0]
    must(np.isfinite(found).all() or not np.isfinite(loop).all(), f"scores {found}")
    if by_place(case) or by_bits(case):
        return
    if classes:
        size = 2.1 / (case.n // 3)
    else:  # a row at a cut of a tree, after a scaler whose mean is rounded otherwise, may fall on either side
        size = 1e-3 if not re.search("Tree|Forest|Boost|Bagging", type(last(case)).__name__) else 8.4 / (case.n // 3)
        size *= float(np.abs(case.y.astype(np.float64)).max() ** 2)
    must(bool((np.abs(found - loop) <= size).all()), f"folds {found}, one by one {loop}")


@check("pipelines", often=2.0)
def together_is_alone(case: Any) -> None:
    """Transformers fitted together, over shared scans, are what each is alone, to the last bit."""
    transformer = case.learner.steps[0][1]
    branches = [b for b in transformer.transformers if b[1] != "drop"]
    if not branches:
        raise Skip("every column is dropped")
    several = [transformer, *(tn.ColumnTransformer([b], sparse_threshold=0.0) for b in branches)]
    X = case.form(case.columns)
    models = tn.fit_together(several, X, case.y)
    for one, model in zip(several, models, strict=True):
        alone = again(lambda one=one: clone(one).fit(X, case.y), "alone")
        a, b = dense(alone.transform(X)), dense(model.transform(X))
        must(np.array_equal(a, b, equal_nan=True), "fitted together, other bits than alone")


@check("pipelines", often=3.0)
def what_cannot_be_used_is_named(case: Any) -> None:
    """A column that is missing, or of another kind, is refused by an error that names it."""
    model = case.way(case)
    used = [name for name in case.columns if _used(case, name)]
    if not used:
        raise Skip("every column is dropped")
    name = used[case.n % len(used)]
    fewer = {n: v for n, v in case.columns.items() if n != name}
    if fewer:
        refused(lambda: model.predict(frame(fewer)), name)
        refused(lambda: model.predict(tn.scan(frame(fewer))).collect(), name)
    words = np.array(["word"] * case.n, dtype=object)
    if name[0] in "nd":
        for form in (frame, arrow):
            refused(lambda form=form: model.predict(form({**case.columns, name: words})), name)
    elif name[0] == "t":
        refused(lambda: model.predict(frame({**case.columns, name: np.arange(case.n) * 1.5})), name)
    if fewer and name in taken(case.learner.steps[0][1].transformers):
        refused(lambda: clone(case.learner).fit(frame(fewer), case.y), name)


def _used(case: Any, name: str) -> bool:
    transformer = case.learner.steps[0][1]
    for _, step, columns in transformer.transformers:
        if name in ([columns] if isinstance(columns, str) else columns):
            return not isinstance(step, str) or step != "drop"
    return bool(transformer.remainder != "drop")


@check("pipelines", often=2.0)
def new_gaps_are_answered_or_named(case: Any) -> None:
    """A null in a column where there was none: an answer that is finite, or an error that names the column."""
    model = case.way(case)
    for name, values in case.columns.items():
        gap = values.astype(np.float64) if values.dtype.kind in "iu" else values.copy()
        gap[case.n // 2] = {"f": np.nan, "M": np.datetime64("NaT")}.get(gap.dtype.kind)
        X = case.form({**case.columns, name: gap})
        try:
            found = np.asarray(model.predict(X))
        except ValueError as error:
            said = str(error)
            must(_used(case, name), f"a gap in {name}, which is dropped: {said}")
            must(name in said or "NaN" in said or "missing" in said, f"a gap in {name}: {said}")
            continue
        must(len(found) == case.n, f"a gap in {name}: {len(found)} answers")
        must(found.dtype.kind != "f" or np.isfinite(found).all() or _may_be_infinite(case), f"a gap in {name}: {found}")


@check("pipelines", when=lambda case: case.n <= 60, often=1.5)
def importances_of_pipelines(case: Any) -> None:
    """Columns that are dropped have no importance, and a curve is the mean of predictions with the column set."""
    model = case.way(case)
    X = frame(case.columns)
    found = tn.permutation_importance(model, X, case.y, n_repeats=2)
    means = dict(zip(case.columns, np.asarray(found.importances_mean), strict=True))
    for name, value in means.items():
        must(np.isfinite(value), f"importance of {name}: {value}")
        must(_used(case, name) or value == 0, f"importance of {name}, which is dropped: {value}")
    numeric = [n for n in case.columns if n[0] == "n" and np.isfinite(case.columns[n].astype(np.float64)).all()]
    if not numeric or hasattr(model, "classes_"):
        return
    name = numeric[-1]
    curve = tn.partial_dependence(model, X, name, custom_values={name: [case.columns[name][0]]})
    by_hand = np.mean(model.predict(X.assign(**{name: case.columns[name][0]})))
    average = float(np.ravel(curve.average)[0])
    close(average, by_hand, 1e-9, f"partial dependence on {name}", size=float(np.abs(case.y).max()))


@check("pipelines", when=lambda case: type(last(case)).__name__.startswith("DecisionTree"), often=2.0)
def trees_fit_as_theirs(case: Any) -> None:
    """Grown to the end, a tree after the same steps fits its own rows as well as scikit-learn's."""
    case = shared(case)
    p = last(case).get_params()
    if p != type(last(case))().get_params():
        raise Skip("limits")
    model, peer = case.way(case), theirs(case)
    inner = dense(peer[:-1].transform(asked_of_theirs(case)))
    with np.errstate(all="ignore"):
        if any(len(np.unique(c.astype(np.float32))) < len(np.unique(c)) for c in inner.T):
            raise Skip("values fall together in float32, which scikit-learn's trees use")
    w = np.ones(case.n) if case.weight is None else case.weight
    a, b = np.asarray(model.predict(case.form(case.columns))), peer.predict(asked_of_theirs(case))
    if hasattr(peer, "classes_"):
        ours, others = w @ (a != case.y), w @ (b != case.y)
        must(ours <= others + 1e-9, f"{ours} of its own rows wrong, scikit-learn {others}")
    else:
        ours, others = w @ (a - case.y) ** 2, w @ (b - case.y) ** 2
        must(ours <= others + 1e-6 * float(w @ case.y**2), f"squared error {ours}, scikit-learn {others}")
