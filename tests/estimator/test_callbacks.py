"""scikit-learn's callbacks, and the history of a fit."""

import numpy as np
import pytest
from sklearn.callback import ProgressBar
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import FunctionTransformer

import tenfold as tn
from helpers import learners, name_of
from tenfold.core.axes import bits
from tenfold.testing.data import draw

X = np.random.default_rng(0).standard_normal((2000, 4))


class Recorder:
    """A callback that remembers, and may ask to stop."""

    def __init__(self, most=10**9):
        self.most, self.begun, self.ended, self.open, self.models = most, [], [], 0, []

    def setup(self, estimator, context):
        self.open += 1

    def teardown(self, estimator, context):
        self.open -= 1

    def on_fit_task_begin(self, estimator, context):
        self.begun.append(context.task_name)

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
        self.ended.append(context.task_name)
        if fitted_estimator is not None and context.parent is not None:
            self.models.append(fitted_estimator.predict(X[:3]))
        return len(self.ended) >= self.most


def test_each_turn_is_a_task():
    seen = Recorder()
    model = tn.KMeans(5).set_callbacks(seen).fit(X)
    assert seen.open == 0
    assert seen.begun[0] == "fit"
    assert seen.ended[-1] == "fit"
    assert sorted(seen.begun) == sorted(seen.ended)
    assert len(seen.ended) - 1 == min(len(model.history_), 100)
    assert "NearestSums" in seen.ended
    assert all(len(labels) == 3 for labels in seen.models)
    assert len(seen.models) > 1


def test_a_callback_may_stop_a_fit():
    model = tn.KMeans(5, tol=0).set_callbacks(Recorder(most=6)).fit(X)
    assert model.certificate_.provenance.stopped == "a callback said so"
    assert model.n_iter_ < tn.KMeans(5, tol=0).fit(X).n_iter_


def test_an_error_tears_down():
    seen = Recorder()
    with pytest.raises(ValueError, match="NaN"):
        tn.KMeans(5).set_callbacks(seen).fit(np.full((5, 2), np.nan))
    assert seen.open == 0


def test_in_a_pipeline():
    seen = Recorder()
    make_pipeline(tn.StandardScaler(), tn.Ridge()).set_callbacks(seen).fit(X, X[:, 0])
    assert seen.open == 0
    assert "moments" in seen.ended or "fit" in seen.ended


def test_after_a_hundred_turns_every_tenth_is_told():
    seen = Recorder()
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    model = tn.AdaBoostClassifier(n_estimators=120).set_callbacks(seen).fit(X, y)
    assert len(model.history_) > 120
    assert len(seen.ended) == 101 + len(model.history_) // 10 - 10


def test_history():
    model = tn.KMeans(5).fit(X)
    inertia = [turn["inertia"] for turn in model.history_ if "inertia" in turn]
    assert len(inertia) == len([t for t in model.history_ if t["asked"] == "NearestSums"])
    assert all(a >= b * (1 - 1e-12) for a, b in zip(inertia, inertia[1:]))
    assert inertia[-1] == model.inertia_
    seconds = [turn["seconds"] for turn in model.history_]
    assert seconds == sorted(seconds)
    assert [turn["passes"] for turn in tn.Ridge().fit(X, X[:, 0]).history_][-1] >= 1.0


ROUNDS = ("max_iter", "n_estimators")


def few_rounds():
    """Every learner, with one, two and five rounds if it has any."""
    for learner in learners():
        names = [name for name in ROUNDS if name in learner.get_params(deep=False)]
        for most in (1, 2, 5) if names else (None,):
            yield pytest.param(learner.__class__(**dict.fromkeys(names, most)), id=f"{name_of(learner)}-{most}")


@pytest.mark.filterwarnings("ignore")  # so few rounds are too few
@pytest.mark.parametrize("learner", list(few_rounds()))
def test_few_rounds_fit_inside_a_pipeline(learner):
    table, seen = draw(learner.need, seed=0, rows=60), Recorder()
    inner = make_pipeline(FunctionTransformer(), learner)
    whole = make_pipeline(FunctionTransformer(), inner)
    given = {"lengths": table.given["lengths"]} if learner.need.per_sequence else {}
    within = {f"pipeline__{name_of(learner).lower()}__{name}": value for name, value in given.items()}
    whole.set_callbacks(seen).fit(table.X, table.y, **within)
    assert seen.open == 0
    assert sorted(seen.begun) == sorted(seen.ended)
    assert len([name for name in seen.ended if name != "fit"]) >= 1
    alone = type(learner)(**learner.get_params(deep=False)).fit(table.X, table.y, **given)
    fitted = whole[-1][-1]
    assert len(fitted.history_) == len(alone.history_)
    assert bits(fitted.model_) == bits(alone.model_)


FEW = [
    tn.HistGradientBoostingRegressor(max_iter=3),
    tn.KMeans(2, max_iter=1),
    tn.SGDRegressor(max_iter=2),
    tn.RandomForestRegressor(n_estimators=2),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("learner", FEW, ids=name_of)
def test_few_rounds_fit_inside_a_search(learner):
    scoring = (lambda model, X, y: 0.0) if isinstance(learner, tn.KMeans) else None
    model = make_pipeline(FeatureUnion([("a", tn.StandardScaler()), ("b", tn.MinMaxScaler())]), learner)
    grid = {f"{type(learner).__name__.lower()}__random_state": [0, 1]}
    rows = X[:60], X[:60, 0]
    search = GridSearchCV(model, grid, cv=2, scoring=scoring, error_score="raise")
    assert search.fit(*rows).best_estimator_[-1].history_
    again = GridSearchCV(model, grid, cv=2, scoring=scoring, error_score="raise")
    again.set_callbacks(ProgressBar(max_propagation_depth=None)).fit(*rows)
    assert again.best_params_ == search.best_params_
    assert np.isfinite(cross_val_score(model, *rows, cv=2, scoring=scoring, error_score="raise")).all()


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
def test_few_rounds_fit_inside_a_search_of_several_processes():
    model = make_pipeline(tn.StandardScaler(), tn.HistGradientBoostingRegressor(max_iter=3))
    rows = X[:60], X[:60, 0]
    search = GridSearchCV(
        model, {"histgradientboostingregressor__max_leaf_nodes": [2, 3]}, cv=2, n_jobs=2, error_score="raise"
    )
    search.set_callbacks(ProgressBar(max_propagation_depth=None)).fit(*rows)
    alone = GridSearchCV(model, search.param_grid, cv=2, error_score="raise").fit(*rows)
    assert search.cv_results_["mean_test_score"].tobytes() == alone.cv_results_["mean_test_score"].tobytes()
