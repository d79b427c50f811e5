"""Entry point of all input: rows in any form, validated as scikit-learn does, become a source.

No code outside this folder depends on the type of the rows. Values are checked as they are read, by
`Columns`, not in a pass of their own.
"""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np
import pyarrow as pa
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import (
    _check_sample_weight,
    check_array,
    check_consistent_length,
    column_or_1d,
    validate_data,
)

from tenfold.core import Array, Codes, ColumnData, DataError, Labels, MatrixLike, Need, Values, VectorLike
from tenfold.core.rows.objects import ObjectKind, as_text
from tenfold.sources.array_source import FLOATS, ArraySource
from tenfold.sources.arrow import is_category, is_date
from tenfold.sources.dask_frames import is_dask
from tenfold.sources.expressions.computed_columns import Computed, with_computed
from tenfold.sources.frames import is_column, is_frame, materialized, table_of
from tenfold.sources.label_codes import column_of
from tenfold.sources.scan import scan
from tenfold.sources.source import Source
from tenfold.sources.tables import Roles, TableSource, free_name
from tenfold.sources.validation import (
    NO_CATEGORIES,
    as_labels,
    check_binary,
    class_levels,
    refuse_dates,
    refuse_masked,
    refuse_rounding,
    refuse_sparse,
    unmasked,
)
from tenfold.sources.validation import numbers as numbers_of

NAMES_ITS_OWN = (
    "a Source names its own target and weights: pass X alone. Remedy: tenfold.scan(..., target=name, weight=name)"
)
ANY_INPUT = Need()
"""numeric columns, without a target"""
SEQUENCE = "which sequence"
"""name of the sequence ids of rows in memory"""
NUMBERS = FLOATS | frozenset(map(np.dtype, "?bBhHiIlLqQ"))


def as_source(
    X: MatrixLike,
    y: VectorLike = None,
    sample_weight: VectorLike = None,
    need: Need = ANY_INPUT,
    *,
    model: Any = None,
    reset: bool = True,
    classes: Labels | None = None,
    lengths: VectorLike = None,
) -> Source:
    """Convert rows in any form to a source.

    Parameters
    ----------
    X : array, CSR matrix, frame, collection of Dask, or Source
        A Source brings its own target and weights.
    y : array, optional
        Taken if the need has a target.
    sample_weight : array, optional
    need : Need
        For which rows in memory are checked.
    model : estimator, optional
        Whose `n_features_in_` and `feature_names_in_` are set, or compared with rows in memory (`reset=False`).
    reset : bool
    classes : array, optional
        Classes the target may have beyond those it has.
    lengths : array, optional
        How many rows each sequence has, in order, if the need is of whole sequences; by default all rows are one.

    Returns
    -------
    source : Source
        Its `lazy` decides whether outputs are sources too; arrays and frames get arrays.
    """
    computed = () if reset else computed_of(model)
    if isinstance(X, Source):
        if y is not None or sample_weight is not None:
            raise ValueError(NAMES_ITS_OWN)
        if lengths is not None:
            raise ValueError(
                "a Source names its own sequences, tenfold.scan(..., sequence=...): pass X without lengths"
            )
        return with_computed(X, computed, _features_of(model))
    if isinstance(X, np.ma.MaskedArray):
        X = unmasked(X)
    if not isinstance(X, np.ndarray):
        if is_dask(X):
            source = _with_target(_as_documents(X) if need.kinds == "text" else X, y, sample_weight)
            return with_computed(source, computed, _features_of(model))
        _refuse_no_table(X, y, need)
        X = materialized(X)
    if computed:
        source = _to_be_completed(model, X, y, sample_weight, need, computed, classes)
    else:
        source = _in_memory(BaseEstimator() if model is None else model, X, y, sample_weight, need, reset, classes)
    if need.sequence is not None:
        source = source.with_side(SEQUENCE, _ids(lengths, source.n_rows))
        source.sequence = SEQUENCE
        source.whole_sequences.add(SEQUENCE)
    source.lazy = False
    return source


