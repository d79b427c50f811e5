"""Rule post-pruning: every dropped condition by hand, the order of the list, and the same bits in all modes."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta

import tenfold as tn
from tenfold.sources import part_rows
from tenfold.stats.rows.draws import Holdout
from tenfold.testing import bits
from tree.test_play_tennis import X, y


def estimate(wrong, n, confidence=0.25):
    """The upper limit of the error rate."""
    return beta.ppf(1 - confidence, wrong + 1, n - wrong) if wrong < n else 1.0


def by_hand(tree, frame, target, confidence=0.25):
    """The rules of a tree without missing values, pruned one after the other with masks over all rows."""
    values, found = frame.to_numpy(), {}
    for rule in tree.rules_:
        tests = []
        for one in sorted(rule.conditions, key=lambda one: (one.column, one.sign)):
            column = values[:, one.column].astype(float)
            tests.append(column <= one.bound if one.sign == "<=" else column > one.bound)
        names = list(range(len(tests)))

        def judge(some, rule=rule, tests=tests):
            rows = np.logical_and.reduce([tests[i] for i in some]) if some else np.ones(len(values), bool)
            return estimate((target[rows] != rule.prediction).sum(), rows.sum(), confidence), rows

        while names:
            now = judge(names)[0]
            tries = [judge([i for i in names if i != drop])[0] for drop in names]
            if min(tries) > now:
                break
            names.pop(int(np.argmin(tries)))
        rows = judge(names)[1]
        found[rows.tobytes()] = target[rows]
    return found


@pytest.mark.parametrize("seed", range(3))
def test_rules_are_pruned_as_by_hand(seed):
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(random.integers(0, 7, (250, 4)).astype(float), columns=list("abcd"))
    target = ((frame["a"] > 3) ^ (random.random(250) < 0.2)).astype(int).to_numpy()
    model = tn.RuleListClassifier("entropy", min_samples_leaf=3).fit(frame, target)
    tree = tn.DecisionTreeClassifier("entropy", min_samples_leaf=3).fit(frame, target)
    hand = by_hand(tree, frame, target)
    assert 0 < len(model.rules_) - 1 <= len(hand)
    for rule in model.rules_[:-1]:
        rows = np.ones(250, bool)
        for one in rule.conditions:
            column = frame.iloc[:, one.column].to_numpy()
            rows &= column <= one.bound if one.sign == "<=" else column > one.bound
        assert rows.tobytes() in hand
        assert (rule.weight, rule.share) == (rows.sum(), pytest.approx((target[rows] == rule.prediction).mean()))


def test_erratum_28_rules_are_an_ordered_list():
    """By their estimated error, and the first that fits decides: another order says something else."""
    model = tn.RuleListClassifier().fit(X, y)
    *rules, last = model.rules_
    limits = [estimate(round(rule.weight * (1 - rule.share)), rule.weight) for rule in rules]
    assert limits == sorted(limits)
    assert last.conditions == ()
    said = []
    for _, row in X.iterrows():
        for rule in model.rules_:
            one = [model.schema_.columns[c.column].categories[list(c.codes)] for c in rule.conditions]
            if all(row.iloc[c.column] in names for c, names in zip(rule.conditions, one, strict=True)):
                said.append(rule.prediction)
                break
    assert said == model.predict(X).tolist()
    overlap = sum(rule.weight for rule in rules)
    assert overlap > 14 - last.weight, "no two rules overlap: the order does not matter here"
    random = np.random.default_rng(0)
    rows = pd.DataFrame(random.choice(list("abc"), (300, 4)), columns=list("pqrs"))
    target = np.where((rows["p"] == "a") ^ (rows["q"] == "b") ^ (random.random(300) < 0.2), "yes", "no")
    model = tn.RuleListClassifier().fit(rows, target)
    names, first, final = [column.categories for column in model.schema_.columns], [], []
    for _, row in rows.iterrows():
        fits = [
            rule.prediction
            for rule in model.rules_[:-1]
            if all(row.iloc[c.column] in names[c.column][list(c.codes)] for c in rule.conditions)
        ] or [model.rules_[-1].prediction]
        first, final = [*first, fits[0]], [*final, fits[-1]]
    assert model.predict(rows).tolist() == first != final


def test_play_tennis_list():
    model = tn.RuleListClassifier().fit(X, y)
    assert model.to_text().split("\n") == [
        "1. if Outlook = Overcast then Yes (4, 100 %)",
        "2. if Humidity = Normal then Yes (7, 86 %)",
        "3. if Outlook = Rain and Wind = Weak then Yes (3, 100 %)",
        "4. else No (4, 100 %)",
    ]
    assert model.certificate_["training error"].value == pytest.approx(1 / 14)
    assert model.certificate_["rules"].value == 3


def test_the_same_list_for_any_parts_and_a_file(tmp_path):
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.normal(size=(900, 4)), columns=list("abcd"))
    frame["word"] = np.array(list("uvwxyz"))[random.integers(0, 6, 900)]
    frame.loc[random.random(900) < 0.1, "b"] = np.nan
    target = np.digitize(frame["a"] + (frame["word"] > "w") + 0.4 * random.normal(size=900), [0, 1])
    found, model = set(), tn.RuleListClassifier(max_depth=7)
    for rows, threads in ((None, 1), (100, 2), (333, 3)):
        with part_rows(rows), tn.on(tn.Local(threads=threads)):
            model.fit(frame, target, sample_weight=random.integers(1, 2, 900))
        found.add((bits(model.model_), bits(model.summary_)))
    assert len(found) == 1
    model.save(tmp_path / "rules.tenfold")
    again = tn.load(tmp_path / "rules.tenfold")
    assert again.to_text() == model.to_text()
    assert np.array_equal(again.predict(frame), model.predict(frame))
    claims = model.certificate_["training error"].value
    assert claims == pytest.approx((model.predict(frame) != target).mean(), abs=1e-12)


def test_rules_do_better_than_their_tree_on_noisy_rows():
    for seed in range(3):
        random = np.random.default_rng(seed)
        rows = random.normal(size=(3000, 5))
        truth = (rows[:, 0] > 0) & (rows[:, 1] > -0.5)
        noisy = truth ^ (random.random(3000) < 0.2)
        tree = tn.DecisionTreeClassifier("gain_ratio").fit(rows[:600], noisy[:600])
        rules = tn.RuleListClassifier().fit(rows[:600], noisy[:600])
        assert rules.score(rows[600:], truth[600:]) > tree.score(rows[600:], truth[600:])
        assert len(rules.rules_) < len(tree.rules_)


@pytest.mark.parametrize("seed", range(3))
def test_rules_pruned_by_held_back_rows(seed):
    """Erratum 30: grown from some rows, pruned by others: every rule is where dropping a condition would do harm."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(random.integers(0, 7, (400, 4)).astype(float), columns=list("abcd"))
    target = ((frame["a"] > 3) ^ (random.random(400) < 0.2)).astype(int).to_numpy()
    model = tn.RuleListClassifier("entropy", min_samples_leaf=3, prune="reduced_error").fit(frame, target)
    learns = Holdout(0, 0.25).learns(np.arange(400), 400)
    assert 60 < (~learns).sum() < 140
    *rules, _ = model.rules_
    limits = []
    for rule in rules:
        tests = []
        for one in rule.conditions:
            column = frame.iloc[:, one.column].to_numpy()
            tests.append(column <= one.bound if one.sign == "<=" else column > one.bound)

        def limit(tests, rule=rule):
            rows = np.logical_and.reduce([~learns, *tests])
            return estimate((target[rows] != rule.prediction).sum(), rows.sum()) if rows.any() else 1.0

        rows = np.logical_and.reduce([learns, *tests])
        assert (rule.weight, rule.share) == (rows.sum(), pytest.approx((target[rows] == rule.prediction).mean()))
        limits.append(limit(tests))
        fewer = [limit([*tests[:i], *tests[i + 1 :]]) for i in range(len(tests))]
        assert all(x > limits[-1] for x in fewer)
    assert limits == sorted(limits)
    assert len(rules) < len(tn.RuleListClassifier("entropy", min_samples_leaf=3).fit(frame, target).rules_)
    for name, some in (("training error", learns), ("validation error", ~learns)):
        found = (model.predict(frame[some]) != target[some]).mean()
        assert model.certificate_[name].value == pytest.approx(found, abs=1e-12)
    model.verify()


