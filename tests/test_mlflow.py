"""The flavour of MLflow: what is logged, loaded and served is the model, and pickle takes no part in it."""

import builtins
import json
import os
import pickle
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tenfold as tn

pytest.importorskip("mlflow")
pytestmark = pytest.mark.filterwarnings("ignore")

WITHOUT_PICKLE = """
import os, pickle, sys
import cloudpickle, mlflow.pyfunc, mlflow.pyfunc.scoring_server as scoring, uvicorn
def only_for_kernels(original):
    def load(*args, **kwargs):  # numba keeps compiled kernels of this machine so; models must not
        asks = sys._getframe(1).f_globals["__name__"]
        if not asks.startswith(("numba.", "tenfold.compiled.")):
            raise RuntimeError(f"pickle was used by {asks}")
        return original(*args, **kwargs)
    return load
pickle.load, pickle.loads, pickle.Unpickler = map(only_for_kernels, (pickle.load, pickle.loads, pickle.Unpickler))
cloudpickle.load = cloudpickle.loads = only_for_kernels(None)
app = scoring.init(mlflow.pyfunc.load_model(sys.argv[1]))
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[2]), log_level="error")
"""


@pytest.fixture
def flavor(tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    import mlflow

    import tenfold.mlflow

    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    mlflow.set_experiment("tenfold")
    yield tenfold.mlflow
    mlflow.set_tracking_uri(before)


@pytest.fixture
def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@pytest.fixture(scope="module")
def orders():
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"shop": random.choice(["a", "b"], 300), "price": random.normal(size=300)})
    frame["y"] = np.where(frame["price"] + random.normal(size=300) > 0, "yes", "no")
    return frame


@pytest.fixture(scope="module")
def model(orders):
    columns = tn.ColumnTransformer([("c", tn.OneHotEncoder(), ["shop"]), ("n", tn.StandardScaler(), ["price"])])
    return tn.make_pipeline(columns, tn.LogisticRegression()).fit(orders[["shop", "price"]], orders["y"])


def test_a_logged_model_comes_back_without_pickle(flavor, model, orders, monkeypatch):
    import mlflow

    rows = orders[["shop", "price"]]
    with mlflow.start_run():
        info = flavor.log_model(model, input_example=rows.head(3))

    def refuse(*args, **kwargs):
        raise AssertionError("pickle was used")

    for name in ("load", "loads", "Unpickler"):
        monkeypatch.setattr(pickle, name, refuse)
    found = flavor.load_model(info.model_uri)
    assert found[-1].coef_.tobytes() == model[-1].coef_.tobytes()
    assert found.verify().origin == "verified"
    served = mlflow.pyfunc.load_model(info.model_uri)
    assert served.predict(rows).tolist() == model.predict(rows).tolist()
    folder = Path(mlflow.artifacts.download_artifacts(info.model_uri))
    kinds = {path.suffix for path in folder.rglob("*") if path.is_file()}
    assert ".pkl" not in kinds
    assert (folder / "certificate.txt").read_text().startswith("Certificate")
    assert (folder / "requirements.txt").read_text() == f"tenfold=={tn.__version__}\n"


def test_a_model_is_served_over_http(flavor, model, orders, tmp_path, free_port):
    flavor.save_model(model, tmp_path / "model")
    environment = {**os.environ, "MLFLOW_DISABLE_TELEMETRY": "true"}
    command = [sys.executable, "-c", WITHOUT_PICKLE, str(tmp_path / "model"), str(free_port)]
    server = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE)
    try:
        rows = orders[["shop", "price"]].head(5)
        asked = json.dumps({"dataframe_split": rows.to_dict(orient="split")}).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{free_port}/invocations", asked)
        request.add_header("Content-Type", "application/json")
        for _ in range(300):
            try:
                answer = json.loads(urllib.request.urlopen(request, timeout=30).read())
                break
            except urllib.error.HTTPError as error:
                raise AssertionError(error.read().decode()) from None
            except OSError:
                assert server.poll() is None, server.stderr.read().decode()
                time.sleep(0.2)
        assert answer["predictions"] == model.predict(rows).tolist()
    finally:
        server.kill()
        server.wait()


def test_each_fit_is_logged(flavor, orders):
    import mlflow

    flavor.autolog(silent=True)
    try:
        model = tn.Ridge(alpha=2.0).fit(orders[["price"]], np.arange(300.0))
        run = mlflow.last_active_run()
        boosted = tn.BaggingRegressor(tn.Ridge(), n_estimators=2).fit(orders[["price"]], np.arange(300.0))
    finally:
        flavor.autolog(disable=True)
    assert run.data.params["learner"] == "Ridge"
    assert run.data.params["alpha"] == "2.0"
    assert run.data.metrics["rows"] == 300
    assert run.data.metrics["certificate gap"] == model.certificate_["gap"].value
    assert len(mlflow.search_runs(output_format="list")) == 2  # members of the bag are no runs of their own
    tn.Ridge().fit(orders[["price"]], np.arange(300.0))
    assert len(mlflow.search_runs(output_format="list")) == 2
    assert boosted.n_estimators == 2


def test_errors_have_a_remedy(flavor, model, orders, tmp_path, monkeypatch):
    flavor.save_model(model, tmp_path / "model")
    with pytest.raises(FileExistsError, match="another folder"):
        flavor.save_model(model, tmp_path / "model")
    with pytest.raises(ValueError, match="predict_method='fit' is not one of predict"):
        flavor._load_pyfunc(str(tmp_path / "model" / "model.tenfold")).predict(orders, {"predict_method": "fit"})
    proba = flavor._load_pyfunc(str(tmp_path / "model" / "model.tenfold")).predict(
        orders[["shop", "price"]], {"predict_method": "predict_proba"}
    )
    np.testing.assert_array_equal(proba, model.predict_proba(orders[["shop", "price"]]))
    monkeypatch.delitem(sys.modules, "tenfold.mlflow")
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(ImportError, match="pip install mlflow"):
        builtins.__import__("tenfold.mlflow")
