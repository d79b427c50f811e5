"""Tuning: the best parameters as scikit-learn finds them, and the model of all rows without another scan."""

from collections import Counter

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest
from scipy.stats import loguniform
from sklearn import linear_model, naive_bayes, preprocessing
from sklearn.model_selection import GridSearchCV, KFold, RandomizedSearchCV, ShuffleSplit, cross_val_score
from sklearn.pipeline import make_pipeline

import tenfold as tn
from tenfold.core.axes import values
from tenfold.model_selection.cross_validation.tune import names_of
from tenfold.sources import ArraySource, part_rows
from tenfold.sources.frames import table_of

pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")  # Dask itself, with a newer pandas

N = 160
ALPHAS = [0.01, 20.0, 500.0, 1e5]
COLUMNS = [f"x{j}" for j in range(12)]


def make():
    random = np.random.default_rng(0)
    X = random.standard_normal((N, 12)) * np.linspace(0.7, 1.5, 12) + 4
    y = X[:, 0] + X[:, 1] * 0.3 + 2 * random.standard_normal(N)
    return X, y, np.where(y + random.standard_normal(N) > y.mean(), "up", "down"), random.integers(0, 4, N)


X, Y, LABEL, FOLD = make()
CODES = (np.quantile(X, [0.2, 0.5, 0.7], axis=0)[:, None] < X).sum(axis=0)
DATA = pd.DataFrame(X, columns=COLUMNS).assign(y=Y, label=LABEL, fold=FOLD)


def assert_same_model(found, wanted):
    """To 1e-12 of the largest entry."""
    assert type(found) is type(wanted)
    assert found.get_params() == wanted.get_params()
    for name, field, value in values(found.model_):
        other = getattr(wanted.model_, name)
        if field.axes is not None and np.size(value):
            size = np.abs(other[np.isfinite(other)]).max(initial=1e-300)
            np.testing.assert_allclose(value, other, rtol=1e-12, atol=1e-12 * size, err_msg=name)
        elif isinstance(value, float):
            assert value == pytest.approx(other, rel=1e-12)
    assert found.n_features_in_ == wanted.n_features_in_
    assert list(getattr(found, "feature_names_in_", [])) == list(getattr(wanted, "feature_names_in_", []))
    assert found.schema_ == wanted.schema_
    mine, other = found.certificate_, wanted.certificate_
    assert [c.kind for c in mine.claims] == [c.kind for c in other.claims]
    assert mine.provenance.rows == other.provenance.rows
    assert mine.provenance.source == other.provenance.source


@pytest.mark.parametrize("cut", [23, 4096])
def test_a_grid_as_scikit_learn_searches_it(cut):
    grid = {"alpha": ALPHAS, "fit_intercept": [True, False]}
    with part_rows(cut):
        found = tn.tune(tn.Ridge(), grid, X, Y, folds=5)
        model = tn.Ridge(**found.best_params_).fit(X, Y)
    peer = GridSearchCV(linear_model.Ridge(), grid, cv=KFold(5)).fit(X, Y)
    assert found.params == peer.cv_results_["params"]
    assert found.best_params_ == peer.best_params_
    assert 0 < ALPHAS.index(found.best_params_["alpha"]) < 3
    assert found.best_score_ == pytest.approx(peer.best_score_, rel=1e-9)
    np.testing.assert_allclose(found.results.mean[:, 0], peer.cv_results_["mean_test_score"], rtol=1e-9)
    assert found.scans == 1
    assert_same_model(found.best_estimator_, model)
    np.testing.assert_allclose(found.predict(X), peer.predict(X), rtol=1e-9)
    assert found.best_estimator_.score(X, Y) == pytest.approx(peer.score(X, Y), rel=1e-9)
    assert found.best_estimator_.verify().origin == "verified"
    whole = found.best_estimator_ + tn.Ridge(**found.best_params_).fit(X + 1, Y)  # it merges like any other
    assert whole.certificate_.provenance.rows == 2 * N


def test_a_list_of_parameters():
    tried = [{"alpha": 5.0}, {"alpha": 0.5, "fit_intercept": False}, {}]
    found = tn.tune(tn.Ridge(2.0), tried, X, Y, folds=4)
    assert found.params == tried
    assert found.results.names[:2] == ["alpha=5", "alpha=0.5, fit_intercept=False"]
    assert [one.alpha for one in found.results.learners] == [5.0, 0.5, 2.0]
    alone = tn.cross_validate([tn.Ridge(5.0), tn.Ridge(0.5, fit_intercept=False), tn.Ridge(2.0)], X, Y, folds=4)
    np.testing.assert_array_equal(found.results.scores, alone.scores)
    assert found.best_params_ == tried[alone.best_index]
    nested = [{"alpha": [1.0, 2.0]}]
    with pytest.raises(ValueError, match="Ridge: alpha="):
        tn.tune(tn.Ridge(), nested, X, Y)


