"""The table of what can be added, updated or continued, tried for each learner on a small fit."""

import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

import tenfold as tn
from helpers import by_law_params, learners, name_of
from tenfold.core import MANY, ONE, SEQUENTIAL
from tenfold.core.axes import bits
from tenfold.estimator.shell.keywords import NoEffect, keywords_of
from tenfold.estimator.updating.capabilities import merging_words, partial_fit_words, ways_to_continue
from tenfold.sources import part_rows
from tenfold.testing.data import draw
from updating import updating_rows

ROWS = 64
KEEPING_ROWS = {"KNeighborsClassifier", "KNeighborsRegressor", "LocallyWeightedRegression", "SVC", "SVR"}
"""whose models hold the number of each row in its source: those of a sum begin anew"""
BAYES, TREE = tn.GaussianNB(), tn.DecisionTreeClassifier()
LINE, NUMBERS = tn.Ridge(), tn.DecisionTreeRegressor()
SCALE, GROUPS = tn.StandardScaler(), tn.KMeans(2)
CONDITIONS = {
    "BaggingClassifier": ({"estimator": BAYES}, [{"estimator": TREE}, {"estimator": BAYES, "oob_score": True}]),
    "BaggingRegressor": ({"estimator": LINE}, [{"estimator": NUMBERS}, {"estimator": LINE, "oob_score": True}]),
    "VotingClassifier": ({"estimators": [("a", BAYES)]}, [{"estimators": [("a", BAYES), ("b", TREE)]}]),
    "VotingRegressor": ({"estimators": [("a", LINE)]}, [{"estimators": [("a", LINE), ("b", NUMBERS)]}]),
    "FeatureUnion": (
        {"transformer_list": [("a", SCALE)]},
        [{"transformer_list": [("a", SCALE), ("b", GROUPS)]}],
    ),
    "ColumnTransformer": (
        {"transformers": [("a", SCALE, [0, 1])]},
        [{"transformers": [("a", SCALE, [0]), ("b", GROUPS, [1])]}],
    ),
    "RidgeCV": ({"cv": "random"}, [{"cv": None}, {"cv": 3}]),
    **{name: ({}, [{"cv": 3}]) for name in ("LassoCV", "ElasticNetCV")},
    **{name: ({}, [{"kernel": "precomputed"}]) for name in ("SVC", "SVR", "KernelRidge", "KernelPerceptron")},
}
"""of learners whose models add up on a condition: parameters that meet it, and some that do not"""
BY_ROWS = {"LinearRegression", "Ridge"}
"""of which rows decide"""


def name_and_number(given):
    return f"{name_of(given[1])}-{given[0]}"


EACH = [
    pytest.param(one, id=name_and_number(one), marks=[pytest.mark.full] if one[0] else []) for one in by_law_params()
]


