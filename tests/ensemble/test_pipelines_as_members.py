"""Pipelines among the members of a vote or a stack: the answers of the pipelines by themselves, over shared scans."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sklearn.pipeline
from sklearn import ensemble as peers
from sklearn.preprocessing import StandardScaler as PeerScaler

import tenfold as tn
from tenfold.sources import part_rows
from tenfold.testing import bits
from tiers import only_full

random = np.random.default_rng(0)
N = 240
X = random.normal(size=(N, 4)) * [1, 10, 100, 0.1] + [0, 5, 0, 0]
Z = X @ [1.0, 0.1, 0.0, 3.0] + random.normal(size=N)
Y = np.array(["low", "high", "middle"])[np.digitize(Z, [-0.5, 1.0])]
FOLDS = np.arange(N) % 3


def ours(*steps):
    return tn.make_pipeline(*steps)


def theirs(*steps):
    return sklearn.pipeline.make_pipeline(*steps)


def classifiers(make=ours):
    return [
        ("line", make(tn.StandardScaler(), tn.LogisticRegression())),
        ("bayes", make(tn.SimpleImputer(), tn.PCA(2), tn.GaussianNB())),
        ("target", make(tn.SelectKBest(k=2), tn.DecisionTreeClassifier(max_depth=3))),
        ("bare", tn.GaussianNB()),
    ]


def regressors(make=ours):
    return [
        ("curve", make(tn.SplineTransformer(4), tn.Ridge(0.1))),
        ("tree", make(tn.MinMaxScaler(), tn.DecisionTreeRegressor(max_depth=3))),
    ]


def parts_of(folder, target):
    """The rows in files of 80, and a scan of them."""
    frame = pd.DataFrame(X, columns=list("abcd")).assign(y=target)
    for k in range(3):
        pq.write_table(pa.Table.from_pandas(frame[80 * k : 80 * k + 80], preserve_index=False), folder / f"{k}.parquet")
    return tn.scan(folder, target="y")


@pytest.mark.quick
@pytest.mark.parametrize("make", [ours, theirs])
@pytest.mark.parametrize("voting", ["soft", "hard"])
def test_a_vote_of_pipelines_is_that_of_the_pipelines_by_themselves(make, voting):
    members = classifiers(make)
    vote = tn.VotingClassifier(members, voting=voting).fit(X, Y)
    alone = [sklearn.base.clone(member).fit(X, Y) for _, member in members]
    if voting == "soft":
        expected = np.mean([member.predict_proba(X) for member in alone], axis=0)
        np.testing.assert_allclose(vote.predict_proba(X), expected, rtol=1e-9)
    peer = peers.VotingClassifier(members, voting=voting).fit(X, Y)
    assert (vote.predict(X) == peer.predict(X)).mean() > 0.98
    for member, one in zip(vote.estimators_, alone, strict=True):
        np.testing.assert_array_equal(member.predict(X), one.predict(X))
        assert isinstance(member, tn.Pipeline) == hasattr(one, "steps")
    assert vote.named_estimators_["bayes"]["pca"].components_.shape == (2, 4)
    assert any(claim.kind.startswith("line: logisticregression: ") for claim in vote.certificate_.claims)


def test_a_mean_of_pipelines_of_numbers():
    members = regressors()
    vote = tn.VotingRegressor(members).fit(X, Z)
    expected = np.mean([sklearn.base.clone(member).fit(X, Z).predict(X) for _, member in members], axis=0)
    np.testing.assert_allclose(vote.predict(X), expected, rtol=1e-9)


@pytest.mark.parametrize("make", [ours, theirs])
def test_a_stack_of_pipelines_beside_scikit_learn(make):
    """Of the same folds; the steps of a fold learn from its training rows alone."""
    members = classifiers(make)
    final = make(tn.StandardScaler(), tn.LogisticRegression())
    stack = tn.StackingClassifier(members, final, cv=FOLDS).fit(X, Y)
    folds = [(np.flatnonzero(k != FOLDS), np.flatnonzero(k == FOLDS)) for k in range(3)]
    peer = peers.StackingClassifier(members, final, cv=folds).fit(X, Y)
    np.testing.assert_allclose(stack.predict_proba(X), peer.predict_proba(X), atol=1e-6)
    assert isinstance(stack.final_estimator_, tn.Pipeline)
    np.testing.assert_allclose(
        stack.final_estimator_[0].mean_, peer.final_estimator_[0].mean_, atol=1e-9
    )  # of what was said out of fold
    given = regressors(make)
    stack = tn.StackingRegressor(given, tn.Ridge(1e-3), cv=FOLDS).fit(X, Z)
    peer = peers.StackingRegressor(given, tn.Ridge(1e-3), cv=folds).fit(X, Z)
    np.testing.assert_allclose(stack.predict(X), peer.predict(X), rtol=1e-6)


@pytest.mark.parametrize("team", ["vote", *only_full("stack")])
def test_the_same_bits_of_arrays_frames_and_files(tmp_path, team):
    members = classifiers()
    team = tn.VotingClassifier(members, voting="soft") if team == "vote" else tn.StackingClassifier(members, cv=FOLDS)
    rows = parts_of(tmp_path, Y)
    found = []
    with part_rows(80):
        for given in ((X, Y), (pd.DataFrame(X, columns=list("abcd")), Y), (rows,)):
            model = sklearn.base.clone(team).fit(*given)
            found.append(bits(model.model_))
    assert len(set(found)) == 1
    found = model.predict_proba(rows).collect()
    np.testing.assert_array_equal(found, model.predict_proba(pd.DataFrame(X, columns=list("abcd"))))


@pytest.mark.parametrize("team", [tn.VotingClassifier, tn.StackingClassifier])
def test_pipelines_of_text_and_of_categories(tmp_path, team):
    words = np.array(["red", "green", "blue", "grey"])
    notes = [" ".join(random.choice(words, 4)) for _ in range(N)]
    spam = np.array([int("red" in note) for note in notes])
    members = [
        ("line", tn.make_pipeline(tn.TfidfVectorizer(), tn.LogisticRegression())),
        ("bayes", tn.make_pipeline(tn.CountVectorizer(), tn.SelectKBest("chi2", k=3), tn.MultinomialNB())),
    ]
    model = team(members).fit(notes, spam)
    assert model.score(notes, spam) > 0.95
    pq.write_table(pa.table({"note": notes, "spam": spam}), tmp_path / "notes.parquet")
    rows = tn.scan(tmp_path / "notes.parquet", target="spam")
    assert bits(team(members).fit(rows).model_) == bits(model.model_)
    cities = pd.DataFrame({"city": random.choice(words, N), "rank": random.choice(list("abc"), N)})
    members = [("line", tn.make_pipeline(tn.OneHotEncoder(), tn.LogisticRegression())), ("bayes", tn.CategoricalNB())]
    model = team(members).fit(cities, cities["city"] == "red")
    assert model.score(cities, cities["city"] == "red") == 1.0


def test_it_is_saved_scored_tuned_and_shares_its_scans(tmp_path):
    vote = tn.VotingClassifier(classifiers(), voting="soft").fit(X, Y)
    vote.save(tmp_path / "model")
    loaded = tn.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict_proba(X), vote.predict_proba(X))
    assert loaded.get_params()["line__logisticregression__C"] == 1.0
    folds = tn.cross_validate(tn.StackingClassifier(classifiers(), cv=3), X, Y, folds=3)
    assert np.min(folds.scores) > 0.5
    tuned = tn.tune(tn.VotingClassifier(classifiers()), {"line__logisticregression__C": [0.01, 1.0]}, X, Y, folds=3)
    assert set(tuned.best_params_) == {"line__logisticregression__C"}
    one = tn.make_pipeline(tn.StandardScaler(), tn.MinMaxScaler(), tn.GaussianNB())
    alone, pair = (
        tn.VotingClassifier([(name, one) for name in names]).fit(X, Y).certificate_.provenance.passes
        for names in ("a", "ab")
    )
    assert alone == pair == 3


def test_a_fit_resumes_while_the_steps_of_members_learn(tmp_path):
    class Stopped(Exception):
        pass

    from tenfold.estimator.ensembles.transformer_chain import Chained

    team = tn.StackingClassifier(classifiers(), cv=FOLDS)
    whole = sklearn.base.clone(team).fit(X, Y)
    update, calls = Chained.update, []

    def interrupted(self, state, summary):
        calls.append(1)
        if len(calls) > 20:
            raise Stopped
        return update(self, state, summary)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Chained, "update", interrupted)
        with pytest.raises(Stopped):
            sklearn.base.clone(team).fit(X, Y, checkpoint=tn.Checkpoint(tmp_path / "fit", every=1))
    resumed = sklearn.base.clone(team).fit(X, Y, checkpoint=tn.Checkpoint(tmp_path / "fit", every=1))
    assert bits(resumed.model_) == bits(whole.model_)


@pytest.mark.parametrize(
    ("pipeline", "said"),
    [
        (theirs(PeerScaler(), tn.GaussianNB()), "step 'standardscaler' of member 'p' .* not a transformer of tenfold"),
        (ours(tn.StandardScaler(), tn.Ridge()), "step 'ridge' of member 'p' .* does not predict classes"),
        (ours(tn.StandardScaler(), tn.SGDClassifier()), "step 'sgdclassifier' of member 'p' .* one row after another"),
        (
            ours(tn.ColumnTransformer([("a", tn.StandardScaler(), [0])]), tn.GaussianNB()),
            "takes columns apart. Remedy: it comes before the ensemble.*scikit-learn's own ensemble",
        ),
        (ours(tn.RBFSampler(random_state=None), tn.GaussianNB()), "'rbfsampler' of member 'p' has no fixed seed"),
    ],
)
def test_pipelines_that_cannot_share_scans_are_refused(pipeline, said):
    for team in (tn.VotingClassifier, tn.StackingClassifier):
        with pytest.raises((TypeError, ValueError), match=said):
            team([("p", pipeline), ("bare", tn.GaussianNB())]).fit(X, Y)


def test_remedies_of_refused_pipelines_work():
    """The steps before the ensemble, or scikit-learn's ensemble of the same pipelines."""
    frame = pd.DataFrame(X, columns=list("abcd"))
    columns = tn.ColumnTransformer([("scale", tn.StandardScaler(), ["a", "b"]), ("same", "passthrough", ["c", "d"])])
    apart = ours(columns, tn.LogisticRegression())
    for team in (tn.VotingClassifier, tn.StackingClassifier):
        with pytest.raises(TypeError, match=r"Remedy: it comes before the ensemble, make_pipeline\(ColumnTransformer"):
            team([("apart", apart), ("bayes", tn.GaussianNB())]).fit(frame, Y)
    members = [("line", tn.LogisticRegression()), ("bayes", tn.GaussianNB())]
    assert ours(columns, tn.VotingClassifier(members)).fit(frame, Y).score(frame, Y) > 0.6
    peer = peers.VotingClassifier([("apart", apart), ("bayes", tn.GaussianNB())]).fit(frame, Y)
    assert peer.score(frame, Y) > 0.6
    line = ours(tn.StandardScaler(), tn.LogisticRegression())
    with pytest.raises(TypeError, match=r"Remedy: put its steps before the ensemble.*scikit-learn's own ensemble"):
        tn.BaggingClassifier(line).fit(X, Y)
    bag = tn.BaggingClassifier(tn.LogisticRegression(), n_estimators=3)
    assert ours(tn.StandardScaler(), bag).fit(X, Y).score(X, Y) > 0.6
    assert peers.BaggingClassifier(line, n_estimators=3, random_state=0).fit(X, Y).score(X, Y) > 0.6
