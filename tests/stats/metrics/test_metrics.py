"""Metrics that merge: scikit-learn on the whole, the laws, and the bounds of what is binned."""

import math
import pickle
import warnings
from functools import reduce
from operator import add

import numpy as np
import pytest
import sklearn.metrics as peer
from hypothesis import given, settings
from hypothesis import strategies as st

from tenfold.core import MergeError, Schema
from tenfold.core.axes import bits, check, recode
from tenfold.stats.metrics import Confusion, LogLoss, Ranking, Regression, Sum, scorers
from tenfold.stats.metrics.order import keys, level_for, starts
from tiers import draws

CLOSE = dict(rtol=1e-12, atol=1e-12)
quick = settings(max_examples=draws(20, 60))
seeds = st.integers(0, 2**32 - 1)


def close(found, wanted, **more):
    np.testing.assert_allclose(found, wanted, **{**CLOSE, **more})


def quiet(function, *args, **kwargs):
    """A peer's answer without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, **kwargs)


def parts(rng, n, most=6):
    """Slices that cut n rows anywhere, empty ones too."""
    cuts = np.sort(rng.integers(0, n + 1, size=rng.integers(0, most)))
    ends = [0, *cuts.tolist(), n]
    return [slice(a, b) for a, b in zip(ends[:-1], ends[1:])]


def merged(summarize, rows, *columns):
    return reduce(add, [summarize(*(None if c is None else c[part] for c in columns)) for part in rows])


def weights(rng, n, kind):
    if kind == "none":
        return None
    return rng.integers(0, 4, size=n).astype(float) if kind == "whole" else rng.random(n) + 0.01


def schema(classes=None):
    return Schema((), None if classes is None else "class", None if classes is None else np.arange(classes))


def same(a, b):
    return bits(a) == bits(b)


def lawful(summaries, nothing, where):
    """Associative and with an identity, to the bit, and as the annotations say."""
    a, b, c = summaries
    assert same((a + b) + c, a + (b + c))
    for s in (a, b, c, nothing, a + b, (a + b) + c):
        check(s, where)
        assert same(s + nothing, s)
        assert same(nothing + s, s)


# Regression


@pytest.mark.parametrize("kind", ["none", "float", "whole"])
@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_regression(kind, shift):
    rng = np.random.default_rng(1)
    y = rng.normal(size=500) + shift
    prediction = y + rng.normal(size=500) * 0.5
    w = weights(rng, 500, kind)
    for rows in ([slice(None)], parts(rng, 500), [slice(i, i + 1) for i in range(500)]):
        s = merged(Regression.of, rows, y, prediction, w)
        check(s, schema())
        assert s.rows == (500 if w is None else (w > 0).sum())
        close(s.mae, peer.mean_absolute_error(y, prediction, sample_weight=w))
        close(s.mse, peer.mean_squared_error(y, prediction, sample_weight=w))
        close(s.rmse, peer.root_mean_squared_error(y, prediction, sample_weight=w))
        close(s.r2, peer.r2_score(y, prediction, sample_weight=w), rtol=1e-11 if shift else 1e-12)


def test_regression_of_little():
    nothing = Regression.of([], [])
    assert [math.isnan(v) for v in (nothing.mae, nothing.mse, nothing.rmse, nothing.r2)] == [True] * 4
    one = Regression.of([3.0], [4.0])
    assert (one.mae, one.mse, one.rmse) == (1.0, 1.0, 1.0)
    assert math.isnan(one.r2)
    flat = [0.1] * 7
    for prediction, r2 in ((flat, 1.0), ([0.1] * 6 + [0.2], 0.0)):
        whole = Regression.of(flat, prediction)
        assert whole.r2 == r2
        assert (
            Regression.of(flat[:3], prediction[:3], [0.3, 0.1, 2.0]) + Regression.of(flat[3:], prediction[3:])
        ).r2 == r2


def test_regression_refuses():
    for y, prediction, w, said in (
        ([1.0], [np.nan], None, "prediction holds NaN"),
        ([np.inf], [1.0], None, "truth holds NaN"),
        ([1.0, 2.0], [1.0], None, "differ in length"),
        ([1.0], [1.0], [-1.0], "not negative"),
        ([1.0], [1.0], [np.nan], "not negative"),
        ([1.0], [[1.0, 2.0]], None, "one number to a row"),
    ):
        with pytest.raises(ValueError, match=said):
            Regression.of(y, prediction, w)
    assert Regression.of([1.0], [np.nan], [0.0]).rows == 0  # a row of weight zero is no row
    large = Regression.of([0.0, 0.0], [1e200, 1.0])
    assert (large + large).mse == math.inf
    assert (large + large).mae == large.mae


@quick
@given(seeds)
def test_regression_laws(seed):
    rng = np.random.default_rng(seed)
    y, prediction = rng.normal(size=(2, 30)) * 10.0 ** rng.integers(-3, 4) + rng.normal() * 100
    w = weights(rng, 30, rng.choice(["none", "float", "whole"]))
    a, b, c = (Regression.of(y[i::3], prediction[i::3], None if w is None else w[i::3]) for i in range(3))
    whole, left, right = Regression.of(y, prediction, w), (a + b) + c, a + (b + c)
    nothing = Regression.of([], [])
    for s in (a, whole):
        assert same(s + nothing, s)
        assert same(nothing + s, s)
    assert left.rows == right.rows == whole.rows
    for name in ("weight", "mean", "mae", "mse", "rmse", "r2"):
        close(getattr(left, name), getattr(right, name), rtol=1e-13)
        close(getattr(left, name), getattr(whole, name))


def test_sum_keeps_its_digits():
    many = reduce(add, [Sum(0.1)] * 10_000 + [Sum(1e12)])
    assert many.value == math.fsum([0.1] * 10_000 + [1e12])
    assert same(many + Sum(), many)


# Confusion


def confusing(rng, n, classes, kind):
    truth = rng.integers(0, classes, size=n)
    prediction = np.where(rng.random(n) < 0.6, truth, rng.integers(0, classes, size=n))
    return truth, prediction, weights(rng, n, kind)


def thin(w, *columns):
    """Without the rows of weight zero: to scikit-learn they make a class occur."""
    if w is None:
        return w, *columns
    return w[w > 0], *(c[w > 0] for c in columns)


@pytest.mark.parametrize("kind", ["none", "float", "whole"])
@pytest.mark.parametrize("case", ["two", "five", "never predicted", "never true", "absent", "one"])
def test_confusion(case, kind):
    rng = np.random.default_rng(len(case))
    k = 2 if case == "two" else 5
    truth, prediction, w = confusing(rng, 200, k, kind)
    if case in ("never predicted", "absent"):
        prediction[prediction == 3] = 0
    if case in ("never true", "absent"):
        truth[truth == 3] = 1
    if case == "one":
        truth[:], prediction[:] = 2, 2
    rows = parts(rng, 200)
    s = merged(lambda t, p, w=None: Confusion.of(t, p, w, n_classes=k), rows, truth, prediction, w)
    check(s, schema(k))
    w, truth, prediction = thin(w, truth, prediction)
    assert s.rows == len(truth)
    close(s.count, peer.confusion_matrix(truth, prediction, labels=range(k), sample_weight=w))
    close(s.support, np.bincount(truth, w, minlength=k))
    close(s.predicted, np.bincount(prediction, w, minlength=k))
    close(s.accuracy, peer.accuracy_score(truth, prediction, sample_weight=w))
    close(s.balanced_accuracy, quiet(peer.balanced_accuracy_score, truth, prediction, sample_weight=w))
    for average in ("macro", "micro", "weighted", None) + (("binary",) if k == 2 else ()):
        for zero in (0.0, 1.0, np.nan):
            more = dict(average=average, sample_weight=w, zero_division=zero)
            if average is None:
                more["labels"] = range(k)
            close(s.precision(average, zero), quiet(peer.precision_score, truth, prediction, **more))
            close(s.recall(average, zero), quiet(peer.recall_score, truth, prediction, **more))
            close(s.f1(average, zero), quiet(peer.f1_score, truth, prediction, **more))
            for beta in (0.5, 2.0):
                wanted = quiet(peer.fbeta_score, truth, prediction, beta=beta, **more)
                close(s.f_beta(beta, average, zero), wanted)


def test_confusion_of_nothing():
    s = Confusion.of([], [], n_classes=3)
    found = [s.accuracy, s.balanced_accuracy, *s.precision(None), *(s.f1(a) for a in ("macro", "micro", "weighted"))]
    assert np.isnan(found).all()
    assert math.isnan(Confusion.of([], [], n_classes=2).recall())
    assert s.rows == 0
    assert not s.present.any()


def test_confusion_refuses():
    for truth, prediction, said in (
        ([3], [0], "codes from 3 to 3, and there are 3 classes"),
        ([0], [-1], "prediction holds codes from -1"),
        ([0.0], [0], "whole numbers"),
        ([0, 1], [0], "differ in length"),
    ):
        with pytest.raises(ValueError, match=said):
            Confusion.of(truth, prediction, n_classes=3)
    s = Confusion.of([0, 1], [0, 2], n_classes=3)
    with pytest.raises(ValueError, match="average='macro'"):
        s.precision()
    with pytest.raises(ValueError, match="not one of 'binary'"):
        s.precision("samples")
    with pytest.raises(ValueError, match="negative"):
        s.f_beta(-1.0, "macro")


def test_confusion_is_recoded():
    s = Confusion.of([0, 1, 1], [0, 0, 1], n_classes=2)
    old, new = Schema((), "class", np.array(["a", "c"])), Schema((), "class", np.array(["a", "b", "c"]))
    assert same(recode(s, old, new), Confusion.of([0, 2, 2], [0, 0, 2], n_classes=3))
    with pytest.raises(MergeError):
        check(s, new)


@quick
@given(seeds)
def test_confusion_laws(seed):
    rng = np.random.default_rng(seed)
    truth, prediction, w = confusing(rng, 30, 4, rng.choice(["none", "whole"]))

    def of(i):
        return Confusion.of(truth[i], prediction[i], None if w is None else w[i], n_classes=4)

    three = [of(slice(i, None, 3)) for i in range(3)]
    lawful(three, of(slice(0, 0)), schema(4))
    assert same(reduce(add, three), of(slice(None)))


# Probabilities


@pytest.mark.parametrize("kind", ["none", "float", "whole"])
@pytest.mark.parametrize("k", [2, 4])
def test_log_loss(k, kind):
    rng = np.random.default_rng(k)
    truth = rng.integers(0, k, size=300)
    p = rng.dirichlet(np.full(k, 0.3), size=300)
    p[:20] = np.eye(k)[rng.integers(0, k, size=20)]  # certain, and wrong at times
    w = weights(rng, 300, kind)
    rows = parts(rng, 300)
    s = merged(lambda t, p, w=None: LogLoss.of(t, p, w, n_classes=k), rows, truth, p, w)
    check(s, schema(k))
    close(s.log_loss, peer.log_loss(truth, p, sample_weight=w, labels=range(k)))
    close(s.brier, peer.brier_score_loss(truth, p, sample_weight=w, labels=range(k)))
    if k == 2:
        one = LogLoss.of(truth, p[:, 1], w, n_classes=2)
        close(one.log_loss, peer.log_loss(truth, p[:, 1], sample_weight=w))
        close(one.brier, peer.brier_score_loss(truth, p[:, 1], sample_weight=w))


def test_log_loss_of_narrow_floats():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, size=200)
    p = rng.dirichlet(np.full(3, 0.1), size=200).astype(np.float32)
    p[:3] = np.eye(3, dtype=np.float32)[(truth[:3] + 1) % 3]
    s = LogLoss.of(truth, p, n_classes=3)
    close(s.log_loss, peer.log_loss(truth, p, labels=range(3)), rtol=1e-5)
    eps = float(np.finfo(np.float32).eps)
    mine = np.clip(p.astype(float)[np.arange(200), truth], eps, 1 - eps)
    close(s.log_loss, -np.log(mine).mean())


def test_log_loss_of_little():
    s = LogLoss.of([], np.zeros((0, 3)), n_classes=3)
    assert math.isnan(s.log_loss)
    assert math.isnan(s.brier)
    sure = LogLoss.of([1], [[1e-9, 1 - 1e-9]], n_classes=2)
    assert sure.brier == pytest.approx(1e-18, rel=1e-6)


def test_log_loss_refuses():
    for p, said in (
        ([[0.5, 0.6, -0.1]], "not between 0 and 1"),
        ([[0.5, 0.5, np.nan]], "NaN"),
        ([[0.5, 0.5]], "probabilities of 2 classes, and there are 3"),
    ):
        with pytest.raises(ValueError, match=said):
            LogLoss.of([0], p, n_classes=3)
    with pytest.warns(UserWarning, match="do not sum to one"):
        LogLoss.of([0], [[0.5, 0.5, 0.5]], n_classes=3)


@quick
@given(seeds)
def test_log_loss_laws(seed):
    rng = np.random.default_rng(seed)
    truth, p = rng.integers(0, 3, size=30), rng.dirichlet(np.ones(3), size=30)
    w = weights(rng, 30, rng.choice(["none", "whole"]))

    def of(i):
        return LogLoss.of(truth[i], p[i], None if w is None else w[i], n_classes=3)

    a, b, c = (of(slice(i, None, 3)) for i in range(3))
    nothing = of(slice(0, 0))
    for s in (a, nothing, a + b):
        check(s, schema(3))
        assert same(s + nothing, s)
        assert same(nothing + s, s)
    left, right, whole = (a + b) + c, a + (b + c), of(slice(None))
    assert left.weight.tolist() == right.weight.tolist() == whole.weight.tolist()
    for name in ("log_loss", "brier"):
        close(getattr(left, name), getattr(right, name), rtol=1e-15)
        close(getattr(left, name), getattr(whole, name), rtol=1e-14)


# Ranking


def scored(rng, n, case):
    truth = rng.integers(0, 2, size=n)
    raw = rng.normal(size=n) + truth
    score = {
        "numbers": raw * 100,
        "ties": np.round(raw),
        "probability": 1 / (1 + np.exp(-8 * raw)),
        "float32": (1 / (1 + np.exp(-3 * raw))).astype(np.float32),
        "tails": np.sign(raw) * np.exp(40 * np.abs(raw)),
        "equal": np.zeros(n),
    }[case]
    return truth, score


CASES = ["numbers", "ties", "probability", "float32", "tails", "equal"]


@pytest.mark.parametrize("kind", ["none", "float", "whole"])
@pytest.mark.parametrize("case", CASES)
def test_ranking(case, kind):
    rng = np.random.default_rng(5)
    truth, score = scored(rng, 400, case)
    w = weights(rng, 400, kind)
    s = merged(Ranking.of, parts(rng, 400), truth, score, w)
    check(s, schema())
    assert s.exact
    assert s.level == 0
    auc = peer.roc_auc_score(truth, score, sample_weight=w)
    precision = peer.average_precision_score(truth, score, sample_weight=w)
    close([s.roc_auc, s.auc_low, s.auc_high], auc)
    close([s.average_precision, s.average_precision_low, s.average_precision_high], precision)
    for drop in (True, False) if kind != "float" else (False,):  # rounding decides what lies on a line
        for found, wanted in zip(
            s.roc_curve(drop), peer.roc_curve(truth, score, sample_weight=w, drop_intermediate=drop)
        ):
            close(found, wanted)
    for found, wanted in zip(s.pr_curve(), peer.precision_recall_curve(truth, score, sample_weight=w)):
        close(found, wanted)


@pytest.mark.parametrize("kind", ["none", "float"])
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("most", [2, 3, 40, 200])
def test_binned_ranking_holds_the_exact_one(case, most, kind):
    rng = np.random.default_rng(most)
    truth, score = scored(rng, 1000, case)
    w = weights(rng, 1000, kind)
    s = merged(lambda *c: Ranking.of(*c, most=most), parts(rng, 1000), truth, score, w)
    whole = Ranking.of(truth, score, w, most=most)
    assert len(s.low) <= most
    assert (s.level, s.low.tolist(), s.high.tolist()) == (whole.level, whole.low.tolist(), whole.high.tolist())
    close(s.positive, whole.positive)
    close(s.negative, whole.negative)
    auc = peer.roc_auc_score(truth, score, sample_weight=w)
    precision = peer.average_precision_score(truth, score, sample_weight=w)
    slack = 1e-13
    assert s.auc_low <= s.roc_auc <= s.auc_high
    assert s.auc_low - slack <= auc <= s.auc_high + slack
    assert s.average_precision_low <= s.average_precision <= s.average_precision_high
    assert s.average_precision_low - slack <= precision <= s.average_precision_high + slack
    if s.exact:
        close([s.auc_low, s.auc_high], auc)
        close([s.average_precision_low, s.average_precision_high], precision)
    # every point of the curve is on the exact curve
    false, true, threshold = peer.roc_curve(truth, score, sample_weight=w, drop_intermediate=False)
    at = {t: (f, p) for f, p, t in zip(false, true, threshold)}
    close(np.array(s.roc_curve(False)[:2]).T, [at[t] for t in s.roc_curve(False)[2]])
    sharp, full, threshold = peer.precision_recall_curve(truth, score, sample_weight=w)
    at = dict(zip(threshold, zip(sharp, full)))
    found = s.pr_curve()
    close(np.array(found[:2]).T[:-1], [at[t] for t in found[2]])


def test_bounds_are_reached():
    """The worst and the best order within a bin, written down."""
    ends = [-5.0, 4.0, 5.0]
    crowd = 1 + np.arange(2000) * 2.0**-40  # one bin beside the ends
    score = np.append(crowd, ends)
    first, last = (
        np.append(np.arange(2000) < 1000, [0, 0, 1]).astype(int),
        np.append(np.arange(2000) >= 1000, [0, 0, 1]),
    )
    worst, best = Ranking.of(first, score, most=4), Ranking.of(last, score, most=4)
    assert len(worst.low) == len(best.low) == 4
    close(worst.auc_low, peer.roc_auc_score(first, score))
    close(best.auc_high, peer.roc_auc_score(last, score))
    close(worst.average_precision_low, peer.average_precision_score(first, score), atol=1e-3)
    tied = np.append(np.where(crowd > crowd[999], crowd[-1], crowd), ends)
    close(Ranking.of(last, tied, most=4).average_precision_high, peer.average_precision_score(last, tied))


def test_many_scores_keep_small_bounds():
    rng = np.random.default_rng(11)
    n = 200_000
    truth = rng.integers(0, 2, size=n)
    for scale in (1, 10):
        score = 1 / (1 + np.exp(-scale * (rng.normal(size=n) + truth)))
        s = Ranking.of(truth[: n // 2], score[: n // 2]) + Ranking.of(truth[n // 2 :], score[n // 2 :])
        assert not s.exact
        exact = peer.roc_auc_score(truth, score)
        assert s.auc_low <= exact <= s.auc_high
        assert s.auc_high - s.auc_low < 1e-4
        assert abs(s.roc_auc - exact) < 1e-6
        assert s.average_precision_high - s.average_precision_low < 1e-4


def test_ranking_of_little():
    nothing = Ranking.of([], [])
    assert np.isnan([nothing.roc_auc, nothing.auc_low, nothing.auc_high, nothing.average_precision]).all()
    assert [len(v) for v in nothing.roc_curve()] == [1, 1, 1]
    assert [len(v) for v in nothing.pr_curve()] == [1, 1, 0]
    for code, precision in ((0, 0.0), (1, 1.0)):
        one = Ranking.of([code, code], [0.1, 0.9])
        assert np.isnan([one.roc_auc, one.auc_low, one.auc_high]).all()
        assert one.average_precision == one.average_precision_low == one.average_precision_high == precision
        wanted = quiet(peer.precision_recall_curve, [code, code], [0.1, 0.9])
        for a, b in zip(one.pr_curve(), wanted):
            close(a, b)
        for a, b in zip(one.roc_curve(), quiet(peer.roc_curve, [code, code], [0.1, 0.9], pos_label=1)):
            close(a, b)
    far = Ranking.of([0, 0, 1, 1], [-np.inf, 0.0, -0.0, np.inf])
    assert far.roc_auc == 0.875
    assert len(far.low) == 3


def test_ranking_refuses():
    for truth, score, most, said in (
        ([0, 2], [0.0, 1.0], 9, "codes from 0 to 2"),
        ([0], [np.nan], 9, "NaN"),
        ([0], [1.0], 1, "two bins"),
        ([0], [[0.2, 0.3]], 9, "one number to a row"),
    ):
        with pytest.raises(ValueError, match=said):
            Ranking.of(truth, score, most=most)


floats = st.one_of(
    st.floats(allow_nan=False),
    st.floats(0, 1),
    st.floats(0, 1).map(lambda x: 1 - x * 1e-12),
    st.floats(0.375, 1.125, width=32),
    st.sampled_from([0.0, -0.0, 0.5, 1.0, np.nextafter(1, 0), np.nextafter(0.5, 0), 5e-324, -5e-324, np.inf, -np.inf]),
)


@settings(max_examples=draws(20, 300))
@given(st.lists(st.lists(st.tuples(floats, st.booleans(), st.integers(0, 3)), max_size=12), min_size=3, max_size=3),
       st.integers(2, 9))  # fmt: skip
def test_ranking_laws(three, most):
    def of(rows):
        score, truth, w = zip(*rows) if rows else ((), (), ())
        return Ranking.of(np.array(truth, dtype=int), np.array(score, dtype=float), np.array(w, dtype=float), most)

    a, b, c = (of(rows) for rows in three)
    lawful((a, b, c), of([]), schema())
    whole = of(three[2] + three[0] + three[1])
    assert same((a + b) + c, whole)
    assert same(c + (b + a), whole)
    assert len(whole.low) <= most
    assert (whole.low <= whole.high).all()
    assert (whole.high[:-1] < whole.low[1:]).all()


@settings(max_examples=draws(20, 300))
@given(st.lists(floats, min_size=2, max_size=40), st.integers(2, 39))
def test_keys_are_in_order_and_the_level_is_the_lowest(numbers, most):
    ordered = np.unique(np.array(numbers, dtype=float) + 0.0)
    place = keys(ordered)
    assert (np.diff(place.astype(object)) >= 0).all()
    if len(ordered) > most:
        level = level_for(ordered, most)
        assert len(starts(ordered, level)) <= most
        assert len(starts(ordered, level - 1)) > most


@pytest.mark.parametrize("most", [4, 5000])
@pytest.mark.parametrize("case", CASES)
def test_no_weights_are_ones(case, most):
    truth, score = scored(np.random.default_rng(4), 300, case)
    assert same(Ranking.of(truth, score, most=most), Ranking.of(truth, score, np.ones(300), most))


def test_rankings_with_other_limits():
    rng = np.random.default_rng(2)
    truth, score = scored(rng, 90, "numbers")
    a, b, c = (Ranking.of(truth[i::3], score[i::3], most=most) for i, most in enumerate((50, 10, 20)))
    assert same((a + b) + c, a + (b + c))
    assert same(a + b + c, Ranking.of(truth, score, most=10))


# Scorers


def test_scorers_are_those_of_scikit_learn():
    rng = np.random.default_rng(8)
    assert set(scorers) <= set(peer.get_scorer_names())
    for k in (2, 3):
        truth, prediction, w = confusing(rng, 200, k, "float")
        p = rng.dirichlet(np.ones(k), size=200)
        y, guess = rng.normal(size=(2, 200))
        for name, scorer in scorers.items():
            assert scorer.name == name
            if scorer.instead and k > 2:
                continue
            scorer = scorer.for_classes(np.arange(k))
            t = truth if scorer.kind == "class" else y
            output = {"prediction": prediction if scorer.kind == "class" else guess, "probability": p, "score": p}
            given = output[scorer.needs]
            found = merged(
                lambda t, o, w, scorer=scorer, k=k: scorer.summarize(t, o, w, k), parts(rng, 200), t, given, w
            )
            theirs = peer.get_scorer(name)
            if given is p and (scorer.needs == "score" or (name == "neg_brier_score" and k == 2)):
                given = p[:, 1]
            wanted = theirs._sign * theirs._score_func(t, given, sample_weight=w, **theirs._kwargs)
            close(scorer.value(found), wanted)


@pytest.mark.parametrize("name", ["precision", "recall", "f1", "roc_auc", "average_precision"])
def test_scores_of_two_classes(name):
    scorer = scorers[name]
    better = "f1_macro" if scorer.needs == "score" else f"{name}_macro"
    assert better in scorers
    with pytest.raises(ValueError, match=f"{name}.*is of two classes and the target has 3.*'{better}'"):
        scorer.for_classes(np.arange(3))
    with pytest.raises(ValueError, match=f"{name}.*is of two classes and the target has 3.*'{better}'"):
        scorer.value(scorer.summarize(np.array([0, 1, 2]), np.array([0, 1, 2]), None, 3))


def test_scorers_travel_and_share():
    for scorer in scorers.values():
        assert pickle.loads(pickle.dumps(scorer)).name == scorer.name
    assert scorers["accuracy"].summarize is scorers["f1_macro"].summarize
    with pytest.raises(TypeError):
        scorers["mine"] = scorers["r2"]
