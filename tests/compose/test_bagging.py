"""Bagging against fits with the drawn weights by hand, out-of-bag by brute force, the same on every runner."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import BaggingClassifier as Peer
from sklearn.naive_bayes import GaussianNB as PeerNB

import tenfold as tn
from tenfold.compose.bagging import ROWS
from tenfold.kernels.forests import draw_rows, tree_keys
from tenfold.sources import part_rows
from tenfold.stats.content import label_bits
from tenfold.testing import bits, check_laws

rng = np.random.default_rng(5)
X = rng.standard_normal((600, 4))
y = X @ [1.0, -2.0, 0.5, 0.0] + np.abs(X[:, 0]) + 0.5 * rng.standard_normal(600)
label = np.array(["a", "b", "c"])[np.digitize(y, [-1.0, 1.0])]
weight = rng.integers(0, 4, 600).astype(float)


def draws(model, rows, target):
    """How often each member draws each row, member by row: by number."""
    keys = np.empty(model.n_estimators, np.uint64)
    tree_keys(model.random_state, ROWS, 0, keys)
    out = np.empty((model.n_estimators, len(rows)), np.int64)
    for at, key in enumerate(keys):
        draw_rows(np.arange(len(rows)), key, out[at])
    return out


@pytest.mark.parametrize(
    ("bag", "target"),
    [
        (tn.BaggingClassifier(tn.GaussianNB(), 6), label),
        (tn.BaggingClassifier(tn.DecisionTreeClassifier(max_depth=5, max_features=2), 4), label),
        (tn.BaggingClassifier(tn.LogisticRegression(), 3), label),
        (tn.BaggingRegressor(tn.Ridge(), 5), y),
        (tn.BaggingRegressor(n_estimators=4), y),
    ],
)
def test_members_are_fits_with_the_drawn_weights(bag, target):
    with part_rows(150):
        model = clone(bag).set_params(draw_by="number").fit(X, target, sample_weight=weight)
        times = draws(model, X, target)
        assert len(model.estimators_) == model.n_estimators
        total = 0.0
        for member, drawn in zip(model.estimators_, times, strict=True):
            alone = clone(member).fit(X, target, sample_weight=weight * drawn)
            say = "predict_proba" if hasattr(member, "predict_proba") else "predict"
            found, want = (getattr(m, say)(X) for m in (member, alone))
            np.testing.assert_allclose(found, want, rtol=1e-9, atol=1e-12)
            total = total + want
    np.testing.assert_allclose(getattr(model, say)(X), total / len(times), rtol=1e-9, atol=1e-12)


def test_draws_are_poisson_and_their_own():
    model = tn.BaggingRegressor(tn.DummyRegressor(), 30, draw_by="number")
    rows = np.zeros((20_000, 1))
    times = draws(model, rows, None)
    share = np.array([np.mean(times == k) for k in range(4)])
    np.testing.assert_allclose(share, np.exp(-1) / np.array([1, 1, 2, 6]), atol=2e-3)
    correlation = np.corrcoef(times) - np.eye(30)
    assert np.abs(correlation).max() < 5 / np.sqrt(20_000)


def test_draws_by_content_know_labels_not_codes():
    """A category's code changes when others are found; what is drawn does not."""
    few, many = label_bits(np.array(["b", "d"], object)), label_bits(np.array(["a", "b", "c", "d"], object))
    assert (few == many[[1, 3]]).all()
    assert (label_bits(np.array([1, 3])) == label_bits(np.array([1.0, 2.0, 3.0]))[[0, 2]]).all()
    words = np.array(["a", "b", "c", "d"], dtype=object)[rng.integers(0, 4, (300, 3))]
    some = np.isin(words, ["b", "d"]).all(axis=1)
    kind = np.where(words[:, 0] == "b", "no", "yes")
    bag = tn.BaggingClassifier(tn.CategoricalNB(), 4)
    whole = clone(bag).fit(words, kind)
    merged = clone(bag).fit(words[some], kind[some]) + clone(bag).fit(words[~some], kind[~some])
    np.testing.assert_allclose(merged.predict_proba(words), whole.predict_proba(words), rtol=1e-12)
    assert (merged.state_.seen == whole.state_.seen).all()


