"""Probability tables: the rules of probability, worked examples, and counts that add up."""

from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest

import tenfold as tn

SKY = {"play": [True, False], "weather": ["sunny", "rainy", "cloudy", "snowy"]}
RANDOM = np.random.default_rng(0)


def rows(n=200):
    return {"a": RANDOM.integers(0, 3, n), "b": RANDOM.choice(["x", "y"], n), "c": RANDOM.random(n) < 0.3}


def test_counts_of_parts_add_up():
    data = rows()
    whole = tn.ProbabilityTable.of(data)
    parts = [
        tn.ProbabilityTable.of({name: column[cut] for name, column in data.items()}) for cut in (np.s_[:7], np.s_[7:])
    ]
    both = parts[0] + parts[1]
    assert both.values.keys() == whole.values.keys()
    for event in product(*whole.values.values()):
        said = dict(zip(whole.names, event, strict=True))
        by_hand = np.mean([all(data[name][i] == value for name, value in said.items()) for i in range(200)])
        assert whole.probability(**said) == pytest.approx(by_hand, abs=1e-15)
        assert both.probability(**said) == whole.probability(**said)
    frame = tn.ProbabilityTable.of(pd.DataFrame(data), sample_weight=np.full(200, 3.0))
    assert frame.count.sum() == 600
    with pytest.raises(ValueError, match="do not add up"):
        whole + whole.marginal("a")


def test_values_that_one_part_did_not_see():
    one, other = tn.ProbabilityTable({"a": ["x"]}, [2]), tn.ProbabilityTable({"a": ["y", "x"]}, [1, 1])
    assert (one + other).values == {"a": ("x", "y")}
    assert (one + other).count.tolist() == [3, 1]


def test_the_chain_rule_in_every_order():
    table = tn.ProbabilityTable.of(rows())
    for order in permutations(table.names):
        first, second, third = table.chain(*order)
        joint = first[:, None, None] * second[:, :, None] * third
        np.testing.assert_allclose(joint, table.marginal(*order).p, atol=1e-15)


def test_a_joint_table_is_a_marginal_times_a_conditional():
    """P(sky, play) = P(sky) P(play | sky): the table gives back what it was made from."""
    sky, play = np.array([0.5, 0.3, 0.2]), np.array([[0.9, 0.1], [0.6, 0.4], [0.0, 1.0]])
    table = tn.ProbabilityTable({"sky": ["sun", "cloud", "rain"], "play": ["yes", "no"]}, sky[:, None] * play)
    np.testing.assert_allclose(table.marginal("sky").p, sky)
    np.testing.assert_allclose(table.conditional("sky"), play)
    assert table.probability(sky="cloud", play="no") == pytest.approx(0.3 * 0.4)
    assert table.probability(play="yes") == pytest.approx(0.5 * 0.9 + 0.3 * 0.6)
    assert table.given(play="yes").probability(sky="sun") == pytest.approx(0.45 / 0.63)


def test_total_probability_and_bayes_rule():
    table = tn.ProbabilityTable.of(rows())
    a = table.marginal("a").p
    given_b = [table.given(b=value).marginal("a").p for value in table.values["b"]]
    np.testing.assert_allclose(table.marginal("b").p @ given_b, a, atol=1e-15)
    likelihood = table.marginal("a", "b").conditional("a")[:, 0]
    np.testing.assert_allclose(tn.bayes_rule(a, likelihood), given_b[0], atol=1e-15)


def test_independence_is_given_the_class():
    """Erratum 27: two columns that are independent in each class are not so in all rows together."""
    coin = np.array([[[0.81, 0.09], [0.09, 0.01]], [[0.01, 0.09], [0.09, 0.81]]]) / 2
    table = tn.ProbabilityTable({"class": [0, 1], "a": [0, 1], "b": [0, 1]}, coin)
    assert table.independent("a", "b", ["class"])
    assert not table.independent("a", "b")
    assert table.mutual_information("a", "b") > 0.3
    assert not table.independent("a", "class")


def test_the_weather_table():
    """P(play) = .67, the weather .72, .1, .08, .1, and .218292 bits between them."""
    found = tn.ProbabilityTable(SKY, [[0.576, 0.01, 0.064, 0.02], [0.144, 0.09, 0.016, 0.08]])
    assert found.probability(play=True) == pytest.approx(0.67)
    np.testing.assert_allclose(found.marginal("weather").p, [0.72, 0.1, 0.08, 0.1])
    assert found.given(play=True).probability(weather="sunny") == pytest.approx(0.859701, abs=1e-6)
    assert found.mutual_information("play", "weather") == pytest.approx(0.218292, abs=1e-6)


