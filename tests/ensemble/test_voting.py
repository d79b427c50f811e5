"""Votes against scikit-learn's with equal members, brute force, and what a vote promises."""

import numpy as np
import pytest
import sklearn.ensemble as peers
import sklearn.linear_model as linear
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB as PeerNB

import tenfold as tn
from tenfold.sources import part_rows
from tenfold.testing import bits, check_laws

rng = np.random.default_rng(3)
X = rng.standard_normal((400, 4))
y = X @ [1.0, -2.0, 0.5, 0.0] + np.abs(X[:, 0]) + 0.3 * rng.standard_normal(400)
label = np.array(["a", "b", "c"])[np.digitize(y, [-1.0, 1.0])]
weight = rng.integers(0, 4, 400).astype(float)


@pytest.mark.parametrize("shares", [None, [2.0, 1.0, 0.5]])
def test_regressors_as_scikit_learn_has_them(shares):
    ours = [("a", tn.Ridge(0.5)), ("b", tn.LinearRegression()), ("c", tn.Ridge(50.0))]
    theirs = [("a", linear.Ridge(0.5)), ("b", linear.LinearRegression()), ("c", linear.Ridge(50.0))]
    model = tn.VotingRegressor(ours, weights=shares).fit(X, y, sample_weight=weight)
    peer = peers.VotingRegressor(theirs, weights=shares).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(model.predict(X), peer.predict(X), rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("voting", ["hard", "soft"])
@pytest.mark.parametrize("shares", [None, [2.0, 1.5]])
def test_classifiers_as_scikit_learn_has_them(voting, shares):
    ours = [("bayes", tn.GaussianNB()), ("line", tn.LogisticRegression(1.0))]
    theirs = [("bayes", PeerNB()), ("line", linear.LogisticRegression(C=1.0, tol=1e-10, max_iter=1000))]
    model = tn.VotingClassifier(ours, voting=voting, weights=shares).fit(X, label)
    peer = peers.VotingClassifier(theirs, voting=voting, weights=shares).fit(X, label)
    each = np.stack([m.predict_proba(X) for m in model.estimators_])
    for mine, other in zip(model.estimators_, peer.estimators_, strict=True):
        np.testing.assert_allclose(mine.predict_proba(X), other.predict_proba(X), atol=1e-5)
    if voting == "soft":
        np.testing.assert_allclose(model.predict_proba(X), peer.predict_proba(X), atol=1e-5)
        np.testing.assert_allclose(model.predict_proba(X), np.average(each, axis=0, weights=shares), atol=1e-15)
    assert np.mean(model.predict(X) == peer.predict(X)) > 0.99
    assert hasattr(model, "predict_proba") == (voting == "soft")


def test_members_are_those_fitted_alone():
    team = [("bayes", tn.GaussianNB()), ("tree", tn.DecisionTreeClassifier(max_depth=4)), ("far", "drop"),
            ("boost", tn.AdaBoostClassifier(n_estimators=5)), ("line", tn.LogisticRegression())]  # fmt: skip
    with part_rows(60):
        model = tn.VotingClassifier(team).fit(X, label, sample_weight=weight)
        for name, member in team:
            if name == "far":
                assert name not in model.named_estimators_
                continue
            alone = clone(member).fit(X, label, sample_weight=weight)
            found = model.named_estimators_[name]
            assert bits(found.model_) == bits(alone.model_), name
            assert found.certificate_.claims == alone.certificate_.claims
            assert (found.predict(X) == alone.predict(X)).all()


def test_thirty_ridges_cost_one_scan_and_one_summary():
    team = [(f"r{k}", tn.Ridge(2.0**k)) for k in range(30)]
    model = tn.VotingRegressor(team).fit(X, y)
    assert model.certificate_.provenance.passes == 1
    assert len({id(s) for s in model.summary_.each.each}) == 1


def test_votes_of_one_pass_members_merge():
    team = tn.VotingClassifier(voting="soft")
    whole = clone(team).fit(X, label)
    merged = clone(team).fit(X[:150], label[:150]) + clone(team).fit(X[150:], label[150:])
    np.testing.assert_allclose(merged.predict_proba(X), whole.predict_proba(X), atol=1e-12)
    assert merged.verify().origin == "verified"
    grown = clone(team).partial_fit(X[:150], label[:150]).partial_fit(X[150:], label[150:])
    assert bits(grown.model_) == bits(merged.model_)
    with pytest.raises(tn.MergeError, match="different parameters"):
        merged + tn.VotingClassifier([("bayes", tn.GaussianNB(var_smoothing=1e-3))], voting="soft").fit(X, label)
    assert not hasattr(tn.VotingRegressor(), "partial_fit")  # a tree reads rows several times


def test_a_member_that_needs_another_scan():
    """R-factors for the line; the summary still has all members, so teams merge."""
    near = np.column_stack([X, X[:, 0] + 1e-9 * np.random.default_rng(0).standard_normal(len(X))])
    team = tn.VotingRegressor([("line", tn.LinearRegression()), ("mean", tn.DummyRegressor())])
    whole = clone(team).fit(near, y)
    kinds = [type(s).__name__ for s in whole.summary_.each.each]
    assert kinds[0] == "RFactor"
    assert whole.certificate_.provenance.passes > 1
    assert bits(whole.estimators_[0].model_) == bits(tn.LinearRegression().fit(near, y).model_)
    merged = clone(team).fit(near[:200], y[:200]) + clone(team).fit(near[200:], y[200:])
    np.testing.assert_allclose(merged.predict(near), whole.predict(near), rtol=1e-6, atol=1e-6)
    assert whole.verify().origin == merged.verify().origin == "verified"


def test_a_member_that_is_done_while_another_goes_on_keeps_its_own_summary():
    rows = np.array([[3.0, -0.78], [-1e9, -0.805], [1.0, -1.082]])
    target, weight = np.array([6.061e9, -1.0633e10, -1.2431e10]), [1e12, 1e-12, 1e12]
    team = tn.VotingRegressor([("line", tn.LinearRegression()), ("ridge", tn.Ridge())]).fit(rows, target, weight)
    alone = tn.Ridge().fit(rows, target, weight)
    assert bits(team.estimators_[1].summary_) == bits(alone.summary_)
    assert bits(team.estimators_[1].model_) == bits(alone.model_)
    assert team.verify().origin == team.estimators_[1].verify().origin == "verified"


def test_a_changed_member_is_noticed():
    model = tn.VotingClassifier().fit(X, label)
    first, *others = model.model_.members.each
    wrong = type(model.model_.members)((first._replace(theta=first.theta + 1e-9), *others))
    model.model_ = model.model_._replace(members=wrong)
    with pytest.raises(ValueError, match="GaussianNB: theta_ is not what the summary gives"):
        model.verify()


def test_laws_of_other_teams():
    check_laws(tn.VotingRegressor([("a", tn.Ridge()), ("b", tn.DummyRegressor())]), draws=3)
    words = [("a", tn.CategoricalNB()), ("b", tn.CategoricalNB(3.0))]
    check_laws(tn.VotingClassifier(words, voting="soft"), draws=3)
    inner = tn.VotingRegressor([("a", tn.Ridge()), ("b", tn.LinearRegression())])
    check_laws(tn.VotingRegressor([("team", inner), ("tree", tn.DecisionTreeRegressor(max_depth=2))]), draws=3)


def test_what_a_vote_promises():
    """The error of a vote is at most twice the mean of its members', the squared error of a mean at most the mean."""
    for seed in range(20):
        random = np.random.default_rng(seed)
        Z = random.standard_normal((200, 3))
        kind = random.integers(0, 3, 200)
        hard = tn.VotingClassifier(weights=random.random(2) + 0.1).fit(Z[:50], kind[:50])
        errors = [np.mean(m.predict(Z) != kind) for m in hard.estimators_]
        share = np.array(hard.weights) / np.sum(hard.weights)
        assert np.mean(hard.predict(Z) != kind) <= hard.certificate_["error factor"].value * (share @ errors) + 1e-12
        mean = tn.VotingRegressor([("a", tn.Ridge()), ("b", tn.DummyRegressor())]).fit(Z[:50], Z[:50, 0] ** 2)
        squares = [np.mean((m.predict(Z) - Z[:, 0] ** 2) ** 2) for m in mean.estimators_]
        spread = np.mean([(m.predict(Z) - mean.predict(Z)) ** 2 for m in mean.estimators_])
        assert mean.certificate_["error factor"].value == 1.0
        np.testing.assert_allclose(np.mean((mean.predict(Z) - Z[:, 0] ** 2) ** 2), np.mean(squares) - spread)


def test_file(tmp_path):
    for model, target in ((tn.VotingClassifier(voting="soft"), label), (tn.VotingRegressor(), y)):
        model.fit(X, target).save(tmp_path / "team.tenfold")
        back = tn.load(tmp_path / "team.tenfold")
        assert bits(back.model_) == bits(model.model_)
        assert back.verify().origin == "verified"
        assert (back.predict(X) == model.predict(X)).all()
    assert [type(m).__name__ for m in back.estimators_] == ["LinearRegression", "DecisionTreeRegressor"]


def test_a_file_with_a_record_of_another_learner_is_refused(tmp_path):
    import json

    from tenfold.estimator.files import container
    from tenfold.estimator.files.model_file import _build

    tn.VotingClassifier().fit(X, label).save(tmp_path / "team.tenfold")
    document, tensors = container.read(tmp_path / "team.tenfold")
    _build(document, dict(tensors))
    for change in (
        lambda d: d["model"]["members"]["record"]["each"][0].update(type="LinearState"),
        lambda d: d["model"]["members"]["record"]["each"].reverse(),
        lambda d: d["model"]["members"]["record"]["each"][0].update(record=[]),
        lambda d: d["model"]["members"]["record"].update(width=-1),
        lambda d: d["model"]["members"]["record"].update(width=3),
        lambda d: d["model"]["members"]["record"].update(each=7),
    ):
        wrong = json.loads(json.dumps(document))
        change(wrong)
        with pytest.raises(tn.ModelFileError):
            _build(wrong, dict(tensors))
    two = X[:, :2], label == "a"  # the members of a stack say two numbers of a row, as many as it has columns
    for model in (tn.VotingClassifier().fit(*two), tn.StackingClassifier().fit(*two)):
        model.summary_ = model.summary_.each.each[0]  # that of a member alone
        with pytest.raises(tn.ModelFileError, match="of another learner|does not fit"):
            model.save(tmp_path / "part.tenfold")


def test_of_classes_with_equal_votes_the_first_wins():
    """Whole weights: 1 + 2 are as many as 3, although 0.1 + 0.2 > 0.3."""
    rows, kinds = np.arange(4.0)[:, None], list("abcd")
    team = [(f"m{at}", tn.DecisionTreeClassifier()) for at in range(5)]
    model = tn.VotingClassifier(team, weights=[1, 2, 3, 2, 2]).fit(rows, kinds)
    says = iter(np.eye(4)[[1, 1, 0, 2, 3]])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tn.DecisionTreeClassifier, "scores_from", lambda self, state, X: next(says)[None])
        assert model.predict([[0.0]]).tolist() == ["a"]


