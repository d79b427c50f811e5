"""Early stopping by rows that are given: scikit-learn's `X_val`, the same bits from any source, refusals."""

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn import ensemble
from sklearn.base import clone
from threadpoolctl import threadpool_limits

import tenfold as tn
from tenfold.engine.executors.simulated import CALM, Simulated
from tenfold.ensemble.boosting import boosting
from tenfold.sources import part_rows
from tenfold.testing import bits

RANDOM = np.random.default_rng(0)
X = RANDOM.integers(0, 12, (600, 3)).astype(float)
Y = X[:, 0] * X[:, 1] / 20 + RANDOM.normal(size=600)
W = RANDOM.integers(1, 4, 600).astype(float)
A, B = slice(400), slice(400, None)
NUMBERS = tn.HistGradientBoostingRegressor(max_iter=60, n_iter_no_change=4)
CLASSES = tn.HistGradientBoostingClassifier(max_iter=40, n_iter_no_change=4)
FRAME = pd.DataFrame(X, columns=list("abc"))


@pytest.fixture(params=[True, False], ids=["gathered", "level by level"])
def _both_ways(request, monkeypatch):
    monkeypatch.setattr(boosting, "gathers", lambda setup: request.param)


def given(X, y, weight=None):
    """The validation rows, as arguments of `fit`."""
    return {"X_val": X, "y_val": y} | ({} if weight is None else {"sample_weight_val": weight})


def test_it_stops_where_scikit_learn_does():
    for name, more, y in (
        ("HistGradientBoostingRegressor", {}, Y),
        ("HistGradientBoostingClassifier", {}, Y > 2),
        ("HistGradientBoostingClassifier", {"class_weight": "balanced", "max_iter": 9}, Y > 3),
    ):
        ours, theirs = (
            getattr(where, name)(**{"max_iter": 99, **more}, n_iter_no_change=4, early_stopping=True)
            for where in (tn, ensemble)
        )
        with threadpool_limits(1):
            for model in (ours, theirs):
                model.fit(X[A], y[A], None if more else W[A], **given(X[B], y[B], W[B]))  # they balance by count
        assert ours.n_iter_ == theirs.n_iter_ < 99
        np.testing.assert_allclose(ours.validation_score_, theirs.validation_score_, rtol=1e-5)
        np.testing.assert_allclose(ours.train_score_, theirs.train_score_, rtol=1e-5)


@pytest.mark.usefixtures("_both_ways")
@pytest.mark.parametrize("model", [NUMBERS, CLASSES], ids=["numbers", "classes"])
def test_trees_are_those_without_validation_rows(model):
    y = Y if model is NUMBERS else Y > 2
    stopped = clone(model).set_params(subsample=0.7).fit(X[A], y[A], **given(X[B], y[B]))
    plain = clone(model).set_params(subsample=0.7, max_iter=stopped.n_iter_, early_stopping=False).fit(X[A], y[A])
    assert bits(stopped.model_.trees) == bits(plain.model_.trees)
    assert (stopped.model_.edges == plain.model_.edges).all()
    assert (stopped.predict(X) == plain.predict(X)).all()
    assert not len(plain.validation_score_)
    if model is NUMBERS:
        losses = [0.5 * np.mean((found - Y[B]) ** 2) for found in stopped.staged_predict(X[B])]
        np.testing.assert_allclose(-stopped.validation_score_[1:], losses, rtol=1e-6)
        assert stopped.verify()["validation loss"].value == pytest.approx(losses[-1])
        assert len(losses) - np.argmin(losses) - 1 == 4


def test_quantiles_and_rare_classes_are_learned_without_them():
    for model, y in (
        (tn.HistGradientBoostingRegressor("absolute_error", max_iter=9), Y),
        (tn.HistGradientBoostingClassifier(max_iter=9), np.quantile(Y[A], 0.98) < Y),
    ):
        stopped = clone(model).fit(X[A] + Y[A, None] / 9, y[A], **given(X[B] + Y[B, None] / 9, y[B]))
        plain = clone(model).set_params(max_iter=stopped.n_iter_, early_stopping=False).fit(X[A] + Y[A, None] / 9, y[A])
        assert bits(stopped.model_.trees) == bits(plain.model_.trees)


