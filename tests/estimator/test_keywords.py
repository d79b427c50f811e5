"""Every keyword of scikit-learn's learner of the same name is taken, is without effect, or is refused with a remedy."""

import inspect
import re
from numbers import Integral

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.utils import all_estimators
from sklearn.utils._param_validation import Interval, Options, StrOptions

import tenfold as tn
from helpers import learners, name_of
from tenfold.core.axes import bits
from tenfold.estimator.shell.keywords import NoEffect, Refused, RefusedValues, keywords_of
from tenfold.testing.data import draw

THEIRS = dict(all_estimators())
OURS = {name_of(one): one for one in learners() if name_of(one) in THEIRS}
MAX_FITS = 3
"""of each keyword without effect"""


def keywords(cls):
    return dict(list(inspect.signature(cls.__init__).parameters.items())[1:])


def decisions(kind):
    """Learner, keyword and decision of one kind."""
    return [
        pytest.param(name, word, one, id=f"{name}-{word}")
        for name, learner in OURS.items()
        for word, one in keywords_of(type(learner)).items()
        if isinstance(one, kind)
    ]


def fitted(learner, **given):
    learner = clone(learner).set_params(**given)
    table = draw(learner.need, 2, rows=40)
    return learner.fit(table.X, table.y)


@pytest.mark.parametrize("name", OURS)
def test_every_keyword_is_decided(name):
    learner, decided = OURS[name], keywords_of(type(OURS[name]))
    ours, theirs = keywords(type(learner)), keywords(THEIRS[name])
    assert not set(theirs) - set(ours), "not a parameter"
    assert not set(decided) - set(theirs), "scikit-learn has no such keyword"
    for word in decided:
        if isinstance(decided[word], (NoEffect, Refused)):
            assert repr(ours[word].default) == repr(theirs[word].default), word
        assert word in type(learner).__doc__


def other_values(takes, default):
    """Values that a keyword may have, beside its default."""
    for one in takes:
        if one in ("boolean", "verbose"):
            yield not default
        elif one == "random_state":
            yield 7
        elif one == "array-like":
            continue
        elif isinstance(one, StrOptions):
            yield from sorted(one.options - {default})
        elif one is str:
            yield "latin-1"
        elif one is Integral:
            yield 2 if default != 2 else 3
        elif isinstance(one, Interval):
            yield next(v for v in (2, 3, 0.25, 0.75) if v != default and one.is_satisfied_by(v))


@pytest.mark.filterwarnings("ignore")  # few rounds are few on purpose
@pytest.mark.parametrize(("name", "word", "decided"), decisions(NoEffect))
def test_a_keyword_without_effect_changes_no_bit(name, word, decided):
    learner = OURS[name]
    default = keywords(type(learner))[word].default
    expected = bits(fitted(learner).model_)
    values = list(other_values(decided.takes, default))[:MAX_FITS]
    assert values
    for value in values:
        assert bits(fitted(learner, **{word: value}).model_) == expected
    with pytest.raises(ValueError, match=word):
        fitted(learner, **{word: object()})


@pytest.mark.parametrize(("name", "word", "decided"), decisions(Refused))
def test_a_keyword_that_is_refused_says_why_and_what_to_do(name, word, decided):
    learner = OURS[name]
    default = keywords(type(learner))[word].default
    assert default in decided.takes or default != default
    value = not default if isinstance(default, bool) else 0.5 if isinstance(default, (int, float)) else "another"
    with pytest.raises(ValueError, match=re.escape(f"{word}={value!r} is {decided}")):
        fitted(learner, **{word: value})


def their_values(name):
    """Words, None, flags and lists that scikit-learn's learner takes, by keyword."""
    for word, takes in (getattr(THEIRS[name], "_parameter_constraints", None) or {}).items():
        for one in takes if isinstance(takes, list) else ():
            if isinstance(one, Options) and one.type is str:
                yield from ((word, value) for value in sorted(one.options))
            elif one is None:
                yield word, None
            elif isinstance(one, str) and one in ("boolean", "array-like"):
                yield from ((word, value) for value in ((True, False) if one == "boolean" else ([0.5, 0.6],)))


@pytest.mark.parametrize("name", OURS)
def test_every_value_is_taken_or_refused_with_a_remedy(name):
    learner = OURS[name]
    for word, value in their_values(name):
        if word not in keywords(type(learner)) or (name, word) == ("OrdinalEncoder", "handle_unknown"):
            continue  # the latter goes with another keyword
        said = refusal(clone(learner).set_params(**{word: value}))
        assert said is None or "Remedy: " in said, f"{word}={value!r}: {said}"


