"""Version spaces: the canon's numbers, brute force over all conjunctions, intersections, taxonomies and intervals."""

from itertools import product

import numpy as np
import pytest

from tenfold import Conjunction, DataError, VersionSpace, theory
from tenfold.concept import version_space
from tenfold.concept.attribute import Attribute
from tenfold.concept.conjunction import ClosedInterval, consistent, covers, more_general_than, more_specific_than

SPORT = """
Sunny Warm Normal Strong Warm Same Yes
Sunny Warm High Strong Warm Same Yes
Rainy Cold High Strong Warm Change No
Sunny Warm High Strong Cool Change Yes
"""
ROWS = [line.split() for line in SPORT.split("\n") if line]
VALUES = [
    ["Sunny", "Cloudy", "Rainy"],
    *zip(("Warm", "Normal", "Strong", "Warm", "Same"), ("Cold", "High", "Weak", "Cool", "Change")),
]
TREE = {"circle": "round", "ellipse": "round", "square": "angular", "triangle": "angular"}
KINDS = [Attribute.nominal("abc"), Attribute.taxonomy(TREE), Attribute.ordered([1, 2, 3, 4])]


def of(text):
    return Conjunction(text.split())


def every(attributes):
    """All conjunctions, and the one that covers nothing."""
    return [Conjunction([None] * len(attributes)), *map(Conjunction, product(*(a.constraints for a in attributes)))]


def brute(attributes, rows, labels):
    """The version space, its boundaries by strict order, by looking at every hypothesis."""
    left = {h for h in every(attributes) if consistent(h, rows, labels)}
    low = {h for h in left if not any(more_specific_than(other, h) for other in left)}
    return left, low, {h for h in left if not any(more_general_than(other, h) for other in left)}


def drawn(random, attributes, rows):
    some = [[a.values[random.integers(len(a.values))] for a in attributes] for _ in range(rows)]
    every_one = every(attributes)
    target = every_one[random.integers(len(every_one))]
    return some, [covers(target, row) for row in some]


def test_enjoy_sport_step_by_step():
    space = VersionSpace(VALUES)
    seen = [(space.size, space.specific[0], set(space.general))]
    for *row, label in ROWS:
        space = space.learn(row, label == "Yes")
        seen.append((space.size, space.specific[0], set(space.general)))
    assert [size for size, _, _ in seen] == [973, 64, 32, 28, 6]
    assert round(np.exp(theory.log_attribute_conjunctions([len(v) for v in VALUES]))) == 973
    assert seen[0][1:] == (Conjunction([None] * 6), {of("? ? ? ? ? ?")})
    assert seen[1][1] == of("Sunny Warm Normal Strong Warm Same")
    assert seen[2][1:] == (of("Sunny Warm ? Strong Warm Same"), {of("? ? ? ? ? ?")})
    assert seen[3][2] == {of("Sunny ? ? ? ? ?"), of("? Warm ? ? ? ?"), of("? ? ? ? ? Same")}
    assert seen[4][1:] == (of("Sunny Warm ? Strong ? ?"), {of("Sunny ? ? ? ? ?"), of("? Warm ? ? ? ?")})
    assert of("Sunny ? ? Strong ? ?") in space
    assert of("? ? ? Strong ? ?") not in space


def test_votes_posterior_and_evidence_of_enjoy_sport():
    space = VersionSpace(VALUES).learn_all([row[:-1] for row in ROWS], [row[-1] == "Yes" for row in ROWS])
    queries = [
        "Sunny Warm Normal Strong Cool Change", "Rainy Cold Normal Weak Warm Same",
        "Sunny Warm Normal Weak Warm Same", "Sunny Cold Normal Strong Warm Same",
    ]  # fmt: skip
    rows = [text.split() for text in queries]
    assert space.votes(rows).tolist() == [6, 0, 3, 2]
    assert [space.classify(row) for row in rows] == [True, False, None, None]
    assert [space.classify(row, vote=True) for row in rows] == [True, False, None, False]
    posterior = space.posterior()
    assert len(posterior) == 6
    assert set(posterior.values()) == {1 / 6}
    assert space.size / VersionSpace(VALUES).size == 6 / 973  # P(D) under the uniform prior
    asked = space.query()
    assert space.votes([asked])[0] == 3
    assert {space.learn(asked, label).size for label in (True, False)} == {3}


