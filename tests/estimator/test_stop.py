"""`fit(..., stop=)`: rules that end a fit early, and what they leave is a whole model."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.pipeline import make_pipeline

import tenfold as tn
from helpers import learners, name_of
from tenfold.core import Stop
from tenfold.testing.data import draw

RNG = np.random.default_rng(0)
X = RNG.normal(size=(2000, 4))
MANY = np.random.default_rng(1).normal(size=(20_000, 4))
"""more rows than k-means takes its start from"""
LABEL = (X @ [2.0, -1.0, 0.5, 0.0] + RNG.logistic(size=2000) > 0).astype(int)


def is_whole(model, rows, path):
    """Whether a model can be verified, saved and loaded, and says the same afterwards."""
    assert model.verify().origin == "verified"
    model.save(path)
    again = tn.load(path)
    for name in ("predict", "transform"):
        if hasattr(model, name):
            a, b = (getattr(one, name)(rows) for one in (model, again))
            a, b = (one.toarray() if hasattr(one, "toarray") else one for one in (a, b))
            np.testing.assert_array_equal(a, b)


class Hasty:
    """A callback that wants to stop at once."""

    def setup(self, estimator, context): ...

    def teardown(self, estimator, context): ...

    def on_fit_task_begin(self, estimator, context): ...

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
        return True


@pytest.mark.filterwarnings("ignore")  # so few rounds are too few
@pytest.mark.parametrize("learner", learners(), ids=name_of)
def test_what_a_rule_leaves_is_a_whole_model(learner, tmp_path):
    table = draw(learner.need, seed=5)
    model = learner.fit(table.X, table.y, **table.given, stop=tn.Seconds(0))
    is_whole(model, table.seen, tmp_path / "model")


@pytest.mark.parametrize("learner", [tn.HistGradientBoostingClassifier(max_iter=3), tn.DecisionTreeClassifier()])
def test_what_a_callback_leaves_is_a_whole_model(learner, tmp_path):
    is_whole(learner.set_callbacks(Hasty()).fit(X, LABEL), X, tmp_path / "model")


def test_a_gap_ends_a_fit_once_it_is_certified():
    whole = tn.LogisticRegression(tol=1e-12).fit(X, LABEL)
    model = tn.LogisticRegression(tol=1e-12).fit(X, LABEL, stop=tn.Gap(1e-2))
    assert model.certificate_.provenance.stopped == "gap at most 0.01"
    assert whole.certificate_["gap"].value < model.certificate_["gap"].value <= 1e-2
    assert model.n_iter_ < whole.n_iter_


def test_rounds_are_counted_and_the_limits_of_the_learner_hold_too():
    whole = tn.KMeans(8).fit(MANY)
    assert whole.n_iter_ > 5
    model = tn.KMeans(8).fit(MANY, stop=tn.Rounds(4))
    assert (model.n_iter_, model.certificate_.provenance.stopped) == (4, "4 rounds")
    few = tn.KMeans(8, max_iter=2).fit(MANY, stop=tn.Rounds(4))
    assert (few.n_iter_, few.certificate_.provenance.stopped) == (2, "2 rounds")


def test_rules_compose_and_may_be_your_own():
    class Inertia(Stop):
        def __call__(self, step, certificate, seconds):
            low = certificate is not None and certificate["inertia"].value < 1.002 * least
            return "low enough" if low else None

    least = tn.KMeans(8).fit(MANY).inertia_
    model = tn.KMeans(8).fit(MANY, stop=tn.Seconds(3600) | Inertia())
    assert model.certificate_.provenance.stopped == "low enough"
    assert least < model.inertia_ < 1.002 * least


def test_without_a_rule_nothing_changes_and_what_is_no_rule_is_refused():
    a, b = tn.KMeans(5).fit(X), tn.KMeans(5).fit(X, stop=None)
    np.testing.assert_array_equal(a.cluster_centers_, b.cluster_centers_)
    for wrong in (10, "gap", tn.Rounds):
        with pytest.raises(TypeError, match=r"is not a rule. Remedy: Gap\(1e-3\) \| Seconds\(60\)"):
            tn.KMeans(5).fit(X, stop=wrong)
        with pytest.raises(TypeError, match="is not a rule"):
            tn.Ridge().fit(X, X[:, 0], stop=wrong)


def test_one_pass_goes_to_its_end():
    """It is not left with what the first of its summaries gave."""
    x = np.linspace(0, 1, 200)[:, None]
    y = np.sin(9 * x[:, 0])
    whole = tn.PolynomialRegression(9).fit(x, y)
    assert whole.certificate_.provenance.passes == 2
    for model in (
        tn.PolynomialRegression(9).fit(x, y, stop=tn.Seconds(0)),
        tn.PolynomialRegression(9).set_callbacks(Hasty()).fit(x, y),
    ):
        assert model.certificate_.provenance.stopped == "done"
        np.testing.assert_array_equal(model.coef_, whole.coef_)


def test_in_a_pipeline_with_and_without_routing():
    rows, rule = MANY + 3, tn.Rounds(3)
    plain = make_pipeline(tn.StandardScaler(), tn.KMeans(8)).fit(rows, kmeans__stop=rule)
    with config_context(enable_metadata_routing=True):
        scaler = tn.StandardScaler().set_fit_request(stop=False)
        routed = make_pipeline(scaler, tn.KMeans(8).set_fit_request(stop=True)).fit(rows, stop=rule)
        with pytest.raises(ValueError, match="stop"):  # nobody has asked for it
            make_pipeline(tn.StandardScaler(), tn.KMeans(8)).fit(rows, stop=rule)
    for whole in (plain, routed):
        assert whole[-1].certificate_.provenance.stopped == "3 rounds"
    np.testing.assert_array_equal(plain[-1].cluster_centers_, routed[-1].cluster_centers_)