def test_candy_bags_one_lime_after_another():
    """Erratum 27: the factor of the second step is that of both limes, 40/13, if it multiplies the first prior."""
    prior = [Fraction(k, 10) for k in (1, 2, 4, 2, 1)]
    lime = [Fraction(k, 4) for k in range(5)]
    after = {
        1: (0, 0.1, 0.4, 0.3, 0.2),
        2: (0, 1 / 26, 4 / 13, 9 / 26, 4 / 13),
        3: (0, 1 / 76, 4 / 19, 27 / 76, 8 / 19),
    }
    step = np.array(prior, dtype=float)
    for limes, expected in after.items():
        at_once = tn.bayes_rule(prior, [lime] * limes)
        step = tn.bayes_rule(step, lime)
        np.testing.assert_allclose(at_once, expected, atol=1e-15)
        np.testing.assert_allclose(step, expected, atol=1e-15)
    assert step @ np.array(lime, dtype=float) == pytest.approx(121 / 152)
    twice = np.array([float(p * q * q) for p, q in zip(prior, lime, strict=True)])
    np.testing.assert_allclose(twice * 40 / 13, after[2], atol=1e-15)
    assert [int(np.argmax(tn.bayes_rule(prior, np.ones((1, 5)) if not n else [lime] * n))) for n in range(4)] == [
        2,
        2,
        3,
        4,
    ]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: tn.ProbabilityTable({"a": [1, 1]}, [1, 2]), "each of them once"),
        (lambda: tn.ProbabilityTable({"a": [1, 2]}, [1, 2, 3]), "of shape \\(2,\\)"),
        (lambda: tn.ProbabilityTable({"a": [1, 2]}, [0, 0]), "not all of them 0"),
        (lambda: tn.ProbabilityTable({"a": [1, 2]}, [1, -1]), "from 0 on"),
        (lambda: tn.ProbabilityTable({"a": [1, 2]}, [1, 2]).probability(b=1), "no variable 'b'"),
        (lambda: tn.ProbabilityTable({"a": [1, 2]}, [1, 2]).probability(a=3), "no value 3"),
        (lambda: tn.ProbabilityTable({"a": [1, 2]}, [1, 2]).given(a=1), "nothing is left"),
        (lambda: tn.ProbabilityTable(SKY, np.eye(2, 4)).given(weather="snowy"), "probability 0"),
        (lambda: tn.ProbabilityTable.of({"a": [1.0, np.nan]}), "column 'a' has missing values"),
        (lambda: tn.ProbabilityTable.of({"a": np.array(["x", None], dtype=object)}), "column 'a' has missing values"),
        (lambda: tn.ProbabilityTable.of({"a": np.array(["x", 1], dtype=object)}), "column 'a' mixes text"),
        (lambda: tn.ProbabilityTable.of({"a": [1], "b": [1, 2]}), "equally long"),
        (lambda: tn.bayes_rule([0.5, 0.5], [0, 0]), "nothing follows"),
        (lambda: tn.bayes_rule([0.5, 0.5], [1, 2, 3]), "for each hypothesis"),
    ],
)
def test_wrong_arguments_are_named(call, says):
    with pytest.raises(ValueError, match=says):
        call()


# ---- events ---------------------------------------------------------------------------------------


@pytest.mark.quick
def test_erratum_27_the_loaded_die():
    """Faces of 1/2, 0, 1/6, 0, 1/6, 1/6: less than 4 has probability 2/3, not 5/6."""
    die = tn.ProbabilityTable({"die": [1, 2, 3, 4, 5, 6]}, [3, 0, 1, 0, 1, 1])
    assert die.probability(die=[1, 2, 3]) == pytest.approx(float(Fraction(2, 3)), abs=1e-15)
    assert die.probability(die={1, 2, 3}) == die.probability(die=range(1, 4)) == die.probability(die=(1, 2, 3))
    assert die.given(die=[1, 2, 3]).p.tolist() == [0.75, 0.0, 0.25]
    assert die.given(die=[1, 2, 3]).values == {"die": (1, 2, 3)}


