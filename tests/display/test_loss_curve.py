"""Loss curves, drawn after a fit and while it runs."""

import os
import subprocess
import sys
from base64 import b64decode
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.neural_network import MLPClassifier as Theirs
from sklearn.pipeline import make_pipeline

import tenfold as tn
from tenfold.display.evaluation.live_loss_curve import BAR_CHARACTERS, sparkline

X = np.random.default_rng(0).normal(size=(300, 2))
y = X[:, 0] * X[:, 1] > 0


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.mark.quick
def test_the_lines_are_the_curves_of_the_model():
    model = tn.MLPClassifier(8, max_iter=12, early_stopping=True, learning_rate_init=0.01).fit(X, y)
    display = tn.display.LossCurveDisplay.from_estimator(model)
    np.testing.assert_array_equal(display.lines_[0].get_ydata(), model.loss_curve_)
    np.testing.assert_array_equal(display.lines_[0].get_xdata(), np.arange(1, 13))
    np.testing.assert_array_equal(display.score_lines_[0].get_ydata(), model.validation_scores_)
    assert display.score_ax_.get_ylabel() == "validation score (dashed)"
    assert display.ax_.get_legend() is None


def test_curves_look_as_they_are_told():
    display = tn.display.LossCurveDisplay(losses=[[2.0, 1.0]], names=["net"])
    (line,) = display.plot(curve_kwargs={"lw": 1.0, "label": "other", "marker": "x"}).lines_
    assert (line.get_linewidth(), line.get_label(), line.get_marker()) == (1.0, "other", "x")


@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")  # of scikit-learn
def test_several_models_side_by_side():
    models = [
        tn.MLPClassifier(4, max_iter=5).fit(X, y),
        make_pipeline(tn.StandardScaler(), tn.MLPClassifier(4, max_iter=6)).fit(X, y),
        tn.SGDClassifier("log_loss", max_iter=3, tol=None).fit(X, y),
        tn.Adaline(max_iter=4, tol=None).fit(X, y),
        Theirs(4, max_iter=5).fit(X, y),
    ]
    ax = plt.subplots()[1]
    display = tn.display.LossCurveDisplay.from_estimator(models, ax=ax, curve_kwargs={"alpha": 0.5})
    assert display.ax_ is ax
    assert display.score_ax_ is None
    names = ["MLPClassifier 1", "MLPClassifier 2", "SGDClassifier", "Adaline", "MLPClassifier 3"]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == names
    assert [len(loss) for loss in display.losses[:4]] == [5, 6, 3, 4]
    named = tn.display.LossCurveDisplay.from_estimator({"a": models[0], "b": models[2]})
    assert named.names == ["a", "b"]


def test_the_scale_is_that_of_logarithms_where_the_loss_falls_far():
    steep, flat = tn.display.LossCurveDisplay(losses=[[1.0, 1e-3]]), tn.display.LossCurveDisplay(losses=[[1.0, 0.5]])
    assert (steep.plot().ax_.get_yscale(), flat.plot().ax_.get_yscale()) == ("log", "linear")
    assert steep.plot(log=False).ax_.get_yscale() == "linear"
    assert tn.display.LossCurveDisplay(losses=[[1.0, 0.0]]).plot().ax_.get_yscale() == "linear"


def test_models_without_a_curve_are_refused():
    with pytest.raises(TypeError, match="GaussianNB has no loss_curve_"):
        tn.display.LossCurveDisplay.from_estimator(tn.GaussianNB().fit(X, y))
    with pytest.raises(ValueError, match="one entry for each model"):
        tn.display.LossCurveDisplay(losses=[[1.0]], names=["a", "b"])


@pytest.mark.parametrize(
    "learner",
    [tn.MLPClassifier(3, max_iter=40, tol=0.0), tn.MLPClassifier(3, solver="lbfgs", max_iter=20), tn.Adaline(tol=None),
     tn.MLPClassifier(3, max_iter=4, early_stopping=True), tn.SGDClassifier(max_iter=130, tol=None)],
    ids=repr,
)  # fmt: skip
def test_the_callback_has_seen_the_whole_curve_at_the_end_and_says_nothing(learner, capfd):
    live = tn.display.LossCurveCallback()
    model = learner.set_callbacks(live).fit(X, y)
    np.testing.assert_array_equal(live.loss_curve_, model.loss_curve_)
    np.testing.assert_array_equal(live.validation_scores_, getattr(model, "validation_scores_", []))
    assert capfd.readouterr() == ("", "")


@pytest.mark.quick
def test_it_sees_epochs_one_by_one():
    class Seen(tn.display.LossCurveCallback):
        lengths = ()

        def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
            stop = super().on_fit_task_end(estimator, context, fitted_estimator=fitted_estimator)
            self.lengths = (*self.lengths, len(self.loss_curve_))
            return stop

    seen = Seen()
    tn.MLPClassifier(3, max_iter=5, tol=0.0).set_callbacks(seen).fit(X, y)
    assert set(seen.lengths) == {0, 1, 2, 3, 4, 5}


NOTEBOOK = """
import numpy as np, tenfold as tn
from tenfold.display.evaluation import live_loss_curve
live_loss_curve.SECONDS_BETWEEN_PICTURES = 0.0
X = np.random.default_rng(0).normal(size=(60, 2))
tn.SGDRegressor(max_iter=5, tol=None).set_callbacks(tn.display.LossCurveCallback()).fit(X, X[:, 0])
None
"""


def test_in_a_notebook_one_picture_is_changed_in_place(tmp_path):
    """A kernel of Jupyter runs a cell: one picture is shown, and each epoch after the first changes it."""
    nbformat = pytest.importorskip("nbformat.v4")
    client = pytest.importorskip("nbclient").NotebookClient
    messages = []

    class Listening(client):
        def process_message(self, message, cell, cell_index):
            messages.append((message["msg_type"], message["content"].get("data", {})))
            return super().process_message(message, cell, cell_index)

    notebook = nbformat.new_notebook(cells=[nbformat.new_code_cell(NOTEBOOK)])
    Listening(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    pictures = [kind for kind, data in messages if "image/png" in data]
    assert pictures[0] == "display_data"
    assert len(pictures) >= 5
    assert {*pictures[1:]} == {"update_display_data"}
    [shown] = [out for out in notebook.cells[0].outputs if "image/png" in out.get("data", {})]
    assert b64decode(shown["data"]["image/png"]).startswith(b"\x89PNG")


PROGRAM = """
import numpy as np, tenfold as tn
X = np.random.default_rng(0).normal(size=(300, 2))
tn.SGDRegressor(max_iter=30, tol=None).set_callbacks(tn.display.LossCurveCallback()).fit(X, X[:, 0])
"""


def test_on_a_terminal_it_is_a_line():
    import pty

    mine, theirs = pty.openpty()
    env = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120"}
    env["PYTHONPATH"] = os.pathsep.join([str(Path(tn.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    done = subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=theirs, stderr=theirs, env=env)
    assert done.wait(120) == 0
    os.close(theirs)
    said = os.read(mine, 100_000).decode()
    os.close(mine)
    assert "epoch 30 · loss" in said
    assert any(block in said for block in BAR_CHARACTERS)


def test_a_sparkline_is_as_high_as_its_values():
    assert sparkline(np.array([0.0, 7.0])) == "▁█"
    assert sparkline(np.ones(3)) == "▁▁▁"
    assert len(sparkline(np.arange(1000.0), width=20)) == 20
    assert sparkline(np.array([np.nan])) == ""
