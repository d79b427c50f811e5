"""AdaBoost of any learner: against the definition, scikit-learn's, the stumps, and every runner."""

from functools import wraps

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier as Peer
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB as TheirGaussian
from sklearn.tree import DecisionTreeClassifier as TheirTree

import faults
import tenfold as tn
from tenfold.sources import part_rows
from tenfold.testing import bits, check_contract, check_law, check_laws

MEMBERS = {
    "GaussianNB": tn.GaussianNB(),
    "LinearDiscriminantAnalysis": tn.LinearDiscriminantAnalysis(),
    "QuadraticDiscriminantAnalysis": tn.QuadraticDiscriminantAnalysis(),
    "FisherDiscriminant": tn.FisherDiscriminant(),
    "LeastSquaresClassifier": tn.LeastSquaresClassifier(),
    "LogisticRegression": tn.LogisticRegression(C=0.01),
    "DecisionStump": tn.DecisionStump(),
    "DecisionTreeClassifier": tn.DecisionTreeClassifier(max_depth=2, max_features=2),
    "C45": tn.C45(max_depth=2),
    "SLIQ": tn.SLIQ(max_depth=2),
    "pruned": tn.DecisionTreeClassifier(prune="reduced_error", max_depth=4),
    "RandomForestClassifier": tn.RandomForestClassifier(3, max_depth=2),
    "HistGradientBoostingClassifier": tn.HistGradientBoostingClassifier(
        max_iter=2, max_leaf_nodes=4, early_stopping=True
    ),
    "RuleListClassifier": tn.RuleListClassifier(max_depth=3),
    "AdaBoostClassifier": tn.AdaBoostClassifier(n_estimators=2),
}


def rows(seed=0, n=300, classes=3):
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, 4))
    score = X[:, 0] + X[:, 1] * X[:, 2] + 0.8 * random.standard_normal(n)
    y = np.array(["low", "middle", "high"])[np.searchsorted(np.quantile(score, np.arange(1, classes) / classes), score)]
    return X, y, random.integers(1, 4, n).astype(float)


def mixed(n=500):
    """Numbers and categories, some missing."""
    random = np.random.default_rng(1)
    x, c = random.standard_normal(n), random.integers(0, 8, n)
    y = (x + np.isin(c, [1, 4, 6]) + 0.3 * random.standard_normal(n) > 0.5).astype(int)
    frame = pd.DataFrame({"x": np.where(random.random(n) < 0.2, np.nan, x), "z": random.standard_normal(n)})
    frame["c"] = pd.Series(np.array(list("abcdefgh"), dtype=object)[c]).where(random.random(n) > 0.1)
    return frame, y


@pytest.mark.parametrize("name", MEMBERS)
def test_each_member_is_a_fit_to_the_weighted_rows(name):
    """Round by round with `fit` itself, and weights by the definition; the first has the bits of a plain fit."""
    X, y, weight = rows()
    learner = tn.AdaBoostClassifier(MEMBERS[name], n_estimators=4)
    model = clone(learner).fit(X, y, sample_weight=weight)
    plain = clone(MEMBERS[name]).fit(X, y, sample_weight=weight)
    assert bits(model.model_.members.each[0]) == bits(plain.model_)
    w = weight.copy()
    for t, member in enumerate(model.estimators_):
        again = clone(member).fit(X, y, sample_weight=w)  # with the seed of this round
        said = member.predict(X)
        assert (again.predict(X) == said).all()
        wrong = said != y
        error = w[wrong].sum() / w.sum()
        assert model.estimator_errors_[t] == pytest.approx(error, abs=1e-12)
        if 0 < error < 2 / 3:
            assert model.estimator_weights_[t] == pytest.approx(np.log((1 - error) / error) + np.log(2), rel=1e-12)
        w = w * np.exp(model.estimator_weights_[t] * wrong)
        w *= weight.sum() / w.sum()
    votes = sum(
        a * (m.predict(X)[:, None] == model.classes_) for a, m in zip(model.estimator_weights_, model.estimators_)
    )
    assert (model.predict(X) == model.classes_[votes.argmax(axis=1)]).all()
    assert model.certificate_["training error"].value >= weight[model.predict(X) != y].sum() / weight.sum() - 1e-12


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (tn.GaussianNB(), TheirGaussian()),
        (tn.DecisionTreeClassifier(max_depth=2), TheirTree(max_depth=2)),
        (tn.LogisticRegression(), TheirLogistic(C=200.0, tol=1e-12, max_iter=1000)),  # its weights sum to 1
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_the_rounds_of_the_peer(ours, theirs, classes):
    X, y, _ = rows(2, n=200, classes=classes)
    model = tn.AdaBoostClassifier(ours, n_estimators=5).fit(X, y)
    peer = Peer(theirs, n_estimators=5).fit(X, y)
    t = min(len(model.estimator_errors_), len(peer.estimators_))
    np.testing.assert_allclose(model.estimator_errors_[:t], peer.estimator_errors_[:t], atol=1e-7)
    np.testing.assert_allclose(model.estimator_weights_[:t], peer.estimator_weights_[:t], rtol=1e-6)
    if len(model.estimator_errors_) == len(peer.estimators_):
        np.testing.assert_allclose(model.predict_proba(X), peer.predict_proba(X), atol=1e-7)


