import math
import subprocess
import sys

import numpy as np
import pytest

import tenfold as tn
from random_networks import joint, random_network
from tenfold.graphical.contraction import TooLarge

YES_NO = (True, False)


def burglary():
    return tn.BayesianNetwork(
        dict.fromkeys("BEAJM", YES_NO),
        {"A": ["B", "E"], "J": ["A"], "M": ["A"]},
        {
            "B": [0.001, 0.999],
            "E": [0.002, 0.998],
            "A": [[[0.95, 0.05], [0.94, 0.06]], [[0.29, 0.71], [0.001, 0.999]]],
            "J": [[0.9, 0.1], [0.05, 0.95]],
            "M": [[0.7, 0.3], [0.01, 0.99]],
        },
    )


@pytest.mark.quick
def test_burglary():
    network = burglary()
    joint_event = {"B": False, "E": False, "A": True, "J": True, "M": True}
    assert network.probability(joint_event) == pytest.approx(0.000628111, abs=5e-10)
    assert network.query("B", evidence={"J": True, "M": True}).probability(B=True) == pytest.approx(0.284172, abs=5e-7)
    assert network.probability({"B": True}, {"J": True, "M": False}) == pytest.approx(0.005130, abs=5e-7)
    assert network.marginals({"J": True})["B"].probability(B=True) == pytest.approx(0.016284, abs=5e-7)
    # the phone calls explain nothing once the alarm is known; the earthquake explains the alarm away
    assert network.d_separated("J", ["M", "B", "E"], given=["A"])
    assert network.d_separated("B", "E")
    assert not network.d_separated("B", "E", given=["J"])
    explained = network.probability({"B": True}, {"A": True, "E": True})
    assert explained < network.probability({"B": True}, {"A": True})
    assert network.markov_blanket("A") == ("B", "E", "J", "M")
    assert set(network.markov_blanket("B")) == {"E", "A"}


def test_doing_is_not_seeing():
    network = burglary()
    assert network.do({"A": True}).probability({"B": True}) == pytest.approx(0.001)
    assert network.do({"A": True}).probability({"J": True}) == pytest.approx(0.9)
    assert network.probability({"B": True}, {"A": True}) > 0.3
    # adjusting for the common cause gives P(y | do(x)): Simpson's paradox
    treated = tn.BayesianNetwork(
        {"size": ["small", "large"], "drug": ["a", "b"], "cured": YES_NO},
        {"drug": ["size"], "cured": ["size", "drug"]},
        {
            "size": [0.51, 0.49],
            "drug": [[0.24, 0.76], [0.77, 0.23]],
            "cured": [[[0.93, 0.07], [0.87, 0.13]], [[0.73, 0.27], [0.69, 0.31]]],
        },
    )
    seen = [treated.probability({"cured": True}, {"drug": one}) for one in "ab"]
    done = [treated.do({"drug": one}).probability({"cured": True}) for one in "ab"]
    assert seen[0] < seen[1]
    assert done[0] > done[1]
    assert done[0] == pytest.approx(0.51 * 0.93 + 0.49 * 0.73)


@pytest.mark.parametrize("block", range(6))
def test_brute_force(block):
    """50 networks a block, zeros in half of them: every answer is the one of the whole table."""
    for case in range(50):
        random = np.random.default_rng([block, case])
        n = int(random.integers(1, 8))
        network = random_network(random, n, zeros=0.3 * (case % 2))
        whole = joint(network)
        np.testing.assert_allclose(whole.sum(), 1.0)
        known = sorted(random.choice(n, int(random.integers(0, n)), replace=False))
        row = np.unravel_index(random.choice(whole.size, p=whole.ravel() / whole.sum()), whole.shape)
        evidence = {network.names[at]: network.values[network.names[at]][row[at]] for at in known}
        left = whole[tuple(int(row[at]) if at in known else slice(None) for at in range(n))]
        rest = [at for at in range(n) if at not in known]
        np.testing.assert_allclose(network.log_probability(evidence), np.log(left.sum()), rtol=1e-10, atol=1e-12)
        if not rest:
            continue
        posterior = left / left.sum()
        for place, (name, table) in enumerate(network.marginals(evidence).items()):
            others = tuple(k for k in range(len(rest)) if k != place)
            assert name == network.names[rest[place]]
            np.testing.assert_allclose(table.p, posterior.sum(axis=others), atol=1e-12)
            np.testing.assert_allclose(network.query(name, evidence=evidence).p, table.p, atol=1e-12)
        asked = [int(at) for at in random.permutation(rest)[:2]]
        others = tuple(k for k, at in enumerate(rest) if at not in asked)
        both = posterior.sum(axis=others)
        both = both if asked == sorted(asked) else both.T
        names = [network.names[at] for at in asked]
        np.testing.assert_allclose(network.query(*names, evidence=evidence).p, both, atol=1e-12)
        best = network.most_probable(evidence=evidence)
        assert best.probability == pytest.approx(posterior.max())
        place = tuple(network.values[network.names[at]].index(best.values[network.names[at]]) for at in rest)
        assert posterior[place] == pytest.approx(posterior.max())
        assert network.most_probable(*names, evidence=evidence).probability == pytest.approx(both.max())
        columns = {name: np.array([value, value], dtype=object) for name, value in evidence.items()}
        if columns:
            found = network.predict_proba(names[0], columns)
            np.testing.assert_allclose(found[1], both.sum(axis=1) if len(asked) > 1 else both, atol=1e-12)