@pytest.mark.parametrize("kind", [list, tuple])
def test_parameters(kind):
    model = tn.VotingRegressor(kind([("a", tn.Ridge()), ("b", tn.LinearRegression())]))
    assert model.get_params()["a__alpha"] == 1.0
    model.set_params(a__alpha=3.0, b="drop")
    assert model.fit(X, y).named_estimators_["a"].alpha == 3.0
    assert len(model.estimators_) == 1
    stack = tn.StackingRegressor(model.estimators, cv=2).fit(X, y)
    bag = tn.BaggingRegressor(tn.Ridge(), 5).fit(X, y)
    for changed, params in ((model, {"b": tn.LinearRegression()}), (stack, {"cv": 3}), (bag, {"n_estimators": 3})):
        before = changed.predict(X)
        assert changed.set_params(**params).predict(X).tobytes() == before.tobytes()
        assert changed.fit(X, y).predict(X).tobytes() != before.tobytes()


@pytest.mark.parametrize(
    ("team", "says"),
    [
        ([("a", linear.Ridge())], "not a learner of tenfold"),
        ([("a", tn.GaussianNB())], "does not predict numbers"),
        ([("a", tn.SGDRegressor())], "one row after another"),
        ([("a", tn.DecisionTreeRegressor(random_state=None))], "random_state=0"),
        ([("a", tn.Ridge()), ("a", tn.Ridge())], "not unique"),
        ([("a", "drop")], "dropped"),
        ([], "dropped"),
        ([tn.Ridge()], "pairs"),
    ],
)
def test_refused_members(team, says):
    with pytest.raises((TypeError, ValueError), match=says):
        tn.VotingRegressor(team).fit(X, y)


