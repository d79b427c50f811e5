"""A fitted model uses the parameters it was fitted with, whatever is set afterwards."""

import copy
import pickle
import warnings
from dataclasses import fields, is_dataclass
from inspect import getdoc, isfunction, isgenerator, signature

import numpy as np
import pytest
from scipy.interpolate import BSpline
from sklearn.base import clone
from their_learner import ThresholdNB

import tenfold as tn
from helpers import learners, name_of
from tenfold.core import Learner
from tenfold.core.axes import bits
from tenfold.estimator import Estimator, as_fitted
from tenfold.testing.data import draw

SAYS = ("predict", "predict_proba", "predict_log_proba", "decision_function", "transform")


class Poison:
    """A value for any parameter: whoever reads it fails, or gives something else."""

    def __getattr__(self, name):
        if name.startswith("__") or name in ("get_params", "set_params"):  # scikit-learn asks whether it is nested
            raise AttributeError(name)
        raise AssertionError("a fitted model has read a parameter that was set after the fit")


def token(value):
    """Bytes that tell values apart."""
    if isinstance(value, np.ndarray):
        return repr(value.tolist()).encode() if value.dtype.hasobject else value.tobytes()
    if isinstance(value, dict):
        return b"".join(token(key) + token(one) for key, one in value.items())
    if isinstance(value, (list, tuple)):
        return b"".join(token(one) for one in value)
    if isinstance(value, BSpline):
        return token([value.t, value.c, value.k, value.extrapolate])
    if isinstance(value, Estimator):
        return token([type(value).__name__, value.get_params(deep=False), value.model_])
    return (
        token({f.name: getattr(value, f.name) for f in fields(value)}) if is_dataclass(value) else repr(value).encode()
    )


def lengths(learner, table):
    """Where each sequence ends, for a learner whose target is one of whole sequences."""
    return {"lengths": table.given["lengths"]} if as_fitted(learner).need.per_sequence else {}


def library_bases(cls):
    """The classes of this library among those that a learner is made of."""
    return [base for base in cls.__mro__ if base.__module__.startswith("tenfold.")]


def inside(value):
    """The function of a method or property, however it is wrapped."""
    for name in ("fget", "func", "fn", "__func__"):
        value = getattr(value, name, value)
    return value


def marked(cls):
    """The names of a learner's methods and properties that are marked as those that users call."""
    return {n for base in library_bases(cls) for n, value in vars(base).items() if hasattr(inside(value), "for_users")}


def takes_now(cls, name):
    """Whether a method for users takes the parameters as they are now: `fitted` wraps all others."""
    first = next(vars(base)[name] for base in cls.__mro__ if name in vars(base))
    return not hasattr(inside(first), "__wrapped__") or name in ("fit", "verify")


def said(model, name, table):
    """What a method says that needs nothing, or rows and a target; None, of one that needs more."""
    try:
        method = getattr(model, name)
        if not callable(method):
            return token(method)
        wanted = [p.name for p in signature(method).parameters.values() if p.default is p.empty and p.kind < 2]
        rows = {"X": table.X, "y": table.y}
        if not {*wanted} <= {*rows}:
            return None
        given = lengths(model, table) if "lengths" in signature(method).parameters else {}
        found = method(**{key: rows[key] for key in wanted}, **given)
        return token(list(found) if isgenerator(found) else type(found) if callable(found) else found)
    except (AttributeError, TypeError, ValueError, NotImplementedError, tn.DataError) as error:  # it is not of this one
        return f"{type(error).__name__}: {error}".encode()


def outputs(model, other, table, folder):
    """Everything that a fitted model says, by name."""
    found = {"verify": token(model.verify())}
    for name in SAYS:
        if hasattr(model, name):
            found[name] = token(np.asarray(getattr(model, name)(table.X, **lengths(model, table))))
    for name in dir(model):
        if name.endswith("_") and not name.startswith("_"):
            try:
                found[name] = token(getattr(model, name))
            except (AttributeError, ValueError, NotImplementedError) as error:  # it is not of this model
                found[name] = str(error).encode()
    if hasattr(model, "score") and table.y is not None:
        found["score"] = token(model.score(table.X, table.y, **lengths(model, table)))
    for name in sorted(marked(type(model)) - {"save"}):
        if name not in found and not takes_now(type(model), name):
            found[name] = said(model, name, table)
    model.save(folder / "model")
    found["save"] = (folder / "model").read_bytes()
    loaded = tn.load(folder / "model")
    found["load"] = bits(loaded.model_).encode()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found["+"] = bits((model + other).model_).encode()
        except tn.MergeError as error:
            found["+"] = str(error).encode()
    return found


