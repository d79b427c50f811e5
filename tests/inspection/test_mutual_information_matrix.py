"""Mutual information of all pairs of columns: by hand, beside scikit-learn, from files, with values missing."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import mutual_info_score

import tenfold as tn
from naive_bayes.test_categorical_nb import ROWS
from tenfold.sources import part_rows
from tenfold.stats.counts.information import entropy

mpl.use("Agg")
TENNIS = pd.DataFrame(ROWS, columns=["Outlook", "Temperature", "Humidity", "Wind", "Play"])


def draw(n=500):
    random = np.random.default_rng(0)
    kind = np.array(["u", "v", "w"], object)[random.integers(0, 3, n)]
    return pd.DataFrame({
        "kind": kind,
        "level": random.integers(0, 5, n) + (kind == "u"),
        "other": np.array(["x", "y"], object)[random.integers(0, 2, n)],
        "size": random.normal(size=n),
    })  # fmt: skip


@pytest.mark.quick
def test_play_tennis_gains():
    """What each column tells of the class is its information gain (erratum 11 has them under the right names)."""
    found = tn.mutual_information_matrix(TENNIS)
    gains = {"Outlook": 0.246750, "Temperature": 0.029223, "Humidity": 0.151836, "Wind": 0.048127}
    for name, gain in gains.items():
        assert found.between(name, "Play") == pytest.approx(gain, abs=1e-6)
    assert found.between("Play", "Play") == pytest.approx(0.940286, abs=1e-6)
    np.testing.assert_array_equal(found.information, found.information.T)
    assert found.scans == 2  # one finds the categories, one counts the pairs


def test_each_pair_is_as_scikit_learn_has_it_and_missing_values_are_left_out():
    frame = draw()
    holes = frame.mask(pd.DataFrame(np.random.default_rng(1).random(frame.shape) < 0.2, columns=frame.columns))
    found = tn.mutual_information_matrix(holes, bins=8, base=np.e)
    cut = holes.assign(size=pd.qcut(holes["size"], 8, labels=False).astype(float))
    for i, a in enumerate(frame):
        for j, b in enumerate(frame):
            both = cut[[a, b]].dropna() if a != b else cut[[a]].dropna()
            values = [both[name].astype(str) for name in (a, b)]
            tolerance = 1e-12 if "size" not in (a, b) else 0.02  # quantiles of a sample are not those of pandas
            assert found.information[i, j] == pytest.approx(mutual_info_score(*values), abs=tolerance)


def test_files_and_parts_give_the_same_and_weights_are_repeated_rows(tmp_path):
    frame = draw().drop(columns="size")
    whole = tn.mutual_information_matrix(frame)
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=70)
    np.testing.assert_array_equal(tn.mutual_information_matrix(tn.scan(tmp_path)).information, whole.information)
    with part_rows(64):
        np.testing.assert_array_equal(tn.mutual_information_matrix(frame).information, whole.information)
    weight = np.random.default_rng(2).integers(0, 4, 500)
    found = tn.mutual_information_matrix(frame, sample_weight=weight.astype(float))
    repeated = tn.mutual_information_matrix(frame.iloc[np.repeat(np.arange(500), weight)])
    np.testing.assert_array_equal(found.information, repeated.information)


def test_independent_columns_tell_nothing_if_the_bias_is_corrected():
    random = np.random.default_rng(0)
    X = random.integers(0, 12, (4000, 6))
    off = ~np.eye(6, dtype=bool)
    plain = tn.mutual_information_matrix(X).information[off].mean()
    mended = tn.mutual_information_matrix(X, correction="miller_madow").information[off].mean()
    assert plain == pytest.approx(11 * 11 / (2 * 4000 * np.log(2)), rel=0.15)
    assert abs(mended) < 0.1 * plain


def test_normalized_is_one_of_what_follows_and_zero_of_a_constant():
    frame = pd.DataFrame({"a": ["x", "y", "z"] * 10, "b": [1, 2, 3] * 10, "c": ["k"] * 30, "d": [np.nan] * 30})
    found = tn.mutual_information_matrix(frame)
    np.testing.assert_allclose(found.normalized[:2, :2], 1.0, rtol=1e-12)
    assert not found.normalized[2:].any()
    assert found.between("a", "b") == pytest.approx(entropy([1, 1, 1]))


def test_errors_name_the_column():
    with pytest.raises(ValueError, match="bins=1: a whole number from 2 to 256"):
        tn.mutual_information_matrix(TENNIS, bins=1)
    with pytest.raises(ValueError, match=r"12,000 of them 'id': more than 10,000. Remedy: drop such columns"):
        tn.mutual_information_matrix(tn.scan(pd.DataFrame({"id": [f"n{i}" for i in range(12_000)]})))


@pytest.mark.quick
def test_the_picture_has_the_numbers_and_neighbours_that_tell_of_each_other():
    frame = draw()
    display = tn.display.MutualInformationDisplay.from_rows(frame)
    names = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert abs(names.index("kind") - names.index("level")) == 1
    assert sorted(names) == sorted(frame)
    at = [list(frame).index(name) for name in names]
    np.testing.assert_allclose(display.image_.get_array(), display.matrix.normalized[np.ix_(at, at)])
    assert len(display.texts_) == 16
    bits = tn.display.MutualInformationDisplay(display.matrix).plot(values="information", sort=False, numbers=False)
    np.testing.assert_allclose(bits.image_.get_array(), display.matrix.information)
    assert bits.texts_ == []
    mpl.pyplot.close("all")