def _refuse_no_table(X: MatrixLike, y: VectorLike, need: Need) -> None:
    """Raise for a path, or a single column in place of a table, with the remedy."""
    if need.kinds == "text":
        return
    if isinstance(X, (str, os.PathLike)):
        named = f", target={y!r}" if isinstance(y, str) else ""
        raise DataError(f"X is a path. Remedy: fit(tenfold.scan({str(X)!r}{named}))")
    if is_column(X):
        raise DataError(
            f"Expected 2D array, got 1D array instead: X is a {type(X).__name__}, one column. Remedy: Reshape your "
            "data; X.to_frame(), or frame[[name]] instead of frame[name], is a table of one column"
        )


def _ids(lengths: VectorLike, rows: int | None) -> Codes:
    """The number of the sequence that each row belongs to."""
    if lengths is None:
        return np.zeros(rows or 0, np.int64)
    given = checked_lengths(lengths)
    if given.sum() != rows:
        raise ValueError(f"lengths add up to {given.sum()}, but there are {rows} rows")
    return np.repeat(np.arange(len(given)), given)


def checked_lengths(lengths: VectorLike) -> Codes:
    """How many rows each sequence has: integers from 1 on, of any type of number."""
    given = np.asarray(lengths)
    whole = given.dtype.kind in "iu" or (given.dtype.kind == "f" and bool((given == np.floor(given)).all()))
    if given.ndim != 1 or not whole or (given < 1).any() or not np.isfinite(given).all():
        raise ValueError(f"lengths must be the number of rows of each sequence, integers from 1 on, not {lengths!r}")
    return given.astype(np.int64)


def is_lazy(X: MatrixLike) -> bool:
    """Whether rows are read part by part and outputs are sources: for a Source, or a collection of Dask.

    Rows that came through the door already may be either.
    """
    return X.lazy if isinstance(X, Source) else is_dask(X)


def as_named_source(X: MatrixLike) -> Source | None:
    """A source of rows whose columns have names: of a Source, a frame or a Dask frame; None for other rows."""
    source = X if isinstance(X, Source) else as_source(X) if is_dask(X) or is_frame(X) else None
    return source if source is not None and source.named else None


def has_target(X: MatrixLike, y: VectorLike) -> bool:
    """Whether rows have a target: y, or that of a Source."""
    return y is not None or (isinstance(X, Source) and X.has_target and not X.outputs)


def refuse_lazy(X: MatrixLike, name: str) -> None:
    """Refuse rows that are not in memory, for an estimator that needs them there."""
    if is_lazy(X):
        raise DataError(
            f"{name} is not a learner of tenfold: it needs its rows in memory. Remedy: give arrays or a frame instead "
            "of a Source, or score it by itself on a sample"
        )


def check_target(X: MatrixLike, y: VectorLike, weight: VectorLike, remedy: str = "") -> None:
    """Raise for a target or weights given with a Source, which names its own, and for other rows without a target."""
    if isinstance(X, Source) and (y is not None or weight is not None):
        raise ValueError(NAMES_ITS_OWN)
    if not isinstance(X, Source) and y is None:
        raise ValueError(f"y is needed: the true target of each row{remedy and f'. Remedy: {remedy}'}")


def form_of(X: MatrixLike, need: Need) -> tuple[Any, ...]:
    """Return a key of the needs that one source can serve: those with rows in the same form.

    Rows in memory are validated for one need when they become a source, so their key includes the need.
    """
    if is_lazy(X):
        return (need.target,)
    named = need.kinds if need.kinds in ("categorical", "text", "date") else None
    kinds = named, need.objects, need.each, need.remainder, need.sequence is not None
    return (need.target, *kinds, need.sparse and sp.issparse(X))


def check_names(model: Any, X: MatrixLike) -> None:
    """Raise for rows in memory with other columns than the model was fitted on; a list of texts has no names."""
    if not isinstance(X, Source) and not computed_of(model) and (model.need.kinds != "text" or is_frame(X)):
        validate_data(model, X, reset=False, skip_check_array=True)


