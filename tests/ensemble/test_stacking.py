"""Stacks against scikit-learn's with the same folds and members, and against out-of-fold predictions by hand."""

import numpy as np
import pytest
import sklearn.ensemble as peers
import sklearn.linear_model as linear
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB as PeerNB

import tenfold as tn
from helpers import parts_of
from tenfold.core import Columns
from tenfold.core.rows.chunk import ROW_IDS_PER_LEVEL
from tenfold.sources import part_rows
from tenfold.stats.moments.moments import Comoments
from tenfold.stats.rows.draws import ROW_STREAM, keys_of, times_of
from tenfold.testing import bits, check_laws

rng = np.random.default_rng(8)
X = rng.standard_normal((500, 4))
y = X @ [1.0, -2.0, 0.5, 0.0] + np.abs(X[:, 0]) + 0.5 * rng.standard_normal(500)
label = np.array(["a", "b", "c"])[np.digitize(y, [-1.0, 1.0])]


def folds_of(stack, weight, rows=None):
    """The fold of each row that has a weight, in parts of so many rows."""
    out = np.full(len(weight), -1)
    with part_rows(rows):
        for there, chunk in parts_of(weight):
            out[there] = stack.folds().coder(chunk.part)(chunk)
    return out


def pairs(fold):
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in np.unique(fold)]


@pytest.mark.quick
@pytest.mark.parametrize("passthrough", [False, True])
@pytest.mark.parametrize("rows", [None, 60])
def test_regressors_as_scikit_learn_has_them(passthrough, rows):
    ours = [("a", tn.Ridge(0.5)), ("b", tn.Ridge(500.0)), ("c", tn.LinearRegression())]
    theirs = [("a", linear.Ridge(0.5)), ("b", linear.Ridge(500.0)), ("c", linear.LinearRegression())]
    stack = tn.StackingRegressor(ours, tn.Ridge(0.1), passthrough=passthrough)
    with part_rows(rows or 1000):
        model = stack.fit(X, y)
    cv = pairs(folds_of(model, np.ones(len(X)), rows))
    assert len(cv) == 5
    assert min(len(test) for _, test in cv) > 60
    peer = peers.StackingRegressor(theirs, linear.Ridge(0.1), cv=cv, passthrough=passthrough).fit(X, y)
    np.testing.assert_allclose(model.predict(X), peer.predict(X), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(model.final_estimator_.coef_, peer.final_estimator_.coef_, rtol=1e-5, atol=1e-7)
    assert model.stack_method_ == peer.stack_method_


@pytest.mark.parametrize("target", [label, label == "a"])
def test_classifiers_as_scikit_learn_has_them(target):
    ours = [("bayes", tn.GaussianNB()), ("line", tn.LogisticRegression(1.0))]
    theirs = [("bayes", PeerNB()), ("line", linear.LogisticRegression(C=1.0, tol=1e-10, max_iter=2000))]
    fold = rng.integers(0, 4, len(X))
    model = tn.StackingClassifier(ours, tn.LogisticRegression(1.0), cv=fold).fit(X, target)
    final = linear.LogisticRegression(C=1.0, tol=1e-10, max_iter=2000)
    peer = peers.StackingClassifier(theirs, final, cv=pairs(fold)).fit(X, target)
    np.testing.assert_allclose(model.predict_proba(X), peer.predict_proba(X), atol=2e-5)
    assert model.stack_method_ == peer.stack_method_ == ["predict_proba"] * 2
    same = tn.StackingClassifier(ours, tn.LogisticRegression(1.0), cv=pairs(fold)).fit(X, target)
    assert bits(same.model_) == bits(model.model_)


def test_out_of_fold_by_hand():
    """Members of many passes, weights, and a last learner of any kind."""
    weight = rng.integers(0, 3, len(X)).astype(float)
    team = [("tree", tn.DecisionTreeClassifier(max_depth=3)), ("bayes", tn.GaussianNB())]
    with part_rows(100):
        model = tn.StackingClassifier(team, tn.GaussianNB(), cv=3).fit(X, label, sample_weight=weight)
        fold = folds_of(model, weight, 100)
        told = np.zeros((len(X), 6))
        for at, (_, member) in enumerate(team):
            for k in range(3):
                alone = clone(member).fit(X, label, sample_weight=weight * (fold != k))
                told[fold == k, 3 * at : 3 * at + 3] = alone.predict_proba(X[fold == k])
        last = tn.GaussianNB().fit(told, label, sample_weight=weight)
        whole = np.hstack([clone(member).fit(X, label, sample_weight=weight).predict_proba(X) for _, member in team])
    np.testing.assert_allclose(model.final_estimator_.theta_, last.theta_, rtol=1e-9)
    np.testing.assert_allclose(model.predict_proba(X), last.predict_proba(whole), rtol=1e-6, atol=1e-12)


def test_scans():
    """One for all folds of one-pass members; what they say is read once and then held."""
    model = tn.StackingRegressor([("a", tn.Ridge()), ("b", tn.Ridge(9.0))], tn.Ridge()).fit(X, y)
    assert model.certificate_.provenance.passes == 2
    seen = tn.StackingRegressor([(f"r{k}", tn.Ridge(2.0**k)) for k in range(9)])
    counts = []

    def groups(self, chunk, codes, k, summarize=Comoments.summarize_groups):
        counts.append((chunk.n, k))
        return summarize(self, chunk, codes, k)

    def whole(self, chunk, summarize=Comoments.summarize):
        counts.append((chunk.n, 1))
        return summarize(self, chunk)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Comoments, "summarize_groups", groups)
        patch.setattr(Comoments, "summarize", whole)
        seen.fit(X, y)
    assert counts == [(len(X), 5), (len(X), 1)]  # five folds for all nine; then what they say
    assert [turn["asked"] for turn in model.history_][:2] == ["Comoments", "Comoments"]


