"""The forms that rows come in, and the ways they take to a fitted model. Each can be printed by itself."""

from __future__ import annotations

import itertools
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

import tenfold as tn
from adversary.case import Skip
from tenfold.sources import part_rows

# ---- forms: columns by name, as something that holds rows --------------------------------------------------


def array(columns: dict[str, Any]) -> Any:
    """One array; of objects if a column is text."""
    if any(values.dtype.kind == "O" for values in columns.values()):
        out = np.empty((len(next(iter(columns.values()))), len(columns)), dtype=object)
        for j, values in enumerate(columns.values()):
            out[:, j] = values
        return out
    return np.column_stack(list(columns.values()))


def fortran(columns: dict[str, Any]) -> Any:
    return np.asfortranarray(array(columns))


def strided(columns: dict[str, Any]) -> Any:
    return np.repeat(np.repeat(array(columns), 2, axis=0), 2, axis=1)[::2, ::2]


def backwards(columns: dict[str, Any]) -> Any:
    return np.ascontiguousarray(array(columns)[::-1, ::-1])[::-1, ::-1]


def read_only(columns: dict[str, Any]) -> Any:
    X = array(columns).copy()
    X.setflags(write=False)
    return X


def lists(columns: dict[str, Any]) -> Any:
    return array(columns).tolist()


def masked(columns: dict[str, Any]) -> Any:
    """A masked array; entries that are missing are masked, and hold something."""
    X = array(columns)
    if X.dtype.kind != "f":
        return np.ma.array(X)
    return np.ma.array(np.nan_to_num(X, nan=7.0, posinf=np.inf, neginf=-np.inf), mask=np.isnan(X))


def csr(columns: dict[str, Any]) -> Any:
    """Unsorted, each entry in two halves, and explicit zeros."""
    X = array(columns).astype(np.float64)
    rows, at = np.nonzero(X != 0)
    half = X[rows, at] / 2
    rest = np.subtract(X[rows, at], half, out=half.copy(), where=np.isfinite(half))
    order = np.argsort(np.tile(rows, 3), kind="stable")
    back = np.concatenate([at, at, (at + 1) % X.shape[1]])[order]
    values = np.concatenate([half, rest, np.zeros(len(at))])[order]
    starts = np.concatenate([[0], np.cumsum(3 * np.bincount(rows, minlength=len(X)))])
    return sp.csr_array((values, back, starts), shape=X.shape)


def csc(columns: dict[str, Any]) -> Any:
    return sp.csc_matrix(array(columns).astype(np.float64))


def frame(columns: dict[str, Any]) -> Any:
    return pd.DataFrame(columns)


