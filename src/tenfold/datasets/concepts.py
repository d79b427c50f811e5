"""Rows and labels of concepts: EnjoySport, PlayTennis, primes, boolean gates, and the colouring of graphs."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from tenfold.concept.clauses.graph_coloring import examples_of_graph
from tenfold.datasets.bunch import loaded
from tenfold.theory.checks import one_of

SPORT = """
Sunny Warm Normal Strong Warm Same   Yes
Sunny Warm High   Strong Warm Same   Yes
Rainy Cold High   Strong Warm Change No
Sunny Warm High   Strong Cool Change Yes
"""
SPORT_VALUES = {
    "Sky": ["Sunny", "Cloudy", "Rainy"],
    "AirTemp": ["Warm", "Cold"],
    "Humidity": ["Normal", "High"],
    "Wind": ["Strong", "Weak"],
    "Water": ["Warm", "Cool"],
    "Forecast": ["Same", "Change"],
}
TENNIS = """
Sunny    Hot  High   Weak   85 85 No
Sunny    Hot  High   Strong 80 90 No
Overcast Hot  High   Weak   83 86 Yes
Rain     Mild High   Weak   70 96 Yes
Rain     Cool Normal Weak   68 80 Yes
Rain     Cool Normal Strong 65 70 No
Overcast Cool Normal Strong 64 65 Yes
Sunny    Mild High   Weak   72 95 No
Sunny    Cool Normal Weak   69 70 Yes
Rain     Mild Normal Weak   75 80 Yes
Sunny    Mild Normal Strong 75 70 Yes
Overcast Mild High   Strong 72 90 Yes
Overcast Hot  Normal Weak   81 75 Yes
Rain     Mild High   Strong 71 91 No
"""
GATES = {
    "and": (0, 0, 0, 1),
    "or": (0, 1, 1, 1),
    "nand": (1, 1, 1, 0),
    "nor": (1, 0, 0, 0),
    "xor": (0, 1, 1, 0),
}
"""the value of each function at (0, 0), (0, 1), (1, 0) and (1, 1)"""
GRAPHS = {"triangle": 3, "K4": 4}
"""complete graphs, and how many vertices they have"""


def _columns(text: str) -> list[list[str]]:
    """The columns of a table that is written as text."""
    return [list(column) for column in zip(*(line.split() for line in text.strip().split("\n")), strict=True)]


def load_enjoy_sport(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Four days, and whether somebody enjoyed a water sport (Mitchell 1997, table 2.1).

    Find-S gives <Sunny, Warm, ?, Strong, ?, ?>; six conjunctions agree with all four days.

    Parameters
    ----------
    return_X_y : bool, default=False
        Whether to return `(data, target)` instead of a Bunch.
    as_frame : bool, default=False
        Whether data is a DataFrame, and target a Series.

    Returns
    -------
    data : Bunch
        With `data` of shape (4, 6), `target` ("Yes" or "No"), `feature_names`, `target_names`, `frame`, `DESCR`, and
        `categories`: the values of each attribute, as :class:`~tenfold.VersionSpace` takes them. No day is Cloudy.

    Examples
    --------
    >>> from tenfold import FindS
    >>> from tenfold.datasets import load_enjoy_sport
    >>> X, y = load_enjoy_sport(return_X_y=True)
    >>> FindS().fit(X, y).hypothesis_
    ['Sunny', 'Warm', '?', 'Strong', '?', '?']
    """
    *columns, target = _columns(SPORT)
    return loaded(
        dict(zip(SPORT_VALUES, columns, strict=True)),
        ("EnjoySport", target),
        "EnjoySport: four days with six attributes, and whether a water sport was enjoyed (Mitchell, Machine Learning, "
        "1997, table 2.1). Sky has the third value Cloudy, which no day has.",
        return_X_y=return_X_y,
        as_frame=as_frame,
        categories=[list(values) for values in SPORT_VALUES.values()],
    )