def test_passthrough_of_words():
    words = np.array(["u", "v", "w"], dtype=object)[rng.integers(0, 3, len(X))]
    both = np.column_stack([X.astype(object), words])
    shift = y + 3.0 * (words == "v")
    team = [("tree", tn.DecisionTreeRegressor(max_depth=3)), ("line", tn.Ridge())]
    model = tn.StackingRegressor(team, tn.Ridge(), passthrough=True).fit(both, shift)
    assert len(model.final_estimator_.coef_) == 2 + 4 + 3
    assert model.score(both, shift) > 0.9
    assert model.verify().origin == "verified"


def test_a_last_learner_that_draws_rows_draws_them_independently_of_folds():
    """Its trees see rows of both folds, and rows they have not drawn are scored fairly."""
    last = tn.RandomForestRegressor(60, max_depth=4)
    model = tn.StackingRegressor([("a", tn.Ridge()), ("b", tn.DummyRegressor())], last, cv=2).fit(X, y)
    fold, places = folds_of(model, np.ones(len(X))), np.arange(len(X)) + ROW_IDS_PER_LEVEL
    drawn = np.array([times_of(places, key) > 0 for key in keys_of(0, ROW_STREAM, 0, 60)])
    share = np.array([drawn[:, fold == k].mean(axis=1) for k in (0, 1)])
    assert (np.abs(share - (1 - np.exp(-1))) < 5 * np.sqrt(0.233 / 250)).all()
    assert 0.5 < model.final_estimator_.oob_score_ < 1


def test_few_distinct_rows():
    """Equal rows are in different folds, so that every model has seen every kind of row."""
    kinds, n = rng.integers(0, 2, (3000, 2)), 3000
    target = np.where(rng.random(n) < 0.1 + 0.5 * kinds[:, 0], "yes", "no")
    frame = np.where(kinds == 1, "f", "m").astype(object)
    team = [("tree", tn.DecisionTreeClassifier()), ("line", tn.LogisticRegression())]
    model = tn.StackingClassifier(team).fit(frame, target)
    best = max(member.score(frame, target) for member in model.estimators_)
    assert model.score(frame, target) >= best - 0.01


def test_folds_of_a_stack_in_a_stack_are_drawn_anew():
    """With the folds of the outer one, the inner would have no rows to learn from, or to be told."""
    inner = tn.StackingRegressor([("a", tn.Ridge()), ("b", tn.DummyRegressor())], cv=2)
    outer = tn.StackingRegressor([("in", inner), ("c", tn.LinearRegression())], cv=2).fit(X, y)
    for one in outer.model_.members.each[:3]:
        rows = one.seen[[0, 1]]  # of the models of Ridge without a fold
        assert rows.min() > 0.4 * rows.sum()
    assert outer.certificate_.get("models without rows") is None


@pytest.mark.parametrize("target", [label, label == "a"])
def test_decision_functions_are_those_of_the_members(target):
    team = [("a", tn.LinearDiscriminantAnalysis()), ("b", tn.LogisticRegression())]
    model = tn.StackingClassifier(team, tn.GaussianNB(), stack_method="decision_function", cv=2).fit(X, target)
    want = np.column_stack([member.decision_function(X) for member in model.estimators_])
    np.testing.assert_array_equal(model.out_of_fold(model.model_, Columns(X), 2), want)
    assert model.score(X, target) > 0.8
    alone = (target == target[0]).astype(int)  # the rows of a class in one fold: the model without it has no score
    with pytest.raises(tn.DataError, match="no finite score.*Remedy: stack_method='predict_proba'"):
        tn.StackingClassifier(team, stack_method="decision_function", cv=alone).fit(X, target)


