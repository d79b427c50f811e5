"""Scoring as a statistic: of groups at once and one by one, by one model or by one of each group, in united classes."""

import numpy as np
import pytest
from sklearn import metrics

import tenfold as tn
from tenfold.core import Chunk, Columns
from tenfold.core.value import ByIdentity
from tenfold.engine.group_keys import Listed
from tenfold.engine.loop import opened
from tenfold.estimator.ensembles.predictor import Model
from tenfold.sources import ArraySource, part_rows
from tenfold.stats.combinators import As, By, Of, View, joined
from tenfold.stats.metrics import scorers
from tenfold.stats.predictor_scores import Metric, Predictor, Score

rng = np.random.default_rng(0)
N = 400
X = rng.normal(size=(N, 3))
KIND = np.array(["a", "b", "c"])[np.digitize(X[:, 0] + 0.5 * rng.normal(size=N), [-0.5, 0.5])]
NUMBER = X @ [1.0, 2.0, 3.0] + rng.normal(size=N)
WEIGHT = rng.integers(1, 4, N).astype(float)
CODES = rng.integers(-1, 3, N)
CLASSES = ["accuracy", "f1_macro", "neg_log_loss"]


def chunk(y, weight=None):
    return Chunk(Columns(X), y, np.ones(N) if weight is None else weight, weight is None, 0, 0)


def models(learner, y, before=()):
    out = []
    for at in range(3):
        rows = slice(at, None, 3)
        some = [(step, step.fit(X[rows]).model_) for step in (stage() for stage in before)]
        seen = X[rows]
        for step, _ in some:
            seen = step.transform(seen)
        fitted = learner().fit(seen, y[rows])
        out.append(Model.of(fitted._blank(), fitted.model_, some, fitted.classes_ if y is KIND else None))
    return out


def alike(a, b):
    """Two summaries, to the bit."""
    assert type(a) is type(b)
    if isinstance(a, tuple):
        for pair in zip(a, b, strict=True):
            alike(*pair)
    elif isinstance(a, np.ndarray | int | float | bool):
        assert np.array_equal(a, b)
    else:
        for name in vars(a):
            alike(getattr(a, name), getattr(b, name))


WAYS = {
    "in one kernel": (tn.GaussianNB, KIND, CLASSES, ()),
    "one after another": (tn.DecisionTreeClassifier, KIND, CLASSES, ()),
    "after a transformer": (tn.GaussianNB, KIND, CLASSES, (tn.StandardScaler,)),
    "numbers": (tn.Ridge, NUMBER, ["r2", "neg_mean_absolute_error"], ()),
}


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["even", "weighted"])
@pytest.mark.parametrize("way", WAYS)
def test_each_group_is_judged_by_its_own_model(way, weight):
    learner, y, names, before = WAYS[way]
    each, asked = models(learner, y, before), [scorers[name] for name in names]
    rows = chunk(y if y is NUMBER else np.searchsorted(["a", "b", "c"], y), weight)
    at_once = Score.of(each, asked).summarize_groups(rows, CODES, 3)
    for group, predictor in enumerate(each):
        alone = Score.of([predictor], asked).summarize(rows.rows(np.flatnonzero(group == CODES)))
        assert alone.weighted == (weight is not None)
        alike(at_once[group], alone)


def test_one_model_judges_all_groups():
    predictor = models(tn.GaussianNB, KIND)[0]
    score = Score.of([predictor], [scorers[name] for name in CLASSES])
    rows = chunk(np.searchsorted(["a", "b", "c"], KIND))
    at_once = score.summarize_groups(rows, CODES, 4)
    for group in range(3):
        alike(at_once[group], score.summarize(rows.rows(np.flatnonzero(group == CODES))))
    assert at_once[3] is None


def test_scores_of_the_same_family_are_read_off_one_summary():
    score = Score.of(models(tn.GaussianNB, KIND)[:1], [scorers[name] for name in CLASSES])
    assert len(score.metrics) == 2
    found = score.summarize(chunk(np.searchsorted(["a", "b", "c"], KIND)))
    assert score.summary(scorers["accuracy"], found) is score.summary(scorers["f1_macro"], found)
    assert score == Score.of(score.predictors, [scorers["recall_micro"], scorers["neg_brier_score"]])


def test_several_models_without_groups_are_refused():
    score = Score.of(models(tn.Ridge, NUMBER), [scorers["r2"]])
    with pytest.raises(TypeError, match="stands in no `By`"):
        score.summarize(chunk(NUMBER))


def test_what_a_model_does_not_give_is_refused_before_a_row_is_read():
    fitted = tn.SGDClassifier(loss="hinge").fit(X, KIND == "a")
    predictor = Model.of(fitted._blank(), fitted.model_, [], fitted.classes_)
    assert predictor.gives == {"prediction", "score"}
    assert predictor.has_decision_function
    with pytest.raises(tn.DataError, match="needs probabilities, and SGDClassifier has no predict_proba"):
        Score.of([predictor], [scorers["neg_log_loss"]])
    found = Score.of([predictor], [scorers["roc_auc"]]).summarize(chunk((KIND == "a").astype(int)))
    wanted = metrics.roc_auc_score(KIND == "a", fitted.decision_function(X))
    assert found.each[0].roc_auc == pytest.approx(wanted, abs=1e-12)


def test_classes_that_a_model_does_not_know_are_never_said():
    few = KIND != "b"
    fitted = tn.GaussianNB().fit(X[few], KIND[few])
    known = np.array([0, 2])
    predictor = Model.of(fitted._blank(), fitted.model_, [], fitted.classes_).for_classes(
        np.array(["a", "b", "c"]), known
    )
    said = predictor.outputs(chunk(None), {"prediction", "probability", "score"})
    assert np.array_equal(said["prediction"], known[np.searchsorted(["a", "c"], fitted.predict(X))])
    assert np.array_equal(said["probability"][:, known], fitted.predict_proba(X))
    assert (said["probability"][:, 1] == 0).all()
    assert np.isneginf(said["score"][:, 1]).all()


class Row(Predictor):
    """Says the number of the row."""

    def own_outputs(self, chunk, wanted):
        return {"prediction": chunk.X.numbers().astype(float)}


def total(truth, said, weight, classes):
    return said.sum() + 1j * len(said)


@pytest.mark.parametrize("part", [37, 1000])
def test_sets_of_groups_are_judged_in_one_scan(part):
    """Groups that a key joins: some together, some left out, and none scored twice."""
    with part_rows(part):
        source = ArraySource(X, NUMBER)
    groups = np.arange(N) % 5
    key = joined(Listed(5, groups), [(3,), (0, 4)])
    assert key.groups == 2
    assert joined(Listed(5, groups), [(g,) for g in range(5)]) == Listed(5, groups)
    score = Score((Row("row", frozenset({"prediction"}), None),), (Metric("prediction", ByIdentity(total)),))
    need = tn.Ridge().need
    with opened(tn.Local(threads=1), source) as session:
        view = View(need, source.schema_of(0, need))
        found = session.answer(As(view, By((key,), score)))
        of_some = session.answer(As(view, Of(key, (1,), score)))
    for at, some in enumerate([(3,), (0, 4)]):
        numbers = np.flatnonzero(np.isin(groups, some))
        assert found.each[at].rows == len(numbers)
        assert found.each[at].summary.each[0] == numbers.sum() + 1j * len(numbers)
    assert of_some.summary.each == found.each[1].summary.each
