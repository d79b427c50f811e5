"""Models as SQL: DuckDB predicts what the model does, for rows with NULLs and names that need quoting."""

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tenfold as tn
from tenfold.estimator.shell.estimator import Estimator
from tenfold.export.sql.sql_families import sql_columns, sql_number, sql_scores
from tenfold.export.sql.sql_text import number, text

NAMES = ['a "size"', "city; DROP TABLE rows; --", "Rooms", "na'me"]
CITIES = ["Oslo", "O'Brien", 'the "best"', "back\\slash", "\\' OR 1=1 --", "größer"]


def rows(n, seed, more=()):
    r = np.random.default_rng(seed)
    size, rooms = r.normal(size=n), r.integers(1, 6, n).astype(float)
    size[r.random(n) < 0.1] = np.nan
    city = r.choice([*CITIES, *more], n).astype(object)
    city[r.random(n) < 0.1] = None
    frame = pd.DataFrame(dict(zip(NAMES, [size, city, rooms, r.choice(["x", "y"], n)])))
    frame["id"] = np.arange(n)
    return frame


SIZE, CITY, ROOMS, NOTE = NAMES
train, test = rows(300, 0)[NAMES], rows(5000, 1, ["Nice'); --", ""])
full = train.fillna({SIZE: 0.0, CITY: "Oslo"})
seen = test.fillna({SIZE: 0.0, CITY: "O'Brien"})
y = full[SIZE].to_numpy() + full[CITY].isin(CITIES[:3]).to_numpy() + full[ROOMS].to_numpy() / 3
two = np.where(y > np.median(y), "it's high", "low")
three = np.digitize(y, np.quantile(y, [0.3, 0.6]))
TARGETS = [two, three]


def answer(statement, **tables):
    """The result of a statement over tables with these names, sorted by `id`."""
    connection = duckdb.connect()
    for name, table in tables.items():
        table = pa.Table.from_pandas(table, preserve_index=False) if isinstance(table, pd.DataFrame) else table
        connection.register("given", table)
        connection.execute(f'CREATE TABLE "{name}" AS SELECT * FROM given')
    done = connection.execute(statement)
    found = pd.DataFrame(done.fetchall(), columns=[column[0] for column in done.description])
    return found.sort_values("id").reset_index(drop=True)


def assert_same(model, frame, features=NAMES):
    found = answer(tn.to_sql(model, 'the "rows"', keep=["id"]), **{'the ""rows""': frame})
    assert len(found) == len(frame)
    X = frame[features]
    if hasattr(model, "classes_"):
        assert found["prediction"].tolist() == model.predict(X).tolist()
        if hasattr(model, "predict_proba") and "probability_" + str(model.classes_[0]) in found:
            p = found[[f"probability_{c}" for c in model.classes_]].to_numpy()
            np.testing.assert_allclose(p, model.predict_proba(X), rtol=1e-11, atol=1e-12)
    else:
        np.testing.assert_allclose(found["prediction"], model.predict(X), rtol=1e-12, atol=1e-12)
    return found


@pytest.mark.parametrize(
    "learner", [tn.LinearRegression(), tn.Ridge(), tn.Lasso(0.01), tn.PoissonRegressor(), tn.GammaRegressor()], ids=repr
)
def test_linear_models_of_categories(learner):
    assert_same(learner.fit(full, np.exp(y / 3)), seen)


@pytest.mark.parametrize("target", TARGETS, ids=["two", "three"])
def test_linear_classes(target):
    assert_same(tn.LogisticRegression().fit(full, target), seen)
    numbers = full[[SIZE, ROOMS]]
    for learner in (tn.LinearSVC(), tn.SGDClassifier(max_iter=5), tn.LinearDiscriminantAnalysis()):
        assert_same(learner.fit(numbers, target), seen, [SIZE, ROOMS])


