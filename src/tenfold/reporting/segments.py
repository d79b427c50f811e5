"""How often, or how far, a model errs for each value of a column: a cube of its errors."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, is_classifier

from tenfold.core import DataError, MatrixLike
from tenfold.dummy.dummy_regressor import DummyRegressor
from tenfold.model_selection.certification.intervals import error_interval
from tenfold.models.cube import Cube
from tenfold.sources import Source
from tenfold.sources.expressions.expression import col
from tenfold.sources.inputs import is_lazy
from tenfold.sources.scan import scan

SHOWN = 20
"""values of a column with most rows"""
ERROR = "error"


class Segment(NamedTuple):
    """The error on the rows with one value of a column."""

    value: str
    rows: int
    error: str
    low: str
    high: str
    share: float
    """of the largest error, for a bar"""


def segments_of(
    model: BaseEstimator, X: MatrixLike, y: ArrayLike | None, name: str, level: float
) -> tuple[str, list[Segment]]:
    """Return what is averaged, and the values of a column with most rows, each with the mean error of its rows."""
    cube = _cube_of_errors(model, X, y, name)
    counted = cube.table()["rows"].to_numpy()
    order = np.argsort(-counted, kind="stable")[:SHOWN].tolist()
    keys = [cube.keys_[name][at].as_py() for at in order]
    errors = [float(cube[key].constant_[0, 0]) for key in keys]
    largest = max([*errors, 0.0])
    found = []
    for key, rows, error in zip(keys, counted[order].tolist(), errors, strict=True):
        ends = error_interval(round(error * rows), rows, level) if is_classifier(model) else None
        low, high = ("", "") if ends is None else (f"{ends.low:.4g}", f"{ends.high:.4g}")
        value = "missing" if key is None else str(key)
        found.append(Segment(value, int(rows), f"{error:.4g}", low, high, error / largest if largest else 0.0))
    shown = f", the {SHOWN} values with most rows of {len(counted):,}" if len(counted) > SHOWN else ""
    return ("error rate" if is_classifier(model) else "mean absolute error") + shown, found


def _cube_of_errors(model: BaseEstimator, X: MatrixLike, y: ArrayLike | None, name: str) -> Cube:
    """Return the mean error for each value of a column, from one scan of the predictions."""
    with tempfile.TemporaryDirectory() as folder:
        rows, target = _predicted(model, X, y, name, Path(folder) / "predictions.parquet")
        wrong = col("prediction") != col(target) if is_classifier(model) else (col("prediction") - col(target)).abs()
        errors = rows.with_columns(**{ERROR: wrong.cast("float64")}).without(target)
        learner = DummyRegressor()
        return Cube(learner, by=name, missing="cell").fit(scan(errors.to_arrow(), target=ERROR))


def _predicted(model: Any, X: Any, y: ArrayLike | None, name: str, path: Path) -> tuple[Source, str]:
    """Return predictions beside the target and a column."""
    if is_lazy(X):
        (target,) = X.columns_of("target")
        model.predict(X).to_parquet(path, keep=list(dict.fromkeys([name, target])))
        return scan(path), target
    columns = getattr(X, "columns", getattr(X, "column_names", None))
    if columns is None or name not in list(columns):
        raise DataError(
            f"there is no column {name!r} to report segments of. Remedy: a frame, or tenfold.scan of a file"
        )
    table = pa.table(
        {name: pa.array(X[name]), "prediction": pa.array(model.predict(X)), "target": pa.array(np.asarray(y))}
    )
    return scan(table), "target"