def load_play_tennis(*, numeric: bool = False, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Fourteen days, and whether tennis was played (Quinlan 1986).

    Parameters
    ----------
    numeric : bool, default=False
        Whether Temperature and Humidity are numbers, degrees Fahrenheit and percent (Quinlan 1993); otherwise all four
        columns are categories, as in most textbooks: Hot is from 80 on, Cool below 70, High above 80 percent.
    return_X_y : bool, default=False
        Whether to return `(data, target)` instead of a Bunch.
    as_frame : bool, default=False
        Whether data is a DataFrame, and target a Series.

    Returns
    -------
    data : Bunch
        With `data` of shape (14, 4), `target` ("Yes" or "No"), `feature_names`, `target_names`, `frame` and `DESCR`.

    Examples
    --------
    >>> from tenfold import ID3
    >>> from tenfold.datasets import load_play_tennis
    >>> print(ID3().fit(*load_play_tennis(return_X_y=True, as_frame=True)).to_text())
    Outlook = Overcast: Yes (4)
    Outlook = Rain
    |   Wind = Strong: No (2)
    |   Wind = Weak: Yes (3)
    Outlook = Sunny
    |   Humidity = High: No (3)
    |   Humidity = Normal: Yes (2)
    """
    outlook, temperature, humidity, wind, degrees, percent, target = _columns(TENNIS)
    columns: dict[str, Any] = {"Outlook": outlook, "Temperature": temperature, "Humidity": humidity, "Wind": wind}
    if numeric:
        columns |= {"Temperature": list(map(float, degrees)), "Humidity": list(map(float, percent))}
    return loaded(
        columns,
        ("PlayTennis", target),
        "PlayTennis: fourteen days with four columns, and whether tennis was played (Quinlan, Induction of Decision "
        "Trees, 1986; with numbers in C4.5, 1993).",
        return_X_y=return_X_y,
        as_frame=as_frame,
    )


def load_primes(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """The numbers from 1 to 10, and which of them are primes; six of them are training examples.

    If every set of numbers is a hypothesis, 16 sets agree with the six, and each other number is in 8 of them: without
    a bias nothing is learned.

    Parameters
    ----------
    return_X_y : bool, default=False
        Whether to return `(data, target)` instead of a Bunch.
    as_frame : bool, default=False
        Whether data is a DataFrame, and target a Series.

    Returns
    -------
    data : Bunch
        With `data` of shape (10, 1), `target` (1: a prime), `feature_names`, `target_names`, `frame`, `DESCR`, and
        `examples`, the positions of the training examples.

    Examples
    --------
    >>> from tenfold import ListThenEliminate
    >>> from tenfold.datasets import load_primes
    >>> numbers = load_primes()
    >>> X, y = numbers.data[numbers.examples], numbers.target[numbers.examples]
    >>> X.ravel().tolist(), y.tolist()
    ([1, 3, 5, 6, 7, 10], [0, 1, 1, 0, 1, 0])
    >>> ListThenEliminate("power set", n_points=10).fit(X, y).n_consistent_
    16.0
    """
    numbers = list(range(1, 11))
    return loaded(
        {"number": numbers},
        ("prime", [int(n in (2, 3, 5, 7)) for n in numbers]),
        "Primes: the numbers from 1 to 10, and which of them are primes. 1, 3, 5, 6, 7 and 10 are training examples.",
        return_X_y=return_X_y,
        as_frame=as_frame,
        target_names=["not prime", "prime"],
        examples=np.array([0, 2, 4, 5, 6, 9]),
    )


def load_gate(gate: str = "xor", *, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """The truth table of a boolean function of two inputs.

    Parameters
    ----------
    gate : {"and", "or", "nand", "nor", "xor"}, default="xor"
        The function. No line separates the inputs of "xor" that are 0 from those that are 1.
    return_X_y : bool, default=False
        Whether to return `(data, target)` instead of a Bunch.
    as_frame : bool, default=False
        Whether data is a DataFrame, and target a Series.

    Returns
    -------
    data : Bunch
        With `data` of shape (4, 2), `target` (0 or 1), `feature_names`, `target_names`, `frame` and `DESCR`.

    Examples
    --------
    >>> from tenfold import Perceptron, theory
    >>> from tenfold.datasets import load_gate
    >>> X, y = load_gate("or", return_X_y=True)
    >>> Perceptron(tol=None).fit(X, y).predict(X).tolist()
    [0, 1, 1, 1]
    >>> bool(theory.linearly_separable(*load_gate("xor", return_X_y=True)))
    False
    """
    one_of("gate", gate, tuple(GATES))
    return loaded(
        {"a": [0.0, 0.0, 1.0, 1.0], "b": [0.0, 1.0, 0.0, 1.0]},
        (gate, list(GATES[gate])),
        f"The truth table of the boolean function {gate.upper()} of two inputs.",
        return_X_y=return_X_y,
        as_frame=as_frame,
        target_names=["0", "1"],
    )


def load_graph_coloring(graph: str = "triangle", *, return_X_y: bool = False) -> Any:
    """Examples that a k-term DNF agrees with exactly if a graph can be coloured with k colours.

    A column for each vertex; the positive of a vertex is true but for this vertex, the negative of an edge is true but
    for its two ends. The triangle has a 3-term DNF, the complete graph of four vertices has none.

    Parameters
    ----------
    graph : {"triangle", "K4"}, default="triangle"
        Three or four vertices, all of them joined.
    return_X_y : bool, default=False
        Whether to return `(data, target)` instead of a Bunch.

    Returns
    -------
    data : Bunch
        With `data` of shape (vertices + edges, vertices), `target` (True: the example of a vertex), `feature_names`,
        `target_names`, `DESCR`, and the `edges`.

    Examples
    --------
    >>> from tenfold import k_term_dnf
    >>> from tenfold.datasets import load_graph_coloring
    >>> [k_term_dnf(*load_graph_coloring(name, return_X_y=True), 3) is not None for name in ("triangle", "K4")]
    [True, False]
    """
    one_of("graph", graph, tuple(GRAPHS))
    vertices = GRAPHS[graph]
    edges = list(combinations(range(vertices), 2))
    data, target = examples_of_graph(vertices, edges)
    if return_X_y:
        return data, target
    return Bunch(
        data=data,
        target=target,
        feature_names=[f"v{vertex}" for vertex in range(vertices)],
        target_names=np.array(["edge", "vertex"]),
        edges=edges,
        DESCR=f"The examples of the graph {graph}: positives of its vertices, negatives of its edges. A k-term DNF "
        "agrees with them exactly if the graph can be coloured with k colours (Pitt and Valiant 1988).",
    )