@pytest.mark.parametrize(
    ("learner", "peer", "grid"),
    [
        (tn.GaussianNB(), naive_bayes.GaussianNB(), {"var_smoothing": [1e-9, 0.1, 1.0, 10.0]}),
        (
            tn.CategoricalNB(),
            naive_bayes.CategoricalNB(min_categories=CODES.max(axis=0) + 1),
            {"alpha": [0.1, 1.0, 50.0], "fit_prior": [True, False]},
        ),
    ],
)
def test_classes(learner, peer, grid):
    rows = CODES if "alpha" in grid else X
    scores = ["neg_log_loss", "accuracy"]
    found = tn.tune(learner, grid, rows, LABEL, folds=5, scoring=scores)
    wanted = GridSearchCV(peer, grid, scoring=scores, refit="neg_log_loss", cv=5).fit(rows, LABEL)
    assert found.best_params_ == wanted.best_params_
    for at, name in enumerate(scores):
        np.testing.assert_allclose(found.results.mean[:, at], wanted.cv_results_[f"mean_test_{name}"], rtol=1e-9)
    assert found.best_score_ == found.results.mean[:, 0].max()
    assert_same_model(found.best_estimator_, tn.tune(learner, [found.best_params_], rows, LABEL).best_estimator_)
    alone = type(learner)(**found.best_params_).fit(rows, LABEL)
    assert_same_model(found.best_estimator_, alone)
    assert found.predict(rows).tolist() == alone.predict(rows).tolist()


def test_pipelines():
    grid = {"ridge__alpha": ALPHAS, "standardscaler__with_std": [True, False]}
    pipeline = make_pipeline(tn.StandardScaler(), tn.Ridge())
    found = tn.tune(pipeline, grid, X, Y, folds=5)
    peer = GridSearchCV(make_pipeline(preprocessing.StandardScaler(), linear_model.Ridge()), grid, cv=KFold(5))
    peer.fit(X, Y)
    assert found.best_params_ == peer.best_params_
    np.testing.assert_allclose(found.results.mean[:, 0], peer.cv_results_["mean_test_score"], rtol=1e-9)
    np.testing.assert_allclose(found.predict(X), peer.predict(X), rtol=1e-9)
    alone = make_pipeline(tn.StandardScaler(), tn.Ridge()).set_params(**found.best_params_).fit(X, Y)
    for mine, other in zip(found.best_estimator_, alone, strict=True):
        assert_same_model(mine, other)
    assert not hasattr(pipeline[0], "mean_")


def test_learners_of_many_passes():
    grid = {"n_estimators": [1, 4, 8], "learning_rate": [0.5, 1.0]}
    found = tn.tune(tn.AdaBoostClassifier(), grid, X, LABEL, folds=3)
    for params, scores in zip(found.params, found.results.scores[:, 0], strict=True):
        np.testing.assert_allclose(scores, cross_val_score(tn.AdaBoostClassifier(**params), X, LABEL, cv=3), rtol=1e-9)
    assert_same_model(found.best_estimator_, tn.AdaBoostClassifier(**found.best_params_).fit(X, LABEL))


def test_estimators_of_scikit_learn():
    found = tn.tune(linear_model.Ridge(), {"alpha": ALPHAS}, X, Y, folds=5)
    ours = tn.tune(tn.Ridge(), {"alpha": ALPHAS}, X, Y, folds=5)
    np.testing.assert_allclose(found.results.scores, ours.results.scores, rtol=1e-9)
    assert found.best_params_ == ours.best_params_
    np.testing.assert_allclose(found.best_estimator_.coef_, ours.best_estimator_.coef_, rtol=1e-9)


# ---- sources ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    pq.write_table(table_of(DATA), folder / "rows.parquet", row_group_size=33)
    return folder


