"""Validation of rows before a learner or a model sees them, whatever their source.

`Source.chunks` is the only way to rows, and checks every chunk here: columns against the schema, then target and
weights against the need. Values of X are checked by `Columns` as they are read, since that costs no pass of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from tenfold.core import (
    Array,
    Chunk,
    Codes,
    DataError,
    Labels,
    Matrix,
    MatrixLike,
    Need,
    Schema,
    Values,
    VectorLike,
)
from tenfold.core.errors import SparseDataError, warn_user
from tenfold.core.need import Target
from tenfold.core.schema import is_text
from tenfold.sources import arrow
from tenfold.sources.label_codes import column_of, levels

MAX_LISTED_CATEGORIES = 255
"""numbers that are not whole which a column may hold that a parameter of the learner lists as categories: as many as
scikit-learn takes"""
MAX_SILENT_CATEGORIES = 20
"""number of distinct values up to which numbers are taken as categories without a warning"""
MIN_NUMERIC_SHARE = 0.9
"""share of distinct texts that must be numeric for a warning; the others may be markers of missing values"""
MAX_SUM_OF_SQUARES = 1e280
"""the largest sum of squares of a target in one part: weights, and the sum over parts, want room below 1e308"""
MAX_INSPECTED_CATEGORIES = 10_000
"""of more categories than this some are looked at, spread over all"""
MISSING_CATEGORY_REMEDY = (
    "drop or impute the rows that miss it, or give the missing value a category of its own; of free text "
    "make features, TextFeatures(missing='empty')"
)
"""where a category is missing, and a learner takes none that are"""


# ---- columns ------------------------------------------------------------------------------------------


MAX_DENSE_BYTES = 1 << 30
"""of a sparse matrix, were it dense, up to which an error tells users to make it so"""
MAX_DECOMPOSED_COLUMNS = 20_000
"""of a sparse matrix, up to which TruncatedSVD takes it, whose moments are a square of them"""
NO_CATEGORIES = "categories are wanted, and a sparse matrix has none"


def check_columns(names: Sequence[str], named: bool, schema: Schema) -> None:
    """Refuse columns that are not those of the schema: taken by their places, so number and names must agree.

    A schema without columns is for rows of which only the target is wanted.
    """
    if not schema.columns:
        return
    if len(names) != len(schema.columns):
        check_width(len(names), schema)
    if named and schema.named and tuple(names) != schema.names:
        raise DataError(
            "The feature names should match those that were passed during fit: "
            f"{list(schema.names)[:20]}, not {list(names)[:20]}"
        )


def check_width(width: int, schema: Schema) -> None:
    """Refuse more or fewer columns than the schema has."""
    if width != len(schema.columns):
        raise DataError(
            f"X has {width} features, but the model is expecting {len(schema.columns)} features as input: "
            f"{list(schema.names)[:20]}"
        )


def refuse_sparse(
    shape: tuple[int, int], why: str, relative: str = "", target: Target | None = None
) -> SparseDataError:
    """The error for a sparse matrix of this shape where dense rows are wanted.

    relative: a learner that takes it. target: that of the learner that does not, by which columns can be selected.
    """
    dense = 8 * shape[0] * shape[1]
    size = "less than 1 MB" if dense < 1e6 else f"{dense / 1e6:,.0f} MB" if dense < 1e9 else f"{dense / 1e9:,.0f} GB"
    if dense <= MAX_DENSE_BYTES:
        remedy = f"X.toarray(), which takes {size}"
    else:
        before = "few columns before it"
        if shape[1] <= MAX_DECOMPOSED_COLUMNS:
            before = "TruncatedSVD before it, in a pipeline, makes few columns of them"
        elif target is not None:
            given = "" if target == "class" else "'f_regression', "
            before = f"SelectKBest({given}k=1000) before it, in a pipeline, keeps few columns of them"
        remedy = f"{before}; X.toarray() would take {size}"
    return SparseDataError(
        f"Sparse data was passed for X, but dense data is required: {why}. Remedy: {remedy}"
        + (f"; or a learner of sparse rows, such as {relative}" if relative else "")
    )


def by_column(X: MatrixLike) -> MatrixLike:
    """Return a numeric array unchanged; one of objects or text as a tuple of columns, numeric where all values are."""
    if sp.issparse(X) or X.dtype.kind not in "OUT":
        return X
    return tuple(_typed(X[:, j], f"column {f'x{j}'!r}") for j in range(X.shape[1]))


def _typed(values: Values, where: str) -> Values:
    found = column_of(values, where)
    if not arrow.is_number(found.type):
        return values
    return arrow.numbers(found, where) if found.null_count else found.to_numpy(zero_copy_only=False)


# ---- numbers ------------------------------------------------------------------------------------------


def numbers(values: Matrix, where: str) -> Matrix:
    """Return float32 and float64 unchanged, other numbers as float64; dates, text and others are refused by name.

    Parameters
    ----------
    values : array or CSR matrix
    where : str
        Name of the array in error messages: "column 'a'", "the target".
    """
    kind = values.dtype.kind
    if values.dtype in (np.float32, np.float64):
        return values
    if kind in "biuf":
        refuse_rounding(values, where)
        return values.astype(np.float64)
    if kind == "O" and values.ndim == 1:
        column = column_of(values, where)
        if arrow.is_number(column.type):
            return arrow.numbers(column, where)
        raise _no_numbers(where, "text" if arrow.is_category(column.type) else str(column.type))
    raise _no_numbers(where, "text" if kind in "UST" else str(values.dtype))


def refuse_rounding(values: Matrix, where: str) -> None:
    """Raise for integers that float64 cannot represent, as for frames."""
    if getattr(values, "dtype", None) is None or not isinstance(values.dtype, np.dtype):
        return
    if values.dtype.kind == "O" and not sp.issparse(values):
        each: Any = np.asarray(values)
        far = np.array([type(v) is int and abs(v) > 2**53 for v in each.ravel().tolist()]).reshape(each.shape)
    elif values.dtype.kind in "iu" and values.dtype.itemsize == 8:
        each = values.data if sp.issparse(values) else np.asarray(values)
        if not each.size or (int(each.max()) <= 2**53 and int(each.min()) >= -(2**53)):
            return
        far = (each > 2**53) | (each < -(2**53))
    else:
        return
    if far.any():
        where = f"column {f'x{int(far.any(axis=0).argmax())}'!r}" if far.ndim == 2 else where
        remedy = (
            "subtract a constant from it"
            if where == "y"
            else "drop it if it is an id, or convert it to text, as a category"
        )
        raise DataError(f"{where} holds integers that float64 cannot represent exactly (beyond 2^53). Remedy: {remedy}")


def unmasked(X: MatrixLike) -> MatrixLike:
    """Convert a masked array to a plain one, with masked entries as NaN, or None among objects and text."""
    mask = np.ma.getmaskarray(X)
    if not mask.any():
        return X.data
    if X.dtype.kind in "biuf":
        refuse_rounding(np.where(mask, 0, X.data), "X")
        return np.where(mask, np.nan, X.data.astype(np.result_type(X.dtype, np.float32)))
    if X.dtype.kind in "Mm":
        return np.where(mask, np.array("NaT", X.dtype), X.data)
    found = X.data.astype(object)
    found[mask] = None
    return found


def refuse_masked(values: VectorLike, what: str) -> VectorLike:
    """A column that must be whole, as a plain one; refused if something in it is masked."""
    if not isinstance(values, np.ma.MaskedArray):
        return values
    mask = np.ma.getmaskarray(values)
    if mask.any():
        at = int(np.flatnonzero(mask.reshape(len(mask), -1).any(axis=1))[0])
        raise DataError(
            f"{what} is masked in row {at}. Remedy: leave out the rows in which it is masked, {what}[~{what}.mask] and "
            f"X[~{what}.mask]"
        )
    return values.data


def refuse_dates(values: VectorLike, where: str) -> None:
    """Raise for dates and durations, which NumPy and scikit-learn would convert to numbers."""
    dtype = getattr(values, "dtype", None)
    if getattr(dtype, "kind", "") in ("M", "m"):
        raise _no_numbers(where, str(dtype))


def _no_numbers(where: str, kind: str) -> DataError:
    remedy = "convert it, .astype(float), if it means numbers" if kind == "text" else "make numbers of it first"
    remedy += ", DateParts()" if kind.startswith(("datetime64", "timestamp", "date", "time")) else ""
    return DataError(f"{where} holds {kind}, not numbers. Remedy: {remedy}, or leave it out")


# ---- text -----------------------------------------------------------------------------------------------


def present(texts: Values, need: Need, where: str, start: int, kept: Codes | None) -> Values:
    """Texts, if none is missing or the need takes missing ones; the number of the first row is `start`."""
    if not need.missing and (missing := [i for i, text in enumerate(texts.tolist()) if text is None]):
        at = start + (missing[0] if kept is None else int(kept[missing[0]]))
        raise DataError(
            f"Input X contains no text in {where}, row {at}: it is missing. Remedy: TextFeatures(missing='empty'), "
            "or leave out the rows that miss it, or fill it with empty text"
        )
    return texts


# ---- target -------------------------------------------------------------------------------------------


def refuse_outputs(outputs: int, one: str) -> DataError:
    """The error for a target of several columns where one is wanted."""
    return DataError(
        f"the target has {outputs} columns, and one is wanted here. Remedy: one of them, target={one}; or `fit` of a "
        "learner that takes several (LinearRegression, Ridge, Lasso, ElasticNet, KNeighborsRegressor, DummyRegressor)"
    )


def number_target(values: Values, where: str) -> Array:
    """A target of numbers as float64. That it is finite, `check_chunk` sees."""
    found: Array = numbers(values, where).astype(np.float64, order="C", copy=False)
    return found


def as_labels(values: VectorLike) -> Labels:
    """Lists as an array: of objects if numpy would turn numbers or holes among texts into text."""
    found = np.asarray(values)
    if isinstance(values, (list, tuple)) and found.dtype.kind in "US":
        return np.array(values, dtype=object)
    return found


def class_levels(values: VectorLike, where: str) -> Labels:
    """The sorted classes of a target, which may miss no label and hold no continuous numbers."""
    missing = values.dtype.kind == "f" and bool(np.isnan(values).any())
    if missing or (values.dtype.kind in "OT" and column_of(values, where).null_count):
        raise DataError(f"Input y contains NaN or None: {where} has no label. Remedy: drop the rows without a target")
    return check_classes(levels(values, where), where)


def check_classes(found: Labels, where: str) -> Labels:
    """The classes, if they can be: numbers that are not whole are no labels, as scikit-learn has it."""
    if found.dtype.kind == "f" and (found != np.rint(found)).any():
        raise DataError(
            f"Unknown label type: continuous. {where} holds numbers that are not integers, such as "
            f"{found[found != np.rint(found)][0]:.6g}, so it has no classes. Remedy: use a regressor, or bin it into "
            "classes"
        )
    return found


def check_binary(classes: Labels, need: Need) -> None:
    """Refuse more than two classes where a learner takes two."""
    if need.binary and len(classes) > 2:
        raise DataError(
            "Only binary classification is supported. The type of the target is multiclass: "
            f"classes {classes.tolist()[:5]}"
        )


# ---- weights ------------------------------------------------------------------------------------------


def weights(values: VectorLike, where: str, start: int = 0) -> Array:
    """Weights as float64: finite and not negative. `start` is the number of the first row, for errors."""
    weight: Array = numbers(values, where).astype(np.float64, order="C", copy=False)
    if not np.isfinite(weight).all() or (weight < 0).any():
        at = start + int(np.flatnonzero(~np.isfinite(weight) | (weight < 0))[0])
        raise DataError(f"{where}, row {at}: a weight is missing, infinite or negative")
    return weight


# ---- chunks -------------------------------------------------------------------------------------------


def check_chunk(chunk: Chunk, need: Need, schema: Schema, remedy: Callable[[int, int], DataError]) -> Chunk:
    """A chunk that a learner may see, or an error.

    Parameters
    ----------
    chunk : Chunk
    need : Need
    schema : Schema
    remedy : callable
        Makes the error for a target that is missing or infinite.
    """
    if schema.columns and chunk.X.shape[1] != len(schema.columns):
        check_width(chunk.X.shape[1], schema)
    if need.target == "number":
        with np.errstate(over="ignore", invalid="ignore"):
            squares = float(chunk.y @ chunk.y)  # costs less than a look at each
        if not squares <= MAX_SUM_OF_SQUARES:
            wrong = np.flatnonzero(~np.isfinite(chunk.y))
            if len(wrong):
                raise remedy(chunk.part, chunk.X.row(int(wrong[0])))
            at = int(np.abs(chunk.y).argmax())
            raise DataError(
                f"the target is {chunk.y[at]:.6g} in row {chunk.X.row(at)}: too large to be squared. Remedy: divide it "
                "by its largest value"
            )
    return chunk


# ---- categories that look like measured numbers ---------------------------------------------------------


def warn_of_numbers_as_text(schema: Schema, need: Need, chosen: Collection[str], remedy: str) -> set[str]:
    """Warn of columns of text that hold numbers, and so become a category for each; the names of these.

    Parameters
    ----------
    schema : Schema
        Of all rows.
    need : Need
        A learner of categories alone is not warned: whoever uses it wants categories.
    chosen : collection of str
        Columns that the user declared categorical.
    remedy : str
        How to keep a column as categories, with a place for its name.
    """
    named: set[str] = set()
    for column in schema.columns:
        found = column.categories
        if need.kind_of(column.name) != "mixed" or found is None or not is_text(found):
            continue
        if len(found) <= MAX_SILENT_CATEGORIES or column.name in chosen:
            continue
        texts = found[:: -(-len(found) // MAX_INSPECTED_CATEGORIES)].tolist()
        odd = [text for text in texts if not _is_number(text)]
        if len(odd) <= (1 - MIN_NUMERIC_SHARE) * len(texts):
            warn_user(
                f"column {column.name!r} holds numbers stored as text"
                + (f" (but {odd[0]!r} is none)" if odd else "")
                + f", and is used as {len(found)} categories. Remedy: cast it to numbers; or, to keep the categories, "
                + remedy.format(name=column.name)
            )
            named.add(column.name)
    return named


def _is_number(text: str) -> bool:
    """Whether a text is a number; one with a leading zero, as of a postcode, is a label."""
    if len(text) > 1 and text[0] == "0" and text[1].isdigit():
        return False
    try:
        float(text)
    except ValueError:
        return False
    return True


def refuse_continuous_categories(schema: Schema, need: Need, chosen: Collection[str]) -> None:
    """Refuse measured numbers where a learner counts categories: each value would be a category of its own."""
    most = MAX_SILENT_CATEGORIES if need.remainder == "unused" else MAX_LISTED_CATEGORIES
    for column in schema.columns:
        found = column.categories
        if need.kind_of(column.name) != "categorical" or found is None:
            continue
        if len(found) <= most or found.dtype.kind != "f" or column.name in chosen:
            continue
        odd = found[found != np.rint(found)]
        if len(odd):
            raise DataError(
                f"column {column.name!r} holds {len(found)} distinct numbers, such as {odd[0]:.6g}, that are not "
                "integers: they are measurements, not categories. Remedy: use a learner of numbers (GaussianNB, a "
                "tree), bin it first (pandas.cut), or round it"
            )
