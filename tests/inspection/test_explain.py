"""Contributions to predictions: they sum to the raw prediction, and are what brute force and formulas give."""

from itertools import combinations
from math import comb

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import tenfold as tn
from tenfold.engine.stages import origins_of
from tenfold.estimator import Transformer

ROWS = 240


def orders(rows=ROWS, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "order": np.arange(rows),
            "when": pd.Timestamp("2025-03-01") + pd.to_timedelta(rng.integers(0, 5_000_000, rows), unit="s"),
            "shop": rng.choice(["a", "b", "c"], rows),
            "price": rng.normal(size=rows),
            "discount": np.where(rng.random(rows) < 0.3, np.nan, rng.random(rows)),
            "note": np.where(rng.random(rows) < 0.2, None, rng.choice(["fast ring", "late box", "good box"], rows)),
        }
    )
    raised = frame["price"] + (frame["shop"] == "a") + frame["note"].isin(["late box"]) + rng.normal(size=rows)
    return frame, raised.to_numpy()


def columns():
    numbers = tn.make_pipeline(tn.SimpleImputer(add_indicator=True), tn.StandardScaler())
    return tn.ColumnTransformer(
        [
            ("date", tn.DateParts(["month", "weekday"]), ["when"]),
            ("text", tn.TextFeatures(missing="empty"), "note"),
            ("numbers", numbers, ["discount", "price"]),
            ("shop", tn.OneHotEncoder(), ["shop"]),
        ]
    )


LAST = {
    "ridge": (tn.Ridge(), "number", lambda m, X: m.predict(X)),
    "lasso": (tn.Lasso(alpha=0.01), "number", lambda m, X: m.predict(X)),
    "poisson": (tn.PoissonRegressor(), "counts", lambda m, X: np.log(m.predict(X))),
    "logistic": (tn.LogisticRegression(), "two", lambda m, X: m.decision_function(X)),
    "three classes": (tn.LogisticRegression(), "three", lambda m, X: m.decision_function(X)),
    "svc": (tn.LinearSVC(), "two", lambda m, X: m.decision_function(X)),
    "sgd": (tn.SGDClassifier(random_state=0), "two", lambda m, X: m.decision_function(X)),
    "discriminant": (tn.LinearDiscriminantAnalysis(), "two", lambda m, X: m.decision_function(X)),
    "bayes": (tn.GaussianNB(var_smoothing=0.1), "two", lambda m, X: np.diff(m.predict_log_proba(X))[:, 0]),
    "tree": (tn.DecisionTreeClassifier(max_depth=4), "two", lambda m, X: m.predict_proba(X)[:, 1]),
    "forest": (tn.RandomForestClassifier(5, max_depth=4, random_state=0), "three", lambda m, X: m.predict_proba(X)),
    "boosting": (tn.HistGradientBoostingClassifier(max_iter=8), "two", lambda m, X: m.decision_function(X)),
    "boosted counts": (
        tn.HistGradientBoostingRegressor(loss="poisson", max_iter=8), "counts", lambda m, X: np.log(m.predict(X)),
    ),
}  # fmt: skip


def target(raised, kind):
    if kind == "number":
        return raised
    if kind == "counts":
        return np.round(np.exp(raised / 2) + 1)
    return np.where(raised > 0.5, "yes", "no") if kind == "two" else np.digitize(raised, [0, 1])


@pytest.mark.parametrize("name", LAST)
def test_contributions_and_base_sum_to_the_raw_prediction(name):
    frame, raised = orders()
    last, kind, raw = LAST[name]
    model = tn.make_pipeline(columns(), clone(last)).fit(frame, target(raised, kind))
    found = tn.explain(model, frame)
    assert found.columns == ["when", "shop", "price", "discount", "note"]
    assert found.values.shape == (ROWS, 5) if kind != "three" else (ROWS, 5, 3)
    expected = raw(model, frame)
    np.testing.assert_allclose(found.base + found.values.sum(axis=1), expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.prediction, expected, rtol=1e-9, atol=1e-9)
    if kind == "number":
        np.testing.assert_allclose(found.values.mean(axis=0), 0, atol=1e-12)


