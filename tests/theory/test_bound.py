"""What a bound says, and which arguments it takes."""

import dataclasses
import inspect

import pytest

from tenfold import theory
from tenfold.theory import Bound
from tenfold.theory.bounds.bound import below, least


def test_text_and_number():
    bound = theory.error_bound(99, 0.05, size=973)
    assert float(bound) == bound.value
    assert "vacuous" not in str(bound)
    assert bound.formula in str(bound)
    assert bound.assumptions in str(bound)
    with pytest.raises(dataclasses.FrozenInstanceError):
        bound.value = 0.0  # type: ignore[misc]


def test_vacuous_from_the_trivial_value_on():
    assert "vacuous: says nothing" in str(theory.error_bound(5, 0.05, size=973))
    assert below(1, 1.0, "f", "a").vacuous
    assert not below(1, 0.999, "f", "a").vacuous
    assert below(1, float("nan"), "f", "a").vacuous
    assert str(Bound(0.5, "", "f", False)) == "at most 0.5 by f"


def test_every_public_name_is_documented():
    for name in theory.__all__:
        assert ">>> " in (getattr(theory, name).__doc__ or ""), name
    assert sorted(theory.__all__) == theory.__all__


@pytest.mark.parametrize("target", [1, 2, 3, 17, 1000, 123_457])
@pytest.mark.parametrize("guess", [0.0, 1.0, 17.3, 999.5, 123_456.2, 1e6])
def test_least_from_any_guess(target, guess):
    assert least(lambda m: m >= target, guess) == target


GOOD = {
    "eps": 0.1, "delta": 0.05, "m": 100, "size": 10, "mean": 0.2, "n": 5, "k": 2, "vc": 3, "d": 2, "q": 0.1, "p": 0.2,
    "budget": 0.1, "errors": 3, "rate": 0.1, "kept": 3, "kl": 1.0, "train_error": 0.1, "radius": 1.0, "margin": 0.5,
    "experts": 4, "best": 1, "leaves": 3, "edge": 0.1, "values": [2, 3], "margins": [0.5, 0.2],
    "bayes_error": 0.1, "error": 0.1, "condition": 10.0, "in_P": 0.01, "in_q": 0.01,
}  # fmt: skip
BAD = {
    "eps": (0, -0.1, float("nan")), "delta": (0, 1, -1, float("nan")), "m": (-1, 2.5), "mean": (0, 1), "n": (0, 1.5),
    "k": (0,), "vc": (-1, 1.5), "d": (0,), "q": (-0.1, 1.1), "p": (-0.1, 1.1), "budget": (-1, float("nan")),
    "rate": (-0.1, 1.1), "kept": (-1, 101), "kl": (-1,), "train_error": (-0.1, 1.1), "radius": (0, float("inf")),
    "margin": (0, -1, float("nan")), "experts": (0,), "best": (-1,), "leaves": (0,), "edge": (0, 0.5),
    "values": ([], [0]), "margins": ([], [2.0]), "size": (0, 2.5),
    "bayes_error": (-0.1, 1.1), "error": (-0.1, 1.1), "condition": (0.5, float("nan")), "in_P": (-1,), "in_q": (-1,),
}  # fmt: skip
OF_DATA = {
    "class_size", "condition_number", "dual_value", "growth_function", "in_general_position", "is_epsilon_net",
    "labellings", "lagrangian", "linearly_separable", "radon", "shatters", "signed_distance", "strictly_feasible",
    "vc_dimension",
}  # fmt: skip
"""functions of points, hypotheses and matrices, whose own tests refuse what is wrong"""
FUNCTIONS = [
    getattr(theory, name)
    for name in theory.__all__
    if inspect.isfunction(getattr(theory, name))
    and name not in {"kkt", "kkt_box", "kkt_svm", "adaboost_bound", "shortest_tree", *OF_DATA}
]


def arguments(function):
    """Values for all that must be given; a class by its size."""
    given = {}
    for name, p in inspect.signature(function).parameters.items():
        if p.default is p.empty:
            given[name] = GOOD[name]
        elif name == "size" and p.default is None:
            given[name] = 10
    if function is theory.occam_bound:
        given["prior"] = 0.5
    return given


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_errors_name_the_argument(function):
    given = arguments(function)
    function(**given)
    for name in given:
        for bad in BAD.get(name, ()):
            with pytest.raises(ValueError, match=rf"\b{name}\b"):
                function(**{**given, name: bad})
