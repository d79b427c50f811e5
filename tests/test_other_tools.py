"""Tools that people use beside scikit-learn: they find what they look for in tenfold's learners."""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

import tenfold as tn
from tenfold.testing.comparison import bits

pytestmark = pytest.mark.timeout(120)


def rows(n=120):
    random = np.random.default_rng(0)
    X = random.normal(size=(n, 3))
    y = X @ [1.0, -2.0, 0.5] + random.normal(size=n)
    return X, y, (y > 0).astype(int)


def test_searches_of_scikit_learn_give_what_tune_gives():
    X, y, _ = rows()
    grid = {"alpha": [0.1, 10.0, 1000.0]}
    theirs = GridSearchCV(tn.Ridge(), grid, cv=5).fit(X, y)
    drawn = RandomizedSearchCV(tn.Ridge(), grid, n_iter=3, cv=5, random_state=0).fit(X, y)
    ours = tn.tune(tn.Ridge(), grid, X, y, cv=5)
    assert theirs.best_params_ == drawn.best_params_ == ours.best_params_
    assert theirs.best_score_ == pytest.approx(ours.best_score_, rel=1e-9)


def test_calibration_of_a_fitted_pipeline():
    X, _, k = rows()
    model = CalibratedClassifierCV(make_pipeline(tn.StandardScaler(), tn.GaussianNB()), cv=3).fit(X, k)
    said = model.predict_proba(X)
    np.testing.assert_allclose(said.sum(axis=1), 1)
    assert model.score(X, k) > 0.8


@pytest.mark.filterwarnings("ignore")
def test_optuna_finds_the_better_penalty():
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    X, y, _ = rows()

    def objective(trial):
        alpha = trial.suggest_float("alpha", 1e-3, 1e4, log=True)
        return cross_val_score(tn.Ridge(alpha=alpha), X, y, cv=3).mean()

    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(objective, n_trials=6)
    assert study.best_value == max(trial.value for trial in study.trials)
    assert study.best_params["alpha"] < 100


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "learner", [tn.Ridge(), tn.GaussianNB(), tn.DecisionTreeClassifier(max_depth=3)], ids=lambda one: type(one).__name__
)
def test_skops_writes_and_reads_a_model(learner, tmp_path):
    skops = pytest.importorskip("skops.io")
    X, _, k = rows()
    model = make_pipeline(tn.StandardScaler(), learner).fit(X, k)
    skops.dump(model, tmp_path / "model.skops")
    types = skops.get_untrusted_types(file=tmp_path / "model.skops")
    assert types
    assert all(name.startswith(("tenfold.", "numpy")) for name in types)
    found = skops.load(tmp_path / "model.skops", trusted=types)
    np.testing.assert_array_equal(found.predict(X), model.predict(X))
    assert bits(found[-1].model_) == bits(model[-1].model_)


@pytest.mark.filterwarnings("ignore")
def test_mlflow_logs_parameters_and_models(tmp_path, monkeypatch):
    pytest.importorskip("mlflow")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    import mlflow.sklearn

    X, y, _ = rows()
    how = {"serialization_format": "cloudpickle", "pip_requirements": ["tenfold"]}
    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    try:
        mlflow.set_experiment("tenfold")
        mlflow.sklearn.autolog(log_models=False, log_datasets=False, silent=True)
        with mlflow.start_run() as run:
            model = make_pipeline(tn.StandardScaler(), tn.Ridge(alpha=2.0)).fit(X, y)
            saved = mlflow.sklearn.log_model(model, name="model", **how)
        found = mlflow.get_run(run.info.run_id).data
        assert found.params["ridge__alpha"] == "2.0"
        assert found.metrics["training_r2_score"] == pytest.approx(model.score(X, y))
        np.testing.assert_array_equal(mlflow.sklearn.load_model(saved.model_uri).predict(X), model.predict(X))
    finally:
        mlflow.sklearn.autolog(disable=True)
        mlflow.set_tracking_uri(before)


@pytest.mark.parametrize(
    "learner",
    [
        tn.DecisionTreeRegressor(max_depth=3),
        tn.RandomForestRegressor(n_estimators=5, random_state=0),
        tn.HistGradientBoostingRegressor(max_iter=5),
    ],
    ids=lambda one: type(one).__name__,
)
def test_the_tree_explainer_of_shap_takes_the_trees(learner):
    shap = pytest.importorskip("shap")
    X, y, _ = rows()
    model = learner.fit(X, y)
    ours = tn.TreeShap(model, X, feature_perturbation="tree_path_dependent")
    explainer = shap.TreeExplainer(ours.trees, feature_perturbation="tree_path_dependent")
    values = explainer.shap_values(ours.encode(X[:10]), check_additivity=False)
    np.testing.assert_allclose(values, ours.shap_values(X[:10]), atol=1e-10)
    np.testing.assert_allclose(values.sum(axis=1) + ours.expected_value, model.predict(X[:10]), rtol=1e-6)