def test_terms_of_a_linear_model_are_coefficients_times_distances_from_the_mean():
    frame, raised = orders()
    model = tn.make_pipeline(columns(), tn.Ridge()).fit(frame, raised)
    Z = model[:-1].transform(frame)
    terms = (Z - Z.mean(axis=0)) * model[-1].coef_
    names = model[:-1].get_feature_names_out()
    found = tn.explain(model, frame)
    starts = {"when": "date__", "shop": "shop__", "note": "text__"}
    for j, column in enumerate(found.columns):
        mine = [name.startswith(starts.get(column, "?")) or name.endswith(column) for name in names]
        np.testing.assert_allclose(found.values[:, j], terms[:, mine].sum(axis=1), atol=1e-12)
    assert tn.explain(model, frame[:1], data=frame).values.tobytes() == found.values[:1].tobytes()


def test_categories_of_a_linear_model_without_an_encoder():
    frame, raised = orders()
    model = tn.LogisticRegression().fit(frame[["shop", "price"]], raised > 0)
    found = tn.explain(model, frame[["shop", "price"]])
    by = model.coef_[0][:3][frame["shop"].map({"a": 0, "b": 1, "c": 2})]
    np.testing.assert_allclose(found.values[:, 0], by - by.mean(), atol=1e-12)
    other = frame[["shop", "price"]].assign(shop="never seen")
    np.testing.assert_allclose(tn.explain(model, other, data=frame[["shop", "price"]]).values[:, 0], -by.mean())


def test_bayes_of_columns_of_all_kinds():
    frame, raised = orders()
    some = frame[["shop", "price", "discount"]]
    model = tn.NaiveBayes().fit(some, raised > 0)
    found = tn.explain(model, some)
    expected = np.diff(model.predict_log_proba(some))[:, 0]
    np.testing.assert_allclose(found.prediction, expected, atol=1e-9)


def by_brute_force(game, players):
    """The Shapley values of a game: the mean over all orders of what a player adds."""
    values = np.zeros(players)
    for j in range(players):
        others = [i for i in range(players) if i != j]
        for size in range(players):
            for some in combinations(others, size):
                share = 1 / (players * comb(players - 1, size))
                values[j] += share * (game({*some, j}) - game({*some}))
    return values


def test_values_of_an_additive_model_are_shapley_values_over_the_rows():
    frame, raised = orders(40)
    some = frame[["shop", "price", "discount"]]
    for last in (tn.GaussianNB(var_smoothing=0.1), tn.LogisticRegression()):
        model = tn.make_pipeline(
            tn.ColumnTransformer(
                [("n", tn.SimpleImputer(), ["price", "discount"]), ("c", tn.OneHotEncoder(), ["shop"])]
            ),
            last,
        ).fit(some, raised > 0)

        def mean_with(known, at, model=model):
            mixed = some.assign(**{c: some[c].iloc[at] for c in (some.columns[j] for j in known)})
            p = model.predict_proba(mixed)
            return np.log(p[:, 1] / p[:, 0]).mean()

        found = tn.explain(model, some)
        for at in (0, 7):
            expected = by_brute_force(lambda known, at=at: mean_with(known, at), 3)
            np.testing.assert_allclose(found.values[at], expected, atol=1e-9)


def test_values_of_a_small_tree_are_shapley_values_along_its_ways():
    frame, raised = orders(120)
    some = frame[["price", "discount"]].fillna(0.5).assign(when=frame["when"].dt.month)
    model = tn.DecisionTreeRegressor(max_depth=3).fit(some, raised)
    t, X = model.model_.tree, some.to_numpy(float)
    cover = model.model_.value[:, 1]

    def answer(node, x, known):
        if t.feature[node] < 0:
            return model.model_.value[node, 0]
        kids = [t.first_child[node], t.first_child[node] + 1]
        if t.feature[node] in known:
            return answer(kids[int(x[t.feature[node]] > t.threshold[node])], x, known)
        weight = [rows_below(k) for k in kids]
        return np.average([answer(k, x, known) for k in kids], weights=weight)

    def rows_below(node):
        if t.feature[node] < 0:
            return cover[node]
        return rows_below(t.first_child[node]) + rows_below(t.first_child[node] + 1)

    found = tn.explain(model, some)
    for at in (0, 5, 50):
        expected = by_brute_force(lambda known, at=at: answer(0, X[at], known), 3)
        np.testing.assert_allclose(found.values[at], expected, atol=1e-9)