def test_bags_of_rows_drawn_by_number_do_not_merge():
    """Numbers begin anew in each source, so the draws would not be those of all rows."""
    bags = [
        tn.BaggingRegressor(tn.Ridge(), 3, draw_by="number").fit(X[some], y[some])
        for some in (slice(300), slice(300, 600))
    ]
    assert not hasattr(bags[0], "partial_fit")
    with pytest.raises(tn.MergeError, match="Remedy: draw_by='content'"):
        bags[0] + bags[1]


@pytest.mark.parametrize("given", [None, np.random.RandomState(3)])
def test_a_seed_that_is_drawn_is_that_of_the_members(given):
    tree = tn.DecisionTreeClassifier(max_depth=3, max_features=1)
    for learner in (tn.BaggingClassifier(tree, 3), tn.AdaBoostClassifier(tree, n_estimators=3)):
        model = learner.set_params(random_state=given).fit(X, label)
        seed = model.certificate_.provenance.seed
        again = clone(learner).set_params(random_state=seed).fit(X, label)
        assert (model.predict(X) == again.predict(X)).all()
        assert [m.random_state for m in model.estimators_] == [m.random_state for m in again.estimators_]


@pytest.mark.parametrize("by", ["content", "number"])
def test_out_of_bag_by_hand(by):
    with part_rows(100):
        model = tn.BaggingClassifier(tn.GaussianNB(), 8, oob_score=True, draw_by=by).fit(X, label, sample_weight=weight)
        number = tn.BaggingRegressor(tn.Ridge(), 8, oob_score=True, draw_by=by).fit(X, y, sample_weight=weight)
    for bag, target in ((model, label), (number, y)):
        if by == "number":
            times = draws(bag, X, target)
        else:
            codes = np.unique(target, return_inverse=True)[1] if bag is model else target
            times = np.stack([_times(bag, X, codes, at) for at in range(8)])
        said = [m.predict_proba(X) if bag is model else m.predict(X) for m in bag.estimators_]
        unseen = times == 0
        sums = np.einsum("mr...,mr->r...", np.stack(said), unseen)
        told = unseen.any(axis=0) & (weight > 0)
        if bag is model:
            right = bag.classes_[sums.argmax(axis=1)] == target
            want = np.average(right[told], weights=weight[told])
            assert bag.certificate_["out-of-bag error"].value == pytest.approx(1 - want, abs=1e-12)
        else:
            mean = np.average(target[told], weights=weight[told])
            error = sums[told] / unseen.sum(axis=0)[told] - target[told]
            want = 1 - np.sum(weight[told] * error**2) / np.sum(weight[told] * (target[told] - mean) ** 2)
        assert bag.oob_score_ == pytest.approx(want, abs=1e-12)
        left = weight[~unseen.any(axis=0)].sum() / weight.sum()
        assert bag.certificate_["rows not judged"].value == pytest.approx(left, abs=1e-12)
        assert bag.verify().origin == "verified"


def _times(bag, rows, codes, member):
    from tenfold.core import Chunk, Columns

    chunk = Chunk(Columns(rows), codes, np.ones(len(rows)), True, 0, 0)
    return bag.draw(bag.state_).times(chunk)(member)


def test_a_bag_is_as_good_as_the_peer():
    bag = tn.BaggingClassifier(tn.GaussianNB(), 50, oob_score=True).fit(X, label)
    peer = Peer(PeerNB(), 50, oob_score=True, random_state=0).fit(X, label)
    assert abs(bag.oob_score_ - peer.oob_score_) < 0.03
    assert np.mean(bag.predict(X) == peer.predict(X)) > 0.96


