"""What cross-validation found: table, interval, picture."""

import math
import re
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import tenfold as tn
from tenfold.model_selection.cross_validation.cross_validation_result import CrossValidation
from tenfold.model_selection.formatting import scans_note

SCORES = np.array(
    [
        [[0.50, 0.60, 0.70, 0.80], [-1.0, -2.0, -3.0, -4.0]],
        [[0.61, 0.66, 0.70, 0.70], [-1.5, -1.5, -1.5, -1.5]],
        [[0.10, 0.99, 0.10, 0.99], [-9.0, -0.1, -0.1, -9.0]],
    ]
)
SIZES = [(75, 25), (76, 24), (74, 26), (75, 25)]


def results(**changed):
    given = dict(
        given=["plain", None, "<b>bold & brave</b>"],
        learners=[tn.Ridge(1.0), tn.Ridge(alpha=2.5), tn.LinearRegression()],
        scoring=["r2", "neg_mean_squared_error"],
        scores=SCORES,
        sizes=SIZES,
        scans=1,
        seconds=0.125,
        fit_seconds=[0.0, 0.0, 0.0],
    )
    return CrossValidation(**{**given, **changed})


def test_names_means_and_the_best():
    cv = results()
    assert cv.names == ["plain", "Ridge(alpha=2.5)", "<b>bold & brave</b>"]
    np.testing.assert_allclose(cv.mean[:, 0], [0.65, 0.6675, 0.545])
    assert cv.best_index == 1
    assert cv.best is cv.learners[1]


def test_scores_that_are_undefined_are_not_the_best():
    holes = SCORES.copy()
    holes[1, 0, 2] = np.nan
    assert results(scores=holes).best_index == 0
    assert "nan" in str(results(scores=holes))
    assert results(scores=np.full_like(SCORES, np.nan)).best_index == 0


@pytest.mark.parametrize("level", [0.5, 0.95, 0.99])
def test_the_interval_is_that_of_nadeau_and_bengio(level):
    """Variance of the folds times 1/k plus the share of rows scored to training rows; Student's t."""
    ends = results().interval(level)
    assert ends.shape == (3, 2, 2)
    share = sum(test / train for train, test in SIZES) / 4
    for i in range(3):
        for s in range(2):
            mean = SCORES[i, s].sum() / 4
            variance = ((SCORES[i, s] - mean) ** 2).sum() / 3
            half = stats.t(3).ppf((1 + level) / 2) * math.sqrt((1 / 4 + share) * variance)
            np.testing.assert_allclose(ends[i, s], [mean - half, min(mean + half, [1.0, 0.0][s])], rtol=1e-12)
    naive = stats.t(3).ppf((1 + level) / 2) * SCORES[0, 0].std(ddof=1) / 2
    assert results().mean[0, 0] - ends[0, 0, 0] > 1.25 * naive


@pytest.mark.full
def test_the_interval_holds_what_it_says():
    """Of many data sets, the 80 % interval has the score on new rows in about that share of them."""
    random = np.random.default_rng(0)
    inside = 0
    for _ in range(150):
        X = random.standard_normal((60, 3))
        y = X @ [1.0, -1.0, 0.5] + random.standard_normal(60)
        cv = tn.cross_validate(tn.LinearRegression(), X, y, folds=10, scoring="neg_mean_squared_error")
        coef = tn.LinearRegression().fit(X, y)
        new = random.standard_normal((4000, 3))
        truth = -np.mean((coef.predict(new) - new @ [1.0, -1.0, 0.5]) ** 2) - 1.0
        low, high = cv.interval(0.8)[0, 0]
        inside += low <= truth <= high
    assert 0.72 * 150 <= inside <= 0.97 * 150


def test_of_one_fold_there_is_no_interval():
    cv = results(scores=SCORES[:, :, :1], sizes=SIZES[:1])
    assert np.isnan(cv.interval()).all()
    assert "nan to nan" in str(cv)


def test_the_table():
    text = str(results())
    lines = text.splitlines()
    assert len(lines) == 6
    assert lines[0].split() == ["r2", "neg_mean_squared_error"]  # each above its own columns
    assert lines[1].split()[:2] == ["learner", "mean"]
    assert [found.start() for found in re.finditer("mean ", lines[1])] == [lines[0].index(s) for s in lines[0].split()]
    assert lines[1].count("95 % interval") == lines[1].count("worst fold") == lines[1].count("best fold") == 2
    assert lines[2].startswith("plain ")
    low, high = results().interval()[0, 0]
    assert lines[2].split()[1:5] == ["0.65", f"{low:.5g}", "to", f"{high:.5g}"]
    assert lines[2].split()[5:7] == ["0.5", "0.8"]
    assert lines[5] == "4 folds, 1 scan of the rows, 0.125 s; best: Ridge(alpha=2.5)"
    assert repr(results()) == text
    assert "3 scans of the rows" in str(results(scans=3))
    long = results(given=["x" * 80, None, None])
    assert "x" * 57 + "..." in str(long)
    assert "x" * 58 not in str(long)
    one = results(scoring=["r2"], scores=SCORES[:, :1])
    assert str(one).splitlines()[0].split()[:2] == ["learner", "r2"]
    assert len(str(one).splitlines()) == 5
    alone = results(given=["x" * 80], learners=[tn.Ridge()], scores=SCORES[:1], fit_seconds=[0.0])
    assert "best:" not in str(alone)  # of one there is none