def test_values_of_trees_are_those_of_their_columns_added_up():
    frame, raised = orders()
    model = tn.make_pipeline(columns(), tn.HistGradientBoostingRegressor(max_iter=10)).fit(frame, raised)
    values = tn.TreeShap(model[-1]).shap_values(model[:-1].transform(frame))
    names = list(model[:-1].get_feature_names_out())
    words = [j for j, name in enumerate(names) if name.startswith("text__")]
    np.testing.assert_allclose(tn.explain(model, frame).values[:, 4], values[:, words].sum(axis=1), atol=1e-12)


@pytest.mark.parametrize("name", ["logistic", "boosting", "three classes"])
def test_the_same_bits_in_memory_from_parquet_and_after_loading(name, tmp_path):
    frame, raised = orders()
    last, kind, _ = LAST[name]
    model = tn.make_pipeline(columns(), clone(last)).fit(frame, target(raised, kind))
    (tmp_path / "rows").mkdir()
    frame.to_parquet(tmp_path / "rows" / "a.parquet")
    rows = tn.scan(tmp_path / "rows")
    found = tn.explain(model, frame)
    lazy = tn.explain(model, rows)
    assert lazy.values.collect().tobytes() == found.values.tobytes()
    np.testing.assert_array_equal(lazy.base, found.base)
    np.testing.assert_array_equal(lazy.prediction, found.prediction)
    np.testing.assert_allclose(lazy.importances, found.importances, rtol=1e-12)
    np.testing.assert_array_equal(lazy.row(3), found.row(3))
    assert lazy.inputs(3)["shop"] == found.inputs(3)["shop"] == frame["shop"][3]
    assert "row 0" in str(lazy)
    model.save(tmp_path / "model")
    again = tn.explain(tn.load(tmp_path / "model"), frame)
    assert again.values.tobytes() == found.values.tobytes()


@pytest.mark.filterwarnings("ignore:The inplace keyword")
def test_the_same_bits_on_dask(tmp_path):
    from dask.distributed import Client, LocalCluster

    frame, raised = orders()
    for part in range(3):
        frame[part * 80 : (part + 1) * 80].to_parquet(tmp_path / f"{part}.parquet")
    model = tn.make_pipeline(columns(), tn.LogisticRegression()).fit(frame, raised > 0)
    trees = tn.make_pipeline(columns(), tn.HistGradientBoostingClassifier(max_iter=5)).fit(frame, raised > 0)

    def bits():
        return [tn.explain(one, tn.scan(tmp_path)).values.collect().tobytes() for one in (model, trees)]

    here = bits()
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=":0"
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
        tn.on(tn.Dask(client)),
    ):
        assert bits() == here


def test_parts_have_the_mean_of_all_rows():
    frame, raised = orders()
    model = tn.make_pipeline(columns(), tn.LogisticRegression()).fit(frame, raised > 0)
    whole = tn.explain(model, frame)
    with tn.sources.array_source.part_rows(50):
        parts = tn.explain(model, frame)
    np.testing.assert_allclose(parts.values, whole.values, atol=1e-12)


def test_weights_of_a_source_count_in_the_base():
    frame, raised = orders(60)
    frame["weight"] = np.arange(60) % 3
    model = tn.make_pipeline(columns(), tn.Ridge()).fit(frame.drop(columns="weight"), raised)
    twice = frame.loc[frame.index.repeat(frame["weight"])].drop(columns="weight")
    weighted = tn.explain(model, frame[:1].drop(columns="weight"), data=tn.scan(frame, weight="weight"))
    repeated = tn.explain(model, frame[:1].drop(columns="weight"), data=twice)
    np.testing.assert_allclose(weighted.values, repeated.values, atol=1e-12)