TREES = [
    tn.DecisionTreeRegressor(), tn.DecisionTreeRegressor(split="multiway", max_depth=4, missing="node_majority"),
    tn.RandomForestRegressor(n_estimators=8), tn.GradientBoostingRegressor(n_estimators=15),
    tn.HistGradientBoostingRegressor(max_iter=15), tn.HistGradientBoostingRegressor(loss="poisson", max_iter=5),
]  # fmt: skip
CLASS_TREES = [
    tn.DecisionTreeClassifier(), tn.DecisionTreeClassifier(split="multiway", max_depth=3),
    tn.RandomForestClassifier(n_estimators=8), tn.ExtraTreesClassifier(n_estimators=8),
    tn.GradientBoostingClassifier(n_estimators=8), tn.HistGradientBoostingClassifier(max_iter=8),
    tn.AdaBoostClassifier(tn.DecisionTreeClassifier(max_depth=2), n_estimators=6),
]  # fmt: skip


@pytest.mark.parametrize("learner", TREES, ids=repr)
def test_trees_of_numbers(learner):
    assert_same(learner.fit(train, np.exp(y)), test)


@pytest.mark.parametrize("target", TARGETS, ids=["two", "three"])
@pytest.mark.parametrize("learner", CLASS_TREES, ids=repr)
def test_trees_of_classes(learner, target):
    assert_same(learner.fit(train, target), test)


@pytest.mark.parametrize("target", TARGETS, ids=["two", "three"])
def test_naive_bayes(target):
    assert_same(tn.GaussianNB().fit(full[[SIZE, ROOMS]], target), seen, [SIZE, ROOMS])
    for params in ({}, {"alpha": 0.0}):
        assert_same(tn.CategoricalNB(**params).fit(train[[CITY, ROOMS]], target), test, [CITY, ROOMS])


FILLED = tn.make_pipeline(tn.SimpleImputer(strategy="median", add_indicator=True), tn.RobustScaler())
CODED = tn.OneHotEncoder(handle_unknown="ignore", drop="if_binary")
RARE = tn.OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=55)
TEXT = tn.make_pipeline(tn.SimpleImputer(strategy="most_frequent"), tn.OneHotEncoder(handle_unknown="ignore"))
SCALED = tn.make_pipeline(tn.SimpleImputer(), tn.StandardScaler(), tn.MinMaxScaler(clip=True), tn.MaxAbsScaler())
PLACES = tn.OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2)
COLUMNS = [
    [("n", FILLED, [SIZE]), ("c", CODED, [CITY, NOTE]), ("p", "passthrough", [ROOMS])],
    [("text", TEXT, [CITY, NOTE]), ("scale", SCALED, [ROOMS, SIZE])],
    [("rare", RARE, [CITY]), ("places", PLACES, [CITY, NOTE])],
]


@pytest.mark.parametrize("last", [tn.Ridge(), tn.LogisticRegression(), tn.DecisionTreeRegressor()], ids=repr)
@pytest.mark.parametrize("transformers", COLUMNS, ids=range(3))
def test_pipelines(transformers, last):
    model = tn.make_pipeline(tn.ColumnTransformer(transformers), last)
    assert_same(model.fit(train, three if hasattr(last, "predict_proba") else y), test)


def test_what_the_model_refuses_is_null():
    model = tn.Ridge().fit(full, y)
    found = answer(tn.to_sql(model, "rows", keep=["id"]), rows=test[:50])
    gone = test[:50][[SIZE, CITY]].isna().any(axis=1)
    assert gone.any()
    assert found["prediction"].isna().tolist() == gone.tolist()
    encoder = tn.make_pipeline(tn.OneHotEncoder(), tn.Ridge()).fit(full[[CITY]], y)
    found = answer(tn.to_sql(encoder, "rows", keep=["id"]), rows=seen)
    unknown = ~seen[CITY].isin(CITIES)
    assert unknown.any()
    assert found["prediction"].isna().tolist() == unknown.tolist()


