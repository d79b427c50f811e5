"""What a fitted model says of rows, what must be true of any of it, and when rounding cannot show."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adversary.book import named
from adversary.case import Skip, close, must
from adversary.ways import FRAMES, array, dask_array, frame, source_of_array

METHODS = ("predict_proba", "decision_function", "transform", "predict")


def main_method(model: Any) -> str:
    """The method that a model of any kind is asked by."""
    for name in ("predict", "transform", "score_samples"):
        if hasattr(model, name):
            return name
    raise Skip("it describes rows, and answers none")


def asked(case: Any) -> Any:
    """The rows of a case in a form that a model of its way takes."""
    if case.way in FRAMES:
        return frame(case.columns)
    return array(case.columns) if case.way in (source_of_array, dask_array) else case.form(case.columns)


def outputs(model: Any, X: Any) -> dict[str, Any]:
    """What a model says of rows, method by method; sparse answers as dense ones."""
    names = [name for name in METHODS if hasattr(model, name)] or [main_method(model)]
    found = {name: getattr(model, name)(X) for name in names}
    return {name: np.asarray(v.toarray() if hasattr(v, "toarray") else v) for name, v in found.items()}


def decided(members: Any, X: Any) -> Any:
    """The rows of which each member, asked alone, gives one class a higher score than any other, rounding apart.

    A vote counts classes, so a member that is undecided moves it by as much as one that is sure.
    """
    sure = np.ones(len(members[0].predict(X)), bool)
    for member in members:
        if not (hasattr(member, "predict_proba") or hasattr(member, "decision_function")):
            continue
        probabilities = hasattr(member, "predict_proba")
        scores = np.asarray(member.predict_proba(X) if probabilities else member.decision_function(X))
        if scores.ndim == 1:  # a score around zero is a sum whose terms cancel: its size is that of others
            sure &= np.abs(scores) > 1e-9 * max(float(np.abs(scores).max(initial=0.0)), 1e-3)
        elif scores.shape[1] > 1:
            best = np.sort(scores, axis=1)[:, -2:]
            sure &= best[:, 1] - best[:, 0] > 1e-7 * np.abs(best).max(axis=1)
    return sure


def numbers(case: Any) -> Any:
    """The columns as float64, or None if there is text."""
    if any(values.dtype.kind not in "fiub" for values in case.columns.values()):
        return None
    return np.column_stack([values.astype(np.float64) for values in case.columns.values()])


def finite(case: Any) -> bool:
    """Whether no number or date is missing, and none infinite; None among text is missing too."""
    every = list(case.columns.values())
    if any(np.isnat(values).any() for values in every if values.dtype.kind in "mM"):
        return False
    texts = [values for values in every if values.dtype.kind == "O"]
    return all(np.isfinite(v.astype(np.float64)).all() for v in every if v.dtype.kind in "fiub") and not any(
        v is None or v != v for values in texts for v in values
    )


def weights_of(case: Any) -> Any:
    """The weights as float64, ones if there are none."""
    return np.ones(case.n) if case.weight is None else case.weight.astype(np.float64)


def steady(case: Any) -> bool:
    """Whether weights and target are of one scale, so that sums of them are good to twelve digits."""
    w = weights_of(case)
    w = w[w > 0]
    if w.max() > 1e6 * w.min() or not 1e-3 < w.sum() < 1e6:
        return False
    if case.learner.need.target != "number":
        return True
    y = case.y.astype(np.float64)
    size = np.abs(y).max()
    return size == 0 or (1e-6 < size < 1e9 and (np.ptp(y) > 1e-5 * size or np.ptp(y) == 0))


def tame(case: Any) -> bool:
    """Steady, numbers of moderate size, and no column that others nearly add up to."""
    X = numbers(case)
    if X is None or not finite(case) or not steady(case) or np.abs(X).max() > 1e6 or len(X) < 3:
        return False
    used = X[weights_of(case) > 0]
    spread = used.std(axis=0)
    if (spread < 1e-4 * np.maximum(np.abs(used).max(axis=0), 1e-3)).any() or len(used) <= X.shape[1] + 2:
        return False
    values = np.linalg.svd((used - used.mean(axis=0)) / spread, compute_uv=False)
    return bool(values[-1] > 1e-3 * values[0])


def sane(model: Any, case: Any) -> dict[str, Any]:
    """The outputs, after what must be true of any: no NaN of finite rows, probabilities, known classes."""
    found = outputs(model, asked(case))
    for name, values in found.items():
        must(len(values) == case.n, f"{name} gives {len(values)} answers for {case.n} rows")
        if named(case, "PoissonRegressor", "GammaRegressor"):
            values = values[~np.isposinf(values)]  # an exponential may overflow, and numpy says so
        if values.dtype.kind == "f" and finite(case):
            must(np.isfinite(values).all(), f"{name} is {values[~np.isfinite(values)][:1]} of finite rows")
    if "predict_proba" in found:
        p = found["predict_proba"]
        close(p.sum(axis=1), np.ones(case.n), 1e-9, "probabilities do not add up to 1")
        must(p.min() >= 0, f"a probability of {p.min()}")
        classes = model.classes_ if hasattr(model, "classes_") else np.arange(p.shape[1])  # a mixture has none
        must(p.shape[1] == len(classes), "not one probability a class")
        best = p[np.arange(case.n), np.searchsorted(classes, found["predict"])]
        must((best >= p.max(axis=1) - 1e-9).all(), "the predicted class is not the most probable one")
    if hasattr(model, "classes_") and "predict" in found:  # an encoder has classes, and predicts none
        kinds = {"i": "iu", "u": "iu", "O": "OUT", "U": "OUT"}.get(case.y.dtype.kind, case.y.dtype.kind)
        must(np.asarray(model.classes_).dtype.kind in kinds, f"labels {case.y.dtype} become {model.classes_.dtype}")
        seen = set(case.y[weights_of(case) > 0].tolist())
        must(set(found["predict"].tolist()) <= seen, "a class is predicted that no row has")
    for claim in model.certificate_.claims if hasattr(model, "certificate_") else ():
        value = getattr(claim, "value", None)
        must(not (isinstance(value, float) and math.isnan(value)), f"a claim is nan: {claim}")
    return found


def alike(a: dict[str, Any], b: dict[str, Any], tolerance: float, what: str, size: float = 0.0) -> None:
    """Two models' outputs agree; labels may differ where the scores of two classes are as good as equal."""
    must(a.keys() == b.keys(), f"{what}: {sorted(a)} and {sorted(b)}")
    for name in a:
        x, y = a[name], b[name]
        if name == "predict" and x.dtype.kind != "f" and len(a) > 1 and tolerance:
            continue
        if x.dtype.kind == "f" and tolerance:
            close(x, y, tolerance, f"{what}: {name}", size)
        else:
            must(np.array_equal(x, y, equal_nan=x.dtype.kind == "f"), f"{what}: {name} differs, {x[:3]} and {y[:3]}")
