"""Boolean functions by networks of Heaviside perceptrons: a unit is 1 if b + wᵀx > 0, else 0.

One perceptron can be AND, OR, NAND or NOR, but not XOR: no line separates it. Two layers can be any boolean function,
since every one is a disjunction of conjunctions: a hidden unit for each conjunction, and OR above them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from tenfold.core import Array, Codes

GATES: dict[str, tuple[float, float, float]] = {
    "and": (-1.5, 1.0, 1.0),
    "or": (-0.5, 1.0, 1.0),
    "nand": (1.5, -1.0, -1.0),
    "nor": (0.5, -1.0, -1.0),
}
"""b, w₁ and w₂ of perceptrons of two inputs"""
MAX_TRUTH_TABLE_INPUTS = 20
"""inputs of a truth table"""


class BooleanNetwork:
    """A feed-forward network of Heaviside perceptrons, of inputs and states 0 and 1.

    Parameters
    ----------
    layers : sequence of pairs (W, b)
        Of each layer the weights, units below x units above, and the constants of the units above.

    Attributes
    ----------
    coefs_, intercepts_ : list of array
        W and b of each layer.
    n_inputs : int

    Examples
    --------
    XOR is AND of OR and NAND:

    >>> from tenfold import BooleanNetwork
    >>> gate = BooleanNetwork.gate
    >>> xor = gate("and").of(gate("or"), gate("nand"))
    >>> xor.predict([[0, 0], [0, 1], [1, 0], [1, 1]]).tolist()
    [0, 1, 1, 0]
    >>> xor  # two inputs, two hidden units, one output
    BooleanNetwork(2 -> 2 -> 1)
    """

    def __init__(self, layers: Sequence[tuple[ArrayLike, ArrayLike]]) -> None:
        if not layers:
            raise ValueError("layers must have at least one pair (W, b)")
        self.coefs_: list[Array] = [np.array(W, dtype=np.float64, ndmin=2) for W, _ in layers]
        self.intercepts_: list[Array] = [np.array(b, dtype=np.float64, ndmin=1) for _, b in layers]
        for at, (W, b) in enumerate(zip(self.coefs_, self.intercepts_)):
            if W.ndim != 2 or b.shape != W.shape[1:]:
                raise ValueError(f"layer {at}: W is {W.shape}, so b must be of {W.shape[-1]} units, not {b.shape}")
        for at, (below, above) in enumerate(pairwise(self.coefs_)):
            if below.shape[1] != above.shape[0]:
                raise ValueError(f"layer {at} has {below.shape[1]} units, and layer {at + 1} takes {above.shape[0]}")

    @classmethod
    def gate(cls, name: str) -> BooleanNetwork:
        """One perceptron of two inputs: AND, OR, NAND or NOR.

        Parameters
        ----------
        name : {"and", "or", "nand", "nor"}

        Returns
        -------
        network : BooleanNetwork

        Examples
        --------
        >>> from tenfold import BooleanNetwork
        >>> BooleanNetwork.gate("nand").truth_table().tolist()
        [1, 1, 1, 0]
        """
        if name not in GATES:
            raise ValueError(f"{name!r} is not a gate of one perceptron. Remedy: one of {', '.join(GATES)}")
        b, *w = GATES[name]
        return cls([(np.array(w)[:, None], [b])])

    @classmethod
    def from_dnf(cls, terms: Sequence[Mapping[int, bool]], n_inputs: int) -> BooleanNetwork:
        """Two layers for a disjunction of conjunctions: a hidden unit for each conjunction, and OR above them.

        Parameters
        ----------
        terms : sequence of dict
            Of each conjunction the numbers of its inputs, from 0 on, and whether each is wanted true or false. An empty
            one is always true; without any, the network is always 0.
        n_inputs : int

        Returns
        -------
        network : BooleanNetwork

        Examples
        --------
        x₀ and not x₁, or x₂:

        >>> from tenfold import BooleanNetwork
        >>> network = BooleanNetwork.from_dnf([{0: True, 1: False}, {2: True}], n_inputs=3)
        >>> network.predict([[1, 0, 0], [1, 1, 0], [0, 0, 1]]).tolist()
        [1, 0, 1]
        """
        W, b = np.zeros((n_inputs, len(terms))), np.full(len(terms), 0.5)
        for unit, term in enumerate(terms):
            for at, wanted in term.items():
                if not 0 <= at < n_inputs:
                    raise ValueError(f"term {unit} names input {at}, but there are {n_inputs}, from 0 on")
                W[at, unit] = 1.0 if wanted else -1.0
                b[unit] -= bool(wanted)
        return cls([(W, b), (np.ones((len(terms), 1)), [-0.5])])

    @classmethod
    def from_truth_table(cls, outputs: ArrayLike) -> BooleanNetwork:
        """Two layers for any boolean function: a hidden unit for each row of its table that is true.

        Parameters
        ----------
        outputs : array of shape (2ⁿ,)
            Truth table: the value of the function at 0...00, 0...01, 0...10 and so on: the last input changes fastest.

        Returns
        -------
        network : BooleanNetwork

        Examples
        --------
        The parity of three inputs:

        >>> from tenfold import BooleanNetwork
        >>> network = BooleanNetwork.from_truth_table([0, 1, 1, 0, 1, 0, 0, 1])
        >>> network.predict([[1, 1, 1], [1, 0, 1]]).tolist()
        [1, 0]
        """
        said = np.asarray(outputs)
        n = max(said.size, 1).bit_length() - 1
        if said.ndim != 1 or said.size != 1 << n or not np.isin(said, (0, 1)).all():
            raise ValueError(f"outputs must be 2, 4, 8, ... values 0 and 1, not an array of shape {said.shape}")
        rows = _all_inputs(n)[said.astype(bool)]
        return cls.from_dnf([dict(enumerate(row.astype(bool).tolist())) for row in rows], n)

    @property
    def n_inputs(self) -> int:
        """Number of inputs of the network."""
        return len(self.coefs_[0])

    def __repr__(self) -> str:
        units = " -> ".join(str(n) for n in (self.n_inputs, *(len(b) for b in self.intercepts_)))
        return f"BooleanNetwork({units})"

    def of(self, *below: BooleanNetwork) -> BooleanNetwork:
        """The network whose inputs are the outputs of other networks of the same depth.

        Parameters
        ----------
        *below : BooleanNetwork
            As many, of one output each, as this network has inputs.

        Returns
        -------
        network : BooleanNetwork

        Examples
        --------
        >>> from tenfold import BooleanNetwork
        >>> gate = BooleanNetwork.gate
        >>> gate("nor").of(gate("and"), gate("nor")).truth_table().tolist()
        [0, 1, 1, 0]
        """
        if len(below) != self.n_inputs or any(len(one.intercepts_[-1]) != 1 for one in below):
            raise ValueError(f"this network takes {self.n_inputs} networks of one output each, not {len(below)}")
        if len({(one.n_inputs, len(one.coefs_)) for one in below}) > 1:
            raise ValueError("networks side by side must have the same inputs and as many layers")
        first = np.hstack([one.coefs_[0] for one in below])
        layers = [(first, np.concatenate([one.intercepts_[0] for one in below]))]
        for at in range(1, len(below[0].coefs_)):
            blocks = [one.coefs_[at] for one in below]
            W = np.zeros(np.sum([block.shape for block in blocks], axis=0))
            row = column = 0
            for block in blocks:
                W[row : row + block.shape[0], column : column + block.shape[1]] = block
                row, column = row + block.shape[0], column + block.shape[1]
            layers.append((W, np.concatenate([one.intercepts_[at] for one in below])))
        return BooleanNetwork([*layers, *zip(self.coefs_, self.intercepts_)])

    def states(self, X: ArrayLike) -> list[Codes]:
        """Activations of each layer for each row.

        Parameters
        ----------
        X : array of shape (rows, inputs)
            Of 0 and 1.

        Returns
        -------
        states : list of int array of shape (rows, units)

        Examples
        --------
        >>> from tenfold import BooleanNetwork
        >>> network = BooleanNetwork.from_truth_table([0, 1, 1, 0])
        >>> [layer.tolist() for layer in network.states([[1, 0]])]
        [[[0, 1]], [[1]]]
        """
        given = np.asarray(X)
        if given.ndim != 2 or given.shape[1] != self.n_inputs or not np.isin(given, (0, 1)).all():
            raise ValueError(f"X must be rows of {self.n_inputs} values 0 and 1")
        h, found = given.astype(np.float64), []
        for W, b in zip(self.coefs_, self.intercepts_):
            found.append((h @ W + b > 0).astype(np.int64))
            h = found[-1].astype(np.float64)
        return found

    def predict(self, X: ArrayLike) -> Codes:
        """Output of the network for each row.

        Parameters
        ----------
        X : array of shape (rows, inputs)
            Of 0 and 1.

        Returns
        -------
        y : int array of shape (rows,) for one output, else (rows, outputs)

        Examples
        --------
        >>> from tenfold import BooleanNetwork
        >>> BooleanNetwork.gate("or").predict([[0, 0], [1, 0]]).tolist()
        [0, 1]
        """
        said = self.states(X)[-1]
        return said[:, 0] if said.shape[1] == 1 else said

    def truth_table(self) -> Codes:
        """Outputs for all inputs, 0...00, 0...01, 0...10 and so on.

        Returns
        -------
        y : int array of shape (2ⁿ,) for one output, else (2ⁿ, outputs)

        Examples
        --------
        >>> from tenfold import BooleanNetwork
        >>> BooleanNetwork.gate("and").truth_table().tolist()
        [0, 0, 0, 1]
        """
        return self.predict(_all_inputs(self.n_inputs))


def _all_inputs(n: int) -> Codes:
    """Every combination of n inputs, the last changing fastest."""
    if n > MAX_TRUTH_TABLE_INPUTS:
        raise ValueError(
            f"a table of {n} inputs has 2^{n} rows. Remedy: at most {MAX_TRUTH_TABLE_INPUTS}, or a disjunction of terms"
        )
    return np.arange(1 << n)[:, None] >> np.arange(n)[::-1] & 1