def test_a_nan_is_a_missing_value():
    model = tn.DecisionTreeRegressor().fit([[1.0], [2.0], [np.nan], [np.nan]], [1.0, 2.0, 7.0, 7.0])
    table = pa.table({"x0": pa.array([1.0, None, float("nan"), 3.0]), "id": [0, 1, 2, 3]})
    assert answer(tn.to_sql(model, "rows", keep=["id"]), rows=table)["prediction"].tolist() == [1.0, 7.0, 7.0, 2.0]


def test_rows_on_a_threshold_go_the_way_they_go_in_the_model():
    X = np.random.default_rng(0).normal(size=(200, 1)) ** 9
    model = tn.DecisionTreeRegressor().fit(X, X[:, 0])
    edges = model.tree_.threshold[model.tree_.feature == 0]
    near = np.concatenate([edges, np.nextafter(edges, np.inf), np.nextafter(edges, -np.inf)])
    found = answer(tn.to_sql(model, "rows", keep=["id"]), rows=pa.table({"x0": near, "id": np.arange(len(near))}))
    assert found["prediction"].tolist() == model.predict(near[:, None]).tolist()


def test_numbers_and_texts_are_read_back_as_they_are():
    values = np.random.default_rng(0).normal(size=500) * 10.0 ** np.arange(-250, 250)
    assert constants(*map(number, values.tolist())) == tuple(values.tolist())
    assert constants(text("'a\\'")) == ("'a\\'",)
    assert constants(number(np.inf), number(-0.0), number(np.nan)) == (np.inf, 0.0, None)


def constants(*each):
    return duckdb.connect().execute(f"SELECT {', '.join(each)}").fetchone()


def test_whole_numbers_that_double_precision_does_not_tell_apart_are_refused():
    ids = pd.DataFrame({"id": [2**53, 2**53 + 1] * 2})
    model = tn.CategoricalNB().fit(ids, ["a", "b"] * 2)
    with pytest.raises(ValueError, match="9,007,199,254,740,993.*text"):
        tn.to_sql(model, "rows")


def test_no_literal_has_a_backslash_and_no_name_ends_early():
    model = tn.HistGradientBoostingClassifier(max_iter=3).fit(train, two)
    statement = tn.to_sql(model, ["main", 'x"; DROP TABLE y; --'], keep=['i"d'])
    assert "\\" not in statement
    assert '"main"."x""; DROP TABLE y; --"' in statement
    assert '"i""d"' in statement
    with pytest.raises(ValueError, match="null character"):
        tn.to_sql(model, "a\0b")


def test_very_many_features_are_no_deep_expression():
    X = np.random.default_rng(0).normal(size=(50, 1500))
    model = tn.Ridge().fit(X, X[:, 0])
    table = pa.table({**{f"x{j}": X[:, j] for j in range(1500)}, "id": np.arange(50)})
    np.testing.assert_allclose(
        answer(tn.to_sql(model, "rows", keep=["id"]), rows=table)["prediction"], model.predict(X)
    )


def sales(n, seed, more=()):
    r = np.random.default_rng(seed)
    country = r.choice(["F'R", "DE", *more], n)
    store = r.integers(1, 4, n) if not more else r.integers(1, 6, n)
    frame = pd.DataFrame(
        {"country": country, "store": store, "size": r.normal(size=n), "kind": r.choice(["a", "b"], n)}
    )
    frame["price"] = frame["size"] * store + (country == "DE") + r.normal(size=n)
    return frame


@pytest.mark.parametrize("learner", [tn.LinearRegression(), tn.Ridge()], ids=repr)
def test_cubes(learner):
    cube = tn.Cube(learner, by=["country", "store"]).fit(tn.scan(sales(300, 0), target="price"))
    new = sales(2000, 1, ["IT"]).drop(columns="price")
    new["id"] = np.arange(len(new))
    statement = tn.to_sql(cube, "sales", keep=["id"], coefficients=["stores", "countries"])
    found = answer(statement, sales=new, stores=cube.table(), countries=cube.table("country"))
    with pytest.warns(UserWarning, match="no model of their own"):
        wanted = cube.predict(new.drop(columns="id"))
    np.testing.assert_allclose(found["prediction"], wanted, rtol=1e-12, atol=1e-12)


