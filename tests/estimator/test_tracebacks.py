"""Errors of the library are shown as errors of the user's call, without the frames within the library."""

import traceback
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

import tenfold as tn

X = pd.DataFrame({"when": pd.date_range("2020-01-01", periods=50), "size": np.arange(50.0)})
Y = np.arange(50.0)
MODEL = tn.Ridge().fit(X[["size"]], Y)
PIPELINE = tn.make_pipeline(tn.StandardScaler(), tn.Ridge()).fit(X[["size"]], Y)

CALLS = {
    "fit": lambda: tn.Ridge().fit(X, Y),
    "many passes": lambda: tn.HistGradientBoostingRegressor().fit(X, Y),
    "partial_fit": lambda: tn.Ridge().partial_fit(X, Y),
    "cross_validate": lambda: tn.cross_validate([tn.Ridge(), tn.LinearRegression()], X, Y),
    "tune": lambda: tn.tune(tn.Ridge(), {"alpha": [1.0, 2.0]}, X, Y),
    "fit_together": lambda: tn.fit_together([tn.Ridge()], X, Y),
    "parameter": lambda: tn.MaxAbsScaler(clip=True).fit(X[["size"]]),
    "pipeline": lambda: tn.make_pipeline(tn.StandardScaler(), tn.Ridge()).fit(X, Y),
    "pipeline, fit_transform": lambda: tn.make_pipeline(tn.StandardScaler(), tn.PCA()).fit_transform(X, Y),
    "pipeline, predict": lambda: PIPELINE.predict(pd.DataFrame({"size": ["text"]})),
    "pipeline, partial_fit": lambda: PIPELINE.partial_fit(pd.DataFrame({"size": ["text"]}), [1.0]),
    "predict": lambda: MODEL.predict(pd.DataFrame({"size": ["text"]})),
}


def raised(call):
    """The error of a call, and the functions of the frames behind it."""
    with pytest.raises(ValueError) as caught:
        call()
    error = caught.value
    return error, [frame.name for frame in traceback.extract_tb(error.__traceback__)]


@pytest.mark.parametrize("name", CALLS)
def test_the_last_frame_is_the_call_of_the_user(name, monkeypatch):
    monkeypatch.delenv("TENFOLD_TRACEBACK")
    error, frames = raised(CALLS[name])
    assert isinstance(error, tn.DataError | tn.ParameterError)
    assert frames == ["raised", "<lambda>", *(["partial_fit"] if name == "partial_fit" else [])]
    assert "/engine/" not in "".join(traceback.format_exception(error)).replace(__file__, "")


def test_all_frames_are_shown_to_who_asks_for_them():
    _, frames = raised(CALLS["fit"])
    assert frames[-1] == "_refuse_types"
    assert len(frames) > 5


def test_causes_lose_their_frames_too(monkeypatch):
    from tenfold.core.errors import from_here

    @from_here
    def fails():
        try:
            {}["no"]
        except KeyError as error:
            raise tn.DataError("no such column") from error

    monkeypatch.delenv("TENFOLD_TRACEBACK")
    error, frames = raised(fails)
    assert frames == ["raised"]
    assert isinstance(error.__cause__, KeyError)
    assert error.__cause__.__traceback__ is None


def test_other_errors_keep_their_frames(monkeypatch):
    """Of a function of the user, the place where it fails is what he looks for."""

    def wrong(rows):
        raise ValueError("a mistake in here")

    monkeypatch.delenv("TENFOLD_TRACEBACK")
    _, frames = raised(lambda: tn.FunctionTransformer(wrong).fit_transform(X[["size"]]))
    assert frames[-1] == "wrong"


def alone(learner):
    return learner


def within_their_search(learner):
    return GridSearchCV(Pipeline([("learner", learner)]), {"learner__max_iter": [5]}, cv=2, scoring=lambda *_: 0.0)


@pytest.mark.parametrize("within", [alone, within_their_search])
def test_warnings_name_the_line_of_the_user(within):
    with pytest.warns(ConvergenceWarning) as caught:
        within(tn.KMeans(n_clusters=3)).fit(np.repeat([[0.0], [1.0]], 5, axis=0))
    assert {Path(one.filename) for one in caught} == {Path(__file__)}