@pytest.mark.parametrize("learner", [tn.Ridge(), make_pipeline(tn.StandardScaler(), tn.Ridge())])
def test_the_column_that_says_the_fold_is_no_feature_of_the_best(path, learner):
    grid = {"alpha" if isinstance(learner, tn.Ridge) else "ridge__alpha": ALPHAS}
    wanted = tn.tune(learner, grid, X, Y, folds=FOLD)
    frame = DATA[[*COLUMNS, "fold"]]
    dask = dd.from_pandas(DATA, npartitions=3, sort=False)
    given = [
        (frame, Y),
        (pl.from_pandas(frame), Y),
        (tn.scan(DATA, target="y", drop=["label"]), None),
        (tn.scan(path, target="y", drop=["label"]), None),
        (dask[[*COLUMNS, "fold"]], dask["y"]),
    ]
    for rows, y in given:
        found = tn.tune(learner, grid, rows, y, folds="fold")
        np.testing.assert_allclose(found.results.scores, wanted.results.scores, rtol=1e-9)
        assert found.best_params_ == wanted.best_params_
        last = found.best_estimator_ if isinstance(learner, tn.Ridge) else found.best_estimator_[0]
        assert list(last.feature_names_in_) == COLUMNS
        said = found.predict(tn.scan(DATA[COLUMNS])).collect()
        np.testing.assert_allclose(said, wanted.predict(X), rtol=1e-9)
    by_group = tn.tune(learner, grid, frame, Y, folds=2, groups="fold")
    other = tn.tune(learner, grid, X, Y, folds=2, groups=FOLD)
    np.testing.assert_allclose(by_group.predict(DATA[COLUMNS]), other.predict(X), rtol=1e-9)


def test_from_files_the_best_model_is_the_fit(path):
    source = tn.scan(path, target="y", columns=COLUMNS)
    found = tn.tune(tn.Ridge(), {"alpha": ALPHAS}, source, folds=5)
    assert found.scans == 1
    assert_same_model(found.best_estimator_, tn.Ridge(**found.best_params_).fit(source))
    labelled = tn.scan(path, target="label", columns=COLUMNS)
    found = tn.tune(tn.GaussianNB(), {"var_smoothing": [1e-9, 1.0]}, labelled, folds=5)
    assert_same_model(found.best_estimator_, tn.GaussianNB(**found.best_params_).fit(labelled))


class Read(ArraySource):
    """Counts how often each part is read."""

    def __init__(self, *given):
        with part_rows(50):
            super().__init__(*given)
        self.reads = Counter()

    def chunks(self, part, need, schema):
        self.reads[part] += 1
        yield from super().chunks(part, need, schema)


def test_thirty_penalties_and_the_best_model_cost_one_scan():
    source = Read(X, Y)
    found = tn.tune(tn.Ridge(), {"alpha": np.logspace(-3, 5, 30).tolist()}, source)
    assert found.scans == 1
    assert source.reads == dict.fromkeys(range(4), 1)
    assert len(found.params) == 30
    assert_same_model(found.best_estimator_, tn.Ridge(**found.best_params_).fit(source))


@pytest.mark.parametrize("splits", [2, 9])
def test_the_best_model_is_of_all_rows_though_the_folds_are_not(splits):
    """Splits that leave rows out: the model does not."""
    folds = ShuffleSplit(splits, train_size=0.5, test_size=0.2, random_state=0)
    found = tn.tune(tn.Ridge(), {"alpha": ALPHAS}, X, Y, folds=folds)
    peer = GridSearchCV(linear_model.Ridge(), {"alpha": ALPHAS}, cv=folds).fit(X, Y)
    np.testing.assert_allclose(found.results.mean[:, 0], peer.cv_results_["mean_test_score"], rtol=1e-9)
    assert_same_model(found.best_estimator_, tn.Ridge(**found.best_params_).fit(X, Y))


def test_shuffled_folds():
    found = tn.tune(tn.Ridge(), {"alpha": ALPHAS}, X, Y, folds=5, shuffle=True, random_state=3)
    alone = tn.cross_validate([tn.Ridge(alpha) for alpha in ALPHAS], X, Y, folds=5, shuffle=True, random_state=3)
    np.testing.assert_array_equal(found.results.scores, alone.scores)
    other = tn.tune(tn.Ridge(), {"alpha": ALPHAS}, X, Y, folds=5, shuffle=True, random_state=4)
    assert (other.results.scores != alone.scores).all()


# ---- Optuna ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("direction", "sign"), [("maximize", 1), ("minimize", -1)])
def test_proposals_of_optuna(direction, sign):
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(direction=direction, sampler=optuna.samplers.RandomSampler(seed=0))
    space = {"alpha": optuna.distributions.FloatDistribution(1e-3, 1e4, log=True)}
    source = Read(X, Y)
    found = tn.tune(tn.Ridge(), (study, space), source, folds=5, trials=11, batch=4)
    assert len(study.trials) == len(found.params) == 11
    assert source.reads == dict.fromkeys(range(4), 3)  # one scan for each batch
    assert found.scans == 3
    assert [t.params for t in study.trials] == found.params
    np.testing.assert_allclose([sign * t.value for t in study.trials], found.results.mean[:, 0], rtol=1e-12)
    assert found.best_params_ == study.best_params
    assert_same_model(found.best_estimator_, tn.Ridge(**study.best_params).fit(source))
    alone = tn.cross_validate([tn.Ridge(**p) for p in found.params], X, Y, folds=5)
    np.testing.assert_allclose(found.results.scores, alone.scores, rtol=1e-9)