def test_cells_without_a_model_and_missing_keys():
    frame = pd.DataFrame({"shop": ["a", "a", "b", None, None], "x": [1.0, 2.0, 5.0, 1.0, 3.0]})
    cube = tn.Cube(tn.LinearRegression(), by="shop", missing="cell").fit(frame, [1.0, 3.0, 2.0, 9.0, 1.0])
    new = pd.DataFrame({"shop": ["a", "b", None, "c"], "x": [4.0, 4.0, 4.0, None], "id": range(4)})
    found = answer(tn.to_sql(cube, "new", keep=["id"], coefficients="cells"), new=new, cells=cube.table())
    known = cube.predict(new[["shop", "x"]][:3])
    np.testing.assert_allclose(found["prediction"][:3], known, rtol=1e-12)
    assert np.isnan(found["prediction"][3])


def test_cubes_want_a_table_for_each_column_of_the_key():
    cube = tn.Cube(tn.Ridge(), by=["country", "store"]).fit(tn.scan(sales(100, 0), target="price"))
    with pytest.raises(ValueError, match=r"cube.table\('country', 'store'\), cube.table\('country'\)"):
        tn.to_sql(cube, "sales", coefficients="cells")
    bayes = tn.Cube(tn.GaussianNB(), by="country").fit(full[[SIZE]].assign(country="a"), two)
    with pytest.raises(TypeError, match="not GaussianNB"):
        tn.to_sql(bayes, "sales", coefficients="cells")


def test_what_is_not_written_in_sql_is_refused_by_name():
    numbers = full[[SIZE, ROOMS]]
    with pytest.raises(TypeError, match=r"linear models.*not KMeans.*predict\(tn.scan"):
        tn.to_sql(tn.KMeans(2).fit(numbers), "rows")
    with pytest.raises(TypeError, match="not PCA"):
        tn.to_sql(tn.make_pipeline(tn.PCA(), tn.Ridge()).fit(numbers, y), "rows")
    with pytest.raises(TypeError, match="one target"):
        tn.to_sql(tn.Ridge().fit(numbers, np.column_stack([y, y])), "rows")
    with pytest.raises(ValueError, match="'prediction'.*keep"):
        tn.to_sql(tn.Ridge().fit(numbers, y), "rows", keep=["prediction"])
    with pytest.raises(TypeError, match=r"keep=\['id'\]"):
        tn.to_sql(tn.Ridge().fit(numbers, y), "rows", keep="id")
    with pytest.raises(ValueError, match="table of a cube"):
        tn.to_sql(tn.Ridge().fit(numbers, y), "rows", coefficients="cells")
    with pytest.raises(ValueError, match="alone"):
        tn.to_sql(tn.GaussianNB().fit(numbers, ["a"] * len(numbers)), "rows")
    with pytest.raises(TypeError, match="fractional"):
        tn.to_sql(tn.DecisionTreeRegressor(missing="fractional").fit(train, y), "rows")


@pytest.mark.parametrize("kind", [sql_columns, sql_number, sql_scores], ids=lambda kind: kind.__name__)
def test_a_subclass_that_predicts_in_its_own_way_is_written_by_itself(kind):
    hooks = ["predict_from", "scores_from", "scores_by", "scores", "probability_from", "transform_from"]
    public = [getattr(tn, name) for name in tn.__all__]
    for learner in [one for one in public if isinstance(one, type) and issubclass(one, Estimator)]:
        registered = next((base for base in learner.__mro__ if base in kind.registry), object)
        for hook in hooks if registered is not object else ():
            assert getattr(learner, hook, None) is getattr(registered, hook, None), (learner, registered, hook)
