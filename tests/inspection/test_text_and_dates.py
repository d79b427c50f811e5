"""Importances and curves of pipelines whose columns are text and dates, beside scikit-learn's and by brute force."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
import sklearn.inspection as peer

import tenfold as tn

ROWS = 400
NOTES = ["fast ring", "late box", "good box"]


def orders(seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "when": pd.Timestamp("2025-03-01") + pd.to_timedelta(rng.integers(0, 80, ROWS), unit="D"),
            "shop": rng.choice(["a", "b", "c"], ROWS),
            "price": rng.normal(size=ROWS),
            "note": np.where(rng.random(ROWS) < 0.2, None, rng.choice(NOTES, ROWS)),
        }
    )
    raised = frame["price"] + 2 * frame["note"].isin(["late box"]) + (frame["when"].dt.month == 4)
    return frame, np.where(raised + rng.normal(size=ROWS) > 0.5, "yes", "no")


@pytest.fixture(scope="module")
def fitted():
    frame, y = orders()
    columns = tn.ColumnTransformer(
        [
            ("date", tn.DateParts(["month"]), ["when"]),
            ("shop", tn.OneHotEncoder(), ["shop"]),
            ("price", tn.StandardScaler(), ["price"]),
            ("note", tn.TextFeatures(missing="empty"), "note"),
        ]
    )
    return tn.make_pipeline(columns, tn.LogisticRegression()).fit(frame, y), frame, y


def test_importances_of_text_and_dates_are_those_of_scikit_learn(fitted):
    model, frame, y = fitted
    found = tn.permutation_importance(model, frame, y, n_repeats=30)
    wanted = peer.permutation_importance(model, frame, y, n_repeats=30, random_state=0)
    assert found.names == list(frame)
    np.testing.assert_allclose(found.importances_mean, wanted.importances_mean, atol=0.02)
    assert found.importances_mean[3] > 0.1
    both = tn.permutation_importance(model, frame, y, columns=[("price", "note")], n_repeats=10)
    assert both.importances_mean[0] > found.importances_mean[[2, 3]].max()
    within = tn.permutation_importance(model, frame, y, columns=["note"], within="part", n_repeats=30)
    np.testing.assert_allclose(within.importances_mean, wanted.importances_mean[[3]], atol=0.02)


def test_curves_of_text_dates_and_numbers_are_means_of_predictions(fitted):
    model, frame, _ = fitted
    days = np.array(["2025-03-10", "2025-04-20"], dtype="M8[D]")
    asked = ["note", "price", "when", ("note", "price")]
    given = {"when": days, "price": [-1.0, 0.0, 2.0]}
    note, price, when, both = tn.partial_dependence(model, frame, asked, custom_values=given)

    def mean(**values):
        return model.predict_proba(frame.assign(**values))[:, 1].mean()

    assert note.grid_values[0].tolist() == sorted(NOTES)
    assert note.categorical == (True,)
    np.testing.assert_allclose(note.average[0], [mean(note=text) for text in sorted(NOTES)], rtol=1e-12)
    np.testing.assert_allclose(price.average[0], [mean(price=x) for x in given["price"]], rtol=1e-12)
    np.testing.assert_allclose(when.average[0], [mean(when=pd.Timestamp(day)) for day in days], rtol=1e-12)
    assert when.grid_values[0].astype("M8[D]").tolist() == days.tolist()
    expected = [[mean(note=text, price=x) for x in given["price"]] for text in sorted(NOTES)]
    np.testing.assert_allclose(both.average[0], expected, rtol=1e-12)
    free = tn.partial_dependence(model, frame, "when", grid_resolution=5)
    assert free.grid_values[0].dtype.kind == "M"
    assert "2025-0" in str(free)


def test_text_of_many_values_asks_for_some(fitted):
    model, frame, _ = fitted
    with pytest.raises(tn.DataError, match=r"Remedy: custom_values=\{'note': \['fast ring', \.\.\.\]\}"):
        tn.partial_dependence(model, frame, "note", grid_resolution=2)
    few = tn.partial_dependence(model, frame, "note", grid_resolution=2, custom_values={"note": ["late box", "new"]})
    assert few.average[0][0] > few.average[0][1]
    with pytest.raises(ValueError, match="'when' holds dates, and its custom_values"):
        tn.partial_dependence(model, frame, "when", custom_values={"when": ["soon"]})


def test_pictures_of_text_and_dates(fitted):
    mpl.use("Agg")
    model, frame, _ = fitted
    display = tn.display.PartialDependenceDisplay.from_estimator(model, frame, ["note", "when"], grid_resolution=6)
    assert [ax.get_xlabel() for ax in display.axes_] == ["note", "when"]
    display.figure_.canvas.draw()
    mpl.pyplot.close("all")


@pytest.mark.filterwarnings("ignore:The inplace keyword")
def test_the_same_bits_from_parquet_and_on_dask(fitted, tmp_path):
    from dask.distributed import Client, LocalCluster

    model, frame, y = fitted
    frame.assign(y=y).to_parquet(tmp_path / "rows.parquet", row_group_size=130)
    rows = tn.scan(tmp_path / "rows.parquet", target="y")

    def bits():
        found = tn.permutation_importance(model, rows, n_repeats=2)
        curves = tn.partial_dependence(model, rows, ["note", "when"], grid_resolution=5)
        return [found.importances.tobytes(), found.interval.tobytes(), *(one.average.tobytes() for one in curves)]

    here = bits()
    near = tn.partial_dependence(model, frame, "note")
    np.testing.assert_allclose(tn.partial_dependence(model, rows, "note").average, near.average, rtol=1e-12)
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=":0"
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
        tn.on(tn.Dask(client)),
    ):
        assert bits() == here