def test_d_separation_is_independence_in_the_tables():
    """Separated variables are independent in every table; connected ones are not, in tables drawn at random."""
    checked = [0, 0]
    for case in range(120):
        random = np.random.default_rng([7, case])
        n = int(random.integers(3, 7))
        network = random_network(random, n, most_values=2, least_values=2)
        a, b, *rest = random.permutation(network.names).tolist()
        given = rest[: int(random.integers(0, len(rest) + 1))]
        table = tn.ProbabilityTable(network.values, joint(network))
        separated = network.d_separated(a, b, given)
        assert table.independent(a, b, given, tol=1e-9 if separated else 1e-12) == separated
        checked[separated] += 1
    assert min(checked) > 10


def test_large_networks_are_answered_or_refused_before_anything_is_allocated():
    program = """
import resource, sys
import numpy as np
sys.path[:0] = ["tests"]
from random_networks import random_network
from tenfold.graphical.contraction import TooLarge
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
answered = refused = 0
for case, n in enumerate([40, 60, 100, 200, 400, 1000] * 2):
    network = random_network(np.random.default_rng([n, case]), n, most_parents=2 + case % 2, most_values=4)
    late = {name: network.values[name][0] for name in network.order[-10:]}
    asks = [(network.order[0],), (network.order[n // 2],), (network.order[-11],), ()]
    for names in asks:
        try:
            if names:
                found = [network.query(*names, evidence=late, limit=1 << 22)]
            else:
                found = network.marginals(late, limit=1 << 22).values()
        except TooLarge as error:
            assert "likelihood_weighting" in str(error)
            refused += 1
        else:
            assert all(abs(one.p.sum() - 1) < 1e-9 for one in found)
            answered += 1
print(answered, refused)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    answered, refused = map(int, done.stdout.split())
    assert answered > 10
    assert refused > 3


@pytest.mark.quick
def test_a_refused_question_has_an_answer_by_samples():
    random = np.random.default_rng(2)
    network = random_network(random, 120, most_parents=4, most_values=4)
    name, evidence = network.order[0], {one: network.values[one][0] for one in network.order[-8:]}
    with pytest.raises(TooLarge, match="needs a table of about .* numbers, over .* variables"):
        network.query(name, evidence=evidence, limit=1 << 12)
    found = network.likelihood_weighting(name, evidence=evidence, n_samples=2000)
    assert 1 <= found.effective <= 2000
    assert (found.interval[0] <= found.p).all()
    assert (found.p <= found.interval[1]).all()


def test_no_underflow_over_a_thousand_variables():
    n = 1000
    names = [f"v{at}" for at in range(n)]
    chain = tn.BayesianNetwork(
        dict.fromkeys(names, (0, 1)),
        {name: [before] for before, name in zip(names, names[1:])},
        {name: [0.5, 0.5] if name == "v0" else [[1 - 1e-3, 1e-3], [1e-3, 1 - 1e-3]] for name in names},
    )
    turns = {name: at % 2 for at, name in enumerate(names)}
    assert chain.log_probability(turns) == pytest.approx(math.log(0.5) + 999 * math.log(1e-3))
    every = {name: (at // 2) % 2 for at, name in enumerate(names) if at % 2 == 0}
    found = chain.marginals(every)
    assert len(found) == 500
    np.testing.assert_allclose(found["v1"].p, [0.5, 0.5])
    best = chain.most_probable(evidence=every)
    assert set(best.values) == set(names[1::2])


def test_samples_have_the_frequencies_of_the_tables():
    network = burglary()
    drawn = network.sample(200_000, random_state=1)
    assert drawn["A"].dtype == bool
    alarm, john = drawn["A"], drawn["J"]
    assert john[~alarm].mean() == pytest.approx(0.05, abs=0.002)
    assert drawn["B"].mean() == pytest.approx(0.001, abs=0.0004)
    again = network.sample(200_000, random_state=1)
    assert all((drawn[name] == again[name]).all() for name in "BEAJM")


def test_likelihood_weighting_covers_the_exact_answer_at_its_level():
    """Many networks, many seeds: the share of intervals that hold the exact probability is the level or more."""
    inside = total = 0
    for case in range(60):
        random = np.random.default_rng([11, case])
        network = random_network(random, 7, most_values=3)
        drawn = network.sample(1, random_state=case)
        names = [name for name in random.permutation(network.names).tolist() if len(network.values[name]) > 1]
        evidence = {name: drawn[name][0] for name in names[2:4]}
        exact = network.query(names[0], evidence=evidence).p
        for seed in range(20):
            found = network.likelihood_weighting(
                names[0], evidence=evidence, n_samples=1000, level=0.9, random_state=seed
            )
            held = (found.interval[0] <= exact) & (exact <= found.interval[1])
            inside += bool(held[0])
            total += 1
    rate = inside / total
    assert 0.9 - 3 * math.sqrt(0.09 / total) <= rate <= 0.97


def rare_illness(prior, tests):
    two = (0, 1)
    seen = {f"test{k}": 1 for k in range(tests)}
    tables = {"ill": [1 - prior, prior], **{test: [[0.9, 0.1], [0.05, 0.95]] for test in seen}}
    values = {"ill": two, **dict.fromkeys(seen, two)}
    return tn.BayesianNetwork(values, {test: ["ill"] for test in seen}, tables), seen


def two_rare_causes(prior):
    two = (0, 1)
    tables = {"other": [1 - prior, prior], "ill": [1 - prior, prior]}
    tables["seen"] = [[[1 - 1e-6, 1e-6], [0.99, 0.01]], [[0.99, 0.01], [0.1, 0.9]]]
    values = dict.fromkeys(("other", "ill", "seen"), two)
    return tn.BayesianNetwork(values, {"seen": ["other", "ill"]}, tables), {"seen": 1}


@pytest.mark.parametrize(
    ("case", "n_samples"),
    [
        (rare_illness(0.01, 1), 50),
        (rare_illness(0.01, 1), 200),
        (rare_illness(0.001, 4), 100),
        (rare_illness(0.001, 4), 1000),
        (two_rare_causes(0.05), 100),
        (two_rare_causes(0.05), 1000),
    ],
)
def test_intervals_of_samples_cover_causes_that_are_hardly_ever_drawn(case, n_samples):
    network, evidence = case
    exact = network.query("ill", evidence=evidence).p
    missed = 0
    for seed in range(200):
        found = network.likelihood_weighting("ill", evidence=evidence, n_samples=n_samples, random_state=seed)
        missed += not ((found.interval[0] <= exact) & (exact <= found.interval[1])).all()
        assert (found.interval[0] <= found.p).all() or found.unseen
        assert 0 <= found.unseen <= 1
    assert missed <= 16  # of 10 that the level of 0.95 allows: two standard errors more


def test_samples_tell_of_better_explanations_that_were_not_drawn():
    network, evidence = rare_illness(0.001, 4)
    few = network.likelihood_weighting("ill", evidence=evidence, n_samples=20)
    assert few.p[1] == 0
    assert few.effective == 20
    assert few.unseen > 0.9
    many = network.likelihood_weighting("ill", evidence=evidence, n_samples=20_000)
    assert many.unseen == 0  # a row of the largest weight was drawn
    assert network.likelihood_weighting("ill").unseen == 0


@pytest.mark.parametrize("limit", [1 << 20, 8, 1])
def test_no_weight_is_above_the_largest_one(limit, monkeypatch):
    """Which is exact if it is cheap to know; impossible values of other variables do not count."""
    monkeypatch.setattr("tenfold.graphical.bayesian_network.WEIGHT_LIMIT", limit)
    for case in range(20):
        random = np.random.default_rng([3, case])
        network = random_network(random, 6, zeros=0.3)
        names = random.permutation(network.names).tolist()
        drawn = network.sample(1, random_state=case)
        evidence = {name: drawn[name][0] for name in names[:2]}
        known = network._known(evidence)
        _, log_weight = network._draw(3000, np.random.default_rng(0), known, set(range(6)))
        most = network._log_most(known, set(range(6)))
        assert most >= log_weight.max() - 1e-9
        if limit > 8 and np.exp(log_weight).mean() > 0.01:
            assert most <= log_weight.max() + 1e-9 or len(np.unique(log_weight)) > 20


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"values": {}}, "at least one variable"),
        ({"values": {"a": [0, 0], "b": [0, 1]}}, "'a' must have values, each of them once"),
        ({"parents": {"c": ["a"]}}, "parents names 'c', which is not a variable"),
        ({"parents": {"b": ["z"]}}, "no variable 'z'"),
        ({"parents": {"a": ["b"], "b": ["a"]}}, "cycle among"),
        ({"parents": {"b": ["a", "a"]}}, "parent twice"),
        ({"tables": {"a": [0.5, 0.5]}}, "'b' has no table"),
        ({"tables": {"a": [0.5, 0.5], "b": [0.5, 0.5]}}, r"must have shape \(2, 2\)"),
        ({"tables": {"a": [0.5, 0.5], "b": [[0.5, 0.5], [0.5, 0.6]]}}, r"sum to 1.1, not 1, where \{'a': 1\}"),
        ({"tables": {"a": [1.5, -0.5], "b": [[0.5, 0.5], [0.5, 0.5]]}}, "must be probabilities"),
    ],
)
def test_what_is_no_network_is_refused_by_name(change, message):
    given = {
        "values": {"a": [0, 1], "b": [0, 1]},
        "parents": {"b": ["a"]},
        "tables": {"a": [0.5, 0.5], "b": [[0.5, 0.5], [0.5, 0.5]]},
    }
    with pytest.raises(ValueError, match=message):
        tn.BayesianNetwork(**{**given, **change})


def test_questions_that_make_no_sense_are_refused_by_name():
    network = burglary()
    sure = network.do({"A": True})
    for ask, message in [
        (lambda: network.query("X"), "no variable 'X'"),
        (lambda: network.query(), "at least one variable"),
        (lambda: network.query("A", evidence={"A": True}), "asked for, and is evidence"),
        (lambda: network.query("A", evidence={"B": "maybe"}), "no value 'maybe'"),
        (lambda: sure.query("B", evidence={"A": False}), "evidence of probability 0"),
        (lambda: sure.marginals({"A": False}), "evidence of probability 0"),
        (lambda: sure.most_probable(evidence={"A": False}), "evidence of probability 0"),
        (lambda: sure.probability({"B": True}, {"A": False}), "evidence of probability 0"),
        (lambda: sure.likelihood_weighting("B", evidence={"A": False}), "none of 10,000 samples agrees"),
        (lambda: network.probability({"A": True}, {"A": False}), "one value in the event and another"),
        (lambda: network.d_separated("A", "A"), "no variable in common"),
        (lambda: network.sample(0), "at least 1"),
        (lambda: network.likelihood_weighting("A", level=1.0), "level between 0 and 1"),
        (lambda: network.predict_proba("A", {"A": [True]}), "asked for, and is a column"),
        (lambda: network.predict_proba("A", {"B": ["no"]}), "column 'B' has .*'no'.* in row 0"),
        (lambda: network.predict_proba("A", {}), "at least one"),
    ]:
        with pytest.raises(ValueError, match=message):
            ask()


def test_rows_as_people_have_them():
    """Missing values say nothing, repeated rows get the same answer, an impossible row NaN."""
    network = burglary()
    john = [True, None, True, np.nan, False]
    mary = np.array([True, True, True, None, False], dtype=object)
    p = network.predict_proba("B", {"J": john, "M": mary})
    np.testing.assert_allclose(p[:, 0], [network.probability({"B": True}, one) for one in (
        {"J": True, "M": True}, {"M": True}, {"J": True, "M": True}, {}, {"J": False, "M": False})])  # fmt: skip
    sure = network.do({"A": True})
    assert np.isnan(sure.predict_proba("B", {"A": [False]})).all()


@pytest.mark.parametrize("count", [45, 70])
def test_very_many_parents_of_a_variable_are_refused_by_name(count):
    names = [f"p{k}" for k in range(count)]
    tables = {name: [0.5, 0.5] for name in [*names, "y"]}
    with pytest.raises(
        ValueError, match=f"variable 'y' has {count} parents: its table would have.*Remedy: fewer parents"
    ):
        tn.BayesianNetwork(dict.fromkeys([*names, "y"], (0, 1)), {"y": names}, tables)