def indexed(columns: dict[str, Any]) -> Any:
    """A frame whose index says nothing about the order of the rows."""
    n = len(next(iter(columns.values())))
    return pd.DataFrame(columns).set_index(pd.Index(np.arange(n)[::-1] // 2))


def numbered(columns: dict[str, Any]) -> Any:
    return pd.DataFrame(dict(enumerate(columns.values())))


def native(columns: dict[str, Any]) -> dict[str, Any]:
    """The columns in this machine's order of bytes: Arrow knows no other."""
    return {name: values.astype(values.dtype.newbyteorder("=")) for name, values in columns.items()}


def nullable(columns: dict[str, Any]) -> Any:
    return pd.DataFrame(native(columns)).convert_dtypes()


def arrow_backed(columns: dict[str, Any]) -> Any:
    return pd.DataFrame(native(columns)).convert_dtypes(dtype_backend="pyarrow")


def categoricals(columns: dict[str, Any]) -> Any:
    """Text as pandas categories, with a level that no row has."""
    frame = pd.DataFrame(columns)
    for name in frame.columns[[values.dtype.kind == "O" for values in columns.values()]]:
        frame[name] = frame[name].astype("category").cat.add_categories(["unused"])
    return frame


def polars(columns: dict[str, Any]) -> Any:
    """A frame of polars, which has no dates in seconds."""
    seconds = {n: v.astype("M8[ms]") for n, v in columns.items() if v.dtype == "M8[s]"}
    return pl.DataFrame(
        {n: v.tolist() if v.dtype.kind == "O" else v for n, v in native({**columns, **seconds}).items()}
    )


def polars_categories(columns: dict[str, Any]) -> Any:
    return polars(columns).with_columns(pl.col(pl.String).cast(pl.Categorical))


def arrow(columns: dict[str, Any]) -> Any:
    return pa.table({n: pa.array(v) for n, v in native(columns).items()})


def dictionaries(columns: dict[str, Any]) -> Any:
    """Arrow, text as dictionaries, in chunks of unlike ones."""
    table = arrow(columns)
    table = pa.concat_tables([table.slice(0, len(table) // 2), table.slice(len(table) // 2)])
    for j, values in enumerate(columns.values()):
        if values.dtype.kind == "O":
            table = table.set_column(j, table.column_names[j], table.column(j).dictionary_encode())
    return table


FORMS = (array, array, fortran, strided, backwards, read_only, masked, lists, csr, csc, frame, frame, indexed, numbered)
FORMS += (nullable, arrow_backed, categoricals, polars, polars_categories, arrow, dictionaries)
SPARSE = (csr, csc)


def as_array(y: Any) -> Any:
    return y


def as_list(y: Any) -> Any:
    return y.tolist()


def as_series(y: Any) -> Any:
    return pd.Series(y, index=np.arange(len(y))[::-1])


def as_categories(y: Any) -> Any:
    return pd.Series(y).astype("category") if y.dtype.kind == "O" else pd.Series(y)


def as_strided(y: Any) -> Any:
    return np.repeat(y, 2)[::2]


def as_nullable(y: Any) -> Any:
    """A Series of a type of pandas that may miss entries."""
    return pd.Series(y).convert_dtypes() if y.dtype.kind in "iub" else pd.Series(y)


TARGETS = (as_array, as_array, as_array, as_list, as_series, as_categories, as_strided, as_nullable)

# ---- ways: a case to a fitted model ------------------------------------------------------------------------


def weighted(case: Any) -> dict[str, Any]:
    return {} if case.weight is None else {"sample_weight": case.weight}


def target(case: Any) -> Any:
    return None if case.y is None else case.target(case.y)


def plain(case: Any) -> Any:
    return clone(case.learner).fit(case.form(case.columns), target(case), **weighted(case))


def with_roles(case: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """The columns with those of target and weight beside them, and their names."""
    columns, roles = dict(case.columns), {}
    if case.y is not None:
        columns["the target"], roles["target"] = case.y, "the target"
    if case.weight is not None:
        columns["the weight"], roles["weight"] = case.weight, "the weight"
    return columns, roles


def source_of_array(case: Any) -> Any:
    return clone(case.learner).fit(tn.scan(array(case.columns), target=case.y, weight=case.weight))


def source_of_frame(case: Any) -> Any:
    columns, roles = with_roles(case)
    return clone(case.learner).fit(tn.scan(frame(columns), **roles))


def one_file_a_day(case: Any) -> Any:
    """A folder of Parquet files, one for each day."""
    columns, roles = with_roles(case)
    table = arrow(columns)
    with tempfile.TemporaryDirectory() as folder:
        cuts = np.linspace(0, len(table), 4).astype(int)
        for day, (start, stop) in enumerate(itertools.pairwise(cuts)):
            place = Path(folder) / f"day={day + 1}"
            place.mkdir()
            pa.parquet.write_table(table.slice(start, stop - start), place / "rows.parquet", row_group_size=40)
        return clone(case.learner).fit(tn.scan(folder, drop=["day"], **roles))


@cache
def cluster() -> Any:
    """One cluster of processes for all cases."""
    from distributed import Client, LocalCluster

    return Client(LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"))


def dask_frame(case: Any) -> Any:
    import dask.dataframe as dd

    columns, roles = with_roles(case)
    rows = dd.from_pandas(frame(columns), npartitions=min(3, case.n), sort=False)
    with tn.on(tn.Dask(cluster())):
        return clone(case.learner).fit(tn.scan(rows, **roles))


def dask_array(case: Any) -> Any:
    import dask.array as da

    cut = max(1, case.n // 2)
    X, y, weight = (None if v is None else da.from_array(v, chunks=cut) for v in (None, case.y, case.weight))
    X = da.from_array(array(case.columns), chunks=(cut, -1))
    with tn.on(tn.Dask(cluster())):
        return clone(case.learner).fit(tn.scan(X, target=y, weight=weight))


def pipeline(case: Any) -> Any:
    steps = Pipeline([("nothing", "passthrough"), ("model", clone(case.learner))])
    given = {f"model__{name}": value for name, value in weighted(case).items()}
    return steps.fit(case.form(case.columns), target(case), **given)


def grid_search(case: Any) -> Any:
    X = case.form(case.columns)
    search = GridSearchCV(clone(case.learner), {}, cv=[(np.arange(case.n), np.arange(case.n))], error_score="raise")
    if not hasattr(case.learner, "score"):
        raise Skip("nothing to search for")
    return search.fit(X, target(case), **weighted(case)).best_estimator_


def thread(case: Any) -> Any:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(plain, case).result()


def halves(case: Any) -> list[Any]:
    cut = case.n // 2
    both = [case.rows(slice(0, cut)), case.rows(slice(cut, None))]
    if not cut or any(half.weight is not None and not half.weight.any() for half in both):
        raise Skip("there are no two halves")
    texts = [values for half in both for values in half.columns.values() if values.dtype.kind == "O"]
    if any(all(v is None or v != v for v in values) for values in texts):
        raise Skip("text without a value has no type: the halves are told to differ")
    return both


def merged(case: Any) -> Any:
    a, b = (_half(case, half) for half in halves(case))
    return a + b


def _half(case: Any, half: Any) -> Any:
    """A model of half the rows; skipped if it has one class of several, and the learner says that it needs two."""
    try:
        return plain(half)
    except ValueError as error:
        if case.y is not None and len(_seen(half)) == 1 < len(_seen(case)) and "classes" in str(error):
            raise Skip("half of the rows are of one class, and the learner needs two") from error
        raise


def _seen(case: Any) -> set[Any]:
    """The classes of the rows that have a weight."""
    y = case.y if case.weight is None else case.y[case.weight > 0]
    return set(y.tolist())


def in_two_calls(case: Any) -> Any:
    model = clone(case.learner)
    if not hasattr(model, "partial_fit"):
        raise Skip("no partial_fit with these parameters")
    for half in halves(case):
        model.partial_fit(half.form(half.columns), target(half), **weighted(half))
    return model


def loaded(case: Any) -> Any:
    model = plain(case)
    with tempfile.TemporaryDirectory() as folder:
        model.save(f"{folder}/model")
        return tn.load(f"{folder}/model")


def with_checkpoint(case: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        return clone(case.learner).fit(
            case.form(case.columns), target(case), **weighted(case), checkpoint=f"{folder}/c"
        )


def set_before(case: Any) -> Any:
    """Parameters set after construction, on an object that was fitted before."""
    model = type(case.learner)()
    if hasattr(model, "estimators"):
        model.set_params(estimators=case.learner.estimators)
    return model.set_params(**case.learner.get_params(deep=False)).fit(
        case.form(case.columns), target(case), **weighted(case)
    )


def three_threads(case: Any) -> Any:
    with tn.on(tn.Local(threads=3)):
        return plain(case)


def small_parts(case: Any) -> Any:
    with tn.on(tn.Local(threads=2)), part_rows(7):
        return plain(case)


SAME_BITS = (plain, plain, plain, pipeline, grid_search, thread, loaded, with_checkpoint, set_before, three_threads)
"""ways that cut the rows where `fit` cuts them"""
OTHER_PARTS = (source_of_array, source_of_frame, one_file_a_day, small_parts)
"""ways that may cut them elsewhere, or type columns otherwise"""
FRAMES = (source_of_frame, one_file_a_day, dask_frame)
"""ways that name the columns"""
MERGES = (merged, in_two_calls)
ON_DASK = (dask_frame, dask_array)
