"""A Bayesian network learned from rows: P(x) = Π P(xᵢ | parents of xᵢ), each factor a smoothed share of counts.

P(v | u) = (n_uv + α) / (n_u + α V), with n_uv the weight of the rows in which the variable has value v and its parents
have values u. Counts merge by addition; α enters when the tables are made of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated

import numpy as np
from scipy.special import xlogy

from tenfold.core import Array, Claim, Codes, Columns, DataError, Need, Schema
from tenfold.estimator import Density, OnePass, fitted
from tenfold.estimator.shell.constraints import choice, real
from tenfold.graphical.bayesian_network import BayesianNetwork
from tenfold.graphical.chow_liu import pair_information, spanning_tree
from tenfold.graphical.dag import Parents, parents_first
from tenfold.graphical.families import (
    CountsByFamily,
    FamilyCounts,
    NetworkLayout,
    NetworkModel,
    coded_blocks,
    tree_tables,
)
from tenfold.graphical.rows_of_a_network import log_joint
from tenfold.stats.counts.counts import smoothed
from tenfold.stats.counts.pairs import CategoryPairs, PairsOfCategories

MAX_COUNT_CELLS = 1 << 26
"""numbers that the counts of a part may have: half a gibibyte"""


class BayesianNetworkDensity(OnePass, Density):
    """Bayesian network of categories, its tables learned from rows, exact in one pass.

    The graph is given, or is the tree of largest likelihood (Chow and Liu), which comes from the same scan as its
    tables. A row counts for a variable if neither it nor a parent is missing; in `score_samples` what is missing, or
    was not there in fitting, is summed out.

    Parameters
    ----------
    structure : "chow-liu" or dict of str to list of str, default="chow-liu"
        The parents of each column, by name; a column that is not named has none.
    alpha : float, default=1.0
        Laplace smoothing: added to the count of each combination of values. 0: relative frequencies.

    Attributes
    ----------
    network_ : BayesianNetwork
        What answers questions.
    edges_ : list of (str, str)
        Parents and children.
    certificate_ : Certificate

    Examples
    --------
    >>> import pandas as pd, tenfold as tn
    >>> days = pd.DataFrame({"sky": ["sun", "sun", "rain", "rain"], "grass": ["dry", "dry", "wet", "wet"]})
    >>> model = tn.BayesianNetworkDensity(structure={"grass": ["sky"]}).fit(days)
    >>> model.network_.query("sky", evidence={"grass": "wet"}).p.tolist()  # rain, sun
    [0.75, 0.25]
    >>> tn.BayesianNetworkDensity().fit(days).edges_
    [('sky', 'grass')]
    """

    need = Need("categorical", missing=True)
    hidden = frozenset(NetworkModel._fields)
    law_params = ({}, {"alpha": 0.0})

    structure: Annotated[str | dict[str, list[str]], choice("chow-liu"), dict] = "chow-liu"
    alpha: Annotated[float, real(0)] = 1.0

    def statistic(self, schema: Schema) -> PairsOfCategories | CountsByFamily:
        # Pairs of values, of which the tree is made; or the families of the graph that is given.
        if isinstance(self.structure, str):
            check_cells(schema, int(schema.levels.sum()) ** 2, "pairs of values")
            return PairsOfCategories(schema.levels)
        layout = NetworkLayout.of(given_parents(self.structure, schema.names), schema.levels)
        largest = max(range(len(schema.names)), key=lambda at: math.prod(layout.shapes[at]), default=0)
        check_cells(schema, layout.size, f"combinations of values, most of them of {schema.names[largest]!r}")
        return CountsByFamily(schema.levels, *layout.edges())

    def solve(self, schema: Schema, s: CategoryPairs | FamilyCounts) -> NetworkModel:
        # The tables of the graph; of pairs, the tree first.
        if isinstance(s, FamilyCounts):
            layout = s.layout
        else:
            tree = spanning_tree(pair_information(s.count, schema.levels), schema.levels > 0)
            layout = NetworkLayout.of(tuple((one,) if one >= 0 else () for one in tree), schema.levels)
        counts = _counts(layout, schema.levels, s)
        return NetworkModel.of(layout, schema.levels, [smoothed(count, self.alpha) for count in counts])

    def certify(self, model: NetworkModel, s: CategoryPairs | FamilyCounts) -> tuple[Claim, ...]:
        """The tables are the optimum for these counts; how likely the rows are, and how much of it is smoothing."""
        counts = _counts(model.layout, model.levels, s)
        return network_claims(model, counts, isinstance(s, CategoryPairs))

    def is_valid(self, model: NetworkModel, summary: object, schema: Schema) -> bool:
        if len(model.levels) != len(schema.columns):
            return False
        if isinstance(self.structure, str):
            return all(len(some) <= 1 for some in model.layout.parents) and not isinstance(summary, FamilyCounts)
        fits = model.layout.parents == given_parents(self.structure, schema.names)
        return fits and (summary is None or (isinstance(summary, FamilyCounts) and summary.layout == model.layout))

    def log_density_from(self, model: NetworkModel, X: Columns) -> Array:
        """log P(x) of each row, over the values that it has."""
        out = np.empty(len(X))
        tables, parents = model.tables(), model.layout.parents
        names = [f"column number {at}" for at in range(len(parents))] if X.names is None else X.names
        for rows, codes in coded_blocks(X):
            out[rows] = log_joint(tables, parents, codes, None, names)[:, 0]
        return out

    @property
    @fitted
    def network_(self) -> BayesianNetwork:
        """The fitted `BayesianNetwork`, for inference."""
        return self.model_.network(self.schema_.names, [c.categories.tolist() for c in self.schema_.columns])

    @property
    @fitted
    def edges_(self) -> list[tuple[str, str]]:
        """Edges of the graph, as pairs of parent and child names."""
        names = self.schema_.names
        return [(names[a], names[b]) for a, b in zip(self.model_.parent.tolist(), self.model_.child.tolist())]


def given_parents(structure: Mapping[str, Sequence[str]], names: tuple[str, ...], kind: str = "column") -> Parents:
    """The parents of each column, by their numbers, of a graph that a user gave."""
    place = {name: at for at, name in enumerate(names)}
    out: list[tuple[int, ...]] = [()] * len(names)
    for child, some in structure.items():
        if not isinstance(some, (list, tuple)):
            raise ValueError(f"structure: the parents of {child!r} must be a list of names, not {some!r}")
        for name in (child, *some):
            if name not in place:
                raise ValueError(f"structure names {name!r}, which is not a {kind}, only {list(names)[:10]}")
        if len(set(some)) != len(some):
            raise ValueError(f"structure: {child!r} has a parent twice, {list(some)}")
        out[place[child]] = tuple(place[name] for name in some)
    parents = tuple(out)
    order = set(parents_first(parents))
    if len(order) < len(names):
        cycle = [name for name in names if place[name] not in order]
        raise ValueError(f"structure has a cycle among {cycle[:10]}: a {kind} may not be its own ancestor")
    return parents


def check_cells(schema: Schema, cells: int, what: str) -> None:
    """Refuse counts that would not fit into memory, before they are made."""
    if cells > MAX_COUNT_CELLS:
        widest = int(np.argmax(schema.levels))
        raise DataError(
            f"there are {cells:,} {what}: more than {MAX_COUNT_CELLS:,}. Column {schema.names[widest]!r} alone has "
            f"{int(schema.levels[widest]):,} values. Remedy: drop such columns, or group their rare values"
        )


def network_claims(model: NetworkModel, counts: list[Array], tree: bool) -> tuple[Claim, ...]:
    """Claims about tables of smoothed counts: optimality, likelihood, and combinations without rows."""
    total = max((float(count.sum()) for count in counts), default=0.0)
    tables = model.tables()
    found = sum(float(xlogy(count, table).sum()) for count, table in zip(counts, tables, strict=True))
    cells = sum(count.size for count in counts)
    never = sum(int(np.count_nonzero(count == 0)) for count in counts)
    why = "the posterior mode given these counts and the smoothing: closed form"
    if tree:
        why += "; the tree has the largest mutual information of all, so without smoothing the largest likelihood"
    return (
        Claim("gap", 0.0, "proved", why, "objective"),
        Claim(
            "log-likelihood", found / total if total else 0.0, "estimated",
            "mean of log P(x) over the rows, by the counts of each family", "objective",
            "rounding errors of the usual size",
        ),
        Claim(
            "unseen combinations", never / cells if cells else 0.0, "proved",
            "share of the combinations of a value and those of its parents that never occurred: smoothing alone",
            "data",
        ),
    )  # fmt: skip


def _counts(layout: NetworkLayout, levels: Codes, s: CategoryPairs | FamilyCounts) -> list[Array]:
    """The counts of the families of a graph."""
    if isinstance(s, FamilyCounts):
        return s.tables()
    return tree_tables(layout, levels, s.count, [some[0] if some else -1 for some in layout.parents])