def _in_memory(
    model: Any, X: MatrixLike, y: VectorLike, weight: VectorLike, need: Need, reset: bool, classes: Labels | None
) -> Source:
    """Check X, y and weights for a need; remember (`reset`) or compare the column names."""
    if need.objects is not None:
        X = _written(X, need.objects)
    if sp.issparse(X) and not need.sparse and X.ndim == 2 and need.kinds not in ("text", "date"):
        who = type(model).__name__
        why = NO_CATEGORIES if need.kinds == "categorical" else f"{who} takes no other"
        raise refuse_sparse(X.shape, why, getattr(model, "sparse_relative", ""), need.target)
    framed = not isinstance(X, np.ndarray) and is_frame(X)
    if framed:
        data = _frame(model, X, need, reset)
        rows = data.num_rows
    elif need.kinds in ("numeric", "mixed", "unused") and _settled_already(model, X, FLOATS, reset):
        data, rows = X, len(X)
    else:
        data = {
            "numeric": numbers, "mixed": either, "categorical": labels, "text": texts, "date": labels, "unused": either,
        }[need.kinds](model, X, need, reset)  # fmt: skip
        rows = len(data[0]) if isinstance(data, tuple) else data.shape[0]
    y = target(model, y, need) if need.target is not None else None
    if y is not None and len(y) != rows:
        check_consistent_length(y, np.empty(rows))
    weight = None if weight is None else weights(weight, rows)
    one = need.target == "class" and need.output is None
    seen = class_levels(y, "y") if one else None  # which refuses what are no classes
    if need.binary and seen is not None:
        check_binary(seen if weight is None else class_levels(y[weight > 0], "y"), need)
    names = vars(model).get("feature_names_in_")
    if framed:
        word = "X" if type(X).__module__.startswith("pandas") else "X.drop"  # how its columns are left out
        source = TableSource(data, Roles(), word, y, weight, names is not None)
        source.classes = classes
        return source
    rows_in_memory = ArraySource(data, y, weight, names, classes)
    rows_in_memory.seen_classes = seen
    return rows_in_memory


def computed_of(model: Any) -> Computed:
    """The computed columns of the rows that a model was fitted to."""
    found: Computed = () if model is None else vars(model).get("_computed", ())
    return found


def _features_of(model: Any) -> list[str] | None:
    """The columns that a fitted model takes, if they have names."""
    if (schema := vars(model).get("schema_") if model is not None else None) is not None:
        return [column.name for column in schema.columns if column.kind != "unused"]
    found = None if model is None else vars(model).get("feature_names_in_")
    return None if found is None else list(found)


def _to_be_completed(
    model: Any,
    X: MatrixLike,
    y: VectorLike,
    weight: VectorLike,
    need: Need,
    computed: Computed,
    classes: Labels | None,
) -> Source:
    """A frame as it was before the columns were computed that the model was fitted to, and with them."""
    if not is_frame(X):
        raise DataError(
            f"the model computes columns from others by name, and X is a {type(X).__name__}. Remedy: a frame with the "
            "columns of the rows that it was fitted to"
        )
    table = table_of(X)
    _refuse_empty(table)
    y = target(model, y, need) if need.target is not None else None
    if y is not None and len(y) != table.num_rows:
        check_consistent_length(y, np.empty(table.num_rows))
    weight = None if weight is None else weights(weight, table.num_rows)
    plain = TableSource(table, Roles(), "X", y, weight)
    plain.classes = classes
    source = with_computed(plain, computed, _features_of(model))
    source.names = tuple(model.feature_names_in_) if hasattr(model, "feature_names_in_") else source.names
    return source


def _as_documents(X: MatrixLike) -> MatrixLike:
    """A dask Series, or an Array of one dimension, as a frame or an array of one column."""
    if type(X).__name__ == "Series":
        return X.to_frame("x0" if X.name is None else str(X.name))
    return X[:, None] if type(X).__name__ == "Array" and X.ndim == 1 else X


def _with_target(X: MatrixLike, y: VectorLike, weight: VectorLike) -> Source:
    """A dask collection with the target and weights that belong to its rows, as a source."""
    roles: dict[str, VectorLike] = {"target": y, "weight": weight}
    if hasattr(X, "columns"):
        for role, values in (("target", y), ("weight", weight)):
            if values is not None:
                if not is_dask(values):
                    raise DataError(
                        f"the {role} of a dask DataFrame is a {type(values).__name__}, but must be a dask Series or "
                        f"Array in the same partitions. Remedy: a column of the frame, scan(X, {role}=name)"
                    )
                roles[role] = free_name(role, map(str, X.columns))
                X = X.assign(**{roles[role]: values})
    return scan(X, **roles)