def test_refused():
    with pytest.raises(TypeError, match="no probabilities"):
        tn.VotingClassifier([("a", tn.VotingClassifier())], voting="soft").fit(X, label)
    with pytest.raises(ValueError, match="take categories or text only"):
        tn.VotingClassifier([("a", tn.CategoricalNB()), ("b", tn.GaussianNB())]).fit(X, label)
    with pytest.raises(ValueError, match="weights must be equal"):
        tn.VotingRegressor(weights=[1.0]).fit(X, y)
    with pytest.raises(ValueError, match="not all zero"):
        tn.VotingRegressor(weights=[0.0, 0.0]).fit(X, y)
    with pytest.raises(ValueError, match="one number for each member"):
        tn.VotingClassifier(weights=[[1.0, 2.0], [3.0, 4.0]]).fit(X, label)


def team(of):
    """Members by the names that both libraries have them under."""
    nb = {"tn": tn.GaussianNB, "sk": PeerNB}[of]()
    return [("bayes", nb), ("again", clone(nb).set_params(var_smoothing=0.5))]


@pytest.mark.parametrize(
    "given", [{"voting": "hard"}, {"voting": "soft"}, {"voting": "soft", "flatten_transform": False}]
)
def test_what_members_say_is_transformed_as_scikit_learn_does(given):
    ours = tn.VotingClassifier(team("tn"), **given).fit(X, label)
    theirs = peers.VotingClassifier(team("sk"), **given).fit(X, label)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), atol=1e-9)
    if given.get("flatten_transform", True):
        assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
        assert ours.set_output(transform="pandas").transform(X).columns.tolist() == list(ours.get_feature_names_out())
    else:
        with pytest.raises(ValueError, match="flatten_transform=True"):
            ours.get_feature_names_out()