@pytest.mark.parametrize("seed", range(6))
def test_stumps_as_members_are_the_stumps_of_the_fast_way(seed):
    X, y, weight = rows(seed, n=200)
    fast = tn.AdaBoostClassifier(n_estimators=10).fit(X, y, sample_weight=weight)
    slow = tn.AdaBoostClassifier(tn.DecisionStump(), n_estimators=10).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(slow.estimator_errors_, fast.estimator_errors_, rtol=1e-9)
    assert [member.tree_.feature[0] for member in slow.estimators_] == fast.feature_.tolist()
    np.testing.assert_allclose([member.tree_.threshold[0] for member in slow.estimators_], fast.threshold_)


def test_categories_and_missing_values(tmp_path):
    frame, y = mixed()
    boosted = tn.AdaBoostClassifier(tn.DecisionStump(), n_estimators=20).fit(frame, y)
    alone = tn.DecisionStump().fit(frame, y)
    assert boosted.score(frame, y) > alone.score(frame, y) + 0.05
    features = {int(member.tree_.feature[0]) for member in boosted.estimators_}
    assert {0, 2} <= features
    frame.assign(y=y).to_parquet(tmp_path / "rows.parquet", row_group_size=60)
    source = tn.scan(tmp_path / "rows.parquet", target="y")
    assert len(source) == 9
    again = tn.AdaBoostClassifier(tn.DecisionStump(), n_estimators=20).fit(source)
    np.testing.assert_allclose(again.estimator_errors_, boosted.estimator_errors_, rtol=1e-9)
    assert (again.predict(source).collect() == boosted.predict(frame)).all()