def weights(weight: VectorLike, rows: int) -> Array:
    """Weights as float64: finite, not negative, not all zero."""
    weight = _check_sample_weight(
        refuse_masked(weight, "sample_weight"), np.empty((rows, 1)), dtype=np.float64, ensure_non_negative=True
    )
    weight = np.ascontiguousarray(weight)
    if not weight.any():
        raise ValueError("Sample weights must contain at least one non-zero number.")
    with np.errstate(over="ignore"):
        total = weight.sum()
    if not np.isfinite(total):
        raise DataError("the sum of the weights is too large. Remedy: divide them by their largest")
    found: Array = weight
    return found


def _frame(model: Any, X: MatrixLike, need: Need, reset: bool) -> pa.Table:
    """A frame as an Arrow table, its names kept or compared; names that are no text count as none."""
    table = table_of(X, need)  # first: it names columns that appear twice
    if type(X).__name__ == "DataFrame":
        validate_data(model, X, reset=reset, skip_check_array=True)
    elif reset:
        model.n_features_in_ = table.num_columns
        model.feature_names_in_ = np.array(table.column_names, dtype=object)
    elif getattr(model, "feature_names_in_", np.array(table.column_names)).tolist() != table.column_names:
        raise ValueError(
            "The feature names should match those that were passed during fit: "
            f"{model.feature_names_in_.tolist()}, not {table.column_names}"
        )
    elif table.num_columns != model.n_features_in_:
        raise ValueError(
            f"X has {table.num_columns} features, but {type(model).__name__} is expecting {model.n_features_in_} "
            "features as input"
        )
    _refuse_empty(table)
    if not hasattr(model, "feature_names_in_"):
        table = table.rename_columns([f"x{j}" for j in range(table.num_columns)])
    return table


def _refuse_empty(table: pa.Table) -> None:
    if not table.num_rows or not table.num_columns:
        raise DataError(
            f"Found array with {table.num_rows} sample(s) and {table.num_columns} feature(s) "
            "while a minimum of 1 is required."
        )


def columns_of_fit(frame: MatrixLike, names: list[str]) -> MatrixLike:
    """Return the named columns of a frame, in any order there, ignoring others."""
    there = frame.column_names if isinstance(frame, pa.Table) else list(frame.columns)
    if missing := [name for name in names if name not in there]:
        raise DataError(
            f"columns are missing: {missing}. The frame has {there[:20]}. Remedy: pass the columns of the fit"
        )
    return frame.select(names) if isinstance(frame, pa.Table) else frame[names]


def named_columns(frame: MatrixLike, names: list[str]) -> Source:
    """Return a source of the named columns of a frame, in any order, ignoring others."""
    chosen = columns_of_fit(frame, names)
    table = chosen if isinstance(chosen, pa.Table) else table_of(chosen)
    _refuse_empty(table)
    source = TableSource(table, Roles())
    source.lazy = False
    return source


def numbers(model: Any, X: MatrixLike, need: Need, reset: bool) -> ColumnData:
    """X as floats in their own width, or CSR if the learner takes it."""
    if _settled_already(model, X, FLOATS, reset):
        return X
    refuse_dates(X, "X")
    refuse_rounding(as_labels(X) if isinstance(X, (list, tuple)) and _is_table(X) else X, "X")
    return _validated(
        model,
        X,
        reset=reset,
        accept_sparse="csr" if need.sparse else False,
        dtype=[np.float64, np.float32],
        ensure_all_finite=False,
    )


def _validated(model: Any, X: MatrixLike, **how: Any) -> Any:
    """X as `validate_data` gives it, without its warning of names that a step has given to the columns.

    A step that was fitted to a Source gives names to what it makes of one, and arrays of what it makes of a frame.
    """
    if "_named_by_step" not in vars(model):
        return validate_data(model, X, **how)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        return validate_data(model, X, **how)


