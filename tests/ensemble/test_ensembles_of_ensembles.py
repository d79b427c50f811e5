"""Teams of teams: company changes nothing, each member may end at its own turn, and one without rows is no surprise."""

import numpy as np
import pytest

import tenfold as tn
from tenfold.core import ModelFileError
from tenfold.estimator.files import checkpoint, container
from tenfold.testing import bits

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 3))
Y = X @ [1.0, 2.0, 3.0] + rng.normal(size=300)
C = (Y > 0).astype(int)
Log = tn.LogisticRegression


def vote(weights):
    return tn.VotingRegressor([("a", tn.Ridge()), ("b", tn.DummyRegressor())], weights=weights)


def vote_of_classes(weights):
    return tn.VotingClassifier([("a", Log()), ("b", tn.DummyClassifier())], voting="soft", weights=weights)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda w: tn.StackingRegressor([("v", vote(w))], cv=3), lambda m: m.final_estimator_.coef_),
        (lambda w: tn.BaggingRegressor(vote(w), n_estimators=4, oob_score=True), lambda m: m.oob_score_),
    ],
)
def test_members_that_differ_in_what_they_say_alone(make, said):
    """Their models are equal to the bit, and weights of a vote are no part of a model."""
    pair = [make([1.0, 0.2]), make([0.1, 1.0])]
    both = tn.VotingRegressor([("p", pair[0]), ("q", pair[1])]).fit(X, Y)
    alone = [said(one.fit(X, Y)) for one in pair]
    assert [np.all(said(m) == a) for m, a in zip(both.estimators_, alone, strict=True)] == [True, True]
    assert np.all(alone[0] != alone[1])


def test_boosting_of_votes_that_differ_in_weights_alone():
    pair = [tn.AdaBoostClassifier(vote_of_classes(w), n_estimators=3) for w in ([1.0, 0.2], [0.01, 1.0])]
    both = tn.VotingClassifier([("p", pair[0]), ("q", pair[1])]).fit(X, C)
    for found, one in zip(both.estimators_, pair, strict=True):
        assert np.array_equal(found.estimator_errors_, one.fit(X, C).estimator_errors_)


INNER = tn.VotingClassifier([("a", Log(max_iter=2)), ("b", Log(C=10.0))])
UNEVEN = {
    "a vote in a vote": tn.VotingClassifier([("i", INNER), ("g", tn.GaussianNB())]),
    "a vote in a stack": tn.StackingClassifier([("i", INNER)], cv=3),
    "a vote that comes last": tn.StackingClassifier([("i", tn.GaussianNB())], INNER, cv=3),
}


@pytest.mark.filterwarnings("ignore:.*")
@pytest.mark.parametrize("name", UNEVEN)
def test_members_of_members_may_end_at_their_own_turns(name, tmp_path):
    model = UNEVEN[name].fit(X, C)
    model.save(tmp_path / "m")
    back = tn.load(tmp_path / "m")
    assert back.verify().origin == "verified"
    assert np.array_equal(back.predict(X), model.predict(X))


@pytest.mark.filterwarnings("ignore:.*")
def test_a_cut_at_any_turn_of_members_of_members(tmp_path, monkeypatch):
    inner = tn.VotingClassifier([("a", Log(max_iter=1)), ("b", Log(max_iter=3))])
    assert_resumes(tn.VotingClassifier([("i", inner), ("z", Log(C=1e6))]), C, None, tmp_path, monkeypatch)


def test_a_cut_where_the_model_without_a_fold_has_no_rows(tmp_path, monkeypatch):
    weight, cv = np.ones(300), np.zeros(300, int)
    weight[:80], cv[:80] = 0.0, 1
    team = [("r", tn.Ridge()), ("t", tn.DecisionTreeRegressor(max_depth=2))]
    assert_resumes(tn.StackingRegressor(team, cv=cv), Y, weight, tmp_path, monkeypatch)


def assert_resumes(learner, target, weight, folder, monkeypatch):
    """From a checkpoint of every turn a fit goes on to the same bits."""
    cuts = []

    def cut(saving, at):
        if saving.learner.ask(at.state) is not None:
            cuts.append((saving.path, folder / f"{len(cuts)}.cut"))
            checkpoint.write(cuts[-1][1], saving.learner, at, saving.seed)

    with monkeypatch.context() as patch:
        patch.setattr(checkpoint.Saving, "__call__", cut)
        whole = learner.fit(X, target, weight, checkpoint=folder)
        wanted = bits(whole.model_), bits(whole.summary_), whole.certificate_.claims
    assert len(cuts) > 2
    for path, copy in cuts:
        path.write_bytes(copy.read_bytes())
        again = learner.fit(X, target, weight, checkpoint=folder)
        assert (bits(again.model_), bits(again.summary_), again.certificate_.claims) == wanted


def test_members_that_would_read_once_more_merge_in_teams():
    robust = tn.LinearRegression(standard_errors="HC1")
    for team in (tn.VotingRegressor([("l", robust)]), tn.BaggingRegressor(robust, n_estimators=3)):
        grown = team.partial_fit(X[:100], Y[:100]).partial_fit(X[100:], Y[100:])
        assert grown.score(X, Y) > 0.9
        assert grown.verify().origin == "verified"


def test_a_bag_that_drew_no_row_is_no_voter():
    bag = tn.BaggingRegressor(tn.Ridge(), n_estimators=1, random_state=0)
    with pytest.raises(tn.DataError, match="no member has drawn a row"):
        tn.VotingRegressor([("bag", bag), ("r", tn.Ridge())]).fit([[0.0], [1.0]], [1.0, 2.0])


def test_bags_of_teams_of_which_one_drew_no_row_verify():
    few, label = rng.normal(size=(3, 2)), np.array([0, 1, 1])
    for inner in (tn.BaggingClassifier(tn.GaussianNB(), n_estimators=2), tn.VotingClassifier()):
        bag = tn.BaggingClassifier(inner, n_estimators=20).fit(few, label)
        assert (bag.model_.seen == 0).any()
        assert bag.verify().origin == "verified"


def test_claims_of_a_last_stack_beside_members_of_its_names():
    last = tn.StackingRegressor([("r", tn.Ridge())], cv=2)
    stack = tn.StackingRegressor([("r", tn.Ridge()), ("d", tn.DummyRegressor())], last, cv=2).fit(X, Y)
    assert stack.verify().origin == "verified"


def test_training_rows_are_recognised_where_all_is_held():
    model = tn.AdaBoostClassifier(tn.GaussianNB(), n_estimators=2).fit(X, C)
    with pytest.warns(UserWarning, match="was made from these rows"):
        tn.certify(model, X[:150], C[:150])


def test_a_row_is_marked_once_however_many_groups_it_is_read_for():
    def pairs(model):
        return int(model.fit(X, Y).certificate_.provenance.marks.split(".")[0], 16)

    assert pairs(tn.StackingRegressor([("a", tn.Ridge())], cv=5)) == pairs(tn.Ridge())


def test_a_voter_without_rows_is_refused(tmp_path):
    tn.VotingRegressor([("a", tn.Ridge()), ("b", tn.DummyRegressor())]).fit(X, Y).save(tmp_path / "m")
    document, tensors = container.read(tmp_path / "m")
    name = document["model"]["seen"]["tensor"]
    tensors = {key: value.copy() for key, value in tensors.items()}
    tensors[name][0] = 0
    container.write(tmp_path / "m", document, tensors)
    with pytest.raises(ModelFileError):
        tn.load(tmp_path / "m")
