"""What models promise on unseen rows: against scipy, from every kind of input, and how often the promise holds."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import BaseEstimator
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.pipeline import make_pipeline

import tenfold as tn
from model_selection.simulations import Said, clustered
from tenfold.model_selection.certification.certify import certify
from tenfold.model_selection.certification.dependent_rows import MAX_UNITS
from tenfold.model_selection.certification.intervals import error_interval
from tenfold.model_selection.certification.leakage import forget
from tenfold.sources import part_rows
from tenfold.stats.metrics import scorers


@pytest.fixture(autouse=True)
def fresh():
    """No rows have scored anything yet."""
    forget()


def ends(found, kind):
    return found[f"{kind} at least"].value, found[f"{kind} at most"].value


@pytest.mark.full
@pytest.mark.parametrize("score", ["error", "neg_mean_absolute_error", "r2"])
def test_rows_in_groups(score):
    by_group, by_row = clustered(80 if score == "error" else 50, score)
    assert by_group >= 0.88
    assert by_row < 0.8, "as if rows were independent"


@pytest.fixture(scope="module")
def data():
    random = np.random.default_rng(0)
    X = random.normal(size=(900, 3))
    number = X @ [1.0, 2.0, 3.0] + random.normal(size=900)
    kind = np.where(X[:, 0] + random.normal(size=900) > 0.3, "yes", "no")
    return X, number, kind


@pytest.fixture(scope="module")
def ridge(data):
    X, number, _ = data
    return tn.Ridge().fit(X[:500], number[:500])


@pytest.fixture(scope="module")
def bayes(data):
    X, _, kind = data
    return tn.GaussianNB().fit(X[:500], kind[:500])


# ---- independent rows --------------------------------------------------------------------------


def test_error_rate_is_exact(data, bayes):
    X, _, kind = data
    found = certify(bayes, X[500:], kind[500:])
    wrong = int((bayes.predict(X[500:]) != kind[500:]).sum())
    interval = error_interval(wrong, 400)
    assert found["error"].value == pytest.approx(wrong / 400)
    assert ends(found, "error") == (interval.low, interval.high)
    for claim in found.claims[:3]:
        assert claim.about == "unseen rows"
        assert "none of them used to make the model" in claim.assumptions
    assert found["error at most"].status == "with confidence"
    assert found["error"].because == f"{wrong} of 400 rows are predicted wrong"
    assert found["baseline error"].value == pytest.approx(min(np.mean(kind[500:] == c) for c in ("yes", "no")))
    assert "'no'" in found["baseline error"].because
    assert found.provenance.rows == 400
    assert "Clopper" in str(found)
    assert "Clopper" in found._repr_html_()
    accuracy = certify(bayes, X[500:], kind[500:], scoring="accuracy")
    assert ends(accuracy, "accuracy") == pytest.approx((1 - interval.high, 1 - interval.low))
    assert accuracy["accuracy at least"].status == "with confidence"


def test_the_majority_is_right_nine_times_in_ten():
    y = np.repeat(["-", "+"], [90, 10])
    model = DummyClassifier(strategy="constant", constant="-").fit(np.zeros((100, 1)), y)
    found = certify(model, np.zeros((100, 1)), y, scoring=["error", "balanced_accuracy"])
    assert found["error"].value == pytest.approx(0.1)
    assert found["baseline error"].value == pytest.approx(0.1)
    assert found["balanced accuracy"].value == 0.5


def test_mean_errors_are_t_intervals(data, ridge):
    X, number, _ = data
    found = certify(ridge, X[500:], number[500:], level=0.9)
    off = np.abs(number[500:] - ridge.predict(X[500:]))
    for kind, loss in (("mean absolute error", off), ("mean squared error", off**2)):
        t = stats.ttest_1samp(loss, 0).confidence_interval(0.9)
        assert found[kind].value == pytest.approx(loss.mean())
        assert ends(found, kind) == pytest.approx((t.low, t.high), rel=1e-9)
        assert found[f"{kind} at most"].status == "estimated"
    assert found["r2"].value == pytest.approx(ridge.score(X[500:], number[500:]))
    low, high = ends(found, "r2")
    assert low < found["r2"].value < high < 1
    assert found["baseline mean squared error"].value == pytest.approx(np.var(number[500:]))


def test_more_rows_than_units_are_dealt(data, ridge):
    random = np.random.default_rng(1)
    X = random.normal(size=(5 * MAX_UNITS + 7, 3))
    y = X @ [1.0, 2.0, 3.0] + random.normal(size=len(X))
    found = certify(ridge, X, y, scoring="neg_mean_squared_error")
    loss = (y - ridge.predict(X)) ** 2
    low, high = ends(found, "mean squared error")
    plain = stats.ttest_1samp(loss, 0).confidence_interval()
    assert high - low == pytest.approx(plain.high - plain.low, rel=0.15)
    assert f"{MAX_UNITS} units of rows" in found["mean squared error at most"].because
    again = certify(ridge, X, y, scoring="neg_mean_squared_error")
    assert again.claims == found.claims
    other = certify(ridge, X, y, scoring="neg_mean_squared_error", random_state=1)
    assert ends(other, "mean squared error") != (low, high)


@pytest.mark.full
def test_r2_holds_as_often_as_it_says():
    held = {"jackknife": 0, "bootstrap": 0}
    for run in range(25):
        random = np.random.default_rng([4, run])
        signal = random.normal(size=40)
        y = signal + 0.5 * random.normal(size=40)
        for method in held:
            low, high = ends(certify(Said().fit(None, None), signal[:, None], y, scoring="r2", method=method), "r2")
            held[method] += low <= 0.8 <= high
    assert min(held.values()) >= 21


def test_bootstrap_has_a_seed(data, bayes):
    X, _, kind = data
    one, same, other = (
        certify(bayes, X[500:], kind[500:], scoring="roc_auc", method="bootstrap", random_state=seed)
        for seed in (0, 0, 1)
    )
    assert one.claims == same.claims
    assert one.claims != other.claims
    assert ends(one, "roc auc") == pytest.approx(ends(other, "roc auc"), abs=0.01)
    plain = certify(bayes, X[500:], kind[500:], scoring="roc_auc")
    assert ends(one, "roc auc") == pytest.approx(ends(plain, "roc auc"), abs=0.01)
    assert "bootstrap" in one["roc auc at most"].because
    assert one.provenance.seed == 0


@pytest.mark.parametrize(
    ("method", "names"), [("jackknife", [*scorers]), ("bootstrap", ["f1", "neg_log_loss", "average_precision", "r2"])]
)
def test_every_score_has_ends(data, ridge, bayes, method, names):
    X, number, kind = data
    short = slice(500, 600)
    for name in names:
        scorer = scorers[name]
        model, y = (bayes, kind) if scorer.kind == "class" else (ridge, number)
        found = certify(model, X[short], y[short], scoring=name, method=method)
        value, low, high = (claim.value for claim in found.claims[:3])
        assert low < value < high, name
        theirs = certify(_peer(model), X[short], y[short], scoring=name)
        assert [c.value for c in theirs.claims[:1]] == pytest.approx([value]), name


class Peer(BaseEstimator):
    """A model of tenfold that certify does not know as one."""

    def __init__(self, model):
        self.model = model

    def fit(self, X, y):
        return self

    def __sklearn_tags__(self):
        return self.model.__sklearn_tags__()

    def __sklearn_is_fitted__(self):
        return True

    def predict(self, X):
        return self.model.predict(X)

    def predict_proba(self, X):
        return self.model.predict_proba(X)

    @property
    def classes_(self):
        return self.model.classes_


def _peer(model):
    return Peer(model)


# ---- rows in groups ----------------------------------------------------------------------------


def test_groups_of_one_size_are_t_over_their_means(data, ridge):
    X, number, _ = data
    group = np.arange(400) % 40
    found = certify(ridge, X[500:], number[500:], groups=group)
    off = np.abs(number[500:] - ridge.predict(X[500:]))
    t = stats.ttest_1samp(off.reshape(10, 40).mean(axis=0), 0).confidence_interval()
    assert ends(found, "mean absolute error") == pytest.approx((t.low, t.high), rel=1e-9)
    assert "40 groups" in found["mean absolute error"].because
    assert "groups drawn independently" in found["mean absolute error at most"].assumptions


def test_an_error_rate_in_groups(data, bayes):
    X, _, kind = data
    single = certify(bayes, X[500:], kind[500:], groups=np.arange(400))
    alone = certify(bayes, X[500:], kind[500:])
    assert ends(single, "error") == pytest.approx(ends(alone, "error"), abs=2e-3)
    assert single["error at most"].status == "estimated"
    wrong = bayes.predict(X[500:]) != kind[500:]
    alike = certify(bayes, X[500:], kind[500:], groups=np.cumsum(np.diff(wrong, prepend=False)) % 23)
    assert alike["error at most"].value > alone["error at most"].value
    assert alike["error at least"].value < alone["error at least"].value
    few = certify(bayes, X[500:], kind[500:], groups=np.arange(400) % 5)
    assert "5 groups only" in few["error at most"].because


def test_no_errors_in_groups_count_as_groups():
    X, y = np.zeros((300, 1)), np.zeros(300, int)
    model = DummyClassifier(strategy="constant", constant=0).fit(X[:2], [0, 1])
    found = certify(model, X, y, groups=np.arange(300) // 10)
    assert ends(found, "error") == (0.0, pytest.approx(error_interval(0, 30).high))
    wrong = certify(model, X, y + 1, groups=np.arange(300) // 10)
    assert ends(wrong, "error") == (pytest.approx(error_interval(30, 30).low), 1.0)


def test_many_groups_are_joined(ridge):
    random = np.random.default_rng(1)
    X = random.normal(size=(3000, 3))
    y = X @ [1.0, 2.0, 3.0] + random.normal(size=3000)
    found = certify(ridge, X, y, groups=np.arange(3000) // 2)
    assert "1,500 groups" in found["r2"].because
    assert f"{MAX_UNITS} groups, joined" in found["r2 at most"].because


# ---- where rows come from ----------------------------------------------------------------------


def test_from_anywhere(data, ridge, bayes, tmp_path):
    X, number, kind = data
    day = np.repeat(["mo", "tu", "we", "th", "fr"], 80)
    frame = pd.DataFrame(X[500:], columns=["a", "b", "c"]).assign(number=number[500:], kind=kind[500:], day=day)
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=90)
    columns = ["a", "b", "c"]
    scoring = ["error", "neg_log_loss"]
    for groups in (None, day):
        plain = certify(bayes, X[500:], kind[500:], groups=groups, scoring=scoring)
        named = None if groups is None else "day"
        source = tn.scan(tmp_path / "rows.parquet", target="kind", drop=["number", "day"])
        parts = certify(bayes, source, groups=named, scoring=scoring)
        assert [c.value for c in parts.claims] == pytest.approx([c.value for c in plain.claims])
        assert parts.provenance.parts == 5
        with part_rows(37):
            cut = certify(bayes, X[500:], kind[500:], groups=groups, scoring=scoring)
        assert [c.value for c in cut.claims] == pytest.approx([c.value for c in plain.claims])
        mine = tn.GaussianNB().fit(pd.DataFrame(X[:500], columns=columns), kind[:500])
        rows = frame[columns] if groups is None else frame[[*columns, "day"]]
        framed = certify(mine, rows, kind[500:], groups=named, scoring=scoring)
        assert [c.value for c in framed.claims] == pytest.approx([c.value for c in plain.claims])
    regression = certify(ridge, tn.scan(frame, target="number", drop=["kind", "day"]))
    plain = certify(ridge, X[500:], number[500:])
    assert [c.value for c in regression.claims] == pytest.approx([c.value for c in plain.claims])


def daily(X, kind, path, days):
    """Rows of some days, a file for each, and the same in a frame."""
    frame = pd.DataFrame(X[500:], columns=["a", "b", "c"]).assign(kind=kind[500:])
    day = np.sort(np.arange(400) % days)
    frame["at"] = np.datetime64("2025-03-01T06:30", "us") + day.astype("m8[D]")
    frame["customer"] = np.arange(400) % 390
    for k in range(days):
        frame[day == k].to_parquet(path / f"{k:03}.parquet", row_group_size=5)
    return frame, day


def test_groups_are_files_or_an_expression(data, bayes, tmp_path):
    X, _, kind = data
    frame, day = daily(X, kind, tmp_path, 23)
    rows = tn.scan(str(tmp_path), target="kind", columns=["a", "b", "c"])
    scoring = ["error", "neg_log_loss"]
    plain = certify(bayes, X[500:], kind[500:], groups=day, scoring=scoring)
    assert "23 groups" in plain["error"].because
    date = tn.col("at").dt.date()
    mine = tn.GaussianNB().fit(pd.DataFrame(X[:500], columns=["a", "b", "c"]), kind[:500])
    for found in (
        certify(bayes, rows, groups="file", scoring=scoring),
        certify(bayes, rows, groups=date, scoring=scoring),
        certify(mine, frame[["a", "b", "c", "at"]], frame["kind"], groups=date, scoring=scoring),
    ):
        assert [c.because for c in found.claims] == [c.because for c in plain.claims]
        assert [c.value for c in found.claims] == pytest.approx([c.value for c in plain.claims])
        assert "groups drawn independently" in found["error at most"].assumptions


def test_a_column_of_an_expression_stays_a_feature_and_the_rows_are_recognised(data, tmp_path):
    X, _, kind = data
    frame, _ = daily(X, kind, tmp_path, 11)
    rows = tn.scan(str(tmp_path), target="kind", columns=["a", "b", "c", "customer"])
    model = tn.GaussianNB().fit(rows)
    with pytest.warns(UserWarning, match="the model was made from these rows"):
        certify(model, rows, groups=tn.col("customer"))
    with pytest.warns(UserWarning, match="the model was made from these rows"):
        certify(model, frame[["a", "b", "c", "customer"]], frame["kind"], groups=tn.col("customer"))


def test_more_groups_than_folds_could_be(bayes, tmp_path):
    """Groups of a source by name are joined as those of an array are."""
    random = np.random.default_rng(2)
    X = random.normal(size=(4000, 3))
    kind = np.where(random.random(4000) < 0.5, "yes", "no")
    customer = random.integers(0, 1500, 4000)
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(kind=kind, customer=customer)
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=900)
    rows = tn.scan(tmp_path / "rows.parquet", target="kind", drop=["customer"])
    asked = {"scoring": ["error", "roc_auc"]}
    plain = certify(bayes, X, kind, groups=customer, **asked)
    for groups in ("customer", tn.col("customer")):
        found = certify(bayes, rows, groups=groups, **asked)
        assert [c.because for c in found.claims] == [c.because for c in plain.claims]
        assert [c.value for c in found.claims] == pytest.approx([c.value for c in plain.claims])


def test_groups_of_files_that_cannot_be(data, tmp_path):
    X, _, kind = data
    frame, _ = daily(X, kind, tmp_path, 2)
    bayes = tn.GaussianNB().fit(pd.DataFrame(X[:500], columns=["a", "b", "c"]), kind[:500])
    with pytest.raises(tn.DataError, match="there is one file only, which does not show how groups differ. Remedy: "):
        certify(bayes, tn.scan(str(tmp_path / "000.parquet"), target="kind", columns=["a", "b", "c"]), groups="file")
    with pytest.raises(tn.DataError, match="groups='file' is for rows that are read from files. Remedy: "):
        certify(bayes, tn.scan(frame[["a", "b", "c", "kind"]], target="kind"), groups="file")
    with pytest.raises(tn.DataError, match="'file' is not a column of X.*Remedy: of rows that are read from files"):
        certify(bayes, frame[["a", "b", "c"]], frame["kind"], groups="file")
    with pytest.raises(tn.DataError, match="there is no column 'att'; did you mean"):
        certify(bayes, frame[["a", "b", "c", "at"]], frame["kind"], groups=tn.col("att").dt.date())
    with pytest.raises(tn.DataError, match="groups has one group only"):
        certify(bayes, tn.scan(str(tmp_path), target="kind", columns=["a", "b", "c"]), groups=tn.col("at").dt.year())
    found = certify(bayes, frame[["a", "b", "c"]].assign(file=np.arange(400) % 9), frame["kind"], groups="file")
    assert "9 groups" in found["error"].because


def test_rows_left_out_of_a_source(data, ridge, tmp_path):
    X, number, _ = data
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=number, late=np.arange(900) >= 500, g=np.arange(900) % 30)
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=200)
    source = tn.scan(tmp_path / "rows.parquet", target="y", drop=["late", "g"], where=[("late", "==", True)])
    found = certify(ridge, source, groups=np.arange(500, 900) % 30)
    plain = certify(ridge, X[500:], number[500:], groups=np.arange(500, 900) % 30)
    assert [c.value for c in found.claims] == pytest.approx([c.value for c in plain.claims])
    assert certify(ridge, source)["r2"].value == pytest.approx(plain["r2"].value)


def test_ends_do_not_depend_on_where_rows_come_from(ridge, tmp_path):
    random = np.random.default_rng(1)
    X = random.normal(size=(3000, 3))
    y = X @ [1.0, 2.0, 3.0] + random.normal(size=3000)
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=y)
    more = pd.concat([frame.assign(late=False), frame.assign(late=True)])
    more.to_parquet(tmp_path / "rows.parquet", row_group_size=700, index=False)
    late = tn.scan(tmp_path / "rows.parquet", target="y", drop=["late"], where=[("late", "==", True)])
    plain = [c.value for c in certify(ridge, X, y).claims]
    assert [c.value for c in certify(ridge, late).claims] == pytest.approx(plain, rel=1e-12)
    assert [c.value for c in certify(_peer(ridge), X, y).claims] == pytest.approx(plain, rel=1e-12)
    da = pytest.importorskip("dask.array")
    lazy = certify(ridge, da.from_array(X, chunks=(800, 3)), da.from_array(y, chunks=800))
    assert [c.value for c in lazy.claims] == pytest.approx(plain, rel=1e-12)


def test_pipelines_and_others(data):
    X, number, kind = data
    ours = make_pipeline(tn.StandardScaler(), tn.GaussianNB()).fit(X[:500], kind[:500])
    theirs = make_pipeline(tn.StandardScaler(), LogisticRegression()).fit(X[:500], kind[:500])
    for model in (ours, theirs):
        found = certify(model, X[500:], kind[500:], scoring=["error", "roc_auc"], reused=1)
        wrong = int((model.predict(X[500:]) != kind[500:]).sum())
        assert ends(found, "error") == (error_interval(wrong, 400).low, error_interval(wrong, 400).high)
    line = certify(LinearRegression().fit(X[:500], number[:500]), X[500:], number[500:])
    same = certify(tn.LinearRegression().fit(X[:500], number[:500]), X[500:], number[500:])
    assert [c.value for c in line.claims] == pytest.approx([c.value for c in same.claims])
    margin = certify(RidgeClassifier().fit(X[:500], kind[:500]), X[500:], kind[500:], scoring="roc_auc", reused=1)
    assert 0.7 < margin["roc auc"].value < 0.9


def test_a_class_that_the_model_does_not_know_is_wrong(data, bayes):
    X, _, kind = data
    y = kind[500:].copy().astype(object)
    y[:10] = "perhaps"
    wrong = int((bayes.predict(X[500:]) != y).sum())
    for model in (bayes, _peer(bayes)):
        found = certify(model, X[500:], y, scoring=["error", "neg_log_loss"])
        assert found["error"].value == pytest.approx(wrong / 400)
        assert found["log loss"].value > certify(bayes, X[500:], kind[500:], scoring="neg_log_loss")["log loss"].value


def test_weights(data, bayes):
    X, _, kind = data
    weight = np.where(np.arange(400) < 40, 0.0, 1.5)
    weight[100] = 3.0
    wrong = bayes.predict(X[500:]) != kind[500:]
    for model in (bayes, _peer(bayes)):
        found = certify(model, X[500:], kind[500:], sample_weight=weight)
        assert found["error"].value == pytest.approx(np.average(wrong, weights=weight))
        low, high = ends(found, "error")
        exact = error_interval(int(wrong[40:].sum()), 360)
        assert (low, high) == pytest.approx((exact.low, exact.high), abs=0.01)
        assert found["error at most"].status == "estimated"
        assert (found.provenance.rows, found.provenance.dropped) == (360, 40)
        even = certify(model, X[500:], kind[500:], sample_weight=np.ones(400))
        assert even["error at most"].status == "with confidence"
    frame = pd.DataFrame(X[500:], columns=["a", "b", "c"]).assign(y=kind[500:], w=weight)
    scanned = certify(bayes, tn.scan(frame, target="y", weight="w"))
    plain = certify(bayes, X[500:], kind[500:], sample_weight=weight)
    assert ends(scanned, "error") == pytest.approx(ends(plain, "error"))


# ---- what cannot be told ---------------------------------------------------------------------


def test_no_spread_no_ends():
    X = np.arange(20.0)[:, None]
    found = certify(Said().fit(None, None), X, X[:, 0])
    assert found["mean absolute error"].value == 0
    assert "so there is no interval" in found["mean absolute error"].because
    assert found.get("mean absolute error at most") is None
    perfect = certify(LogisticRegression().fit(X, X[:, 0] > 9), X, X[:, 0] > 9, scoring=["roc_auc", "error"])
    assert perfect.get("roc auc at least") is None
    assert perfect["error at most"].value == pytest.approx(error_interval(0, 20).high)


@pytest.mark.parametrize(
    ("call", "kind", "word"),
    [
        (lambda m, X, y: certify(tn.KMeans(2).fit(X), X, y), TypeError, "model must be a classifier or a regressor"),
        (lambda m, X, y: certify(tn.Ridge(), X, y), Exception, "not fitted"),
        (lambda m, X, y: certify(m, X), ValueError, "y is needed"),
        (lambda m, X, y: certify(m, tn.scan(X, target=y), y), ValueError, "a Source names its own target"),
        (lambda m, X, y: certify(m, X, y, level=95), ValueError, "level"),
        (lambda m, X, y: certify(m, X, y, reused=0), ValueError, "reused"),
        (lambda m, X, y: certify(m, X, y, method="guess"), ValueError, "method must be one of"),
        (lambda m, X, y: certify(m, X, y, random_state=-1), ValueError, "random_state"),
        (
            lambda m, X, y: certify(m, X, y, scoring="accuracy"),
            ValueError,
            "scoring='accuracy' is not a score of Ridge",
        ),
        (lambda m, X, y: certify(m, X, y, scoring="nothing"), ValueError, "scoring='nothing'"),
        (lambda m, X, y: certify(m, X, y, scoring=[]), ValueError, "scoring is empty"),
        (lambda m, X, y: certify(m, X, y[:-1]), ValueError, "inconsistent numbers of samples"),
        (lambda m, X, y: certify(m, X, y, groups=[1, 2]), ValueError, "groups has shape"),
        (lambda m, X, y: certify(m, X, y, groups=np.zeros(400)), ValueError, "groups has one group only"),
        (lambda m, X, y: certify(m, X, y, groups=np.zeros((400, 2))), ValueError, "one value for each row"),
        (lambda m, X, y: certify(m, X, y, groups=[None, *["a"] * 399]), ValueError, "has a missing value in row 0"),
        (lambda m, X, y: certify(m, X, y, groups="day"), ValueError, "'day'"),
        (lambda m, X, y: certify(m, pd.DataFrame(X), y, groups="day"), ValueError, "groups='day' is not a column"),
        (lambda m, X, y: certify(m, X[:1], y[:1]), ValueError, "not two rows"),
        (
            lambda m, X, y: certify(Said().fit(X, y), X, y, groups=[1, 2]),
            ValueError,
            "groups has shape (2,), but there are 400 rows",
        ),
        (lambda m, X, y: certify(Said().fit(X, y), X, np.c_[y, y]), ValueError, "y should be a 1d array"),
        (lambda m, X, y: certify(Said().fit(X, y), X, y[:-1]), ValueError, "inconsistent numbers of samples"),
        (lambda m, X, y: certify(Said().fit(X, y), X[:0], y[:0]), ValueError, "minimum of 1 is required"),
        (lambda m, X, y: certify(Said().fit(X, y), X, np.where(y > 2, np.nan, y)), ValueError, "y contains NaN"),
        (
            lambda m, X, y: certify(Said().fit(X, y), X, y, groups=np.zeros(400)),
            ValueError,
            "groups has one group only",
        ),
        (lambda m, X, y: certify(Said().fit(X, y), X, y, groups="day"), ValueError, "groups as an array"),
        (lambda m, X, y: certify(m, X, y, groups=[]), ValueError, "groups"),
        (lambda m, X, y: certify("model", X, y), TypeError, "str is neither"),
        (lambda m, X, y: certify(tn.Ridge, X, y), TypeError, "the class Ridge is neither"),
        (lambda m, X, y: certify(m, tn.scan(X)), ValueError, "the target is missing"),
        (lambda m, X, y: certify(m, X, y, sample_weight="w"), ValueError, "sample_weight must be one number"),
        (lambda m, X, y: certify(m, X, y, sample_weight=np.ones(5)), ValueError, "sample_weight"),
        (lambda m, X, y: certify(m, X, y, scoring=len), ValueError, "scoring must be the name"),
        (lambda m, X, y: certify(m, X, y, level="95 %"), ValueError, "level must be a number"),
        (lambda m, X, y: certify(m, X, y, reused="all"), ValueError, "reused must be an integer"),
        (
            lambda m, X, y: certify(tn.GaussianNB().fit(X, y > 0), X + 1, 0 * y, scoring="roc_auc"),
            ValueError,
            "roc auc is not defined on these rows",
        ),
        (
            lambda m, X, y: certify(LogisticRegression().fit(X, y > 0), X, y),
            ValueError,
            "Unknown label type: continuous",
        ),
        (
            lambda m, X, y: certify(LogisticRegression().fit(X, y > 0), X, 7 + (y > 0)),
            ValueError,
            "no row could be right",
        ),
        (lambda m, X, y: certify(Said().fit(X, y), tn.scan(X, target=y)), ValueError, "rows in memory"),
        (
            lambda m, X, y: certify(RidgeClassifier().fit(X, y > 0), X, y > 0, scoring="neg_log_loss"),
            ValueError,
            "no predict_proba",
        ),
        (
            lambda m, X, y: certify(tn.GaussianNB().fit(X, y > 0), X, np.where(y > 0, "a", "b")),
            ValueError,
            "y has the classes ['a', 'b'], and the model knows [False, True]",
        ),
    ],
)
def test_errors_name_the_argument_and_the_remedy(call, kind, word, data, ridge):
    X, number, _ = data
    with pytest.raises(kind) as caught:
        call(ridge, X[500:], number[500:])
    assert word in str(caught.value)


@pytest.mark.parametrize("judge", ["certify", "displayed", "importance"])
@pytest.mark.parametrize("ours", [True, False])
def test_classes_that_a_model_does_not_know_at_all_are_refused(data, bayes, judge, ours):
    """No row could be right: y was made again in between, and all of it counted as wrong would look like a score."""
    X, _, kind = data
    model = bayes if ours else LogisticRegression().fit(X[:500], kind[:500])
    y = np.where(kind[500:] == "yes", "ja", "nein")
    call = {
        "certify": certify,
        "displayed": tn.display.ConfusionMatrixDisplay.from_estimator,
        "importance": tn.permutation_importance,
    }[judge]
    with pytest.raises(tn.DataError, match="no row could be right"):
        call(model, X[500:], y)