@pytest.mark.parametrize("method", ["predict", "predict_proba"])
def test_methods(method):
    team = [("a", tn.GaussianNB()), ("b", tn.LinearDiscriminantAnalysis())]
    model = tn.StackingClassifier(team, stack_method=method).fit(X, label)
    assert model.stack_method_ == [method] * 2
    assert model.model_.last.width == (2 if method == "predict" else 6)
    assert model.score(X, label) > 0.7


def test_same_bits_for_threads_and_files(tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=list("abcd")).assign(kind=label)
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=125)
    with part_rows(125):
        model = tn.StackingClassifier().fit(frame[list("abcd")], label)
    for threads in (1, 3):
        with tn.on(tn.Local(threads=threads)):
            other = tn.StackingClassifier().fit(tn.scan(tmp_path / "rows.parquet", target="kind"))
        assert bits(other.model_) == bits(model.model_)


@pytest.mark.quick
def test_file(tmp_path):
    for model, target in ((tn.StackingClassifier(passthrough=True), label), (tn.StackingRegressor(), y)):
        model.fit(X, target).save(tmp_path / "stack.tenfold")
        back = tn.load(tmp_path / "stack.tenfold")
        assert bits(back.model_) == bits(model.model_)
        assert back.verify().origin == "verified"
        assert (back.predict(X) == model.predict(X)).all()
        assert bits(back.final_estimator_.model_) == bits(model.final_estimator_.model_)


def test_laws_of_other_stacks():
    team = [("tree", tn.DecisionTreeClassifier(max_depth=2)), ("bayes", tn.GaussianNB())]
    check_laws(tn.StackingClassifier(team, passthrough=True, cv=2), draws=2)


def test_cross_validated_and_stacked_again():
    inner = tn.StackingRegressor([("a", tn.Ridge()), ("b", tn.DummyRegressor())], cv=2)
    outer = tn.StackingRegressor([("in", inner), ("c", tn.LinearRegression())], cv=2)
    assert tn.cross_validate(outer, X, y, folds=3).scores.mean() > 0.5
    assert [type(m).__name__ for m in outer.fit(X, y).estimators_] == ["StackingRegressor", "LinearRegression"]


def test_refused():
    with pytest.raises(TypeError, match="not a learner of tenfold"):
        tn.StackingRegressor(final_estimator=linear.Ridge()).fit(X, y)
    with pytest.raises(TypeError, match="categories only"):
        tn.StackingClassifier(final_estimator=tn.CategoricalNB()).fit(X, label)
    with pytest.raises(ValueError, match="no decision_function"):
        tn.StackingClassifier(stack_method="decision_function", estimators=[("a", tn.GaussianNB())]).fit(X, label)
    with pytest.raises(ValueError, match="one fold"):
        tn.StackingRegressor(cv=np.zeros(500)).fit(X, y)
    with pytest.raises(tn.DataError, match="fewer than rows"):
        tn.StackingRegressor(cv=np.arange(400) % 3).fit(X, y)
    with pytest.raises(tn.DataError, match="600 entries, but there are 500 rows"):
        tn.StackingRegressor(cv=np.arange(600) % 3).fit(X, y)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("given", [{}, {"passthrough": True}, {"stack_method": "predict"}])
def test_what_members_say_is_transformed_as_scikit_learn_does(classes, given):
    random = np.random.default_rng(8)
    X = random.normal(size=(120, 3))
    y = np.digitize(X[:, 0] + 0.3 * random.normal(size=120), [0.0, 0.7][: classes - 1])
    ours = tn.StackingClassifier([("bayes", tn.GaussianNB()), ("wide", tn.GaussianNB(var_smoothing=0.5))], **given)
    theirs = peers.StackingClassifier([("bayes", PeerNB()), ("wide", PeerNB(var_smoothing=0.5))], **given)
    ours.fit(X, y)
    theirs.fit(X, y)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), atol=1e-9)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()


def test_a_pipeline_as_the_member_of_a_bag_is_refused_with_remedies_that_work():
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
    pipeline = tn.make_pipeline(tn.StandardScaler(), tn.LogisticRegression())
    with pytest.raises(TypeError, match=r"is a pipeline, .*Remedy: put its steps before the ensemble, make_pip"):
        tn.BaggingClassifier(pipeline).fit(X, y)
    before = tn.make_pipeline(tn.StandardScaler(), tn.BaggingClassifier(tn.LogisticRegression()))
    assert before.fit(X, y).predict(X).shape == (40,)
    assert peers.BaggingClassifier(pipeline, 2).fit(X, y).predict(X).shape == (40,)
