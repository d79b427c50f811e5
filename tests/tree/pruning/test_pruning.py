"""Pruning: each pruner against brute force, books, or scikit-learn; errata 6 and 24; the same tree in all modes."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, chi2_contingency
from sklearn import tree as theirs

import tenfold as tn
from tenfold.sources import part_rows
from tenfold.stats.rows.draws import Holdout
from tenfold.testing import bits
from tenfold.tree.growing import grower, levelwise
from tenfold.tree.pruning import pruning
from tenfold.tree.pruning.pruning import Losses

BY_ROWS = ["reduced_error", "best_cut", "cost_complexity"]


def noisy(seed, n=600, noise=0.2):
    """Three columns that matter, three that do not, and labels of which some are flipped."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 6)).round(2)
    y = (X[:, 0] + X[:, 1] > 0) ^ (X[:, 2] > 0.5)
    return X, np.where(random.random(n) < noise, ~y, y).astype(int)


def below(tree, k):
    """All ways of pruning below node k: sets of nodes that are cut."""
    if tree.feature[k] < 0:
        return [frozenset()]
    kids = range(tree.first_child[k], tree.first_child[k] + tree.children[k])
    return [frozenset([k])] + [frozenset().union(*some) for some in product(*(below(tree, c) for c in kids))]


def small(seed):
    """A tree, and losses of unseen rows, some of which end in inner nodes."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": random.normal(size=80), "b": np.array(list("uvwx"))[random.integers(0, 4, 80)]})
    y = random.integers(0, 3, 80)
    model = tn.DecisionTreeClassifier(max_leaf_nodes=8, split="multiway", min_samples_leaf=4).fit(frame, y)
    tree = model.tree_
    ends = random.integers(0, 5, (tree.node_count, 3)) * (random.random((tree.node_count, 1)) < 0.8)
    through, said = pruning.up(tree, ends), model.value_.argmax(axis=1)
    return (
        tree,
        ends,
        said,
        Losses(*((s.sum(axis=1) - s[np.arange(len(s)), said]).astype(float) for s in (through, ends))),
    )


def loss_of(tree, cut_at, ends, said):
    """The errors of a pruned tree, row by row up to the node that answers."""
    above, wrong = tree.parent, 0
    for k, counts in enumerate(ends):
        answer, up = k, k
        while up >= 0:
            answer, up = (up if up in cut_at else answer), above[up]
        wrong += counts.sum() - counts[said[answer]]
    return wrong


@pytest.mark.parametrize("seed", range(12))
def test_erratum_24_the_same_tree_before_and_after_the_cut(seed):
    """So pruning from the leaves up has the least loss of all prunings, and of those the fewest leaves."""
    tree, ends, said, losses = small(seed)
    every = below(tree, 0)
    scored = [(loss_of(tree, at, ends, said), len(pruning.cut(tree, flags(tree, at))[0].leaves), at) for at in every]
    found = frozenset(np.flatnonzero(pruning.reduced_error(tree, losses)).tolist())
    mine = pruning.cut(tree, flags(tree, found))[0]
    assert (loss_of(tree, found, ends, said), len(mine.leaves)) == min(scored)[:2]
    weights = [np.exp(pruning.log_prior(tree, flags(tree, at))) for at in every]
    assert sum(weights) == pytest.approx(1.0, abs=1e-12)


def flags(tree, at):
    found = np.zeros(tree.node_count, bool)
    found[list(at)] = True
    return found


@pytest.mark.parametrize("seed", range(12))
def test_the_best_cut_comes_first(seed):
    tree, ends, said, losses = small(seed)
    at = frozenset()
    while True:
        now = loss_of(tree, at, ends, said)
        inner = [k for k in np.flatnonzero(tree.feature >= 0).tolist() if not any(a in at for a in line(tree, k))]
        steps = [(loss_of(tree, at | {k}, ends, said), k) for k in inner]
        if not steps or min(steps)[0] > now:
            break
        at |= {min(steps)[1]}
    mine, slow = (pruning.cut(tree, some)[0] for some in (pruning.best_cut(tree, losses), flags(tree, at)))
    assert bits(mine) == bits(slow)


def line(tree, k):
    """A node and those above it."""
    above = tree.parent
    while k >= 0:
        yield k
        k = above[k]


def test_erratum_6_the_new_leaf_takes_the_majority_of_the_training_rows():
    """Not that of the rows it was pruned by, which are all of the other class."""
    back = held_back_rows(200)
    right = ~back & (np.arange(200) % 3 == 0)
    X, y = np.where(right, 1.0, -1.0)[:, None], (right | back).astype(int)
    assert tn.DecisionTreeClassifier().fit(X[~back], y[~back]).tree_.node_count == 3
    model = tn.DecisionTreeClassifier(prune="reduced_error").fit(X, y)
    assert model.tree_.node_count == 1, "the validation rows lose nothing by the cut"
    assert model.predict([[-1.0], [1.0]]).tolist() == [0, 0]
    assert model.value_.tolist() == [[(~back & ~right).sum(), right.sum()]]


def held_back_rows(n, seed=0, share=0.25):
    return ~Holdout(seed, share).learns(np.arange(n), n)


@pytest.mark.parametrize("method", ["histogram", "exact"])
@pytest.mark.parametrize("prune", BY_ROWS)
def test_pruned_by_hand_from_rows_held_back(prune, method):
    """The tree is that of the other rows, cut; validation rows count in errors alone."""
    X, y = noisy(1)
    back = held_back_rows(len(X))
    assert 0.18 < back.mean() < 0.32
    whole = tn.DecisionTreeClassifier(method=method).fit(X[~back], y[~back])
    model = tn.DecisionTreeClassifier(method=method, prune=prune).fit(X, y)
    assert 1 < model.tree_.node_count < whole.tree_.node_count
    errors = (model.predict(X[back]) != y[back]).mean()
    assert errors <= (whole.predict(X[back]) != y[back]).mean()
    assert model.certificate_["validation error"].value == pytest.approx(errors, abs=1e-15)
    assert model.certificate_["training error"].value == pytest.approx((model.predict(X[~back]) != y[~back]).mean())
    n = model.tree_.node_count
    inner = model.tree_.feature >= 0
    assert np.array_equal(model.tree_.feature[inner][:1], whole.tree_.feature[:1])
    assert np.array_equal(model.value_[0], whole.value_[0])
    assert n == len(model.value_)
    model.verify()


def test_books_numbers_of_pessimistic_pruning():
    """Quinlan 1993, section 4.2: limits at 25 %, and a node that is cut by them.

    Where there are errors his program interpolates a table: it has 0.157 for one in 16, and the exact limit is 0.1596.
    """
    errors, n = np.array([0, 0, 0, 1, 7]), np.array([6, 9, 1, 16, 30])
    found = pruning.upper_rate(errors, n, 0.25)
    assert found[:3] == pytest.approx([0.206, 0.143, 0.750], abs=5.1e-4)
    assert found[:3] @ [6, 9, 1] == pytest.approx(3.273, abs=2e-3)
    assert found[3] == pytest.approx(0.157, abs=3e-3)
    assert binom.cdf(errors, n, found) == pytest.approx(0.25, abs=1e-12)
    assert pruning.upper_rate(np.array([2.0]), np.array([2.0]), 0.25) == 1
    frame = pd.DataFrame({"vote": ["n"] * 6 + ["y"] * 9 + ["u"]})
    y = ["democrat"] * 15 + ["republican"]
    assert tn.DecisionTreeClassifier(split="multiway").fit(frame, y).tree_.node_count == 4
    assert tn.DecisionTreeClassifier(split="multiway", prune="pessimistic").fit(frame, y).tree_.node_count == 1


@pytest.mark.parametrize("split", ["subset", "multiway"])
def test_chi_squared_stays_where_scipy_says_so(split):
    random = np.random.default_rng(3)
    frame = pd.DataFrame({"a": random.normal(size=400), "b": np.array(list("uvwx"))[random.integers(0, 4, 400)]})
    y = np.where(random.random(400) < 0.25, random.integers(0, 3, 400), 1 + (frame["a"] > 0))
    whole = tn.DecisionTreeClassifier(split=split).fit(frame, y)
    model = tn.DecisionTreeClassifier(split=split, prune="chi_squared", significance=0.02).fit(frame, y)
    tree, stop = whole.tree_, []
    for k in np.flatnonzero(tree.feature >= 0):
        table = whole.value_[tree.first_child[k] : tree.first_child[k] + tree.children[k]]
        stop.append(chi2_contingency(table[:, table.any(axis=0)], correction=False).pvalue > 0.02)
    at = flags(tree, np.flatnonzero(tree.feature >= 0)[np.array(stop)].tolist())
    assert bits(pruning.cut(tree, at)[0]) == bits(model.tree_)
    assert 1 < model.tree_.node_count < tree.node_count


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_the_path_is_scikit_learns_on_the_same_tree(criterion):
    X, y = noisy(4)
    X = X + 1e-3 * np.random.default_rng(0).normal(size=X.shape)
    if criterion == "squared_error":
        y = y + X[:, 0]
        mine, other = tn.DecisionTreeRegressor(method="exact", max_depth=5), theirs.DecisionTreeRegressor(max_depth=5)
    else:
        mine = tn.DecisionTreeClassifier(criterion, method="exact", max_depth=5)
        other = theirs.DecisionTreeClassifier(criterion=criterion, max_depth=5)
    other.set_params(random_state=0)
    a, b = mine.cost_complexity_pruning_path(X, y), other.cost_complexity_pruning_path(X, y)
    assert len(b.ccp_alphas) > 10
    np.testing.assert_allclose(a.ccp_alphas, b.ccp_alphas, rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(np.diff(a.impurities), np.diff(b.impurities), rtol=1e-6, atol=1e-10)
    for alpha in b.ccp_alphas[3::4] * 1.0000001:
        small, large = mine.set_params(ccp_alpha=alpha).fit(X, y), other.set_params(ccp_alpha=alpha).fit(X, y)
        assert small.tree_.node_count == large.tree_.node_count
        np.testing.assert_allclose(small.predict(X), large.predict(X), rtol=1e-9)


def test_no_other_price_suits_the_held_back_rows_better():
    X, y = noisy(5)
    back = held_back_rows(len(X))
    model = tn.DecisionTreeClassifier(prune="cost_complexity").fit(X, y)
    path = tn.DecisionTreeClassifier().cost_complexity_pruning_path(X[~back], y[~back])
    errors = [
        (tn.DecisionTreeClassifier(ccp_alpha=a * 1.000001).fit(X[~back], y[~back]).predict(X[back]) != y[back]).mean()
        for a in np.unique(path.ccp_alphas)
    ]
    assert model.certificate_["validation error"].value == pytest.approx(min(errors), abs=1e-12)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("prune", BY_ROWS)
def test_regression_trees_lose_no_more_on_held_back_rows(prune, seed):
    X, _ = noisy(seed)
    y = X[:, 0] + np.random.default_rng(seed).normal(size=len(X))
    back = held_back_rows(len(X))
    whole = tn.DecisionTreeRegressor().fit(X[~back], y[~back])
    model = tn.DecisionTreeRegressor(prune=prune).fit(X, y)
    assert ((model.predict(X[back]) - y[back]) ** 2).mean() < ((whole.predict(X[back]) - y[back]) ** 2).mean()
    assert 1 < model.tree_.node_count < whole.tree_.node_count


@pytest.mark.parametrize("prune", ["reduced_error", "cost_complexity"])
@pytest.mark.parametrize("kind", [tn.DecisionTreeClassifier, tn.DecisionTreeRegressor])
def test_the_same_pruned_tree_however_it_is_grown(monkeypatch, kind, prune):
    X, y = noisy(6, 3000)
    X[np.random.default_rng(0).random(X.shape) < 0.05] = np.nan
    weight = np.random.default_rng(1).random(len(X))
    model, found, turns = kind(prune=prune), set(), set()
    for gather, few in ((1 << 27, 0), (0, 0), (0, 400)):
        monkeypatch.setattr(grower, "MAX_GATHERED_BYTES", gather)
        monkeypatch.setattr(levelwise, "GATHER_BELOW_ROWS", few)
        with part_rows(700), tn.on(tn.Local(threads=2)):
            model.fit(X, y, sample_weight=weight)
        found.add((bits(model.model_.tree), bits(model.summary_)))
        turns.add(model.certificate_.provenance.passes)
    assert len(found) == 1
    assert len(turns) >= 2
    assert model.tree_.node_count > 5


def test_errors_name_the_remedy():
    X, y = noisy(0)
    with pytest.raises(ValueError, match="pessimistic"):
        tn.DecisionTreeClassifier(prune="reduced_error", missing="fractional").fit(X, y)
    with pytest.raises(tn.DataError, match="needs more rows"):
        tn.DecisionTreeClassifier(prune="reduced_error", held_back=0.001).fit(X[:20], y[:20])
    with pytest.raises(tn.DataError, match="needs more rows"):
        tn.DecisionTreeClassifier(prune="best_cut", held_back=0.999, random_state=1).fit(X[:5], y[:5])
    with pytest.raises(ValueError, match="prune"):
        tn.DecisionTreeRegressor(prune="chi_squared").fit(X, y)


@pytest.mark.parametrize("prune", [*BY_ROWS, "pessimistic", "chi_squared"])
def test_pruning_lowers_the_error_on_noisy_rows(prune):
    """On every one of a few seeds; `benchmarks/pruning.py` has twenty, and an interval."""
    for seed in range(3):
        X, y = noisy(seed, 1500)
        fresh, truth = noisy(100 + seed, 4000)
        errors = [(tn.DecisionTreeClassifier(prune=p).fit(X, y).predict(fresh) != truth).mean() for p in (prune, None)]
        assert errors[0] < errors[1]


@pytest.mark.parametrize("prune", ["pessimistic", "chi_squared"])
def test_the_size_of_weights_does_not_decide_what_is_cut(prune):
    """Tests count rows: with weights of 1/n, as with none, the same tree is left."""
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 3))
    y = (X[:, 0] > 0) ^ (random.random(400) < 0.1)
    plain = tn.C45(prune=prune).fit(X, y)
    light = tn.C45(prune=prune).fit(X, y, np.full(400, 1 / 400))
    assert plain.tree_.node_count > 1
    assert np.array_equal(plain.predict(X), light.predict(X))


def test_a_path_of_prices_needs_no_seed():
    X, y = noisy(0, n=200)
    drawn = tn.DecisionTreeClassifier(random_state=None).cost_complexity_pruning_path(X, y)
    assert (drawn.ccp_alphas == tn.DecisionTreeClassifier().cost_complexity_pruning_path(X, y).ccp_alphas).all()


@pytest.mark.parametrize("criterion", ["gini", "entropy", "error", "gain_ratio"])
@pytest.mark.parametrize("least", [0.05, 0.2, 0.4, 0.9])
def test_nodes_of_little_impurity_are_leaves(criterion, least):
    """As brute force has it: from the root down, no node below one whose impurity is no more than that is kept."""
    X, y = noisy(3, n=300)
    whole = tn.DecisionTreeClassifier(criterion, min_samples_leaf=4).fit(X, y)
    model = tn.DecisionTreeClassifier(criterion, min_samples_leaf=4, min_impurity=least).fit(X, y)
    share = whole.value_ / whole.value_.sum(axis=1, keepdims=True)
    logs = np.log2(np.where(share > 0, share, 1.0))
    each = {"gini": 1 - (share**2).sum(axis=1), "error": 1 - share.max(axis=1)}.get(
        criterion, -(share * logs).sum(axis=1)
    )
    inner, above = whole.tree_.feature >= 0, whole.tree_.parent
    stays = [not any(each[a] <= least for a in line(whole.tree_, above[k]) if a >= 0) for k in range(len(above))]
    assert model.value_.tolist() == whole.value_[stays].tolist()
    leaf = ~inner[stays] | (each[stays] <= least)
    assert np.array_equal(model.tree_.feature < 0, leaf)
    assert (model.tree_.node_count < whole.tree_.node_count) == bool((inner & (each <= least)).any())


def p_value(model, k):
    """Of the test that the classes of the children of a node do not differ."""
    first = model.tree_.first_child[k]
    table = model.value_[first : first + model.tree_.children[k]]
    return chi2_contingency(table[:, table.any(axis=0)], correction=False).pvalue


@pytest.mark.parametrize(
    ("given", "stops"),
    [
        ({"min_impurity": 0.3}, lambda model, k: 1 - ((model.value_[k] / model.value_[k].sum()) ** 2).sum() <= 0.3),
        ({"max_depth": 3}, lambda model, k: model.tree_.depth[k] >= 3),
        ({"prune": "chi_squared", "significance": 0.01}, lambda model, k: p_value(model, k) > 0.01),
    ],
    ids=["impurity", "height", "chi-squared"],
)
def test_pre_pruning_is_the_whole_tree_cut_where_the_rule_says_stop(given, stops):
    X, y = noisy(7, n=400)
    whole, model = tn.DecisionTreeClassifier().fit(X, y), tn.DecisionTreeClassifier(**given).fit(X, y)
    at = [k for k in np.flatnonzero(whole.tree_.feature >= 0).tolist() if stops(whole, k)]
    assert bits(pruning.cut(whole.tree_, flags(whole.tree_, at))[0]) == bits(model.tree_)
    assert 1 < model.tree_.node_count < whole.tree_.node_count


def test_pre_pruning_goes_before_pruning_by_held_back_rows():
    X, y = noisy(4)
    model = tn.DecisionTreeClassifier(prune="reduced_error", min_impurity=0.3).fit(X, y)
    assert model.tree_.node_count < tn.DecisionTreeClassifier(prune="reduced_error").fit(X, y).tree_.node_count
    share = model.value_ / model.value_.sum(axis=1, keepdims=True)
    assert (1 - (share**2).sum(axis=1))[model.tree_.feature >= 0].min() > 0.3