@pytest.mark.usefixtures("_both_ways")
def test_the_same_bits_from_arrays_frames_files_and_workers(tmp_path):
    for name, rows in (("train", A), ("valid", B)):
        FRAME[rows].assign(y=Y[rows], w=W[rows]).to_parquet(tmp_path / f"{name}.parquet", row_group_size=100)
    files = [tn.scan(tmp_path / f"{name}.parquet", target="y", weight="w") for name in ("train", "valid")]
    frames = [FRAME[rows] for rows in (A, B)]
    tables = [pl.from_pandas(rows) for rows in frames]
    lazy = [dd.from_pandas(rows.assign(y=Y[rows.index], w=W[rows.index]), npartitions=3) for rows in frames]
    found = []
    with part_rows(100):
        for train, valid in ((X[A], X[B]), frames, tables, (frames[0], tables[1])):
            found.append(clone(NUMBERS).fit(train, Y[A], W[A], **given(valid, Y[B], W[B])))
        found.append(clone(NUMBERS).fit(files[0], **given(frames[1], Y[B], W[B])))
        scanned = [tn.scan(rows, target="y", weight="w") for rows in lazy]
        found += [clone(NUMBERS).fit(scanned[0], X_val=rows) for rows in (files[1], scanned[1])]
        found.append(clone(NUMBERS).fit(files[0], X_val=scanned[1]))
    for runner in (tn.Local(threads=2), Simulated(1, hazards=CALM)):
        with tn.on(runner):
            found.append(clone(NUMBERS).fit(files[0], X_val=files[1]))
    assert 0 < found[0].n_iter_ < 60
    assert len({bits(model.model_) for model in found}) == 1


@pytest.mark.slow
@pytest.mark.full
def test_collections_of_dask_on_a_cluster():
    from distributed import Client, LocalCluster

    frames = [FRAME[rows].assign(y=Y[rows]) for rows in (A, B)]
    lazy = [tn.scan(dd.from_pandas(rows, npartitions=3), target="y") for rows in frames]
    memory = tn.scan(frames[1], target="y")
    expected = bits(clone(NUMBERS).fit(frames[0][list("abc")], Y[A], **given(frames[1][list("abc")], Y[B])).model_)
    cluster = LocalCluster(2, threads_per_worker=1, processes=False, dashboard_address=":0")
    with cluster, Client(cluster) as client, tn.on(tn.Dask(client)):
        for validation in (lazy[1], memory):
            assert bits(clone(NUMBERS).fit(lazy[0], X_val=validation).model_) == expected


def test_class_weights_are_those_of_the_rows_to_learn_from():
    y, factor = Y > 4, {}
    for label in (False, True):
        factor[label] = 400 / (2 * (y[A] == label).sum())
    weight = np.where(y[A], factor[True], factor[False])
    by_hand = clone(CLASSES).fit(X[A], y[A], weight, **given(X[B], y[B]))
    for named in ("balanced", factor):
        model = clone(CLASSES).set_params(class_weight=named).fit(X[A], y[A], **given(X[B], y[B]))
        assert bits(model.model_) == bits(by_hand.model_)


def test_rows_of_weight_two_count_twice():
    twice = np.repeat(np.arange(400, 600), W[B].astype(int))
    weighed = clone(NUMBERS).fit(X[A], Y[A], **given(X[B], Y[B], W[B]))
    repeated = clone(NUMBERS).fit(X[A], Y[A], **given(X[twice], Y[twice]))
    np.testing.assert_allclose(weighed.validation_score_, repeated.validation_score_, rtol=1e-9)


def test_categories_that_only_they_have_count_as_missing():
    frame = FRAME.assign(k=np.where(X[:, 2] > 5, "high", "low"))
    new, gone = frame[B].copy(), frame[B].copy()
    new.loc[500:, "k"], gone.loc[500:, "k"] = "new", None
    a, b = (clone(NUMBERS).fit(frame[A], Y[A], **given(rows, Y[B])) for rows in (new, gone))
    assert bits(a.model_) == bits(b.model_)
    assert a.schema_.columns[3].categories.tolist() == ["high", "low"]


def test_columns_that_are_computed():
    rows = [tn.scan(FRAME[some].assign(y=Y[some]), target="y") for some in (A, B)]
    train, valid = (one.with_columns(d=tn.col("a") * tn.col("b")) for one in rows)
    expected = bits(clone(NUMBERS).fit(train, X_val=valid).model_)
    assert bits(clone(NUMBERS).fit(train, X_val=rows[1]).model_) == expected
    assert bits(clone(NUMBERS).fit(train, **given(FRAME[B], Y[B])).model_) == expected