@pytest.fixture(scope="module", params=learners(), ids=name_of)
def fitted(request, tmp_path_factory):
    """A model, one of other rows, its own rows, and what it says."""
    table = draw(request.param.need, seed=0, rows=40)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = clone(request.param)
        if "random_state" in model.get_params():
            model.set_params(random_state=0)
        model.fit(table.X, table.y, **lengths(model, table))
        more = draw(request.param.need, seed=2, rows=40)
        other = clone(model).fit(more.X, more.y, **lengths(model, more))
        folder = tmp_path_factory.mktemp("models")
        return model, other, table, folder, outputs(model, other, table, folder)


@pytest.mark.filterwarnings("ignore")
def test_set_params_after_fit_changes_nothing_that_a_model_says(fitted):
    model, other, table, folder, before = fitted
    poisons = {name: Poison() for name in model.get_params(deep=False)}
    if "estimators" in poisons:
        poisons["estimators"] = [("poisoned", Poison())]
    for changed in (model, copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        changed = copy.copy(changed).set_params(**poisons)
        assert changed.get_params(deep=False) == poisons
        after = outputs(changed, other, table, folder)
        assert [name for name in before if before[name] != after.get(name)] == []
        assert changed.get_params(deep=False) == poisons


@pytest.mark.filterwarnings("ignore")
def test_completion_shows_what_users_call_and_nothing_else(fitted):
    """Parameters, fitted attributes, what is marked, and what scikit-learn's own classes bring."""
    model = fitted[0]
    cls, shown = type(model), {name for name in dir(model) if not name.startswith("_")}
    theirs = {name for base in cls.__mro__ if base.__module__.startswith("sklearn.") for name in vars(base)}
    routing = {name for name in shown if name.startswith("set_") and name.endswith("_request")}
    learned = {name for name in shown if name in vars(model) or name[:-1] in getattr(model, "model_", model)._fields}
    assert shown == shown & (marked(cls) | {*model.get_params(deep=False)} | theirs | routing | learned)
    assert {"fit", "save", "verify", "get_params"} <= shown
    assert not shown & ({name for name in vars(Learner) if name[0] != "_"} | {"passes", "hidden", "is_valid"})
    described = {
        name
        for base in library_bases(cls)
        for name, value in vars(base).items()
        if name[0] != "_" and isfunction(inside(value)) and "Returns\n" in (getdoc(inside(value)) or "")
    }
    assert described - marked(cls) - theirs == set()


def test_a_learner_without_the_decorator_is_one_too():
    """Of a package of somebody else: what it adds is shown, what it writes for the loop is not."""

    class Doubled(ThresholdNB):
        def doubled(self, X):
            return 2 * self.predict_proba(X)

    X = np.random.default_rng(0).normal(size=(50, 2))
    model = Doubled().fit(X, X[:, 0] > 0)
    assert {"doubled", "predict", "alpha", "above_"} <= {*dir(model)}
    assert not {"statistic", "solve", "certify", "scores_from", "need"} & {*dir(model)}
    before = model.doubled(X)
    model.set_params(alpha=100.0, threshold=3.0)
    assert model.doubled(X).tobytes() == before.tobytes()


@pytest.mark.filterwarnings("ignore")
def test_what_is_set_after_a_fit_is_for_the_next_one():
    X = np.random.default_rng(0).normal(size=(50, 2))
    y = X[:, 0]
    model = tn.PolynomialRegression(2).fit(X, y)
    before = model.predict(X)
    model.set_params(degree=3)
    assert model.predict(X).tobytes() == before.tobytes()
    assert model.degree == 3
    assert clone(model).degree == 3
    again, fresh = model.fit(X, y), tn.PolynomialRegression(3).fit(X, y)
    assert again.coef_.tobytes() == fresh.coef_.tobytes()
    assert again.predict(X).tobytes() == fresh.predict(X).tobytes()


def test_an_attribute_that_is_assigned_is_a_parameter_that_is_set():
    X = np.random.default_rng(0).normal(size=(50, 2))
    model = tn.Ridge(alpha=1.0).fit(X, X[:, 0])
    model.alpha = 100.0
    assert model.verify().claims == tn.Ridge(alpha=1.0).fit(X, X[:, 0]).certificate_.claims
    assert (model + tn.Ridge(alpha=1.0).fit(-X, X[:, 0])).alpha == 1.0
    with pytest.raises(tn.MergeError, match="alpha is 1.0 and 100.0"):
        model + tn.Ridge(alpha=100.0).fit(-X, X[:, 0])


def test_partial_fit_after_set_params_says_which_parameter_changed():
    X = np.random.default_rng(0).normal(size=(50, 2))
    model = tn.PolynomialRegression(2).fit(X, X[:, 0]).set_params(degree=3)
    with pytest.raises(tn.MergeError, match="degree is 2 and 3"):
        model.partial_fit(-X, X[:, 0])


def test_members_and_arrays_that_change_after_a_fit_change_no_model():
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = X[:, 0] ** 2
    line = tn.Ridge(alpha=1.0)
    team = tn.VotingRegressor([("line", line), ("curve", tn.PolynomialRegression(2))]).fit(X, y)
    before, claims = team.predict(X), team.certificate_.claims
    line.set_params(alpha=1e6)
    team.set_params(curve__degree=5)
    assert team.get_params()["curve__degree"] == 5
    assert team.predict(X).tobytes() == before.tobytes()
    assert team.verify().claims == claims
    assert [m.get_params() for m in team.estimators_] == [
        tn.Ridge(alpha=1.0).get_params(), tn.PolynomialRegression(2).get_params()
    ]  # fmt: skip
    assert [m.predict(X).tobytes() for m in team.estimators_] == [
        tn.Ridge(alpha=1.0).fit(X, y).predict(X).tobytes(), tn.PolynomialRegression(2).fit(X, y).predict(X).tobytes()
    ]  # fmt: skip
    priors = np.array([0.5, 0.5])
    bayes = tn.GaussianNB(priors=priors).fit(X, y > 1)
    before = bayes.predict_proba(X)
    priors[:] = 0.9, 0.1
    assert bayes.predict_proba(X).tobytes() == before.tobytes()
    bayes.verify()


def test_predictions_of_a_source_are_those_of_the_fit():
    X = np.random.default_rng(0).normal(size=(60, 3))
    model = tn.PolynomialRegression(2).fit(X, X[:, 0])
    before = model.predict(X)
    lazy = model.predict(tn.scan(X))
    model.set_params(degree=4)
    assert lazy.collect().tobytes() == before.tobytes()
    assert model.predict(tn.scan(X)).collect().tobytes() == before.tobytes()
    scaler = tn.MinMaxScaler(feature_range=(0, 1)).fit(X)
    scaled = scaler.transform(X)
    scaler.set_params(feature_range=(5, 9))
    assert scaler.transform(tn.scan(X)).collect().tobytes() == scaled.tobytes()
    assert scaler.inverse_transform(scaled).tobytes() == tn.MinMaxScaler().fit(X).inverse_transform(scaled).tobytes()


def test_what_judges_a_model_judges_that_of_the_fit():
    X = np.random.default_rng(0).normal(size=(200, 3))
    y = X[:, 0] ** 2
    model = tn.PolynomialRegression(2).fit(X, y)
    before = tn.permutation_importance(model, X, y, n_repeats=2, random_state=0).importances
    certified = str(tn.certify(model, X + 1, y))
    model.set_params(degree=4, fit_intercept=False)
    assert tn.permutation_importance(model, X, y, n_repeats=2, random_state=0).importances.tobytes() == before.tobytes()
    assert str(tn.certify(model, X + 1, y)) == certified


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
def test_a_fit_does_not_look_at_the_parameters_of_the_last(fitted):
    model, _, table, _, _ = fitted
    again = copy.copy(model)
    again._fitted_params = {name: Poison() for name in again._fitted_params}
    assert bits(again.fit(table.X, table.y, **lengths(model, table)).model_) == bits(model.model_)
