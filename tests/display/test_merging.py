"""Scores and curves from one array, from a hundred chunks and from two worker processes: scikit-learn's numbers."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics
from sklearn.calibration import calibration_curve

import faults
import tenfold as tn
from tenfold.display.drawing import of_positive
from tenfold.engine import merge
from tenfold.metrics.predictors import scores_of
from tenfold.stats.metrics import Calibration, Confusion, LogLoss, Ranking, Regression
from tenfold.stats.metrics.scorers import confusion, log_loss, regression

pytestmark = [
    pytest.mark.timeout(240),
    pytest.mark.filterwarnings("ignore:The inplace keyword"),  # Dask itself, with a pandas that is newer than it
]
N = 6000
WAYS = ["one array", "100 chunks", "dask"]


CLASSES = [
    ("prediction", confusion),
    ("probability", log_loss),
    ("score", partial(of_positive, Ranking.of, 1)),
    ("score", partial(of_positive, partial(Ranking.of, most=300), 1)),
    ("probability", partial(of_positive, partial(Calibration.of, bins=10), 1)),
]
NUMBERS = [("prediction", regression)]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Rows in a file of 100 row groups; what two models say of them."""
    random = np.random.default_rng(0)
    X = random.normal(size=(N, 3))
    number = X @ [1.0, -1.0, 0.5] + random.normal(size=N)
    kind = np.where(number + random.normal(size=N) > 0, "up", "down")
    weight = random.integers(0, 3, N) + random.integers(0, 2, N) * 0.25
    path = tmp_path_factory.mktemp("rows") / "rows.parquet"
    frame = pd.DataFrame(X, columns=list("abc")).assign(number=number, kind=kind, weight=weight)
    frame.to_parquet(path, row_group_size=N // 100)
    classifier, regressor = tn.GaussianNB().fit(X[:500], kind[:500]), tn.Ridge().fit(X[:500], number[:500])
    names = pd.DataFrame(X, columns=list("abc"))
    by_name = tn.GaussianNB().fit(names[:500], kind[:500]), tn.Ridge().fit(names[:500], number[:500])
    said = classifier.predict(X), classifier.predict_proba(X), regressor.predict(X)
    return path, by_name, kind, number, weight, said


@pytest.fixture(scope="module")
def cluster():
    with faults.Cluster(2) as started:
        assert len({*started.pids()}) == 2
        yield started


@pytest.fixture(scope="module")
def found(data, cluster):
    """All summaries, in each way, with and without weights."""
    path, (classifier, regressor), kind, number, weight, (label, p, value) = data
    codes, guess = (kind == "up").astype(int), (label == "up").astype(int)
    out = {}

    def chunk(rows, heft):
        w = None if heft is None else heft[rows]
        some = [function(codes[rows], guess[rows] if need == "prediction" else p[rows], w, 2)
                for need, function in CLASSES]  # fmt: skip
        return [*some, Regression.of(number[rows], value[rows], w)]

    for heft in (None, weight):
        key = heft is not None
        out["one array", key] = chunk(slice(None), heft)
        parts = [chunk(slice(at, at + N // 100), heft) for at in range(0, N, N // 100)]
        assert len(parts) == 100
        out["100 chunks", key] = [merge(some) for some in zip(*parts)]
    with tn.on(cluster.runner):
        for heft in (False, True):
            options = dict(columns=list("abc"), weight="weight" if heft else None)
            rows = [tn.scan(path, target=target, **options) for target in ("kind", "number")]
            assert len(rows[0]) == 100
            some, classes = scores_of(classifier, rows[0], None, None, lambda classes: CLASSES)
            more, _ = scores_of(regressor, rows[1], None, None, lambda classes: NUMBERS)
            assert some.weighted is more.weighted is heft
            assert classes.tolist() == ["down", "up"]
            out["dask", heft] = [*some.each, *more.each]
    return out


@pytest.fixture(params=[False, True], ids=["even", "weighted"])
def weighted(request):
    return request.param


@pytest.fixture(params=WAYS)
def way(request):
    return request.param


def close(mine, theirs):
    np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)


def test_matrix_and_scores_of_classes(data, found, way, weighted):
    _, _, kind, _, weight, (label, _, _) = data
    c, w = found[way, weighted][0], weight if weighted else None
    assert isinstance(c, Confusion)
    close(c.count, metrics.confusion_matrix(kind, label, sample_weight=w))
    close(c.accuracy, metrics.accuracy_score(kind, label, sample_weight=w))
    if not weighted:
        close(c.balanced_accuracy, metrics.balanced_accuracy_score(kind, label))
    for average in ("macro", "micro", "weighted"):
        for name in ("precision", "recall", "f1"):
            theirs = getattr(metrics, f"{name}_score")(kind, label, average=average, sample_weight=w)
            close(getattr(c, name)(average), theirs)


def test_losses_of_probabilities(data, found, way, weighted):
    _, _, kind, _, weight, (_, p, _) = data
    loss, w = found[way, weighted][1], weight if weighted else None
    assert isinstance(loss, LogLoss)
    close(loss.log_loss, metrics.log_loss(kind, p, sample_weight=w))
    close(loss.brier, metrics.brier_score_loss(kind == "up", p[:, 1], sample_weight=w))


def test_curves_of_ranks(data, found, way, weighted):
    _, _, kind, _, weight, (_, p, _) = data
    r, w = found[way, weighted][2], weight if weighted else None
    true = kind == "up"
    close(r.roc_auc, metrics.roc_auc_score(true, p[:, 1], sample_weight=w))
    close(r.average_precision, metrics.average_precision_score(true, p[:, 1], sample_weight=w))
    fpr, tpr, _ = r.roc_curve(drop_intermediate=False)
    theirs = metrics.roc_curve(true, p[:, 1], sample_weight=w, drop_intermediate=False)
    close(fpr, theirs[0])
    close(tpr, theirs[1])
    precision, recall, _ = r.pr_curve()
    theirs = metrics.precision_recall_curve(true, p[:, 1], sample_weight=w)
    close(precision, theirs[0])
    close(recall, theirs[1])


def test_a_histogram_of_ranks_is_within_its_bounds(found, way, weighted):
    exact, h = found[way, weighted][2:4]
    assert exact.exact
    assert not h.exact
    assert len(h.low) <= 300
    assert h.auc_low <= exact.roc_auc <= h.auc_high
    assert h.average_precision_low <= exact.average_precision <= h.average_precision_high
    assert h.auc_high - h.auc_low < 0.02
    fpr, tpr, _ = h.roc_curve(drop_intermediate=False)
    points = {*zip(*(v.round(12).tolist() for v in exact.roc_curve(drop_intermediate=False)[:2]))}
    assert {*zip(fpr.round(12).tolist(), tpr.round(12).tolist())} <= points


def test_calibration(data, found, way, weighted):
    _, _, kind, _, weight, (_, p, _) = data
    c = found[way, weighted][4]
    true = kind == "up"
    if weighted:
        at = np.minimum((np.ceil(p[:, 1] * 10) - 1).astype(int), 9)
        close(c.prob_true, [np.average(true[at == b], weights=weight[at == b]) for b in range(10)])
        close(c.prob_pred, [np.average(p[at == b, 1], weights=weight[at == b]) for b in range(10)])
        return
    theirs = calibration_curve(true, p[:, 1], n_bins=10)
    close(c.prob_true, theirs[0])
    close(c.prob_pred, theirs[1])


def test_errors_of_numbers(data, found, way, weighted):
    _, _, _, number, weight, (_, _, value) = data
    r, w = found[way, weighted][5], weight if weighted else None
    close(r.r2, metrics.r2_score(number, value, sample_weight=w))
    close(r.mse, metrics.mean_squared_error(number, value, sample_weight=w))
    close(r.rmse, metrics.root_mean_squared_error(number, value, sample_weight=w))
    close(r.mae, metrics.mean_absolute_error(number, value, sample_weight=w))


def test_curves_and_verdicts_on_workers_are_those_of_this_process(data, cluster):
    path, (classifier, _), *_ = data

    def all_of_them():
        kinds, numbers = (tn.scan(path, target=target, columns=list("abc")) for target in ("kind", "number"))
        curves = [
            tn.learning_curve(tn.GaussianNB(), kinds, train_sizes=[0.1, 1.0], folds=3, scoring="neg_log_loss"),
            tn.learning_curve(tn.Ridge(), numbers, train_sizes=[0.1, 1.0], folds=3),
            tn.validation_curve(tn.Ridge(), numbers, param_name="alpha", param_range=[1.0, 100.0], folds=3),
        ]
        parts = tn.bias_variance(tn.GaussianNB(), kinds, sets=4, sampling="disjoint")
        verdict = tn.overfits(classifier, tn.DummyClassifier().fit(kinds), kinds, kinds)
        found = [*(c.train_scores for c in curves), *(c.test_scores for c in curves)]
        found += [(parts.loss, parts.bias, parts.variance), (*verdict.train, verdict.difference.low)]
        return [np.asarray(one).tobytes() for one in found]

    with tn.on(tn.Local(threads=2)):
        here = all_of_them()
    with tn.on(cluster.runner):
        assert all_of_them() == here
