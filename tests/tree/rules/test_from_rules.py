"""From rules and formulas back to a classifier: random trees say what their rules say, of every row there can be."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

import tenfold as tn
from tree.test_play_tennis import X, y

WAYS = [
    {},
    {"split": "multiway"},
    {"missing": "node_majority", "min_samples_leaf": 3},
    {"missing": "class_majority", "split": "multiway", "max_depth": 4},
    {"method": "exact", "criterion": "entropy"},
    {"prune": "reduced_error", "split": "multiway"},
]


def rows(seed, n=120):
    """Few values, repeated, some missing; categories that are rare, so that many a node has not seen one."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": random.integers(0, 5, n).astype(float), "b": random.normal(size=n).round(1)})
    frame["c"] = np.array(list("uvwxyz"), dtype=object)[np.minimum(random.geometric(0.4, n), 6) - 1]
    frame["d"] = np.array(["p", "q", "r", None], dtype=object)[random.integers(0, 4, n)]
    frame.loc[random.random(n) < 0.1, "a"] = np.nan
    target = np.array(["no", "yes", "maybe"])[random.integers(0, 3, n)]
    return frame, target


def every_row(frame):
    """All combinations of values, also missing ones and categories that no row had."""
    columns = [[*np.unique(frame["a"].dropna()), np.nan], [-9.0, -0.05, 0.3, 9.0, np.nan], [*"uvwxyz", "new", None]]
    table = list(product(*columns, ["p", "q", "r", "new", None]))
    return pd.DataFrame(table, columns=list("abcd")).astype({"c": object, "d": object})


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_round_trip_of_random_trees(seed, way, tmp_path):
    frame, target = rows(seed)
    tree = tn.DecisionTreeClassifier(**way).fit(frame, target)
    asked = every_row(frame)
    said, chances = tree.predict(asked), tree.predict_proba(asked)
    listed = tn.RuleListClassifier.from_tree(tree)
    assert listed.predict(asked).tolist() == said.tolist()
    assert np.array_equal(listed.predict_proba(asked), chances)
    formulas = [tree.to_dnf(label, unseen=True) for label in tree.classes_]
    for order in (formulas, formulas[::-1]):
        assert tn.RuleListClassifier.from_dnf(order, tree).predict(asked).tolist() == said.tolist()
    one = tn.RuleListClassifier.from_dnf(formulas[0], tree, default="yes").predict(asked)
    assert ((one == "maybe") == (said == "maybe")).all()
    again = tn.RuleListClassifier.from_rules(listed.rules_, tree)
    assert again.to_text() == listed.to_text()
    assert np.array_equal(again.predict_proba(asked), chances)
    listed.save(tmp_path / "list.tenfold")
    assert tn.load(tmp_path / "list.tenfold").predict(asked).tolist() == said.tolist()


@pytest.mark.parametrize("seed", range(3))
def test_no_two_rules_of_a_tree_hold_of_a_row(seed):
    """So their order is of no matter: shuffled, they say the same."""
    frame, target = rows(seed)
    tree = tn.DecisionTreeClassifier(split="multiway").fit(frame, target)
    every = list(tree.every_rule())
    assert len(every) > len(tree.rules_), "no node answers itself"
    np.random.default_rng(seed).shuffle(every)
    asked = every_row(frame)
    assert tn.RuleListClassifier.from_rules(every, tree).predict(asked).tolist() == tree.predict(asked).tolist()


def test_play_tennis_there_and_back():
    tree = tn.ID3().fit(X, y)
    model = tn.RuleListClassifier.from_dnf(tree.to_dnf("Yes"), tree, default="No")
    assert model.predict(X).tolist() == list(y)
    assert model.to_text().split("\n") == [
        "1. if Outlook = Overcast then Yes (1, 100 %)",
        "2. if Outlook = Rain and Wind = Weak then Yes (1, 100 %)",
        "3. if Outlook = Sunny and Humidity = Normal then Yes (1, 100 %)",
        "4. else No (1, 100 %)",
    ]
    assert str(tree.to_dnf("No", unseen=True)).startswith(str(tree.to_dnf("No")))
    assert "Wind = missing" in str(tree.to_dnf("Yes", unseen=True))
    assert model.certificate_["rules"].value == 3
    with pytest.raises(ValueError, match="made from given parameters, so it cannot be verified"):
        model.verify()


def test_a_class_that_is_never_said_and_one_that_always_is():
    tree = tn.DecisionTreeClassifier().fit([[1.0], [1.0], [1.0]], [0, 1, 1])
    assert [str(tree.to_dnf(label)) for label in (0, 1)] == ["false", "true"]
    assert tn.RuleListClassifier.from_dnf([tree.to_dnf(0), tree.to_dnf(1)], tree).predict([[5.0]]).tolist() == [1]
    assert tn.RuleListClassifier.from_dnf(tree.to_dnf(0), tree, default=1).predict([[5.0]]).tolist() == [1]


def test_rules_can_be_changed_by_hand():
    tree = tn.DecisionTreeClassifier().fit([[0.0], [1.0], [2.0], [3.0]], list("abba"))
    first, *_ = tree.rules_
    turned = first._replace(prediction="b", conditions=(first.conditions[0]._replace(bound=2.2),))
    model = tn.RuleListClassifier.from_rules([turned], tree, default="a")
    assert model.predict([[2.0], [2.3]]).tolist() == ["b", "a"]
    assert model.predict_proba([[2.0]]).tolist() == [[0.0, 1.0]], "what a rule says goes before its weights"
    assert tn.RuleListClassifier.from_rules([turned], tree).predict([[2.3]]).tolist() == ["b"]


def test_rules_that_do_not_fit_are_refused_by_name():
    frame, target = rows(0)
    tree = tn.DecisionTreeClassifier(split="multiway").fit(frame, target)
    rule = tree.rules_[0]
    one = rule.conditions[0]
    wrong = [
        (rule._replace(prediction="never"), "rule 1 predicts 'never', which is not one of"),
        (rule._replace(conditions=(one._replace(column=7),)), "rule 1 asks for column 7 of 4"),
        (rule._replace(conditions=(one._replace(column=2, sign="<="),)), "column 'c', which holds categories"),
        (rule._replace(conditions=(one._replace(column=0, sign="in"),)), "column 'a', which holds numbers"),
        (rule._replace(conditions=(one._replace(column=2, sign="in", codes=(6,)),)), "has 6 categories"),
        (rule._replace(conditions=(one._replace(column=0, sign=">", bound=np.nan),)), "no bound for column 'a'"),
    ]
    for bad, message in wrong:
        with pytest.raises(ValueError, match=message):
            tn.RuleListClassifier.from_rules([bad], tree)
    with pytest.raises(ValueError, match="rule 2 predicts 'never'"):
        tn.RuleListClassifier.from_rules([rule], tree, default="never")
    with pytest.raises(ValueError, match="several leaves"):
        tn.RuleListClassifier.from_tree(tn.C45().fit(frame, target))
