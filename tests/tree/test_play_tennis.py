"""PlayTennis of the textbooks, to six digits: gains, ratios, the tree node by node; and what errata say of ID3."""

import numpy as np
import pandas as pd
import pytest

from tenfold import ID3, DecisionTreeClassifier

COLUMNS = ["Outlook", "Temperature", "Humidity", "Wind"]
ROWS = """
Sunny Hot High Weak No
Sunny Hot High Strong No
Overcast Hot High Weak Yes
Rain Mild High Weak Yes
Rain Cool Normal Weak Yes
Rain Cool Normal Strong No
Overcast Cool Normal Strong Yes
Sunny Mild High Weak No
Sunny Cool Normal Weak Yes
Rain Mild Normal Weak Yes
Sunny Mild Normal Strong Yes
Overcast Mild High Strong Yes
Overcast Hot Normal Weak Yes
Rain Mild High Strong No
"""
TABLE = pd.DataFrame([line.split() for line in ROWS.strip().split("\n")], columns=[*COLUMNS, "Play"])
X, y = TABLE[COLUMNS], TABLE["Play"]
PER_NODE = {"gain_ratio", "gain_squared_per_cost", "gain_power_per_cost"}


def gain(column, criterion, rows=slice(None), **more):
    """What a split of one column is worth, a branch a category."""
    some = TABLE[rows]
    model = DecisionTreeClassifier(criterion, split="multiway", max_depth=1, **more).fit(some[[column]], some["Play"])
    return model.tree_.gain[0] / (1 if criterion in PER_NODE else len(some))


@pytest.mark.parametrize(
    ("criterion", "canon"),
    [
        ("entropy", [0.246750, 0.029223, 0.151836, 0.048127]),
        ("gain_ratio", [0.156428, 0.018773, 0.151836, 0.048849]),
        ("gini", [0.116327, 0.018707, 0.091837, 0.030612]),
        ("error", [1 / 14, 0.0, 1 / 14, 0.0]),
    ],
)
def test_gains_to_six_digits(criterion, canon):
    assert [gain(column, criterion) for column in COLUMNS] == pytest.approx(canon, abs=5.1e-7)


def test_erratum_11_gains_stand_under_their_own_names():
    found = {column: round(gain(column, "entropy"), 6) for column in COLUMNS}
    assert found == {"Outlook": 0.24675, "Humidity": 0.151836, "Wind": 0.048127, "Temperature": 0.029223}


def test_gains_in_the_branches():
    sunny, rain = TABLE["Outlook"] == "Sunny", TABLE["Outlook"] == "Rain"
    assert gain("Humidity", "entropy", sunny) == pytest.approx(0.970951, abs=5.1e-7)
    assert gain("Temperature", "entropy", sunny) == pytest.approx(0.570951, abs=5.1e-7)
    assert gain("Wind", "entropy", sunny) == pytest.approx(0.019973, abs=5.1e-7)
    assert gain("Wind", "entropy", rain) == pytest.approx(0.970951, abs=5.1e-7)
    assert gain("Humidity", "entropy", rain) == pytest.approx(0.019973, abs=5.1e-7)
    assert gain("Temperature", "entropy", rain) == pytest.approx(0.019973, abs=5.1e-7)


def test_gains_per_cost():
    g, cost, w = gain("Outlook", "entropy"), 3.0, 0.5
    assert gain("Outlook", "gain_squared_per_cost", feature_costs=[cost]) == pytest.approx(g * g / cost, rel=1e-12)
    found = gain("Outlook", "gain_power_per_cost", feature_costs={"Outlook": cost}, cost_power=w)
    assert found == pytest.approx((2**g - 1) / (cost + 1) ** w, rel=1e-12)


@pytest.mark.parametrize("criterion", ["gain_squared_per_cost", "gain_power_per_cost"])
def test_a_dear_column_is_not_asked_for_first(criterion):
    cheap = DecisionTreeClassifier(criterion, split="multiway").fit(X, y)
    dear = DecisionTreeClassifier(criterion, split="multiway", feature_costs={"Outlook": 50}).fit(X, y)
    assert [COLUMNS[m.tree_.feature[0]] for m in (cheap, dear)] == ["Outlook", "Humidity"]
    with pytest.raises(ValueError, match="Outlok"):
        DecisionTreeClassifier(criterion, feature_costs={"Outlok": 2}).fit(X, y)