def test_same_bits_for_threads_and_where_cut(tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=list("abcd")).assign(kind=label)
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=150)
    bag = tn.BaggingClassifier(tn.DecisionTreeClassifier(max_depth=4), 3, oob_score=True)
    with part_rows(150):
        model = clone(bag).fit(frame[list("abcd")], label)
    for threads in (1, 3):
        with tn.on(tn.Local(threads=threads)):
            other = clone(bag).fit(tn.scan(tmp_path / "rows.parquet", target="kind"))
        assert bits(other.state_) == bits(model.state_)
        assert bits(other.summary_) == bits(model.summary_)


def test_laws_of_other_bags():
    check_laws(tn.BaggingClassifier(tn.CategoricalNB(), 3), draws=3)
    check_laws(tn.BaggingRegressor(tn.Ridge(), 3, oob_score=True), draws=3)
    check_laws(tn.BaggingClassifier(tn.AdaBoostClassifier(n_estimators=3), 2), draws=2)


def test_votes_are_averaged_if_there_are_no_probabilities():
    bag = tn.BaggingClassifier(tn.VotingClassifier(), 5).fit(X, label)
    votes = np.mean([m.predict(X)[:, None] == bag.classes_ for m in bag.estimators_], axis=0)
    np.testing.assert_allclose(bag.predict_proba(X), votes, atol=1e-15)


def test_a_member_without_rows_has_no_say():
    """Of two rows, some members draw none."""
    model = tn.BaggingRegressor(tn.DummyRegressor(), 20).fit([[0.0], [1.0]], [1.0, 3.0])
    assert 0 < len(model.estimators_) < 20
    np.testing.assert_allclose(model.predict([[9.0]]), np.mean([m.predict([[9.0]]) for m in model.estimators_]))


def test_file(tmp_path):
    for model, target in (
        (tn.BaggingClassifier(n_estimators=3, oob_score=True), label),
        (tn.BaggingRegressor(tn.Ridge(), 3), y),
    ):
        model.fit(X, target).save(tmp_path / "bag.tenfold")
        back = tn.load(tmp_path / "bag.tenfold")
        assert bits(back.state_) == bits(model.state_)
        assert back.verify().origin == "verified"
        assert (back.predict(X) == model.predict(X)).all()


def test_a_file_with_a_great_many_members_is_refused_at_once(tmp_path):
    """Before any is made."""
    from tenfold.estimator import container
    from tenfold.estimator.model_file import _build

    for model, name in (
        (tn.BaggingRegressor(tn.Ridge(), 2), "n_estimators"),
        (tn.StackingRegressor([("a", tn.Ridge())], cv=2), "cv"),
    ):
        model.fit(X, y).save(tmp_path / "many.tenfold")
        document, tensors = container.read(tmp_path / "many.tenfold")
        document["params"][name] = {"int": str(10**12)}
        with pytest.raises(tn.ModelFileError):
            _build(document, tensors)


def test_checkpoint(tmp_path):
    """A bag that was cut off goes on with the same bits."""
    bag = tn.BaggingClassifier(tn.AdaBoostClassifier(n_estimators=6), 2)
    whole = clone(bag).fit(X, label)
    seen = []

    class Enough(Exception):
        pass

    def cut(self, *args, update=tn.BaggingClassifier.update):
        seen.append(1)
        if len(seen) == 4:
            raise Enough
        return update(self, *args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tn.BaggingClassifier, "update", cut)
        with pytest.raises(Enough):
            clone(bag).fit(X, label, checkpoint=tn.Checkpoint(tmp_path, every=0))
    assert list(tmp_path.iterdir())
    assert bits(clone(bag).fit(X, label, checkpoint=tmp_path).state_) == bits(whole.state_)
    assert len(seen) == 4


def test_refused():
    with pytest.raises(TypeError, match="no learner of tenfold"):
        tn.BaggingClassifier(PeerNB()).fit(X, label)
    with pytest.raises(TypeError, match="does not predict classes"):
        tn.BaggingClassifier(tn.Ridge()).fit(X, label)
    with pytest.raises(AttributeError):
        _ = tn.BaggingClassifier(tn.GaussianNB()).fit(X, label).oob_score_
