"""Categories as means of the target: scikit-learn's encodings, other folds for rows that are learned from, no leak."""

import numpy as np
import pandas as pd
import pytest
import sklearn.preprocessing as peer
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline

import tenfold as tn
from tenfold.preprocessing.target_encoder import fold_of
from tenfold.stats.rows.draws import folds_of_places
from tenfold.testing import bits

RNG = np.random.default_rng(0)
ROWS = 600
FRAME = pd.DataFrame(
    {
        "letter": RNG.choice(list("abcdef"), ROWS),
        "holes": RNG.choice(["u", "v", None], ROWS),
        "number": RNG.integers(0, 30, ROWS),
        "alone": np.where(np.arange(ROWS) == 7, "once", "often"),
    }
)
TARGETS = {
    "numbers": RNG.normal(100, 3, ROWS) + FRAME["number"],
    "two classes": np.where(RNG.random(ROWS) < 0.3, "yes", "no"),
    "three classes": RNG.choice(["x", "y", "z"], ROWS),
    "zeros and ones": (RNG.random(ROWS) < 0.3).astype(int),
}


@pytest.mark.parametrize("smooth", ["auto", 0.0, 7.5])
@pytest.mark.parametrize("target", TARGETS)
def test_encodings_are_those_of_scikit_learn(target, smooth):
    y = TARGETS[target]
    mine, theirs = tn.TargetEncoder(smooth=smooth).fit(FRAME, y), peer.TargetEncoder(smooth=smooth).fit(FRAME, y)
    other = pd.DataFrame({"letter": ["a", "?"], "holes": [None, "u"], "number": [3, 99], "alone": ["once", "often"]})
    for rows in (FRAME, other):
        np.testing.assert_allclose(mine.transform(rows), theirs.transform(rows), rtol=1e-12, atol=1e-12)
    assert mine.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    np.testing.assert_allclose(mine.target_mean_, theirs.target_mean_, rtol=1e-12)
    for a, b in zip(mine.encodings_, theirs.encodings_, strict=True):
        np.testing.assert_allclose(a, b[: len(a)], rtol=1e-12)  # theirs has one more where values are missing


@pytest.mark.parametrize("target", TARGETS)
def test_rows_that_are_learned_from_are_encoded_by_the_other_folds(target):
    y = np.asarray(TARGETS[target])
    found = tn.TargetEncoder(cv=4, smooth=3.0).fit_transform(FRAME, y)
    fold = folds_of_places(np.arange(ROWS), 0, 4)
    for f in range(4):
        alone = peer.TargetEncoder(smooth=3.0).fit(FRAME[fold != f], y[fold != f])
        np.testing.assert_allclose(found[fold == f], alone.transform(FRAME[fold == f]), rtol=1e-11, atol=1e-12)


def test_a_source_is_read_once_more_than_for_its_categories_and_has_the_same_bits_however_it_is_cut(tmp_path):
    rows = FRAME.assign(y=TARGETS["numbers"])
    rows.to_parquet(tmp_path / "rows.parquet", row_group_size=90)
    source = tn.scan(tmp_path / "rows.parquet", target="y")
    model = tn.TargetEncoder().fit(source)
    assert model.certificate_.provenance.passes == 1.0
    here = tn.TargetEncoder()
    np.testing.assert_allclose(
        tn.TargetEncoder().fit_transform(source).collect(), here.fit_transform(FRAME, TARGETS["numbers"]), rtol=1e-12
    )
    with tn.on(tn.Local(threads=2)):
        assert bits(tn.TargetEncoder().fit(source).model_) == bits(model.model_)


def test_models_merge_and_are_saved(tmp_path):
    y = np.asarray(TARGETS["three classes"])
    whole = tn.TargetEncoder().fit(FRAME, y)
    both = tn.TargetEncoder().fit(FRAME[:300], y[:300]) + tn.TargetEncoder().fit(FRAME[300:], y[300:])
    np.testing.assert_allclose(both.transform(FRAME), whole.transform(FRAME), rtol=1e-12)
    whole.save(tmp_path / "model")
    np.testing.assert_array_equal(tn.load(tmp_path / "model").transform(FRAME), whole.transform(FRAME))


