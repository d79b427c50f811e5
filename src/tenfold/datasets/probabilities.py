"""Distributions of the textbooks: candy bags, the burglary, a loaded die, and play by the weather."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from tenfold.core import Labels
from tenfold.graphical.bayesian_network import BayesianNetwork
from tenfold.graphical.probability_table import ProbabilityTable
from tenfold.theory.checks import whole

PRIOR = (0.1, 0.2, 0.4, 0.2, 0.1)
LIME = (0.0, 0.25, 0.5, 0.75, 1.0)
FLAVOURS = ("cherry", "lime")


def load_candy_bags() -> Any:
    """Five kinds of candy bags, how frequent they are, and their shares of limes (Russell and Norvig).

    The kind of a bag is not known; candies that are drawn from it tell of it, by Bayes' rule.

    Returns
    -------
    data : Bunch
        With `hypotheses`, the kinds in words; `prior`, their probabilities; `lime`, the probability of a lime from
        each; `flavours`, and `DESCR`.

    Examples
    --------
    >>> from tenfold import bayes_rule
    >>> from tenfold.datasets import load_candy_bags
    >>> bags = load_candy_bags()
    >>> posterior = bayes_rule(bags.prior, [bags.lime] * 3)  # three limes
    >>> posterior.round(3).tolist(), bags.hypotheses[posterior.argmax()]
    ([0.0, 0.013, 0.211, 0.355, 0.421], 'all lime')
    """
    return Bunch(
        hypotheses=["all cherry", "1/4 lime", "1/2 lime", "3/4 lime", "all lime"],
        prior=np.array(PRIOR),
        lime=np.array(LIME),
        flavours=list(FLAVOURS),
        DESCR="Candy bags: five kinds of bags, of which 10, 20, 40, 20 and 10 percent are made, hold no limes, a "
        "quarter, a half, three quarters, and only limes (Russell and Norvig, Artificial Intelligence, chapter 20).",
    )


def make_candy_draws(
    n_draws: int = 10, *, bag: int | None = None, random_state: int | None = None
) -> tuple[Labels, int]:  # fmt: skip
    """Candies that are drawn from one bag of :func:`~tenfold.datasets.load_candy_bags`.

    Parameters
    ----------
    n_draws : int, default=10
        How many candies are drawn.
    bag : int, optional
        The kind of the bag, from 0 (all cherry) to 4 (all lime); drawn by its prior probability if it is None.
    random_state : int, optional
        Seed of the draws.

    Returns
    -------
    draws : array of shape (n_draws,)
        "cherry" or "lime".
    bag : int
        The kind of the bag.

    Examples
    --------
    >>> from tenfold.datasets import make_candy_draws
    >>> draws, bag = make_candy_draws(3, bag=4)
    >>> draws.tolist()
    ['lime', 'lime', 'lime']
    """
    n_draws = whole("n_draws", n_draws, 1)
    if bag is not None and bag not in range(len(PRIOR)):
        raise ValueError(f"bag={bag!r}: the kinds are 0 to {len(PRIOR) - 1}")
    random = np.random.default_rng(random_state)
    kind = int(random.choice(len(PRIOR), p=PRIOR)) if bag is None else int(bag)
    return np.array(FLAVOURS)[(random.random(n_draws) < LIME[kind]).astype(int)], kind


def load_burglary() -> BayesianNetwork:
    """A Bayesian network of five variables: an alarm rings for burglars and earthquakes, and two neighbours may call.

    Variables are "burglary", "earthquake", "alarm", "john" and "mary", each True or False (Pearl 1988).

    Returns
    -------
    network : BayesianNetwork

    Examples
    --------
    >>> from tenfold.datasets import load_burglary
    >>> load_burglary().query("burglary", evidence={"john": True, "mary": True}).p.round(6).tolist()
    [0.284172, 0.715828]
    """
    return BayesianNetwork(
        values={name: [True, False] for name in ("burglary", "earthquake", "alarm", "john", "mary")},
        parents={"alarm": ["burglary", "earthquake"], "john": ["alarm"], "mary": ["alarm"]},
        tables={
            "burglary": [0.001, 0.999],
            "earthquake": [0.002, 0.998],
            "alarm": [[[0.95, 0.05], [0.94, 0.06]], [[0.29, 0.71], [0.001, 0.999]]],
            "john": [[0.9, 0.1], [0.05, 0.95]],
            "mary": [[0.7, 0.3], [0.01, 0.99]],
        },
    )


def load_loaded_die() -> ProbabilityTable:
    """A die that shows 1 in half of all throws, 3, 5 and 6 in a sixth each, and never 2 or 4.

    Returns
    -------
    table : ProbabilityTable
        Of the variable "die".

    Examples
    --------
    >>> from tenfold.datasets import load_loaded_die
    >>> die = load_loaded_die()
    >>> round(die.probability(die=[1, 2, 3]), 6)  # less than 4
    0.666667
    """
    return ProbabilityTable({"die": range(1, 7)}, [3, 0, 1, 0, 1, 1])


def load_weather_table() -> ProbabilityTable:
    """The joint distribution of the weather of a day and whether somebody plays.

    Returns
    -------
    table : ProbabilityTable
        Of the variables "play" and "weather".

    Examples
    --------
    >>> from tenfold.datasets import load_weather_table
    >>> days = load_weather_table()
    >>> round(days.probability(play=True), 6), round(days.given(play=True).probability(weather="sunny"), 6)
    (0.67, 0.859701)
    """
    values: dict[str, Sequence[Hashable]] = {"play": [True, False], "weather": ["sunny", "rainy", "cloudy", "snowy"]}
    return ProbabilityTable(values, [[0.576, 0.01, 0.064, 0.02], [0.144, 0.09, 0.016, 0.08]])