def tables(learner):
    """All rows, and those of two days."""
    precomputed = learner.get_params(deep=False).get("kernel") == "precomputed"
    table = draw(learner.need, 2, rows=ROWS)._replace(weight=np.ones(ROWS))
    if precomputed:
        table = table._replace(X=np.eye(ROWS), word=None)
    days = [table.rows(slice(0, ROWS // 2)), table.rows(slice(ROWS // 2, None))]
    if precomputed:
        days = [day._replace(X=np.eye(ROWS // 2)) for day in days]
    return table, *days


def call(method, table):
    with part_rows(ROWS // 2 * (table.length or 1)):
        return method(table.X, **({} if table.y is None else {"y": table.y}), **table.given)


def fitted(learner, table):
    return call(clone(learner).fit, table)


def outputs(model, table):
    says = next(name for name in ("transform", "predict_proba", "predict", "score_samples") if hasattr(model, name))
    lengths = {name: given for name, given in table.given.items() if name == "lengths"}
    return np.asarray(getattr(model, says)(table.X, **lengths))


def check_same(model, whole, table):
    """To the bit, unless a fit reads its rows again for digits: then the sum lacks them."""
    if name_of(whole) in KEEPING_ROWS:
        np.testing.assert_array_equal(outputs(model, table), outputs(whole, table))
    elif isinstance(whole, tn.TargetEncoder):  # whose folds are those of the numbers of rows in their source
        np.testing.assert_allclose(outputs(model, table), outputs(whole, table), rtol=1e-12)
    elif whole.certificate_.provenance.passes == 1 or not isinstance(whole, tn.LinearRegression | tn.Ridge):
        assert bits(model.model_) == bits(whole.model_)
    else:
        np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-6)


def check_refused(models):
    with pytest.raises(tn.MergeError, match="Remedy: ") as refused:
        models[0] + models[1]
    assert hasattr(models[0], "partial_fit") == (models[0].passes != MANY)
    assert ("partial_fit" in str(refused.value)) == (models[0].passes == SEQUENTIAL)
    if models[0].passes == MANY:
        with pytest.raises(AttributeError, match="has no attribute 'partial_fit'.*Remedy: .*one fit to the rows"):
            models[0].partial_fit  # noqa: B018


def check_added(learner):
    table, *days = tables(learner)
    whole, (a, b) = fitted(learner, table), (fitted(learner, day) for day in days)
    assert whole.certificate_.provenance.parts == 2
    together = a + b
    assert together.certificate_.provenance.rows == len(table.X)
    if learner.draws_rows:
        assert together.certificate_["rows drawn together"].value == len(table.X) // 2
    else:
        check_same(together, whole, table)
    check_same(call(a.partial_fit, days[1]), whole, table)


@pytest.mark.filterwarnings("ignore")  # few rounds, few rows
@pytest.mark.parametrize("given", EACH)
def test_what_models_do_with_more_rows(given):
    _, learner = given
    _, *days = tables(learner)
    if learner.passes == ONE:
        check_added(learner)
        return
    models = [fitted(learner, day) for day in days]
    check_refused(models)
    if learner.passes == SEQUENTIAL and learner.get_params(deep=False).get("class_weight") != "balanced":
        before = bits(models[0].model_)
        call(models[0].partial_fit, days[1])
        assert bits(models[0].model_) != before, "it has not learned"
        assert bits(models[0].model_) != bits(fitted(learner, days[1]).model_), "it has begun anew"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CONDITIONS)
def test_conditions_on_which_models_add_up(name):
    kind, (met, unmet) = getattr(tn, name), CONDITIONS[name]
    check_added(kind(**met))
    for params in unmet:
        models = [fitted(kind(**params), day) for day in tables(kind(**params))[1:]]
        with pytest.raises(tn.MergeError, match="Remedy: "):
            models[0] + models[1]


@pytest.mark.filterwarnings("ignore:column 'x0' holds numbers stored as text")
@pytest.mark.parametrize("name", sorted(BY_ROWS))
def test_rows_of_very_many_categories_are_fitted_at_once(name):
    rows = np.tile(np.arange(2_101).astype(str).astype(object), 2)[:, None]
    a, b = (getattr(tn, name)().fit(rows, np.arange(len(rows)) % divisor) for divisor in (5.0, 7.0))
    with pytest.raises(tn.MergeError, match="Remedy: fit to all rows"):
        a + b


def test_an_invalid_member_is_no_error_where_nothing_is_fitted():
    assert not hasattr(tn.VotingClassifier([("a", object())]), "partial_fit")
    assert not hasattr(tn.BaggingClassifier(object()), "partial_fit")


def test_pipelines_add_up_where_they_say():
    table, *days = tables(tn.Ridge())
    same = [tn.make_pipeline(tn.Normalizer(), tn.Ridge()).fit(day.X, day.y) for day in days]
    with part_rows(ROWS // 2):
        whole = tn.make_pipeline(tn.Normalizer(), tn.Ridge()).fit(table.X, table.y)
    assert (same[0] + same[1]).predict(table.X).tobytes() == whole.predict(table.X).tobytes()
    other = [tn.make_pipeline(tn.StandardScaler(), tn.Ridge()).fit(day.X, day.y) for day in days]
    with pytest.raises(tn.MergeError, match="Remedy: "):
        other[0] + other[1]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("learner", [one for one in learners() if "warm_start" in one._parameters], ids=name_of)
def test_what_continues_a_fit(learner):
    learner.set_params(**learner.law_params[0])
    _, *days = tables(learner)
    ways, decision = ways_to_continue(learner), keywords_of(type(learner)).get("warm_start")
    if not ways and not isinstance(decision, NoEffect):
        with pytest.raises(tn.ParameterError, match="warm_start=True is refused.*Remedy"):
            fitted(learner.set_params(warm_start=True), days[0])
        return
    model = fitted(learner.set_params(warm_start="warm_start" in ways or not ways), days[0])
    if ways:
        rounds = next(name for name in ("n_estimators", "max_iter") if name in learner._parameters)
        model.set_params(**{rounds: 2 * getattr(learner, rounds)})
    begun = bits(fitted(model, days[1]).model_)
    if "start" in ways:
        assert bits(call(partial(clone(model).fit, start=model), days[1]).model_) != begun
    assert (bits(call(model.fit, days[1]).model_) != begun) == ("warm_start" in ways)


@pytest.mark.parametrize(
    ("first", "second", "to_the_bit"),
    [(1, 1, True), (4, 3, True), (4, 4, True), (3, 1, False), (3, 3, False), (1, 2, False)],
)
def test_a_sum_is_one_fit_to_both_days(first, second, to_the_bit):
    """To the bit if the first day has 1, 2, 4, 8 ... parts and the second no more, as the guide says; else nearly."""
    rng, rows, cut = np.random.default_rng(0), 50 * (first + second), 50 * first
    X = rng.normal(size=(rows, 4))
    y = X @ [1.0, 2.0, 3.0, 4.0] + rng.normal(size=rows)
    with part_rows(50):
        whole, a, b = (tn.Ridge().fit(X[some], y[some]) for some in (slice(None), slice(cut), slice(cut, None)))
    np.testing.assert_allclose((a + b).coef_, whole.coef_, rtol=1e-12)
    if to_the_bit:
        assert bits((a + b).model_) == bits(whole.model_)


# ---- what is said of it ------------------------------------------------------------------------------


def test_every_learner_has_a_row():
    rows = {name: rest for name, *rest in updating_rows()}
    public = {name for name in tn.__all__ if getattr(tn, name) in map(type, learners())}
    assert rows.keys() == {"Pipeline", *public}
    assert rows["Ridge"] == ["if categories are at most 2,000", "if categories are at most 2,000", "no"]
    assert rows["KMeans"] == ["no", "no", "`start`"]
    assert rows["LinearSVC"] == ["no", "no", "no"]
    assert rows["LassoCV"][0] == "with `cv=None`; drawn"
    assert rows["MLPRegressor"] == ["no", "walks on", "`start`, `warm_start`"]
    assert rows["HistGradientBoostingRegressor"] == ["no", "no", "`start`, `warm_start`"]


def test_conditions_are_tried():
    conditional = {name_of(one) for one in learners() if one.merges_if}
    assert conditional == CONDITIONS.keys() | BY_ROWS


@pytest.mark.parametrize("learner", learners(), ids=name_of)
def test_conditions_are_declared(learner):
    """Whoever decides by parameters or rows says on what it depends."""
    kind = type(learner)
    decides = not isinstance(kind.passes, str) or kind.does_not_merge is not tn.KMeans.does_not_merge
    assert decides == bool(learner.merges_if)
    assert merging_words(learner) in ("yes", "no") or learner.merges_if
    if not learner.merges_if:
        assert partial_fit_words(learner) == {ONE: "yes", MANY: "no", SEQUENTIAL: "walks on"}[learner.passes]


def test_the_readme_says_no_more():
    """It leads to the table of updating, and the models that it adds up are of learners whose models do."""
    text = (Path(__file__).parents[1] / "README.md").read_text()
    assert "/updating" in text
    assert "/learners" in text
    added = set(re.findall(r"^(\w+) = (\w+) \+ (\w+)  #", text, re.M))
    assert added
    for _, one, other in added:
        kinds = {re.findall(rf"^{name} = tn\.(\w+)\(", text, re.M)[0] for name in (one, other)}
        (kind,) = kinds
        assert merging_words(getattr(tn, kind)()) != "no"
