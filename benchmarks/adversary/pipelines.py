"""Pipelines as people write them: columns of several kinds, a ColumnTransformer with a way for each, and a learner."""

from __future__ import annotations

from typing import Any

import numpy as np

import tenfold as tn
from adversary import data, learners, ways
from adversary.book import OF_KIND, drawn_from
from adversary.case import Case
from adversary.data import pick

WORDS = ["red", "green", "blue", "m", "f", "a b", "Ärger"]


def drawn(random: Any) -> Case:
    """A case: a table with numbers, categories, dates and texts, and a pipeline that takes it."""
    n = int(random.integers(6, 50)) if random.random() < 0.8 else int(random.integers(50, 200))
    columns, kinds = columns_drawn(random, n)
    signal = data.signal(random, {k: v for k, v in columns.items() if v.dtype.kind != "M"}, n)
    learner = learner_drawn(random)
    y, kind = target_drawn(random, learner, signal, n)
    transformer = transformer_drawn(random, columns, learner.need)
    steps: list[Any] = [("columns", transformer)]
    if random.random() < 0.2 and not learner.need.counts:
        steps.append(("between", pick(random, [tn.StandardScaler(with_mean=False), tn.MaxAbsScaler()])))
    weight = None
    if random.random() < 0.3:
        weight = random.integers(0, 4, n).astype(np.float64) if random.random() < 0.5 else random.random(n) + 0.1
        weight[0] = 1.0
    kinds += [kind, "weights" if weight is not None else "weights_none"]
    form, way = pick(random, FORMS), pick(random, WAYS)
    model = tn.Pipeline([*steps, ("model", learner)])
    case = Case(model, columns, y, weight, form, ways.as_array, way, lambda case: None, tuple(kinds))
    check: Any = drawn_from(random, OF_KIND["pipelines"], case)
    return case._replace(check=check)


# ---- the table ---------------------------------------------------------------------------------------------


def columns_drawn(random: Any, n: int) -> tuple[dict[str, Any], list[str]]:
    """Columns of numbers (n), categories (c), dates (d) and texts (t), some with missing entries, in any order."""
    found: dict[str, Any] = {}
    for j in range(int(random.integers(1, 4))):
        found[f"n{j}"] = _numbers(random, n)
    for j in range(int(random.integers(0, 3))):
        levels = np.array(WORDS[: 2 + int(random.integers(6))], dtype=object)
        found[f"c{j}"] = levels[random.integers(0, len(levels), n)]
    if random.random() < 0.3:
        found["d0"] = (np.datetime64("2023-12-28", "s") + random.integers(0, 10**7, n)).astype("M8[us]")
    if random.random() < 0.3:
        found["t0"] = data.documents_drawn(random, n)
    kinds = ["".join(sorted({name[0] for name in found}))]
    if random.random() < 0.45:
        holes = pick(random, list(found))
        found[holes] = _with_holes(found[holes], random.random(n) < pick(random, [0.05, 0.3]))
        kinds.append(f"missing_{holes[0]}")
    order = random.permutation(len(found))
    names = list(found)
    return {names[j]: found[names[j]] for j in order}, kinds


def _numbers(random: Any, n: int) -> Any:
    kind = pick(random, ["normal", "rounded", "integers", "skewed", "shifted", "small"])
    return {
        "normal": random.normal(size=n),
        "rounded": np.round(random.normal(size=n), 1),
        "integers": random.integers(0, 9, n),
        "skewed": np.exp(2 * random.normal(size=n)),
        "shifted": 1e4 + random.normal(size=n),
        "small": 1e-3 * random.normal(size=n),
    }[kind]


def _with_holes(values: Any, holes: Any) -> Any:
    """The same column without some of its entries; at least one is left."""
    holes[0] = False
    values = values.astype(np.float64) if values.dtype.kind in "iu" else values.copy()
    values[holes] = {"f": np.nan, "M": np.datetime64("NaT")}.get(values.dtype.kind)
    return values


def target_drawn(random: Any, learner: Any, signal: Any, n: int) -> tuple[Any, str]:
    """A target that a learner takes: classes of two or three names, or numbers."""
    if learner.need.target == "class":
        noisy = signal + 0.3 * random.normal(size=n)
        count = int(random.integers(2, 4))
        codes = np.argsort(np.argsort(noisy, kind="stable"), kind="stable") * count // n
        names = pick(random, [np.array([0, 1, 2]), np.array(["no", "yes", "zz"], dtype=object)])
        return names[codes], f"{count} classes"
    y = np.round(signal + 0.1 * random.normal(size=n), 3)
    return (np.abs(y) + 0.1, "positive") if learner.need.positive else (y, "numbers")


# ---- the steps ---------------------------------------------------------------------------------------------

SURE = ("Ridge", "LogisticRegression", "GaussianNB", "DecisionTreeClassifier", "DecisionTreeRegressor")
"""learners of which scikit-learn's give the same answers, or answers as good"""


def learner_drawn(random: Any) -> Any:
    """A learner of numbers with a target; often one that scikit-learn has an equal of."""
    if random.random() < 0.6:
        name = pick(random, SURE)
        given = {"Ridge": {"alpha": pick(random, [0.1, 1.0, 10.0])}, "GaussianNB": {"var_smoothing": 1e-3}}
        return getattr(tn, name)(**given.get(name, {}))
    while True:
        found = learners.drawn(random)
        predicts = hasattr(found, "predict") and found.need.target is not None
        if found.need.kinds in ("numeric", "mixed") and predicts:
            return found