# ---- what is shown, and errors ---------------------------------------------------------------------


def test_what_is_shown():
    found = tn.tune(tn.Ridge(), {"alpha": [0.123456789, 2.0], "fit_intercept": [True]}, X, Y, folds=3)
    assert found.results.names == ["alpha=0.1235", "alpha=2"]
    assert str(found) == repr(found)
    assert str(found).endswith(f"best parameters: {found.best_params_}")
    assert "alpha=0.1235" in found._repr_html_()
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    ax = found.plot("r2")
    assert len(ax.get_yticklabels()) == 2
    plt.close("all")


def test_what_cannot_be_tuned(path):
    with pytest.raises(ValueError, match="no parameters to try"):
        tn.tune(tn.Ridge(), [], X, Y)
    with pytest.raises(ValueError, match="Invalid parameter 'alpah'"):
        tn.tune(tn.Ridge(), {"alpah": [1.0]}, X, Y)
    with pytest.raises(ValueError, match="'alpha' parameter of Ridge"):
        tn.tune(tn.Ridge(), {"alpha": [1.0, -1.0]}, X, Y)
    with pytest.raises(ValueError, match="there is no score 'r_2'"):
        tn.tune(tn.Ridge(), {"alpha": [1.0]}, X, Y, scoring="r_2")
    with pytest.raises(ValueError, match="'accuracy' is not a score of Ridge"):
        tn.tune(tn.Ridge(), {"alpha": [1.0]}, X, Y, scoring="accuracy")
    with pytest.raises(ValueError, match="folds must be at least 2"):
        tn.tune(tn.Ridge(), {"alpha": [1.0]}, X, Y, folds=1)
    with pytest.raises(ValueError, match="groups decide the folds"):
        tn.tune(tn.Ridge(), {"alpha": [1.0]}, X, Y, folds=3, groups=FOLD, shuffle=True)
    with pytest.raises(TypeError, match="neither a regressor nor a classifier"):
        tn.tune(tn.KMeans(), {"n_clusters": [2, 3]}, X)
    source = tn.scan(path, target="y", columns=COLUMNS)
    with pytest.raises(tn.DataError, match="it needs its rows in memory. Remedy: give arrays or a frame"):
        tn.tune(linear_model.Ridge(), {"alpha": [1.0]}, source)


def test_combinations_are_named_by_what_varies():
    steps = make_pipeline(preprocessing.StandardScaler(), tn.HistGradientBoostingRegressor(max_iter=2))
    boosting = "histgradientboostingregressor__"
    grid = {boosting + "learning_rate": [0.05, 0.1], boosting + "max_leaf_nodes": [3], boosting + "max_depth": [2, 3]}
    found = tn.tune(steps, grid, X, Y, folds=2).results
    pairs = [(rate, depth) for rate in (0.05, 0.1) for depth in (2, 3)]
    assert sorted(found.names) == [f"learning_rate={rate}, max_depth={depth}" for rate, depth in pairs]
    assert {line.split("  ")[0] for line in str(found).splitlines()[1:-1]} == {*found.names}


@pytest.mark.parametrize(
    ("params", "names"),
    [
        ([{"ridge__alpha": 1.0, "svc__alpha": 2.0}, {"ridge__alpha": 3.0, "svc__alpha": 4.0}],
         ["ridge__alpha=1, svc__alpha=2", "ridge__alpha=3, svc__alpha=4"]),
        ([{"a": 1.00001}, {"a": 1.00002}], ["a=1.00001", "a=1.00002"]),
        ([{"a": 1, "b": 2}], ["a=1, b=2"]),
        ([{"a": 1, "b": 2}, {"a": 1}], ["b=2", ""]),
        ([{"a": 1, "b": None}, {"a": 2}], ["a=1, b=None", "a=2"]),
    ],
)  # fmt: skip
def test_names_of_combinations(params, names):
    assert names_of(params) == names