@pytest.mark.parametrize("seed", range(60))
def test_boundaries_size_and_votes_equal_brute_force(seed):
    """Of categories, taxonomies and intervals, with targets and with noise."""
    random = np.random.default_rng(seed)
    attributes = [KINDS[k] for k in random.integers(0, 3, random.integers(1, 4))]
    rows, labels = drawn(random, attributes, int(random.integers(1, 7)))
    if seed % 3 == 0:
        labels = [bool(b) for b in random.integers(0, 2, len(labels))]
    space = VersionSpace(attributes).learn_all(rows, labels)
    left, low, high = brute(attributes, rows, labels)
    assert (set(space.specific), set(space.general), space.size) == (low, high, len(left))
    assert set(space.members()) == left
    assert [h in space for h in every(attributes)] == [h in left for h in every(attributes)]
    points = list(space.points())
    assert space.votes(points).tolist() == [sum(covers(h, point) for h in left) for point in points]
    assert (space.is_empty, space.has_converged) == (not left, len(left) == 1)
    cut = random.integers(len(rows) + 1)
    halves = [VersionSpace(attributes).learn_all(rows[s], labels[s]) for s in (slice(cut), slice(cut, None))]
    assert halves[0] & halves[1] == space == halves[1] & halves[0]


def test_the_query_halves_and_questions_identify_every_concept():
    """On average over the concepts, no questions can be fewer than the logarithm of their number; these are near."""
    start, asked = VersionSpace([["a", "b"]] * 3), []
    for target in start.members():
        space, count = start, 0
        while (point := space.query()) is not None:
            votes = space.votes(list(space.points()))
            less = min(space.votes([point])[0], space.size - space.votes([point])[0])
            assert less == np.minimum(votes, space.size - votes).max()
            space, count = space.learn(point, covers(target, point)), count + 1
        assert list(space.members()) == [target]
        asked.append(count)
    assert np.log2(start.size) <= np.mean(asked) <= 1.15 * np.log2(start.size)


@pytest.mark.parametrize("seed", range(10))
def test_exhausted_is_what_the_worst_member_says(seed):
    random = np.random.default_rng(seed)
    target = Conjunction([random.choice([*"ab", "?"]) for _ in range(3)])
    points = list(product("ab", repeat=3))
    weight = dict(zip(points, random.random(8), strict=True))
    rows = [points[k] for k in random.integers(0, 8, 3)]
    space = VersionSpace([["a", "b"]] * 3).learn_all(rows, [covers(target, row) for row in rows])
    worst = max(
        sum(w for p, w in weight.items() if covers(h, p) != covers(target, p)) / sum(weight.values())
        for h in space.members()
    )
    assert space.largest_error(target, weight) == pytest.approx(worst)
    assert space.is_exhausted(worst + 1e-9, target, weight)
    assert not space.is_exhausted(worst - 1e-9, target, weight)
    exact = space.largest_error(target, weight)
    assert not space.is_exhausted(exact, target, weight)
    assert space.is_exhausted(exact, target, weight, strict=False)
    assert not space.is_exhausted(exact - 1e-9, target, weight, strict=False)
    assert space.largest_error(target) == pytest.approx(
        max(np.mean([covers(h, p) != covers(target, p) for p in points]) for h in space.members())
    )


def test_haussler_bounds_how_often_a_space_is_not_exhausted():
    """Of 400 draws of m rows, at most the share |H| exp(-eps m) leaves a hypothesis with error eps."""
    random, eps, m, runs = np.random.default_rng(0), 0.2, 25, 400
    points, target = list(product("ab", repeat=3)), of("a ? b")
    failed = 0
    for _ in range(runs):
        rows = [points[k] for k in random.integers(0, 8, m)]
        space = VersionSpace([["a", "b"]] * 3).learn_all(rows, [covers(target, row) for row in rows])
        failed += not space.is_exhausted(eps, target)
    bound = theory.failure_probability(m, eps, size=VersionSpace([["a", "b"]] * 3).size)
    assert float(bound) == pytest.approx(28 * np.exp(-eps * m))
    assert failed / runs <= float(bound)