@pytest.mark.parametrize("alone", [True, False])
def test_categories_that_tell_nothing_stay_at_chance(alone):
    rng = np.random.default_rng(1)
    rows = pd.DataFrame({"shop": rng.integers(0, 400, 3000).astype(str), "size": rng.normal(size=3000)})
    coin = rng.integers(0, 2, 3000)
    spec = [("mean", tn.TargetEncoder(), ["shop"])] + ([] if alone else [("size", tn.StandardScaler(), ["size"])])
    pipeline = make_pipeline(tn.ColumnTransformer(spec), tn.LogisticRegression())
    source = tn.scan(rows.assign(coin=coin), target="coin")
    mine = tn.cross_validate(pipeline, source, folds=5, shuffle=True, scoring="roc_auc").scores.mean()
    theirs = cross_val_score(pipeline, rows, coin, scoring="roc_auc", cv=5).mean()
    assert abs(mine - 0.5) < 0.05
    assert abs(theirs - 0.5) < 0.05
    learned = abs(pipeline.fit(source)[-1].coef_[0, 0])
    leaking = tn.LogisticRegression().fit(tn.TargetEncoder().fit(rows[["shop"]], coin).transform(rows[["shop"]]), coin)
    assert learned < abs(leaking.coef_[0, 0]) / 3


@pytest.mark.parametrize("target", TARGETS)
def test_given_splits_are_those_of_scikit_learn(target):
    y = np.asarray(TARGETS[target])
    splitter = StratifiedKFold(3) if y.dtype.kind != "f" else KFold(3, shuffle=True, random_state=0)
    splits = list(splitter.split(FRAME, y))
    fold = np.zeros(ROWS, int)
    for k, (_, test) in enumerate(splits):
        fold[test] = k
    theirs = peer.TargetEncoder(cv=splits).fit_transform(FRAME, y)
    for given in (splits, fold):
        found = tn.TargetEncoder(cv=given).fit_transform(FRAME, y)
        np.testing.assert_allclose(found, theirs, rtol=1e-11, atol=1e-12)


HALF, REST = np.arange(300), np.arange(300, ROWS)


@pytest.mark.parametrize(
    "cv",
    [
        [(REST, HALF), (REST, HALF)],
        [(REST, HALF), (HALF, REST[:-1])],
        [(REST, HALF), (HALF, np.append(REST, 0))],
        [(REST, HALF)],
    ],
    ids=["twice", "one left out", "one in both", "half left out"],
)
@pytest.mark.parametrize("learner", [tn.TargetEncoder, tn.StackingRegressor, tn.RidgeCV])
def test_splits_that_test_no_row_once_are_refused(learner, cv):
    y, numbers = np.asarray(TARGETS["numbers"]), FRAME[["number"]]
    with pytest.raises(ValueError, match="exactly once with no overlap"):
        peer.TargetEncoder(cv=cv).fit_transform(numbers, y)
    with pytest.raises(ValueError, match="each row in the test side of one split"):
        learner(cv=cv).fit(numbers, y)


def test_other_rows_than_splits_have_and_a_splitter_are_refused():
    y, rows = np.asarray(TARGETS["numbers"]), FRAME[["letter"]]
    splits = list(KFold(3).split(rows))
    with pytest.raises(tn.DataError, match="cv has 600 rows, but there are 500"):
        tn.TargetEncoder(cv=splits).fit(rows[:500], y[:500])
    with pytest.raises(tn.DataError, match="cv has 600 rows, fewer than there are"):
        tn.TargetEncoder(cv=splits).fit(pd.concat([rows, rows]), np.tile(y, 2))
    for learner in (tn.TargetEncoder, tn.StackingRegressor, tn.RidgeCV):
        with pytest.raises(ValueError, match=r"Remedy: .*cv=list\(sklearn.model_selection.KFold\(.*\).split\(X, y\)\)"):
            learner(cv=KFold(3)).fit(FRAME[["number"]], y)


def test_a_row_keeps_its_fold_in_a_cross_validation():
    """By its number in the source, as the documentation states: a loop with the folds given equals it."""
    random = np.random.default_rng(8)
    X = random.integers(0, 6, (90, 1)).astype(float)
    y = X[:, 0] + random.normal(size=90)
    outer = np.repeat(np.arange(3), 30)
    team = tn.make_pipeline(tn.TargetEncoder(cv=3), tn.LinearRegression())
    together = tn.cross_validate(team, X, y, folds=outer).scores.ravel()
    inner = fold_of(np.zeros(0, np.int64), np.arange(90), 3)
    for k in range(3):
        train = outer != k
        alone = tn.make_pipeline(tn.TargetEncoder(cv=inner[train]), tn.LinearRegression()).fit(X[train], y[train])
        assert alone.score(X[~train], y[~train]) == pytest.approx(together[k], rel=1e-9)