def test_long_names_are_not_cut_to_equal_ones():
    learners = {"a" * 70 + "b": tn.Ridge(), "a" * 70 + "c": tn.Ridge(2.0), "d" * 70: tn.Ridge(3.0)}
    found = tn.cross_validate(learners, X, Y, folds=2)
    assert [row[0] for row in found._rows()] == ["a" * 70 + "b", "a" * 70 + "c", "d" * 57 + "..."]
    shown = [text.get_text() for text in found.plot().get_yticklabels()]
    assert shown == ["d" * 37 + "...", "a" * 70 + "c", "a" * 70 + "b"]


# ---- drawn from distributions, and successive halving --------------------------------------------


@pytest.mark.parametrize("lazy", [False, True])
def test_combinations_are_drawn_as_scikit_learn_draws_them(lazy):
    space = {"alpha": loguniform(1e-2, 1e4), "fit_intercept": [True, False]}
    asked = {"trials": 12, "random_state": 3, "folds": KFold(4)}
    rows = tn.scan(DATA[[*COLUMNS, "y"]], target="y")
    found = tn.tune(tn.Ridge(), space, *((rows,) if lazy else (X, Y)), **asked)
    theirs = RandomizedSearchCV(tn.Ridge(), space, n_iter=12, random_state=3, cv=KFold(4)).fit(X, Y)
    assert found.params == theirs.cv_results_["params"]
    assert found.results.mean[:, 0] == pytest.approx(theirs.cv_results_["mean_test_score"])
    assert found.best_params_ == theirs.best_params_
    assert found.rounds == []
    assert found.scans == found.results.scans


@pytest.mark.parametrize("lazy", [False, True])
def test_halving_scores_the_best_by_more_and_more_rows(lazy, tmp_path):
    """The share of the training rows of each round, as a learning curve has it, and who is left for the next."""
    DATA.to_parquet(tmp_path / "rows.parquet", row_group_size=30)
    rows = tn.scan(tmp_path / "rows.parquet", target="label", columns=COLUMNS)
    given = (rows,) if lazy else (DATA[COLUMNS], LABEL)
    depths = {"max_depth": [1, 2, 3, 4, 5, 6, 7], "min_samples_leaf": [1, 9]}
    asked = {"folds": 4, "random_state": 1}
    found = tn.tune(tn.DecisionTreeClassifier(), depths, *given, factor=3, **asked)
    params = [{"max_depth": d, "min_samples_leaf": m} for d in depths["max_depth"] for m in (1, 9)]
    assert [len(one.learners) for one in found.rounds] == [14, 5, 2]
    for one, share in zip(found.rounds, (1 / 9, 1 / 3, 1.0), strict=True):
        assert [learner.get_params() for learner in one.learners] == [
            tn.DecisionTreeClassifier(**some).get_params() for some in params
        ]
        for learner, scores in zip(one.learners, one.scores[:, 0], strict=True):
            curve = tn.learning_curve(learner, *given, train_sizes=[share], **asked)
            assert curve.test_scores[0].tolist() == scores.tolist()
        means = one.mean[:, 0]
        left = sorted(sorted(range(len(params)), key=lambda at: (-means[at], at))[: -(-len(params) // 3)])
        winner, params = params[int(means.argmax())], [params[at] for at in left]
    assert found.best_params_ == winner
    assert winner in found.params
    assert len(found.params) == 2
    assert found.results.scores.tolist() == found.rounds[-1].scores.tolist()
    assert found.scans == sum(one.scans for one in found.rounds)
    whole = tn.DecisionTreeClassifier(**winner).fit(DATA[COLUMNS], LABEL)
    assert found.best_estimator_.predict(DATA[COLUMNS]).tolist() == whole.predict(DATA[COLUMNS]).tolist()


def test_halving_of_what_is_drawn_and_of_few():
    found = tn.tune(tn.Ridge(), {"alpha": loguniform(1e-2, 1e4)}, X, Y, trials=9, factor=2, folds=4)
    assert [len(one.learners) for one in found.rounds] == [9, 5, 3, 2]
    assert found.best_estimator_.certificate_.provenance.rows == N
    few = tn.tune(tn.Ridge(), {"alpha": [1.0]}, X, Y, factor=2, folds=4)
    assert [one.sizes for one in few.rounds] == [[(120, 40)] * 4]
    with pytest.raises(ValueError, match="factor must be"):
        tn.tune(tn.Ridge(), {"alpha": [1.0]}, X, Y, factor=1)
    with pytest.raises(ValueError, match="trials must be"):
        tn.tune(tn.Ridge(), {"alpha": loguniform(1e-2, 1e4)}, X, Y, trials=0)
    with pytest.raises(ValueError, match="a study says itself what it drops"):
        tn.tune(tn.Ridge(), (None, {}), X, Y, factor=2)