@pytest.mark.parametrize("seed", range(5))
def test_events_against_sums_over_outcomes(seed):
    random = np.random.default_rng(seed)
    table = tn.ProbabilityTable({"a": [0, 1, 2], "b": ["x", "y"], "c": [True, False]}, random.random((3, 2, 2)))
    outcomes = list(product(*table.values.values()))
    chance = dict(zip(outcomes, table.p.ravel().tolist(), strict=True))
    events = [{"a": [0, 2]}, {"b": "x", "c": [True, False]}, {"a": 1, "c": False}, {"a": {1, 2}, "b": ["y"]}]

    def happens(event, outcome):
        said = dict(zip(table.names, outcome, strict=True))
        return all(said[n] in (some if isinstance(some, (list, set)) else [some]) for n, some in event.items())

    def total(rule):
        return sum(p for outcome, p in chance.items() if rule(happens(event, outcome) for event in some))

    for count in range(1, 5):
        some = events[:count]
        assert table.intersection(*some) == pytest.approx(total(all), abs=1e-15)
        assert table.union(*some) == pytest.approx(total(any), abs=1e-15)
        terms = table.inclusion_exclusion(*some)
        assert len(terms) == 2**count - 1
        assert sum(terms.values()) == pytest.approx(total(any), abs=1e-15)
        assert all((p <= 0) == (len(which) % 2 == 0) for which, p in terms.items() if p)
    known = table.given(a=[0, 2], c=True)
    assert known.values == {"a": (0, 2), "b": ("x", "y")}
    assert known.probability(b="x") == pytest.approx(
        table.probability(a=[0, 2], b="x", c=True) / table.probability(a=[0, 2], c=True), rel=1e-12
    )


def test_a_joint_table_from_a_marginal_and_a_conditional_one():
    table = tn.ProbabilityTable.of(rows())
    for names in (("a",), ("b", "a"), ("c", "b")):
        others = {name: table.values[name] for name in table.names if name not in names}
        joint = tn.ProbabilityTable.from_conditional(table.marginal(*names), others, table.conditional(*names))
        np.testing.assert_allclose(joint.marginal(*table.names).p, table.p, atol=1e-15)
    play = tn.ProbabilityTable({"play": [True, False]}, [0.67, 0.33])
    sky = [[0.859701, 0.029851, 0.059701, 0.050747], [0.436364, 0.242424, 0.121212, 0.2]]
    both = tn.ProbabilityTable.from_conditional(play, {"weather": SKY["weather"]}, sky)
    np.testing.assert_allclose(both.marginal("weather").p, [0.72, 0.1, 0.08, 0.1], atol=1e-5)
    never = tn.ProbabilityTable({"a": [0, 1], "b": [0, 1]}, [[1, 3], [0, 0]])
    again = tn.ProbabilityTable.from_conditional(never.marginal("a"), {"b": [0, 1]}, never.conditional("a"))
    assert again.p.tolist() == never.p.tolist()  # NaN where the condition has probability 0


def test_tuples_may_be_values_themselves():
    pairs = tn.ProbabilityTable({"pair": [(1, 1), (1, 2), (2, 2)]}, [1, 2, 1])
    assert pairs.probability(pair=(1, 2)) == 0.5
    assert pairs.probability(pair=[(1, 1), (1, 2)]) == 0.75


def test_wrong_events_are_refused():
    die = tn.ProbabilityTable({"die": [1, 2, 3]}, [1, 1, 0])
    for match, call in (
        ("'die' has no value 7, only", lambda: die.probability(die=[1, 7])),
        ("names no value of variable 'die'", lambda: die.probability(die=[])),
        ("there is no variable 'dice'", lambda: die.union({"dice": 1})),
        ("evidence of probability 0", lambda: die.given(die=[3])),
        (
            "variable 'die' is in both tables",
            lambda: tn.ProbabilityTable.from_conditional(die, {"die": [1]}, [[1]] * 3),
        ),
        (r"shape \(3, 2\)", lambda: tn.ProbabilityTable.from_conditional(die, {"b": [0, 1]}, [[1, 0]])),
        ("add up to 1", lambda: tn.ProbabilityTable.from_conditional(die, {"b": [0, 1]}, [[1, 0], [0.5, 0.6], [1, 0]])),
    ):
        with pytest.raises(ValueError, match=match):
            call()
