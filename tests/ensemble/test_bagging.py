"""Bagging against fits with the drawn weights by hand, out-of-bag by brute force, the same on every runner."""

from functools import wraps

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import BaggingClassifier as Peer
from sklearn.naive_bayes import GaussianNB as PeerNB

import tenfold as tn
from helpers import parts_of
from tenfold.sources import part_rows
from tenfold.testing import bits, check_laws

rng = np.random.default_rng(5)
X = rng.standard_normal((600, 4))
y = X @ [1.0, -2.0, 0.5, 0.0] + np.abs(X[:, 0]) + 0.5 * rng.standard_normal(600)
label = np.array(["a", "b", "c"])[np.digitize(y, [-1.0, 1.0])]
weight = rng.integers(0, 4, 600).astype(float)


def draws(model, weight, rows):
    """How often each member draws each row, member by row, in parts of so many rows: one of weight zero never."""
    out = np.zeros((model.n_estimators, len(weight)), np.int64)
    with part_rows(rows):
        for there, chunk in parts_of(weight):
            out[:, there] = [draw.times(chunk) for draw in model.draws()]
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
        model = clone(bag).fit(X, target, sample_weight=weight)
        times = draws(model, weight, 150)
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
    times = draws(tn.BaggingRegressor(tn.DummyRegressor(), 30), np.ones(20_000), 3000)
    share = np.array([np.mean(times == k) for k in range(4)])
    np.testing.assert_allclose(share, np.exp(-1) / np.array([1, 1, 2, 6]), atol=2e-3)
    correlation = np.corrcoef(times) - np.eye(30)
    assert np.abs(correlation).max() < 5 / np.sqrt(20_000)


def test_equal_rows_are_drawn_independently():
    """In a bag of means, members differ as much as bootstraps of so many rows do, be the rows alike or not."""
    zeros, target = np.zeros((400, 1)), np.repeat([0.0, 1.0], 200)
    model = tn.BaggingRegressor(tn.DummyRegressor(), 60, oob_score=True).fit(zeros, target)
    spread = np.std([m.predict(zeros[:1])[0] for m in model.estimators_])
    assert spread == pytest.approx(0.5 / np.sqrt(400), rel=0.35)
    assert abs(model.oob_score_) < 0.02  # the mean of others says nothing of a row


def test_a_bag_that_learns_row_by_row_is_a_bag():
    """`partial_fit` goes on numbering, so each row is drawn by itself; models of single rows do not add up."""
    rows, target = np.zeros((60, 1)), rng.standard_normal(60)
    grown = tn.BaggingRegressor(tn.DummyRegressor(), 40)
    for at in range(60):
        grown.partial_fit(rows[at : at + 1], target[at : at + 1])
    with part_rows(1):
        whole = tn.BaggingRegressor(tn.DummyRegressor(), 40).fit(rows, target)
    assert (grown.model_.seen == whole.model_.seen).all()
    np.testing.assert_allclose(grown.predict(rows), whole.predict(rows), rtol=1e-12)
    assert grown.certificate_.provenance.overlap == 0
    one, other = (tn.BaggingRegressor(tn.DummyRegressor(), 40).fit(rows[:1], target[at : at + 1]) for at in (0, 1))
    with pytest.raises(tn.MergeError, match="only 1 draws would be left for 2 rows. Remedy: partial_fit"):
        one + other


def test_a_merged_bag_says_which_rows_were_drawn_together(tmp_path):
    some, more = (tn.BaggingRegressor(tn.Ridge(), 25).fit(X[r], y[r]) for r in (slice(0, 250), slice(250, 600)))
    merged = some + more
    assert merged.certificate_["rows drawn together"].value == 250
    assert merged.verify().origin == "verified"
    merged.save(tmp_path / "bag.tenfold")
    assert tn.load(tmp_path / "bag.tenfold").verify()["rows drawn together"].value == 250
    whole = tn.BaggingRegressor(tn.Ridge(), 25).fit(X, y)
    error = np.std([m.coef_ for m in whole.estimators_], axis=0)
    means = [np.mean([m.coef_ for m in bag.estimators_], axis=0) for bag in (whole, merged)]
    assert (np.abs(means[0] - means[1]) < 4 * error / np.sqrt(25 / 2)).all()
    grown = tn.BaggingRegressor(tn.Ridge(), 25).fit(X[:250], y[:250]).partial_fit(X[250:], y[250:])
    assert grown.certificate_.get("rows drawn together") is None
    assert not np.allclose(grown.predict(X), merged.predict(X), rtol=1e-9)


