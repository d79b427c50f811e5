"""Result of partial dependence: the mean predictions, and the curves of some rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from scipy import special

from tenfold.core import Array, Labels, Mergeable
from tenfold.core.certificate import number_of
from tenfold.model_selection.formatting import ByKey, ResultTable, percent


@dataclass(frozen=True, eq=False, repr=False)
class PartialDependence(ByKey, ResultTable):
    """Mean predictions of a model if one or two columns have the same value in every row.

    Attributes
    ----------
    names : tuple of str
        The column, or the two.
    grid_values : list of arrays
        The values of each.
    average : array of shape (outputs, values) or (outputs, values, values)
        Mean over the rows. One output: a number, or the probability of the second of two classes (its decision value,
        if the model has no probabilities or was asked for that); else one for each class.
    interval : array of two such arrays
        Ends for the mean over all rows of the kind that these were drawn from, if they are independent: at each
        value by itself, the model as it is.
    level : float
        Of the interval.
    individual : array of shape (outputs, sample, values) or (outputs, sample, values, values), or None
        The curves of a sample of rows.
    categorical : tuple of bool
        For each column, whether its values are categories.
    deciles : list of arrays or None
        Of each column of numbers, if they are known.
    classes : array or None
    rows, scans : int
    decision : bool
        Whether the average is of decision values, not of probabilities.
    """

    names: tuple[str, ...]
    grid_values: list[Labels]
    average: Array
    interval: Array
    level: float
    individual: Array | None
    categorical: tuple[bool, ...]
    deciles: list[Array | None]
    classes: Labels | None
    rows: int
    scans: int
    decision: bool = False

    def output(self, target: object = None) -> int:
        """The number of an output: that of a class, if there are several.

        Parameters
        ----------
        target : optional
            A class.
        """
        known = [] if self.classes is None else self.classes.tolist()
        if len(self.average) == 1:
            if target is not None and target not in known[-1:]:
                raise ValueError(f"target={target!r}: there is one curve, of {known[-1] if known else 'a number'!r}")
            return 0
        if target not in known:
            raise ValueError(f"there are {len(known)} classes: choose one with target=, of {known[:10]}")
        return known.index(target)

    def _rows(self) -> list[list[str]]:
        shape = self.average.shape[1:]
        out = []
        for at in list(np.ndindex(*shape))[:100]:
            values = [grid[i] for grid, i in zip(self.grid_values, at, strict=True)]
            shown = [f"{value:.5g}" if isinstance(value, float) else str(value) for value in values]
            lines = zip(self.average, *self.interval, strict=True)
            out.append(shown + [f"{one[at]:.5g} ({low[at]:.5g} to {high[at]:.5g})" for one, low, high in lines])
        return out

    def _head(self) -> list[str]:
        return [*self.names, *(self.label(i) for i in range(len(self.average)))]

    def label(self, output: int) -> str:
        """Name of the averaged output.

        Parameters
        ----------
        output : int
            Its number.
        """
        if self.classes is None:
            return "mean prediction"
        one = self.classes.tolist()[output if len(self.average) > 1 else -1]
        return f"mean decision for {one}" if self.decision else f"mean P({one})"

    def _note(self) -> str:
        return f"over {number_of(self.rows, 'row')}; in brackets {percent(self.level)} for other rows"


class DependenceMeans(Mergeable):
    """Weight, mean and centred sum of squares of the predictions at each point of a grid; merged as in Chan et al."""

    rows: int
    weight: float
    squares: float
    """of the weights, summed"""
    mean: Annotated[Array, "point", "output"]
    square: Annotated[Array, "point", "output"]

    def __add__(self, other: DependenceMeans) -> DependenceMeans:
        if not (self.rows and other.rows):
            return self if self.rows else other
        weight = self.weight + other.weight
        delta, share = other.mean - self.mean, other.weight / weight
        return DependenceMeans(
            self.rows + other.rows, weight, self.squares + other.squares, self.mean + delta * share,
            self.square + other.square + delta**2 * (self.weight * share),
        )  # fmt: skip

    def ends(self, level: float) -> Array:
        """Confidence bounds of the mean: t times its standard error, with the effective number of rows."""
        worth = self.weight**2 / self.squares
        if worth <= 1:
            return np.full((2, *self.mean.shape), math.nan)
        half = float(special.stdtrit(worth - 1, (1 + level) / 2)) * np.sqrt(self.square / self.weight / (worth - 1))
        return np.array([self.mean - half, self.mean + half])