def transformer_drawn(random: Any, columns: dict[str, Any], need: Any) -> Any:
    """A ColumnTransformer: each kind of column in one way or another, some dropped, some as they are."""
    branches: list[Any] = []
    holes = {name for name, values in columns.items() if _has_holes(values)}
    for kind in "ncdt":
        names = [name for name in columns if name.startswith(kind)]
        if kind == "n" and len(names) > 1 and random.random() < 0.4:
            groups = [names[:1], names[1:]]
        else:
            groups = [names] if names else []
        for group in groups:
            steps = STEPS[kind](random, bool(holes & set(group)) and not (need.missing and random.random() < 0.5), need)
            if steps is not None:
                branches.append((f"{kind}{len(branches)}", steps, group[0] if kind == "t" else group))
    remainder = "drop"
    if random.random() < 0.2:
        numeric = [at for at, (_, _, group) in enumerate(branches) if group[0][0] == "n"]
        if numeric and len(branches) > 1 and not holes:
            branches.pop(numeric[-1])
            remainder = "passthrough" if all(c[0] in "n" or c in taken(branches) for c in columns) else "drop"
    if not branches:
        branches = [("n0", tn.StandardScaler(), [name for name in columns if name.startswith("n")])]
    sparse = pick(random, [0.0, 0.3]) if need.sparse else 0.0
    return tn.ColumnTransformer(branches, remainder=remainder, sparse_threshold=sparse)


def taken(branches: list[Any]) -> set[str]:
    """The columns that branches name."""
    return {name for _, _, group in branches for name in ([group] if isinstance(group, str) else group)}


def _has_holes(values: Any) -> bool:
    if values.dtype.kind == "O":
        return any(v is None for v in values)
    return bool(np.isnat(values).any() if values.dtype.kind == "M" else np.isnan(values.astype(np.float64)).any())


def _in_order(*steps: Any) -> Any:
    return steps[0] if len(steps) == 1 else tn.make_pipeline(*steps)


def _for_numbers(random: Any, holes: bool, need: Any) -> Any:
    fill = tn.SimpleImputer(
        strategy=pick(random, ["mean", "median", "most_frequent"]), add_indicator=random.random() < 0.2
    )
    if need.counts:
        return _in_order(*([fill] if holes else []), tn.MinMaxScaler())
    scale = pick(
        random,
        [
            tn.StandardScaler(),
            tn.StandardScaler(),
            tn.MinMaxScaler(),
            tn.RobustScaler(),
            tn.MaxAbsScaler(),
            tn.PowerTransformer(),
            tn.QuantileTransformer(n_quantiles=5),
            tn.KBinsDiscretizer(3, encode="ordinal", quantile_method="averaged_inverted_cdf"),
            tn.PolynomialFeatures(2, include_bias=False),
            tn.Normalizer(),
            "passthrough",
            "drop",
        ],
    )
    if not holes:
        return scale
    return fill if isinstance(scale, str) else _in_order(fill, scale)


def _for_categories(random: Any, holes: bool, need: Any) -> Any:
    encode = pick(
        random,
        [
            tn.OneHotEncoder(handle_unknown="ignore"),
            tn.OneHotEncoder(handle_unknown="ignore", min_frequency=2),
            tn.OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=3),
            tn.OneHotEncoder(handle_unknown="ignore", drop="if_binary", sparse_output=False),
            tn.OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1 if not need.counts else 9),
            tn.TargetEncoder(cv=2),
            "drop",
        ],
    )
    if not holes or isinstance(encode, str):
        return encode
    fill = pick(
        random,
        [tn.SimpleImputer(strategy="most_frequent"), tn.SimpleImputer(strategy="constant", fill_value="none")],
    )
    return _in_order(fill, encode)


def _for_dates(random: Any, holes: bool, need: Any) -> Any:
    parts = pick(random, [("year", "month", "day"), ("weekday", "hour"), ("month",)])
    dates = tn.DateParts(parts=parts, cyclic=not need.counts and random.random() < 0.3)
    return _in_order(dates, tn.SimpleImputer()) if holes else dates


def _for_texts(random: Any, holes: bool, need: Any) -> Any:
    terms = pick(
        random,
        [
            tn.CountVectorizer(),
            tn.TfidfVectorizer(),
            tn.TfidfVectorizer(ngram_range=(1, 2), min_df=2),
            tn.CountVectorizer(binary=True, analyzer="char_wb", ngram_range=(1, 2)),
            tn.TextFeatures(n_features=16),
        ],
    )
    return _in_order(tn.SimpleImputer(strategy="constant", fill_value=""), terms) if holes else terms


STEPS = {"n": _for_numbers, "c": _for_categories, "d": _for_dates, "t": _for_texts}


# ---- forms and ways ----------------------------------------------------------------------------------------

FORMS = (ways.frame, ways.frame, ways.indexed, ways.nullable, ways.arrow_backed, ways.categoricals)
FORMS += (ways.polars, ways.arrow, ways.dictionaries)


def of_model(case: Any) -> dict[str, Any]:
    """The weights as a pipeline takes them: for its last step."""
    return {} if case.weight is None else {"model__sample_weight": case.weight}


def fitted(case: Any) -> Any:
    """Fitted to rows in memory; weights are for the learner alone."""
    return ways.clone(case.learner).fit(case.form(case.columns), case.y, **of_model(case))


def saved(case: Any) -> Any:
    """Fitted, saved and loaded."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        fitted(case).save(f"{folder}/model")
        return tn.load(f"{folder}/model")


def three_threads(case: Any) -> Any:
    """Fitted on three threads."""
    with tn.on(tn.Local(threads=3)):
        return fitted(case)


def of_source(case: Any) -> Any:
    """Fitted to a source of the frame; weights are for every step."""
    columns, roles = ways.with_roles(case)
    return ways.clone(case.learner).fit(tn.scan(ways.frame(columns), **roles))


WAYS = (fitted, fitted, saved, three_threads)