def test_rows_of_weight_zero_are_not_there():
    kept = weight > 0
    a = tn.BaggingClassifier(tn.GaussianNB(), 5).fit(X, label, sample_weight=weight)
    b = tn.BaggingClassifier(tn.GaussianNB(), 5).fit(X[kept], label[kept], sample_weight=weight[kept])
    assert bits(a.model_) == bits(b.model_)


def test_a_weight_is_that_of_one_row_and_on_average_the_same_as_repeated_rows():
    rows, target = X[:200], y[:200]
    times = rng.integers(1, 4, 200)
    again = np.repeat(np.arange(200), times)
    found = np.empty((2, 40))
    for seed in range(40):
        bag = tn.BaggingRegressor(tn.Ridge(), 5, random_state=seed)
        found[0, seed] = clone(bag).fit(rows, target, sample_weight=times).predict(X[:1])[0]
        found[1, seed] = clone(bag).fit(rows[again], target[again]).predict(X[:1])[0]
    error = np.sqrt(found.var(axis=1).sum() / 40)
    assert abs(found[0].mean() - found[1].mean()) < 4 * error
    assert found[0].std() > found[1].std()  # fewer draws: the spread of the bag is that of 200 rows


def test_a_bag_in_a_bag_draws_by_itself():
    """A row that the outer member draws is not therefore drawn by the inner one, nor left out."""
    inner = tn.BaggingRegressor(tn.DummyRegressor(), 30, oob_score=True)
    outer = tn.BaggingRegressor(inner, 6).fit(np.zeros((300, 1)), rng.standard_normal(300))
    for member in outer.estimators_:
        drawn = member.model_.seen / 300
        assert np.mean(drawn) == pytest.approx((1 - np.exp(-1)) ** 2, abs=0.04)


@pytest.mark.parametrize("given", [None, np.random.RandomState(3)])
def test_a_seed_that_is_drawn_is_that_of_the_members(given):
    tree = tn.DecisionTreeClassifier(max_depth=3, max_features=1)
    for learner in (tn.BaggingClassifier(tree, 3), tn.AdaBoostClassifier(tree, n_estimators=3)):
        model = learner.set_params(random_state=given).fit(X, label)
        seed = model.certificate_.provenance.seed
        again = clone(learner).set_params(random_state=seed).fit(X, label)
        assert (model.predict(X) == again.predict(X)).all()
        assert [m.random_state for m in model.estimators_] == [m.random_state for m in again.estimators_]


def test_out_of_bag_by_hand():
    with part_rows(100):
        model = tn.BaggingClassifier(tn.GaussianNB(), 8, oob_score=True).fit(X, label, sample_weight=weight)
        number = tn.BaggingRegressor(tn.Ridge(), 8, oob_score=True).fit(X, y, sample_weight=weight)
    for bag, target in ((model, label), (number, y)):
        times = draws(bag, weight, 100)
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
        assert bag.certificate_["rows never out of bag"].value == pytest.approx(left, abs=1e-12)
        assert bag.verify().origin == "verified"


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
        assert bits(other.model_) == bits(model.model_)
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
        assert bits(back.model_) == bits(model.model_)
        assert back.verify().origin == "verified"
        assert (back.predict(X) == model.predict(X)).all()


def test_a_file_with_a_great_many_members_is_refused_at_once(tmp_path):
    """Before any is made."""
    from tenfold.estimator.files import container
    from tenfold.estimator.files.model_file import _build

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

    @wraps(tn.BaggingClassifier.update)
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
    assert bits(clone(bag).fit(X, label, checkpoint=tmp_path).model_) == bits(whole.model_)
    assert len(seen) == 4


def test_refused():
    with pytest.raises(TypeError, match="not a learner of tenfold"):
        tn.BaggingClassifier(PeerNB()).fit(X, label)
    with pytest.raises(TypeError, match="does not predict classes"):
        tn.BaggingClassifier(tn.Ridge()).fit(X, label)
    with pytest.raises(AttributeError):
        _ = tn.BaggingClassifier(tn.GaussianNB()).fit(X, label).oob_score_


def test_bags_that_lack_a_class_are_certified_without_a_warning():
    X = [["red"], ["m"], ["m"]]
    model = tn.BaggingClassifier(tn.LogisticRegression(), 3, oob_score=True).fit(X, [5, 3, 0])
    assert np.isfinite(model.predict_proba(X)).all()