def _is_table(rows: Any) -> bool:
    """Whether a list has rows of one length, so that it is an array."""
    return len({len(row) if isinstance(row, (list, tuple)) else -1 for row in rows}) == 1


def _settled_already(model: Any, X: MatrixLike, types: frozenset[np.dtype[Any]], reset: bool) -> bool:
    """Whether `validate_data` would return X unchanged: rows without names, with the expected number of columns.

    It takes many times as long as the prediction of a row.
    """
    if type(X) is not np.ndarray or X.ndim != 2 or X.dtype not in types or not X.size:
        return False
    known = vars(model)
    if known.get("feature_names_in_") is not None:
        return False
    if reset:
        known["n_features_in_"] = X.shape[1]
    return bool(X.shape[1] == known.get("n_features_in_", X.shape[1]))


def either(model: Any, X: MatrixLike, need: Need, reset: bool) -> ColumnData:
    """X as floats or CSR; if text or dates are among them, as a tuple of columns: these, or floats."""
    X = as_labels(X) if isinstance(X, (list, tuple)) else X
    if not isinstance(X, np.ndarray) or X.dtype.kind not in "OUT":
        return numbers(model, X, need, reset)
    columns = labels(model, X, need, reset)
    text = [_holds_words(values, f"column number {j}") for j, values in enumerate(columns)]
    if not any(text):
        return numbers(model, X, need, reset)
    return tuple(
        values if words else numbers_of(values, f"column {f'x{j}'!r}").astype(np.float64, copy=False)
        for j, (values, words) in enumerate(zip(columns, text, strict=True))
    )


def _holds_words(values: Values, where: str) -> bool:
    """Whether a column holds text or dates."""
    kind = column_of(values, where).type
    return is_category(kind) or is_date(kind)


def labels(model: Any, X: MatrixLike, need: Need, reset: bool) -> tuple[Values, ...]:
    """X as a tuple of columns, each in its own type."""
    if isinstance(X, (list, tuple)):
        X = as_labels(X)
    if not _settled_already(model, X, NUMBERS, reset):
        X = _validated(model, X, reset=reset, dtype=None, ensure_all_finite=False)
    return tuple(X[:, j] for j in range(X.shape[1]))


def _written(X: MatrixLike, kind: ObjectKind) -> MatrixLike:
    """Objects in memory as text: a list, an array, or the columns of a frame that hold objects or lists."""
    if isinstance(X, str):
        raise ValueError(f"X is one string, and not a sequence of {kind}. Remedy: a list, fit([...], y)")
    if isinstance(X, (list, tuple)):
        return np.array([as_text(one, kind, f"row {i} of X") for i, one in enumerate(X)], dtype=object)
    if isinstance(X, np.ndarray):
        found = np.array([as_text(one, kind, f"row {i} of X") for i, one in enumerate(X.ravel())], dtype=object)
        return found.reshape(X.shape)
    if type(X).__name__ == "DataFrame" and hasattr(X, "iloc"):
        return X.apply(lambda column: [as_text(one, kind, f"row {i} of X") for i, one in enumerate(column)])
    if not is_frame(X) or kind == "strings":
        return X
    table = table_of(X)
    for j, field in enumerate(table.schema):
        if pa.types.is_list(field.type) or pa.types.is_large_list(field.type):
            rows = table.column(j).to_pylist()
            text = pa.array([as_text(one, kind, f"row {i} of X") for i, one in enumerate(rows)], pa.string())
            table = table.set_column(j, field.name, text)
    return table


def texts(model: Any, X: MatrixLike, need: Need, reset: bool) -> tuple[Values, ...]:
    """X as a tuple of columns of text; a list of texts is a single column."""
    if isinstance(X, str):
        raise ValueError("Iterable over raw text documents expected, string object received.")
    X = as_labels(X) if isinstance(X, (list, tuple)) else X
    if not isinstance(X, np.ndarray) or X.ndim != 1:
        return labels(model, X, need, reset)
    if not len(X):
        raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
    if reset:
        model.n_features_in_ = 1
    return (X,)