def test_the_table_and_the_html_say_what_each_column_contributes():
    frame, raised = orders()
    model = tn.make_pipeline(columns(), tn.LogisticRegression()).fit(frame, np.where(raised > 0, "yes", "no"))
    found = tn.explain(model, frame)
    text = str(found)
    assert all(word in text for word in ("log odds of 'yes'", f"({frame['shop'][0]})", "mean size"))
    assert all(word in found._repr_html_() for word in ("<table", "price"))
    first = np.abs(found.values).mean(axis=0).argmax()
    assert text.splitlines()[1].startswith(found.columns[first])
    np.testing.assert_array_equal(found.to_pandas().to_numpy(), found.values)
    missing = int(frame["note"].isna().to_numpy().argmax())
    assert "(missing)" in str(tn.explain(model, frame[missing : missing + 1], data=frame))


def test_one_of_several_classes():
    frame, raised = orders()
    model = tn.make_pipeline(columns(), tn.LogisticRegression()).fit(frame, np.digitize(raised, [0, 1]))
    found = tn.explain(model, frame)
    assert found.classes == [0, 1, 2]
    assert "row 0, 2" in str(found)
    one = found.of(2)
    np.testing.assert_allclose(one.prediction, model.decision_function(frame)[:, 2], atol=1e-12)
    assert found.to_pandas().columns[0] == "when: 0"
    with pytest.raises(ValueError, match="none of the classes"):
        found.of(7)
    with pytest.raises(ValueError, match=r"Remedy: one of them, contributions\.of\(2\)"):
        tn.display.ContributionsDisplay(found)


def test_arrays_and_sparse_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 4)) * (rng.random((50, 4)) < 0.5)
    model = tn.Ridge().fit(X, X[:, 0] - X[:, 2])
    found = tn.explain(model, X)
    assert found.columns == ["x0", "x1", "x2", "x3"]
    sparse = tn.explain(tn.Ridge().fit(sp.csr_array(X), X[:, 0] - X[:, 2]), sp.csr_array(X))
    np.testing.assert_allclose(sparse.values, found.values, atol=1e-9)
    assert sparse.inputs(1)["x0"] == X[1, 0]


def test_the_picture_leads_from_the_base_to_the_prediction():
    import matplotlib

    matplotlib.use("Agg")
    frame, raised = orders()
    model = tn.make_pipeline(columns(), tn.LogisticRegression()).fit(frame, raised > 0)
    found = tn.explain(model, frame)
    display = tn.display.ContributionsDisplay(found).plot(row=5, most=3)
    widths = [bar.get_width() for bar in display.bars_]
    assert len(widths) == 4
    assert abs(found.base + sum(widths) - found.prediction[5]) < 1e-12
    assert display.ax_.get_yticklabels()[0].get_text() == "2 others"
    whole = tn.display.ContributionsDisplay.from_estimator(model, frame)
    np.testing.assert_allclose(sorted(bar.get_width() for bar in whole.bars_), sorted(found.importances))
    matplotlib.pyplot.close("all")