@pytest.mark.parametrize("missing", ["learned", "node_majority", "class_majority", "fractional"])
@pytest.mark.parametrize("split", ["subset", "multiway"])
def test_rules_where_values_are_missing(missing, split):
    """Rules are those of the tree with such values, fewer conditions at most; the weight of each is counted by hand."""
    random = np.random.default_rng(3)
    frame = pd.DataFrame({"a": random.integers(0, 6, 300).astype(float)})
    frame["c"] = pd.Series(np.array(list("uvwx"), dtype=object)[random.integers(0, 4, 300)], dtype=object)
    target = ((frame["a"] > 2) & (frame["c"] < "w")) ^ (random.random(300) < 0.1)
    frame.loc[random.random(300) < 0.2, "a"] = np.nan
    frame.loc[random.random(300) < 0.2, "c"] = None
    model = tn.RuleListClassifier(missing=missing, split=split, min_samples_leaf=5).fit(frame, target)
    tree = tn.DecisionTreeClassifier("gain_ratio", missing=missing, split=split, min_samples_leaf=5).fit(frame, target)
    asked = {(c.column, c.sign, c.bound) for rule in tree.rules_ for c in rule.conditions if c.sign != "in"}
    gaps = []
    for rule in model.rules_[:-1]:
        rows = np.ones(300, bool)
        for one in rule.conditions:
            column = frame.iloc[:, one.column]
            if one.sign == "in":
                holds = column.isin(model.schema_.columns[1].categories[list(one.codes)]).to_numpy()
            else:
                assert (one.column, one.sign, one.bound) in asked
                holds = (column <= one.bound if one.sign == "<=" else column > one.bound).to_numpy()
            rows &= holds | (column.isna().to_numpy() & one.missing)
            gaps.append(one.missing)
        assert rule.weight == rows.sum()
        assert rule.share == pytest.approx((target[rows] == rule.prediction).mean())
    assert gaps
    assert any(gaps) == (missing != "fractional")
    assert model.score(frame, target) > 0.7


def test_no_rows_to_prune_rules_by():
    with pytest.raises(tn.DataError, match='prune="reduced_error" needs more rows'):
        tn.RuleListClassifier(prune="reduced_error", held_back=0.01).fit([[0.0], [1.0], [2.0]], [0, 1, 1])