def test_fits_continue_and_resume_with_validation_rows(tmp_path):
    model = clone(NUMBERS).set_params(max_iter=6, n_iter_no_change=99)
    whole = clone(model).fit(X[A], Y[A], **given(X[B], Y[B]))
    first = clone(model).set_params(max_iter=3).fit(X[A], Y[A], **given(X[B], Y[B]))
    second = clone(model).fit(X[A], Y[A], start=first, **given(X[B], Y[B]))
    assert bits(second.model_.trees) == bits(whole.model_.trees)
    assert (second.model_.validation_score == whole.model_.validation_score).all()
    held_back = clone(model).set_params(max_iter=3, early_stopping=True, random_state=5).fit(X[A], Y[A])
    assert clone(model).fit(X[A], Y[A], start=held_back, **given(X[B], Y[B])).n_iter_ == 6
    update, left = boosting.Boosting.update, [2]

    def cut(self, state, summary):
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return update(self, state, summary)

    for weights in (None, "balanced"):
        learner = clone(CLASSES).set_params(class_weight=weights)
        expected = bits(clone(learner).fit(X[A], Y[A] > 4, **given(X[B], Y[B] > 4)).model_)
        with pytest.MonkeyPatch.context() as patch:
            left[0] = 2
            patch.setattr(boosting.Boosting, "update", cut)
            with pytest.raises(KeyboardInterrupt):
                clone(learner).fit(X[A], Y[A] > 4, **given(X[B], Y[B] > 4), checkpoint=tmp_path)
        assert len(list(tmp_path.iterdir())) == 1
        assert bits(clone(learner).fit(X[A], Y[A] > 4, **given(X[B], Y[B] > 4), checkpoint=tmp_path).model_) == expected
        assert not list(tmp_path.iterdir())


def test_a_pipeline_transforms_them_as_the_rows():
    scale, y = tn.StandardScaler().fit(FRAME[A]), Y > 2
    expected = clone(CLASSES).fit(scale.transform(FRAME[A]), y[A], **given(scale.transform(FRAME[B]), y[B]))
    rows = [tn.scan(FRAME[some].assign(y=y[some]), target="y") for some in (A, B)]
    with sklearn.config_context(enable_metadata_routing=True):
        last = clone(CLASSES).set_fit_request(X_val=True, y_val=True)
        model = tn.make_pipeline(tn.StandardScaler(), last, transform_input=["X_val"])
        for train, more in (((FRAME[A], y[A]), given(FRAME[B], y[B])), ((rows[0],), {"X_val": rows[1]})):
            model.fit(*train, **more)
            assert bits(model[-1].model_.trees) == bits(expected.model_.trees)
    assert expected.n_iter_ < 40


def test_they_count_as_rows_that_the_model_has_seen():
    model = clone(NUMBERS).fit(X[A], Y[A], **given(X[B], Y[B]))
    with pytest.warns(UserWarning, match="made from these rows"):
        tn.certify(model, X[B], Y[B])


def test_what_is_wrong_is_refused_with_a_remedy():
    y = Y > 2
    frames = [FRAME[some] for some in (A, B)]
    rows = [tn.scan(frame.assign(y=y[frame.index]), target="y") for frame in frames]
    infinite = X[B].copy()
    infinite[5, 1] = np.inf
    for train, more, said in (
        ((X[A], y[A]), {"X_val": X[B]}, "X_val is provided, but y_val was not provided. Remedy: "),
        ((X[A], y[A]), {"y_val": y[B]}, "y_val is provided, but X_val was not provided. Remedy: "),
        ((X[A], y[A]), {"sample_weight_val": W[B]}, "sample_weight_val is provided, but X_val was not"),
        ((X[A], y[A]), given(X[B, :2], y[B]), "X_val: X has 2 features, but .* expecting 3"),
        ((X[A], y[A]), given(X[B], y[:9]), r"X_val: .* inconsistent numbers of samples: \[9, 200\]"),
        ((X[A], y[A]), given(infinite, y[B]), "column 'x1' of the validation rows, row 5. Remedy: replace"),
        ((X[A], y[A]), given(X[B], y[B], 0 * W[B]), "X_val: Sample weights must contain at least one non-zero"),
        ((X[A], y[A]), given(X[B], np.digitize(Y[B], [1, 2])), r"validation rows: .* not among the known classes"),
        ((frames[0], y[A]), given(frames[1][["a", "b"]], y[B]), "X_val: The feature names should match"),
        ((frames[0], y[A]), given(frames[1].assign(a="x"), y[B]), "the validation rows: column 'a' holds .*string"),
        ((rows[0],), {"X_val": tn.scan(frames[1])}, r"target of X_val is unknown. Remedy: X_val=tenfold.scan"),
        ((rows[0],), {"X_val": rows[1], "y_val": y[B]}, "X_val: a Source names its own target"),
        ((rows[0],), given(frames[1][["a", "b"]], y[B]), r"the validation rows: columns \['c'\] .* are missing"),
        (
            (rows[0],),
            {"X_val": tn.scan(frames[1].assign(y=y[B], w=0.0), target="y", weight="w")},
            "no row of X_val has a weight. Remedy: a positive weight for some, sample_weight_val",
        ),
    ):
        with pytest.raises(ValueError, match=said):
            clone(CLASSES).fit(*train, **more)
    with pytest.raises(ValueError, match="early_stopping is False. Remedy: early_stopping=True or 'auto'"):
        clone(CLASSES).set_params(early_stopping=False).fit(X[A], y[A], **given(X[B], y[B]))