def test_html_is_escaped():
    html = results()._repr_html_()
    assert "<b>bold" not in html
    assert "&lt;b&gt;bold &amp; brave&lt;/b&gt;" in html
    assert html.count("<tr") == 5
    assert "colspan='4'>r2</th>" in html
    assert "colspan='4'>neg_mean_squared_error</th>" in html
    assert html.count("font-weight:bold") == 1
    row = next(part for part in html.split("<tr") if "Ridge(alpha=2.5)" in part)
    assert "font-weight:bold" in row
    evil = results(given=["<script>alert(1)</script>", None, None], scores=SCORES[[2, 0, 1]])
    assert "<script" not in evil._repr_html_()
    assert ElementTree.fromstring(html.replace("style=font-weight:bold", "")).tag == "table"  # every tag is closed


def test_as_columns():
    columns = results().to_dict()
    frame = pd.DataFrame(columns)
    assert frame.shape == (24, 4)
    assert list(frame.columns) == ["learner", "score", "fold", "value"]
    back = frame.pivot_table(index=["learner", "score"], columns="fold", values="value")
    np.testing.assert_array_equal(back.loc[("plain", "r2")], SCORES[0, 0])
    np.testing.assert_array_equal(back.loc[("Ridge(alpha=2.5)", "neg_mean_squared_error")], SCORES[1, 1])
    assert all(type(v) is float for v in columns["value"])


def test_the_picture():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    try:
        ax = results().plot()
        assert [t.get_text() for t in ax.get_yticklabels()] == ["<b>bold & brave</b>", "Ridge(alpha=2.5)", "plain"]
        assert ax.get_xlabel().startswith("r2")
        dots, line, mean = ax.lines[:3]
        assert dots.get_xdata().tolist() == SCORES[0, 0].tolist()
        np.testing.assert_allclose(line.get_xdata(), results().interval()[0, 0])
        assert mean.get_xdata()[0] == pytest.approx(0.65)
        assert set(dots.get_ydata()) == {2}
        ax.figure.canvas.draw()
        other = results().plot("neg_mean_squared_error", ax=ax)
        assert other is ax
        assert ax.get_xlabel().startswith("neg_mean_squared_error")
        assert ax.lines[9].get_xdata().tolist() == SCORES[0, 1].tolist()
        with pytest.raises(ValueError, match="accuracy"):
            results().plot("accuracy")
    finally:
        plt.close("all")


def test_from_a_run():
    random = np.random.default_rng(0)
    X = random.standard_normal((60, 2))
    cv = tn.cross_validate({"weak": tn.Ridge(1e6), "good": tn.Ridge(0.1)}, X, X @ [1.0, 2.0] + random.normal(size=60))
    assert cv.names == ["weak", "good"]
    assert cv.best is cv.learners[1]
    assert str(cv).endswith("best: good")
    assert cv.seconds > 0
    assert cv.fit_seconds == [0.0, 0.0]


def test_no_interval_goes_beyond_what_a_score_can_be():
    scores = np.array([[[1.0, 1.0, 0.9, 1.0], [-1e-3, -5.0, -1e-3, -1e-3]]])
    cv = results(given=[None], learners=[tn.Ridge()], scoring=["accuracy", "neg_mean_squared_error"], scores=scores)
    (accuracy, loss) = cv.interval()[0]
    assert accuracy[1] == 1
    assert 0 < accuracy[0] < 0.975
    assert loss[1] == 0
    assert loss[0] < -1.25
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 2))
    curve = tn.learning_curve(tn.GaussianNB(), X, X[:, 0] > 0, folds=3)
    ends = curve.interval()
    assert (ends >= 0).all()
    assert (ends <= 1).all()
    assert (ends == 1).any()


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.0123, "0.0123 s"), (99.4, "99.4 s"), (2458.0, "41 min"), (9000.0, "2.5 h")]
)
def test_times_are_those_a_person_reads(seconds, text):
    assert scans_note(1, seconds) == f"1 scan of the rows, {text}"
    assert scans_note(24, seconds) == f"24 scans of the rows, {text}"
