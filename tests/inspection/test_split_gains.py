"""Gains of every column at a node: PlayTennis of the canon, brute force over all splits, the tree's own choice."""

import numpy as np
import pandas as pd
import pytest

import tenfold as tn
from brute_splits import impurity, nodes_of, sides, table
from tenfold.sources import part_rows
from tree.test_play_tennis import COLUMNS, X, y


def test_play_tennis():
    found = tn.split_gains(X, y)
    assert found.names == tuple(COLUMNS)
    canon = {
        "entropy": [0.246750, 0.029223, 0.151836, 0.048127],
        "gain_ratio": [0.156428, 0.018773, 0.151836, 0.048849],
        "gini": [0.116327, 0.018707, 0.091837, 0.030612],
        "error": [1 / 14, 0, 1 / 14, 0],
    }
    for m, criterion in enumerate(found.criteria):
        assert found.gains[:, m] == pytest.approx(canon[criterion], abs=5.1e-7)
    assert found.impurity[:2] == pytest.approx([0.940286, 0.940286], abs=5e-7)
    assert (found.weight, found.best(), found.of("Wind")) == (14.0, "Outlook", pytest.approx(0.048127, abs=5e-7))
    assert np.isnan(found.thresholds).all()
    tree = tn.ID3().fit(X, y)
    sunny, rain = (tn.split_gains(X, y, tree=tree, node=k) for k in (3, 2))
    assert sunny.gains[:, 0] == pytest.approx([0, 0.570951, 0.970951, 0.019973], abs=5e-7)
    assert rain.gains[:, 0] == pytest.approx([0, 0.019973, 0.019973, 0.970951], abs=5e-7)
    lines = str(sunny).split("\n")
    assert lines[0].split() == ["column", *found.criteria, "threshold"]
    assert lines[3].split() == ["Humidity", "0.970951", "1.000000", "0.480000", "0.400000"]


def by_hand(column, y, w, criterion, multiway):
    """The greatest gain over all splits of one column."""
    base = "entropy" if criterion == "gain_ratio" else criterion
    whole, best = impurity(y, w, base), 0.0
    if multiway and column.dtype.kind != "f":
        code = column.fillna("missing").to_numpy()
        ways = [[code == v for v in np.unique(code)]] if len(np.unique(code)) > 1 else []
    else:
        ways = [[mask, ~mask] for mask in sides(column)]
    for some in ways:
        gain = (whole - sum(impurity(y[m], w[m], base) for m in some)) / w.sum()
        if criterion == "gain_ratio":
            shares = np.array([w[m].sum() for m in some]) / w.sum()
            gain /= -(shares * np.log2(shares)).sum()
        best = max(best, gain)
    return best


@pytest.mark.parametrize("seed", range(24))
def test_against_all_splits(seed):
    frame, target, weight = table(seed)
    split = ("subset", "multiway")[seed % 2]
    if split == "subset":
        target = target % 2  # of two classes, the order by share has the best set
    found = tn.split_gains(frame, target, sample_weight=weight, split=split)
    for j, name in enumerate(frame):
        for m, criterion in enumerate(found.criteria):
            if criterion == "gain_ratio" and split == "subset" and frame[name].dtype.kind != "f":
                continue  # no order is known to hold the best set
            best = by_hand(frame[name], target, weight, criterion, split == "multiway")
            assert found.gains[j, m] == pytest.approx(best, abs=1e-9), (name, criterion)
            cut = found.thresholds[j, m]
            assert np.isnan(cut) == (frame[name].dtype.kind != "f" or frame[name].nunique(dropna=False) < 2)


@pytest.mark.parametrize("missing", ["learned", "node_majority"])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "error", "gain_ratio"])
def test_the_greatest_gain_is_the_split_that_the_tree_made(criterion, missing):
    frame, target, weight = table(5)
    target = target % 2
    tree = tn.DecisionTreeClassifier(criterion, missing=missing, class_weight="balanced", min_samples_leaf=2)
    tree.fit(frame, target, sample_weight=weight)
    through = nodes_of(tree, frame)
    assert tree.tree_.node_count > 5
    for k in np.flatnonzero(tree.tree_.feature >= 0).tolist():
        found = tn.split_gains(frame, target, sample_weight=weight, tree=tree, node=k)
        m = found.criteria.index(criterion)
        merit = tree.tree_.gain[k] / (1.0 if criterion == "gain_ratio" else tree.value_[k].sum())
        assert found.gains[:, m].max() == found.gains[tree.tree_.feature[k], m] == pytest.approx(merit, abs=1e-12)
        assert merit == 0 or found.best(criterion) == frame.columns[tree.tree_.feature[k]]
        assert found.weight == pytest.approx(tree.value_[k].sum())
        threshold = found.thresholds[tree.tree_.feature[k], m]
        assert threshold == tree.tree_.threshold[k] or np.isnan([threshold, tree.tree_.threshold[k]]).all()
        assert through[:, k].any()


def test_the_same_bits_for_any_parts_and_files(tmp_path):
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.normal(size=(900, 3)), columns=list("abc"))
    frame["word"] = np.array(list("uvwxyz"))[random.integers(0, 6, 900)]
    frame["label"] = np.where(frame["a"] + random.normal(size=900) > 0, "yes", "no")
    weight = random.random(900)
    found = set()
    for rows, threads in ((None, 1), (100, 2), (333, 3)):
        with part_rows(rows), tn.on(tn.Local(threads=threads)):
            gains = tn.split_gains(frame.drop(columns="label"), frame["label"], sample_weight=weight)
        found.add((gains.gains.tobytes(), gains.thresholds.tobytes()))
    assert len(found) == 1
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=200)
    disk = tn.split_gains(tn.scan(str(tmp_path / "rows.parquet"), target="label"))
    assert disk.gains.tobytes() == tn.split_gains(frame.drop(columns="label"), frame["label"]).gains.tobytes()
    assert disk.best() == "a"


def test_what_is_refused():
    tree = tn.ID3().fit(X, y)
    with pytest.raises(ValueError, match="nodes 0 to 7"):
        tn.split_gains(X, y, tree=tree, node=8)
    with pytest.raises(ValueError, match="split=\"three\"|split='three'"):
        tn.split_gains(X, y, split="three")
    with pytest.raises(ValueError, match="no row comes to node 1"):
        tn.split_gains(X[X["Outlook"] != "Overcast"], y[X["Outlook"] != "Overcast"], tree=tree, node=1)
    with pytest.raises(ValueError, match="several nodes"):
        tn.split_gains(X, y, tree=tn.C45(prune=None).fit(X, y), node=1)