def test_conjunctions_are_values_in_a_partial_order():
    a, b, c = of("x ?"), of("? y"), of("x y")
    assert len({a, of("x ?"), b}) == 2
    assert more_general_than(a, c)
    assert more_specific_than(c, b)
    assert not any((a <= b, b <= a, a < a, more_general_than(a, a)))
    assert a >= a
    assert Conjunction(["x", None]) <= c
    assert str(Conjunction([ClosedInterval(1, 2), "?"])) == "<1..2, ?>"


def test_intervals_and_kinds_generalise_step_by_step():
    space = VersionSpace([Attribute.taxonomy(TREE), Attribute.ordered(range(1, 11))])
    space = space.learn(["circle", 4], True).learn(["ellipse", 6], True)
    assert [str(c) for c in space.specific[0].constraints] == ["round", "4..6"]
    space = space.learn(["square", 5], False).learn(["circle", 9], False)
    assert {str(g) for g in space.general} == {"<round, 1..8>"}
    assert space.size == 4 * 3  # lower ends 1 to 4, upper ends 6 to 8
    assert space.classify(["circle", 5]) is True
    assert space.classify(["triangle", 5]) is False
    assert space.classify(["circle", 7]) is None


def test_wrong_input_is_named():
    space = VersionSpace([["a", "b"], ["u", "v"]])
    for act, message in (
        (lambda: space.learn(["a"], True), "the row has 1 values"),
        (lambda: space.learn(["a", "z"], True), "'z' is not a value"),
        (lambda: space & VersionSpace([["a"]]), "other attributes"),
        (lambda: VersionSpace([]), "an attribute at least"),
        (lambda: VersionSpace([["a", "?"]]), "means any value"),
        (lambda: Attribute.taxonomy({"a": "b", "b": "a"}), "no leaves"),
        (lambda: Attribute.ordered(range(100)), "Remedy: round them"),
        (lambda: covers(of("a b"), ["a"]), "the row has 1 values"),
        (lambda: of("a b") <= of("a"), "one has 2 attributes"),
        (lambda: space.posterior(lambda h: 0.0), "the prior leaves no hypothesis"),
        (lambda: VersionSpace([["a", "b"]] * 25).query(), "Remedy: name those to look at"),
        (lambda: list(VersionSpace([["a", "b"]] * 25).members()), "too many to list"),
    ):
        with pytest.raises((ValueError, DataError), match=message):
            act()


def negatives_in_pairs(count, columns=40):
    """Rows that differ from all "a" in two columns each, none of them shared: the boundary doubles with each."""
    for k in range(count):
        yield ["b" if j // 2 == k else "a" for j in range(columns)]


def test_a_boundary_that_grows_without_end_is_refused_soon(monkeypatch):
    assert version_space.MAX_GENERAL_MEMBERS == 2000
    monkeypatch.setattr(version_space, "MAX_GENERAL_MEMBERS", 200)
    space = VersionSpace([["a", "b"]] * 40).learn(["a"] * 40, True)
    space = space.learn_all(negatives_in_pairs(7), [False] * 7)
    assert len(space.general) == 128
    with pytest.raises(DataError, match="more than 200 most general hypotheses. Remedy: fewer attributes"):
        space.learn_all(negatives_in_pairs(20), [False] * 20)


def test_an_intersection_with_too_large_a_boundary_is_refused(monkeypatch):
    monkeypatch.setattr(version_space, "MAX_GENERAL_MEMBERS", 200)
    start = VersionSpace([["a", "b"]] * 40).learn(["a"] * 40, True)
    rows = list(negatives_in_pairs(8))
    one, two = start.learn_all(rows[:4], [False] * 4), start.learn_all(rows[4:], [False] * 4)
    assert len((start.learn_all(rows[:2], [False] * 2) & two).general) == 64
    with pytest.raises(DataError, match="more than 200 most general hypotheses"):
        one & two