def refusal(learner):
    """What is said of parameters that are refused; None, if all are taken."""
    try:
        learner._validate_params()
    except ValueError as error:
        return str(error)
    return None


def an_example(value):
    """A value of its kind, if it is one of the terms of scikit-learn's constraints; else itself."""
    if isinstance(value, Interval):
        some = (value.right, value.left, *(value.left + more for more in (1, 0.5)))
        return next(one for one in some if value.is_satisfied_by(one))
    return [0.5, 0.6] if value == "array-like" else max if value is callable else "text" if value is str else value


@pytest.mark.parametrize(("name", "word", "decided"), decisions(RefusedValues))
def test_a_value_that_is_refused_says_why_and_what_to_do(name, word, decided):
    for one in decided.each:
        value = an_example(one.value)
        with pytest.raises(ValueError, match=re.escape(f"{word}={value!r} is {one}")):
            clone(OURS[name]).set_params(**{word: value})._validate_params()


def test_a_grid_of_scikit_learn_goes_over_its_own_names():
    table = draw(OURS["RandomForestClassifier"].need, 2, rows=60)
    grid = {"n_jobs": [None, 2], "max_depth": [1, 3]}
    search = GridSearchCV(tn.RandomForestClassifier(n_estimators=3, verbose=0), grid, cv=2).fit(table.X, table.y)
    scores = search.cv_results_["mean_test_score"]
    assert scores[::2].tolist() == scores[1::2].tolist()


def test_another_name_of_a_parameter_gives_the_same_model():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 3))
    y, c = X @ [1.0, 2.0, 0.0], (X[:, 0] > 0).astype(int)
    for a, b, target in (
        (tn.GradientBoostingRegressor(n_estimators=3), tn.GradientBoostingRegressor(max_iter=3), y),
        (tn.GradientBoostingClassifier(n_estimators=3), tn.GradientBoostingClassifier(max_iter=3), c),
        (tn.LogisticRegression(penalty="l1", C=0.1), tn.LogisticRegression(l1_ratio=1.0, C=0.1), c),
        (tn.LogisticRegression(penalty="l2", C=0.1), tn.LogisticRegression(C=0.1), c),
        (
            tn.LogisticRegression(penalty=None),
            tn.LogisticRegression(C=np.inf),
            (random.normal(size=60) > 0).astype(int),
        ),
    ):
        assert bits(a.fit(X, target).model_) == bits(b.fit(X, target).model_)


@pytest.mark.parametrize("learner", [tn.CountVectorizer(), tn.TfidfVectorizer()], ids=name_of)
def test_a_dtype_goes_by_several_names_and_through_a_file(learner, tmp_path):
    documents = ["red apple", "red red wine"]
    for dtype in (np.float64, "float64", np.dtype("f8")):
        clone(learner).set_params(dtype=dtype).fit(documents)
    with pytest.raises(ValueError, match="dtype=<class 'numpy.float32'> is refused"):
        clone(learner).set_params(dtype=np.float32).fit(documents)
    learner.fit(documents).save(tmp_path / "model.tenfold")
    assert tn.load(tmp_path / "model.tenfold").get_params()["dtype"] is learner.dtype


@pytest.mark.parametrize("learner", [tn.GradientBoostingRegressor, tn.HistGradientBoostingRegressor])
def test_losses_and_columns_of_boosted_numbers_are_refused_with_a_remedy(learner):
    X, y = [[0.0], [1.0], [2.0]], [1.0, 2.0, 3.0]
    with pytest.raises(ValueError, match="loss='gamma' is refused.*Remedy.*GammaRegressor"):
        learner(loss="gamma").fit(X, y)
    with pytest.raises(ValueError, match="max_features=0.5 is refused.*RandomForestRegressor"):
        learner(max_features=0.5).fit(X, y)


def test_columns_of_categories_may_be_declared_by_the_rows():
    frame = pd.DataFrame({"shop": [1, 2, 3, 4] * 10, "x": np.arange(40.0)})
    y = np.array([0, 1, 0, 1] * 10)
    model = tn.HistGradientBoostingClassifier(max_iter=2, min_samples_leaf=1)
    assert model.fit(frame.astype({"shop": "category"}), y).is_categorical_.tolist() == [True, False]
    rows = tn.scan(frame.assign(y=y), target="y", categorical=["shop"])
    assert model.fit(rows).is_categorical_.tolist() == [True, False]