@pytest.mark.parametrize("name", ["GaussianNB", "DecisionTreeClassifier", "HistGradientBoostingClassifier"])
def test_the_same_bits_held_in_memory_spilled_and_on_threads(name, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    X, y, weight = rows()
    found = set()
    for memory in (None, 20_000, 0):
        for threads in (1, 3):
            with tn.on(tn.Local(threads=threads, memory=memory)), part_rows(50):
                model = tn.AdaBoostClassifier(MEMBERS[name], n_estimators=4).fit(X, y, sample_weight=weight)
            found.add((bits(model.model_), bits(model.summary_)))
    assert len(found) == 1
    assert not list(tmp_path.iterdir())  # nothing is left behind


@pytest.mark.full
@pytest.mark.timeout(120)
def test_the_same_bits_on_a_cluster_whatever_happens_to_a_worker(tmp_path):
    frame, y = mixed(1000)
    frame.assign(y=y).to_parquet(tmp_path / "rows.parquet", row_group_size=100)

    def fit():
        rows = tn.scan(tmp_path / "rows.parquet", target="y")
        return bits(tn.AdaBoostClassifier(tn.DecisionStump(), n_estimators=4).fit(rows).model_)

    expected = fit()
    with faults.Cluster(2) as cluster, tn.on(cluster.runner):
        assert fit() == expected
        with cluster.after(30, lambda: cluster.kill(0)) as seen:
            assert fit() == expected
        assert seen.fired


def test_laws():
    check_laws(tn.AdaBoostClassifier(tn.GaussianNB(), n_estimators=3), draws=4)
    for law in ("associative", "identity", "pure", "threads", "following", "certified"):
        check_law(law, tn.AdaBoostClassifier(tn.DecisionTreeClassifier(max_depth=2), n_estimators=3), draws=4)


@pytest.mark.parametrize("member", [tn.GaussianNB(), tn.DecisionStump()], ids=["GaussianNB", "DecisionStump"])
def test_contract(member):
    assert len(check_contract(tn.AdaBoostClassifier(member, n_estimators=5), rows=7)) > 50


def test_a_model_file_and_what_is_refused(tmp_path):
    X, y, weight = rows()
    model = tn.AdaBoostClassifier(tn.C45(max_depth=2), n_estimators=4).fit(X, y, sample_weight=weight)
    model.save(tmp_path / "a.tenfold")
    again = tn.load(tmp_path / "a.tenfold")
    assert bits(again.model_) == bits(model.model_)
    assert again.verify().origin == "verified"
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.estimator.max_depth == 2
    model.estimators_[1].save(tmp_path / "member.tenfold", summary=False)
    assert (tn.load(tmp_path / "member.tenfold").predict(X) == model.estimators_[1].predict(X)).all()
    members = model.model_.members
    model.model_ = model.model_._replace(members=type(members)(members.each[:-1]))  # a round without a member
    with pytest.raises(tn.ModelFileError, match="does not fit the schema"):
        model.save(tmp_path / "b.tenfold")


def test_an_interrupt_at_every_turn(tmp_path, monkeypatch):
    X, y, weight = rows()
    learner = tn.AdaBoostClassifier(tn.DecisionTreeClassifier(max_depth=2), n_estimators=2)
    whole = clone(learner).fit(X, y, sample_weight=weight)
    update, turns = tn.AdaBoostClassifier.update, []

    @wraps(update)
    def counted(this, state, summary):
        turns.append(state)
        if len(turns) == last:
            raise KeyboardInterrupt
        return update(this, state, summary)

    monkeypatch.setattr(tn.AdaBoostClassifier, "update", counted)
    for last in range(1, 10):
        turns.clear()
        with pytest.raises(KeyboardInterrupt):
            clone(learner).fit(X, y, sample_weight=weight, checkpoint=tmp_path)
        found = clone(learner).fit(X, y, sample_weight=weight, checkpoint=tmp_path)
        assert bits(turns[last]) == bits(turns[last - 1])  # it went on where it was
        assert bits(found.model_) == bits(whole.model_)
        assert found.certificate_ == whole.certificate_


def test_members_draw_anew_and_the_seed_says_what():
    X, y, weight = rows()

    def fit(**params):
        tree = tn.DecisionTreeClassifier(max_depth=2, max_features=1, random_state=params.pop("inner", 0))
        return tn.AdaBoostClassifier(tree, n_estimators=6, **params).fit(X, y, sample_weight=weight)

    assert [member.random_state for member in fit(random_state=3).estimators_] == [3, 4, 5, 6, 7, 8]
    assert bits(fit(random_state=3).model_) == bits(fit(random_state=3).model_) == bits(fit(inner=3).model_)
    assert bits(fit(random_state=3).model_) != bits(fit(random_state=4).model_)
    drawn = fit(random_state=None)
    assert bits(fit(random_state=drawn.certificate_.provenance.seed).model_) == bits(drawn.model_)


def test_it_is_judged_and_tuned_like_any_learner():
    X, y, _ = rows()
    learner = tn.AdaBoostClassifier(tn.DecisionTreeClassifier(), n_estimators=5)
    found = tn.tune(learner, {"estimator__max_depth": [1, 2]}, X, y, folds=3)
    assert found.best_estimator_.estimator.max_depth == found.best_params_["estimator__max_depth"]
    best = clone(learner).set_params(**found.best_params_).fit(X, y)
    assert bits(best.model_) == bits(found.best_estimator_.model_)
    both = [learner, tn.AdaBoostClassifier(tn.GaussianNB(), n_estimators=5)]
    scores = tn.cross_validate(both, X, y, folds=3).scores
    for one, found in zip(both, scores, strict=True):
        np.testing.assert_array_equal(found[0], tn.cross_validate(one, X, y, folds=3).scores[0, 0])


@pytest.mark.parametrize("member", [tn.DecisionTreeClassifier(max_depth=2), tn.GaussianNB(), tn.LogisticRegression()])
def test_folds_learn_from_their_own_rows_alone(member):
    """From the first round on: scikit-learn's loop over the same folds gives the same scores."""
    X, y, _ = rows()
    learner = tn.AdaBoostClassifier(member, n_estimators=4)
    found = tn.cross_validate(learner, X, y, folds=3).scores[0, 0]
    np.testing.assert_allclose(found, cross_val_score(learner, X, y, cv=StratifiedKFold(3)), atol=1e-12)
    whole = tn.fit_together([learner, tn.GaussianNB()], X, y)[0]
    assert bits(whole.model_) == bits(clone(learner).fit(X, y).model_)


def test_what_cannot_be_boosted():
    X, y, _ = rows()
    with pytest.raises(TypeError, match="must be a classifier of tenfold.*Remedy"):
        tn.AdaBoostClassifier(TheirTree()).fit(X, y)
    with pytest.raises(TypeError, match="must be a classifier of tenfold"):
        tn.AdaBoostClassifier(tn.LinearRegression()).fit(X, y)
    with pytest.raises(ValueError, match="SGDClassifier goes one row after another.*Remedy"):
        tn.AdaBoostClassifier(tn.SGDClassifier()).fit(X, y)
    with pytest.raises(ValueError, match="max_depth"):
        tn.AdaBoostClassifier(tn.DecisionTreeClassifier(max_depth=0)).fit(X, y)
    with pytest.raises(AttributeError, match="estimators_"):
        _ = tn.AdaBoostClassifier().estimators_


def test_a_member_without_error_decides_alone_and_a_first_no_better_than_chance_is_refused():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    model = tn.AdaBoostClassifier(tn.DecisionTreeClassifier(), n_estimators=10).fit(X, [0, 1, 1, 0])
    assert model.estimator_errors_.tolist() == [0.0]
    assert model.certificate_["training error bound"].value == 0
    with pytest.raises(tn.DataError, match="no better than chance"):
        tn.AdaBoostClassifier(tn.DecisionStump(), n_estimators=10).fit([[0.0], [0.0]], [0, 1])


def test_the_rows_are_read_once():
    """One scan: the rows are held, and their weights follow."""
    X, y, _ = rows()
    source = tn.scan(X, y)
    loads, read = [], type(source).read

    class Counting(type(source)):
        def read(self, part, need, schema):
            loads.append(part)
            return read(self, part, need, schema)

    source.__class__ = Counting
    tn.AdaBoostClassifier(tn.GaussianNB(), n_estimators=6).fit(source)
    assert len(loads) == len(source)


@pytest.mark.parametrize("member", [None, tn.DecisionStump()], ids=["stumps", "DecisionStump"])
def test_what_is_said_after_each_round(member):
    X, y, weight = rows()
    model = tn.AdaBoostClassifier(member, n_estimators=6).fit(X, y, sample_weight=weight)
    with part_rows(70):
        stages = list(model.staged_predict(X))
        likely, decided = list(model.staged_predict_proba(X)), list(model.staged_decision_function(X))
        scores = list(model.staged_score(X, y, weight))
    assert len(stages) == len(likely) == len(decided) == len(scores) == len(model.estimator_errors_) == 6
    for t, said in enumerate(stages, 1):
        fewer = tn.AdaBoostClassifier(member, n_estimators=t).fit(X, y, sample_weight=weight)
        assert (fewer.predict(X) == said).all()
        np.testing.assert_allclose(likely[t - 1], fewer.predict_proba(X), rtol=0, atol=1e-14)
        np.testing.assert_allclose(decided[t - 1], fewer.decision_function(X), rtol=0, atol=1e-14)
        assert scores[t - 1] == fewer.score(X, y, weight)
    with pytest.raises(TypeError, match="staged predictions take arrays and frames"):
        model.staged_predict(tn.scan(X))


@pytest.mark.parametrize("classes", [2, 3])
def test_stages_are_scikit_learns(classes):
    random = np.random.default_rng(0)
    X = random.integers(0, 9, (300, 3)).astype(float)
    y = np.minimum((X.sum(axis=1) + random.integers(0, 6, 300)) // 9, classes - 1)
    ours = tn.AdaBoostClassifier(tn.DecisionTreeClassifier(max_depth=2), n_estimators=5).fit(X, y)
    theirs = Peer(TheirTree(max_depth=2), n_estimators=5).fit(X, y)
    assert ours.n_classes_ == theirs.n_classes_ == classes
    for name in ("staged_decision_function", "staged_predict_proba"):
        np.testing.assert_allclose(list(getattr(ours, name)(X)), list(getattr(theirs, name)(X)), rtol=0, atol=1e-12)
    assert list(ours.staged_score(X, y)) == list(theirs.staged_score(X, y))


def test_sparse_rows():
    X, y, _ = rows()
    X[np.abs(X) < 0.8] = 0.0
    learner = tn.AdaBoostClassifier(tn.LogisticRegression(), n_estimators=3)
    dense, sparse = clone(learner).fit(X, y), clone(learner).fit(csr_array(X), y)
    np.testing.assert_allclose(sparse.estimator_errors_, dense.estimator_errors_, rtol=1e-9)


def test_teams_of_teams(tmp_path):
    X, y, _ = rows()
    bagged = tn.BaggingClassifier(tn.GaussianNB(), n_estimators=2)
    model = tn.AdaBoostClassifier(bagged, n_estimators=3).fit(X, y)
    model.save(tmp_path / "model.tenfold")
    again = tn.load(tmp_path / "model.tenfold")
    assert bits(again.model_) == bits(model.model_)
    assert (again.predict(X) == model.predict(X)).all()
