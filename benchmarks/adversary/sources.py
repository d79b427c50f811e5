"""Sources: parts of a predicate make the whole, every row counts, and files that change are answered or named."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from sklearn.base import clone

import tenfold as tn
from adversary.book import check
from adversary.case import Skip, close, must, refused
from tenfold.testing import bits

MERGING = ("LinearRegression", "GaussianNB", "StandardScaler", "DummyRegressor", "CategoricalNB", "PCA")


def table_drawn(random: Any, size: int) -> pa.Table:
    """Numbers, one column of them with nulls, a category, a target of numbers and one of classes."""
    n = 12 + 5 * size
    holes = random.random(n) < 0.2
    key = random.integers(0, 5, n)
    return pa.table(
        {
            "a": random.normal(size=n),
            "b": np.round(random.normal(size=n), 2),
            "key": pa.array(key, mask=holes),
            "city": pa.array([("Oslo", "Rome", None)[k % 3] for k in key]),
            "y": random.normal(size=n),
            "label": pa.array(["no" if v else "yes" for v in random.random(n) < 0.5]),
        }
    )


def written(table: pa.Table, folder: str, random: Any) -> str:
    """Write a table as one file of several row groups, or as several files; return what is scanned."""
    rows = int(random.integers(2, 10))
    if random.random() < 0.5:
        pq.write_table(table, f"{folder}/rows.parquet", row_group_size=rows)
    else:
        for number, start in enumerate(range(0, len(table), 3 * rows)):
            pq.write_table(table.slice(start, 3 * rows), f"{folder}/{number:04d}.parquet", row_group_size=rows)
    return folder


def learner_named(name: str) -> tuple[Any, dict[str, Any]]:
    """A learner whose models add up, and the columns that it takes."""
    roles: dict[str, Any] = {"columns": ["a", "b"]}
    if name in ("LinearRegression", "DummyRegressor"):
        roles["target"] = "y"
    elif name.endswith("NB"):
        roles["target"] = "label"
    if name == "CategoricalNB":
        roles["columns"] = ["city"]
        return tn.CategoricalNB(), roles
    return getattr(tn, name)(), roles


def said(model: Any, X: Any) -> Any:
    """What a model makes of rows."""
    name = next(n for n in ("predict_proba", "predict", "transform") if hasattr(model, n))
    return np.abs(np.asarray(getattr(model, name)(X), dtype=np.float64))


PREDICATES = (
    lambda: pc.field("key") > 2,
    lambda: pc.field("key") == 1,
    lambda: pc.field("city") == "Oslo",
    lambda: (pc.field("key") < 3) & (pc.field("a") > 0),
    lambda: (pc.field("key") < 1) | (pc.field("b") > 0.5),
    lambda: pc.field("key").isin([0, 3]),
    lambda: ~(pc.field("city") == "Rome"),
)


@check("sources", often=3.0)
def parts_of_a_predicate_make_the_whole(case: Any) -> None:
    """Rows for which a condition is true, false and unknown are all rows: counts add up, and models do."""
    random = case.random
    table = table_drawn(random, case.size)
    condition = PREDICATES[int(random.integers(len(PREDICATES)))]()
    three = (condition, ~condition, condition.is_null())
    learner, roles = learner_named(MERGING[int(random.integers(len(MERGING)))])
    with tempfile.TemporaryDirectory() as folder:
        place = written(table, folder, random) if random.random() < 0.8 else table
        whole = learner.fit(tn.scan(place, **roles))
        models, rows = [], 0
        for one in three:
            count = table.filter(one).num_rows
            rows += count
            if not count:
                continue
            models.append(clone(learner).fit(tn.scan(place, where=one, **roles)))
            seen = models[-1].certificate_.provenance.rows
            must(seen == count, f"{seen} rows of {one}, {count} by hand")
        must(rows == len(table), f"three parts have {rows} of {len(table)} rows: the check is wrong")
    if len({tuple(map(str, getattr(m, "classes_", ()))) for m in [whole, *models]}) > 1:
        raise Skip("a class in some parts only")
    total = models[0]
    for one in models[1:]:
        total = total + one
    X = table.select(roles["columns"]).to_pandas()
    if type(learner).__name__ == "CategoricalNB":
        X = X.fillna("Oslo")
    close(said(total, X), said(whole, X), 1e-6, "the three parts together", size=1e-3)


@check("sources", often=2.0)
def a_row_that_matters_changes_the_summary(case: Any) -> None:
    """Change one value of one row with weight: the summary is another one; of a row without weight: the same."""
    random = case.random
    n, p = 6 + 5 * case.size, int(random.integers(1, 4))
    X, y = random.normal(size=(n, p)), random.normal(size=n)
    weight = random.integers(0, 3, n).astype(np.float64)
    weight[:3] = [1.0, 2.0, 0.0]
    name = ("LinearRegression", "Ridge", "StandardScaler", "PCA", "GaussianNB", "LinearDiscriminantAnalysis")[
        case.size % 6
    ]
    labels = np.where(y > 0, "yes", "no")
    labels[:2] = ["yes", "no"]
    y = labels if name in ("GaussianNB", "LinearDiscriminantAnalysis") else y
    before = getattr(tn, name)().fit(X, y, sample_weight=weight)
    for at in (int(np.flatnonzero(weight > 0)[int(random.integers((weight > 0).sum()))]), 2):
        Z = X.copy()
        Z[at, int(random.integers(p))] += float(random.choice([1e-3, 1.0, -7.0]))
        after = getattr(tn, name)().fit(Z, y, sample_weight=weight)
        same = bits(before.summary_) == bits(after.summary_)
        must(
            same == (weight[at] == 0),
            f"a value of a row of weight {weight[at]} {'does not change' if same else 'changes'} the summary",
        )


@check("sources", often=3.0)
def files_that_change_are_answered_or_named(case: Any) -> None:
    """A file that was rewritten, cut short, removed or put back after its scan: the right answer, or its name."""
    random = case.random
    table = table_drawn(random, case.size)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "day.parquet"
        plainly = {"row_group_size": 7, "compression": "none", "use_dictionary": False}  # other rows, as many bytes
        pq.write_table(table, path, **plainly)
        kept = path.read_bytes()
        source = tn.scan(folder, target="y", columns=["a", "b"])
        first = tn.Ridge().fit(source)
        what = ("rewritten", "shrunk", "removed", "put back", "emptied", "cut short")[int(random.integers(6))]
        a = table["a"].to_numpy().copy()
        a[:7] = a[:7][::-1]  # the footer has the least and the largest, which stay
        other = table.set_column(0, "a", pa.array(a if random.random() < 0.5 else random.normal(size=len(table))))
        if what == "rewritten":
            pq.write_table(other, path, **plainly)
        elif what == "shrunk":
            pq.write_table(table.slice(0, max(1, len(table) // 2)), path, **plainly)
        elif what == "removed":
            path.unlink()
        elif what == "put back":
            path.unlink()
            path.write_bytes(kept)
        elif what == "emptied":
            path.write_bytes(b"")
        else:
            path.write_bytes(kept[: len(kept) // 2])
        if what == "put back":
            try:
                again = tn.Ridge().fit(source)
            except ValueError as error:
                must("day.parquet" in str(error), f"put back: {error}")
                return
            must(bits(again.model_) == bits(first.model_), "the same file put back: other bits")
            return
        refused(lambda: tn.Ridge().fit(source), "day.parquet")
        refused(lambda: first.predict(source).collect(), "day.parquet")
        if what == "rewritten":
            new = tn.Ridge().fit(tn.scan(folder, target="y", columns=["a", "b"]))
            X = other.select(["a", "b"]).to_pandas()
            by_hand = tn.Ridge().fit(X, other["y"].to_numpy())
            close(new.predict(X), by_hand.predict(X), 1e-9, "a new scan", size=1.0)


@check("sources", often=2.0)
def files_that_change_in_mid_fit_are_named(case: Any) -> None:
    """A file that is rewritten while a learner reads it again and again: the right answer, or its name."""
    random = case.random
    table = table_drawn(random, case.size + 6)
    rows = int(random.integers(5, 15))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "day.parquet"
        pq.write_table(table, path, row_group_size=rows)
        after = int(random.integers(1, 12))
        shorter = table.slice(0, max(1, len(table) // 2)) if random.random() < 0.5 else table.slice(0, len(table) - 1)
        calls = []

        def touched(X: Any) -> Any:
            calls.append(1)
            if len(calls) == after:
                pq.write_table(shorter, path, row_group_size=rows)
            return X

        learner = tn.make_pipeline(tn.FunctionTransformer(touched), tn.LogisticRegression())
        source = tn.scan(path, target="label", columns=["a", "b"])
        try:
            found = learner.fit(source)
        except ValueError as error:
            must("day.parquet" in str(error), f"changed in mid fit: {error}")
            return
        whole = tn.LogisticRegression().fit(
            table.select(["a", "b"]).to_pandas(), table["label"].to_numpy(zero_copy_only=False)
        )
        X = table.select(["a", "b"]).to_pandas()
        close(
            found[-1].predict_proba(X.to_numpy()),
            whole.predict_proba(X),
            1e-3,
            "changed in mid fit: the answer",
            size=1.0,
        )


@check("sources", often=2.0)
def masks_and_large_integers_are_seen(case: Any) -> None:
    """Masked entries are missing, integers beyond 2^53 are refused, labels of pandas keep their type."""
    import pandas as pd

    random = case.random
    n = 8 + case.size
    X, y = random.normal(size=(n, 2)), random.normal(size=n)
    mask = np.zeros((n, 2), bool)
    mask[int(random.integers(n)), int(random.integers(2))] = True
    holes = np.where(mask, np.nan, X)
    masked = np.ma.array(X, mask=mask)
    a = np.asarray(tn.SimpleImputer().fit(masked).transform(masked))
    b = np.asarray(tn.SimpleImputer().fit(holes).transform(holes))
    close(a, b, 1e-12, "masked entries")
    refused(lambda: tn.Ridge().fit(masked, y))
    large = random.integers(2**54, 2**60, (n, 2)) | 1
    refused(lambda: tn.Ridge().fit(large, y))
    refused(lambda: tn.Ridge().fit(pd.DataFrame(large, columns=["a", "b"]), y), "a")
    labels = pd.Series(random.integers(0, 2, n)).mask(np.zeros(n, bool)).astype(("Int64", "boolean")[case.size % 2])
    labels.iloc[:2] = [labels.dtype.type(0), labels.dtype.type(1)] if case.size % 2 == 0 else [False, True]
    model = tn.GaussianNB().fit(X, labels)
    kind = ("i", "b")[case.size % 2]
    must(model.classes_.dtype.kind == kind, f"classes of {labels.dtype} come back as {model.classes_.dtype}")