def has_outputs(X: MatrixLike, y: VectorLike, one_column: bool = False) -> int:
    """Return the number of columns of a target table; 0 for a vector or no target.

    With `one_column`, a table in memory of one column counts; else it is taken for the column.
    """
    if y is None:
        return X.outputs if isinstance(X, Source) else 0
    if isinstance(y, (list, tuple)):
        found = len(y[0]) if len(y) and isinstance(y[0], (list, tuple, np.ndarray)) else 0
    else:
        shape: tuple[int, ...] = getattr(y, "shape", ())
        found = int(shape[1]) if len(shape) == 2 and not is_dask(y) else 0
    return found if found > 1 or one_column else 0


def _in_type_of_numpy(y: VectorLike) -> VectorLike:
    """A column of pandas whose integers or booleans may be missing, as an array of them if none is."""
    if type(y).__name__ == "DataFrame" and y.shape[1] == 1:
        y = y.iloc[:, 0] if hasattr(y, "iloc") else y
    if type(y).__module__.split(".")[0] != "pandas" or isinstance(getattr(y, "dtype", np.dtype("f8")), np.dtype):
        return y
    if getattr(y.dtype, "kind", "O") not in "iub" or y.isna().any():
        return y
    return np.asarray(y.to_numpy(dtype=bool if y.dtype.kind == "b" else f"{y.dtype.kind}{y.dtype.itemsize}"))


def target(model: Any, y: VectorLike, need: Need) -> VectorLike:
    """The target as numbers, or as labels in their own type; of several columns, if the need is of one of them."""
    if y is None:
        raise ValueError(f"{type(model).__name__} requires y to be passed, but the target y is None.")
    if isinstance(y, np.ma.MaskedArray):
        y = refuse_masked(y, "y")
    if need.output is not None:
        columns = table_of(y).columns if is_frame(y) else as_labels(y).T
        each = [target(model, np.asarray(column), need.for_output(None)) for column in columns]
        mixed = len({column.dtype.kind for column in each}) > 1  # numbers would become text beside it
        return np.asfortranarray(np.column_stack([c.astype(object) for c in each] if mixed else each))
    if outputs := has_outputs(None, y):
        kind = "MultiOutputRegressor" if need.target == "number" else "MultiOutputClassifier"
        fits = f"sklearn.multioutput.{kind}({type(model).__name__}()), which fits one for each column"
        remedy = (
            "one column at a time, or sklearn.model_selection.cross_validate" if type(model) is BaseEstimator else fits
        )
        raise ValueError(
            f"y should be a 1d array, got an array of shape ({len(y)}, {outputs}) instead. Remedy: {remedy}"
        )
    if isinstance(y, str):
        raise DataError(f"y is the text {y!r}. Remedy: the column itself, X[{y!r}], or tenfold.scan(X, target={y!r})")
    if type(y).__name__ == "LazyFrame":
        raise DataError(
            "y is a LazyFrame, which is a table not computed yet. Remedy: tenfold.scan(frame, target=name) of a frame "
            "that has the target as a column, or y.collect().to_series()"
        )
    if type(y) is np.ndarray and y.ndim == 1 and len(y):
        if y.dtype.kind in "biu" and need.target == "class":
            return y
        if y.dtype == np.float64:
            with np.errstate(over="ignore", invalid="ignore"):
                total = y.sum()
            if np.isfinite(total):  # then each is
                return y
    y = _in_type_of_numpy(y)
    if need.target == "number":
        refuse_rounding(as_labels(y) if isinstance(y, (list, tuple)) else y, "y")
        kind = getattr(getattr(y, "dtype", None), "kind", None) or np.asarray(y).dtype.kind
        if kind not in "fiub":  # scikit-learn would make numbers of dates, and of text
            y = numbers_of(np.asarray(y).ravel(), "y")
        y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y", estimator=model)
        return column_or_1d(y, warn=True)
    y = column_or_1d(as_labels(y) if isinstance(y, (list, tuple)) else y, warn=True)
    if y.dtype.kind == "f":
        assert_all_finite(y, input_name="y", estimator_name=type(model).__name__)
    return y