def test_what_regressors_say_is_transformed():
    ours = tn.VotingRegressor([("a", tn.Ridge(0.5)), ("b", tn.LinearRegression())]).fit(X, y)
    assert ours.transform(X).tolist() == np.column_stack([m.predict(X) for m in ours.estimators_]).tolist()
    assert ours.fit_transform(X, y).shape == (400, 2)
    assert ours.get_feature_names_out().tolist() == ["votingregressor_a", "votingregressor_b"]


@pytest.mark.parametrize(
    "team",
    [
        tn.VotingClassifier([("a", tn.MultinomialNB()), ("b", tn.GaussianNB())]),
        tn.StackingClassifier([("a", tn.GaussianNB()), ("b", tn.ComplementNB())]),
        tn.BaggingClassifier(tn.MultinomialNB(), n_estimators=2),
        tn.AdaBoostClassifier(tn.MultinomialNB(), n_estimators=2),
    ],
    ids=lambda team: type(team).__name__,
)
def test_a_team_with_a_member_of_counts_has_its_tag(team):
    assert team.__sklearn_tags__().input_tags.positive_only
    with pytest.raises(ValueError, match="[Nn]egative"):
        team.fit(X, label)
    assert not tn.VotingClassifier([("a", tn.GaussianNB())]).__sklearn_tags__().input_tags.positive_only