def test_what_is_not_explained_says_what_is():
    frame, raised = orders()
    numbers = frame[["price"]].assign(other=frame["price"] ** 2)
    mixed = tn.make_pipeline(tn.PCA(2), tn.Ridge()).fit(numbers, raised)
    with pytest.raises(TypeError, match=r"Remedy: explain\(pipeline\[-1\], pipeline\[:-1\]\.transform\(X\)\)"):
        tn.explain(mixed, numbers)
    assert tn.explain(mixed[-1], mixed[:-1].transform(numbers)).values.shape == (ROWS, 2)
    with pytest.raises(TypeError, match="KNeighborsRegressor is not explained"):
        tn.explain(tn.KNeighborsRegressor().fit(numbers, raised), numbers)
    from sklearn.linear_model import Ridge

    with pytest.raises(TypeError, match="not a learner of tenfold"):
        tn.explain(Ridge().fit(numbers, raised), numbers)
    line = tn.Ridge().fit(numbers, raised)
    with pytest.raises(ValueError, match="data=training_rows"):
        tn.explain(line, numbers[:1])
    tree = tn.DecisionTreeRegressor().fit(numbers, raised)
    with pytest.raises(ValueError, match="training rows"):
        tn.explain(tree, numbers, data=numbers)
    assert tn.explain(tree, numbers[:1]).values.shape == (1, 2)
    two = tn.Ridge().fit(numbers, np.column_stack([raised, raised]))
    with pytest.raises(TypeError, match="estimators_"):
        tn.explain(two, numbers)
    assert tn.explain(two.estimators_[0], numbers).values.shape == (ROWS, 2)
    with pytest.raises(ValueError, match="there is no row 500"):
        tn.explain(line, numbers).row(500)


NUMBERS_ONLY = [
    tn.StandardScaler(), tn.MinMaxScaler(), tn.MaxAbsScaler(), tn.RobustScaler(), tn.PowerTransformer(),
    tn.QuantileTransformer(n_quantiles=10), tn.KBinsDiscretizer(3), tn.KBinsDiscretizer(3, encode="ordinal"),
    tn.RadialBasis(), tn.SigmoidBasis(), tn.TanhBasis(), tn.SplineTransformer(3, degree=2),
    tn.SelectPercentile("f_regression", percentile=70),
    tn.VarianceThreshold(), tn.SelectKBest("f_regression", k=2), tn.OneHotEncoder(drop="first"), tn.OrdinalEncoder(),
    tn.TargetEncoder(target_type="continuous"), tn.make_union(tn.StandardScaler(), tn.KBinsDiscretizer(2)),
    tn.PCA(2), tn.TruncatedSVD(2), tn.Normalizer(), tn.PolynomialFeatures(2), tn.KMeans(2), tn.Nystroem(n_components=3),
    tn.FunctionTransformer(), tn.RBFSampler(n_components=3), tn.SimpleImputer(),
]  # fmt: skip


@pytest.mark.parametrize("step", NUMBERS_ONLY, ids=lambda step: f"{type(step).__name__}{NUMBERS_ONLY.index(step)}")
def test_an_output_changes_with_the_column_that_it_is_made_of_and_no_other(step):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, size=(80, 3)).astype(float)
    step = clone(step).fit(X, X[:, 0] - X[:, 1] + rng.normal(size=80))
    origin = origins_of([(step._bare(), step.model_)], 3)

    def made(rows):
        found = step.transform(rows)
        return found.toarray() if hasattr(found, "toarray") else found

    before = made(X)
    changed = np.array([(made(np.where(np.arange(3) == j, X[::-1], X)) != before).any(axis=0) for j in range(3)])
    if origin is None:
        assert (changed.sum(axis=0) > 1).any() or isinstance(step, tn.FunctionTransformer)  # of which nobody knows
        return
    assert len(origin) == before.shape[1] == len(step.get_feature_names_out())
    for j in range(3):
        assert not changed[j, origin != j].any()
    assert changed[origin, np.arange(len(origin))].all()


def test_every_transformer_is_held_to_what_its_outputs_are_made_of():
    every = {name for name in tn.__all__ if _is_transformer(getattr(tn, name))}
    held = {type(step).__name__ for step in NUMBERS_ONLY}
    in_pipelines = {"ColumnTransformer", "DateParts", "TextFeatures", "CountVectorizer", "TfidfVectorizer"}
    like_pca = {"FisherDiscriminant", "LinearDiscriminantAnalysis"}
    like_kmeans = {"BisectingKMeans", "MiniBatchKMeans"}
    assert every == held | in_pipelines | like_pca | like_kmeans


def _is_transformer(one):
    return isinstance(one, type) and issubclass(one, Transformer)