@pytest.mark.parametrize("method", ["histogram", "exact"])
def test_the_tree_node_by_node(method):
    model = DecisionTreeClassifier("entropy", split="multiway", method=method).fit(X, y)
    tree = model.tree_
    names = [COLUMNS[j] if j >= 0 else model.classes_[model.value_[k].argmax()] for k, j in enumerate(tree.feature)]
    assert names == ["Outlook", "Yes", "Wind", "Humidity", "No", "Yes", "No", "Yes"]  # in the order of categories
    weights = model.value_.sum(axis=1).tolist()
    assert weights == [14, 4, 5, 5, 2, 3, 3, 2]
    assert model.value_[tree.leaves].min(axis=1).max() == 0, "a leaf is not pure"
    assert tree.gain[0] / 14 == pytest.approx(0.246750, abs=5.1e-7)
    assert tree.gain[2:4] / 5 == pytest.approx(0.970951, abs=5.1e-7)
    assert len(tree.leaves) == 5
    assert tree.max_depth == 2
    assert tree.depth[tree.leaves].sum() == 9
    assert (tree.depth * weights)[tree.leaves].sum() == 24
    assert model.score(X, y) == 1
    assert model.certificate_["training error"].value == 0


def test_the_gains_of_the_nodes_add_up_to_the_entropy_of_the_root():
    """All leaves are pure: what the root did not know, the splits have told."""
    share = y.value_counts(normalize=True)
    entropy = -(share * np.log2(share)).sum()
    assert entropy == pytest.approx(0.940286, abs=5.1e-7)
    assert ID3().fit(X, y).tree_.gain.sum() / 14 == pytest.approx(entropy, rel=1e-12)


def least_path_length(rows, columns, depth=0):
    """Of all trees with a branch a category, pure leaves where columns are left: the least external path length."""
    if rows["Play"].nunique() == 1 or not columns:
        return depth
    rest = {name: [c for c in columns if c != name] for name in columns if rows[name].nunique() > 1}
    if not rest:
        return depth
    return min(sum(least_path_length(some, rest[name], depth + 1) for _, some in rows.groupby(name)) for name in rest)


def test_no_tree_of_play_tennis_is_shorter():
    assert least_path_length(TABLE, COLUMNS) == ID3().fit(X, y).tree_stats().external_path_length == 9


def test_greed_may_miss_the_shortest_tree():
    """The class is a xor b, of which neither tells anything by itself; c tells most of it, and so it comes first."""
    rows = pd.DataFrame([[a, b] for a in "01" for b in "01" for _ in range(4)], columns=["a", "b"])
    rows["Play"] = np.where(rows["a"] != rows["b"], "Yes", "No")
    rows["c"] = np.where(np.arange(16) % 4 == 0, "No", rows["Play"])
    found = ID3().fit(rows[["a", "b", "c"]], rows["Play"])
    assert found.score(rows[["a", "b", "c"]], rows["Play"]) == 1
    assert least_path_length(rows, ["a", "b", "c"]) == 8 < found.tree_stats().external_path_length


def test_id3_is_that_tree():
    one, other = ID3().fit(X, y), DecisionTreeClassifier("entropy", split="multiway").fit(X, y)
    assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(one.tree_, other.tree_, strict=True))


def test_erratum_12_an_empty_branch_takes_the_most_common_class():
    rows = TABLE[(TABLE["Outlook"] != "Sunny") | (TABLE["Humidity"] == "High")]
    model = ID3().fit(rows[COLUMNS], rows["Play"])
    strange = pd.DataFrame([["Fog", "Hot", "High", "Weak"]], columns=COLUMNS)
    most = rows["Play"].value_counts().idxmax()
    assert model.predict(strange)[0] == most
    assert model.predict_proba(strange)[0] == pytest.approx(rows["Play"].value_counts(normalize=True).sort_index())


def test_erratum_12_a_branch_that_is_empty_here_alone_takes_the_most_common_class_of_the_node():
    """It never rained on a hot day; of rainy days three in five were played."""
    some = ["Outlook", "Temperature"]
    model = ID3().fit(X[some], y)
    assert model.tree_.max_depth == 2
    hot = pd.DataFrame([["Rain", "Hot"]], columns=some)
    assert model.predict_proba(hot)[0] == pytest.approx([0.4, 0.6])
    assert model.predict(hot)[0] == "Yes"


def test_erratum_12_an_exhausted_branch_takes_the_most_common_class():
    rows = pd.DataFrame({"a": list("uuuvv")})
    model = ID3().fit(rows, ["no", "yes", "yes", "no", "no"])
    assert model.predict(pd.DataFrame({"a": ["u", "v"]})).tolist() == ["yes", "no"]
    assert model.tree_.node_count == 3


def test_erratum_12_entropy_and_split_information():
    pure = TABLE["Outlook"] == "Overcast"
    model = ID3().fit(X[pure], y[pure])
    assert model.tree_.node_count == 1
    share = TABLE["Outlook"].value_counts(normalize=True)
    over_values = -(share * np.log2(share)).sum()
    assert gain("Outlook", "gain_ratio") == pytest.approx(gain("Outlook", "entropy") / over_values, rel=1e-12)


def test_a_split_that_gains_nothing_is_made_where_more_may_follow():
    xor = pd.DataFrame({"a": list("uuvv"), "b": list("stst")})
    assert ID3().fit(xor, [0, 1, 1, 0]).score(xor, [0, 1, 1, 0]) == 1
