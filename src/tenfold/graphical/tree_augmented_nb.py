"""Tree-augmented naive Bayes (TAN): within a class, each column depends on one other, and these edges form a tree.

P(x | c) = Π P(x_j | x_parent(j), c). Of all trees it is the one of largest likelihood: that whose edges have in sum the
largest mutual information given the class (Friedman, Geiger and Goldszmidt, 1997). Counts of pairs of values by class,
which add up, give the tree and its tables in one scan.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from tenfold.core import Array, Claim, Codes, Columns, Need, Schema
from tenfold.estimator import Classifier, OnePass, fitted
from tenfold.estimator.shell.constraints import array, boolean, class_prior, real
from tenfold.graphical.bayesian_network import BayesianNetwork
from tenfold.graphical.bayesian_network_density import check_cells
from tenfold.graphical.chow_liu import pair_information, spanning_tree
from tenfold.graphical.families import NetworkLayout, NetworkModel, coded_blocks, tree_tables
from tenfold.graphical.rows_of_a_network import log_joint
from tenfold.stats.counts.counts import smoothed
from tenfold.stats.counts.pairs import CategoryPairsByClass, PairsByClass


class TreeAugmentedNB(OnePass, Classifier):
    """Naive Bayes in which each column may depend on one other besides the class, exact in one pass.

    A missing value is summed out in predicting, as is a category that was not there in fitting; a row counts for a
    pair of columns if it has both.

    Parameters
    ----------
    alpha : float, default=1.0
        Added to the count of each category, of each class and value of the other column (Laplace).
    fit_prior : bool, default=True
        Whether class probabilities are estimated from the rows; otherwise they are uniform.
    class_prior : array of shape (classes,), optional
        Probability of each class.

    Attributes
    ----------
    classes_ : array
    class_prior_ : array of shape (classes,)
    edges_ : list of (str, str)
        The tree of columns: parents and children.
    network_ : BayesianNetwork
        The class, which is called "class", and the columns.
    certificate_ : Certificate

    Examples
    --------
    The class is whether two coins are alike, which neither column shows by itself:

    >>> from tenfold import TreeAugmentedNB
    >>> X = [["head", "head"], ["tail", "tail"], ["head", "tail"], ["tail", "head"]]
    >>> model = TreeAugmentedNB(alpha=0.5).fit(X, ["equal", "equal", "differ", "differ"])
    >>> model.predict(X).tolist()
    ['equal', 'equal', 'differ', 'differ']
    """

    need = Need("categorical", missing=True, target="class")
    hidden = frozenset(NetworkModel._fields)
    law_params = ({}, {"alpha": 0.0}, {"fit_prior": False})

    alpha: Annotated[float, real(0)] = 1.0
    fit_prior: Annotated[bool, boolean] = True
    class_prior: Annotated[ArrayLike | None, array, None] = None

    def statistic(self, schema: Schema) -> PairsByClass:
        k = len(schema.classes)
        class_prior(self.class_prior, np.ones(k))  # refuses what is none
        check_cells(schema, k * int(schema.levels.sum()) ** 2, "pairs of values in the classes")
        return PairsByClass(k, schema.levels)

    def solve(self, schema: Schema, s: CategoryPairsByClass) -> NetworkModel:
        shared = sum((pair_information(one, schema.levels) for one in s.count), np.zeros(()))
        tree = spanning_tree(shared, schema.levels > 0)
        k, p = len(s.weight), len(schema.columns)
        parents = tuple((p, one) if one >= 0 else (p,) for one in tree)
        levels = np.append(schema.levels, k)
        layout = NetworkLayout.of((*parents, ()), levels)
        prior = class_prior(self.class_prior, s.weight, self.fit_prior)
        tables = [smoothed(count, self.alpha) for count in _tables(layout, levels, s)]
        return NetworkModel.of(layout, levels, [*tables, prior])

    def certify(self, model: NetworkModel, s: CategoryPairsByClass) -> tuple[Claim, ...]:
        """The tree and its tables are optimal for these counts; the share due to smoothing is reported."""
        counts = _tables(model.layout, model.levels, s)
        cells = sum(count.size for count in counts)
        never = sum(int(np.count_nonzero(count == 0)) for count in counts)
        why = (
            "the posterior mode given these counts and the smoothing: closed form; the tree has the largest mutual "
            "information given the class of all, so without smoothing the largest likelihood"
        )
        unseen = "share of the combinations of class, value and parent's value that never occurred: smoothing alone"
        return (
            Claim("gap", 0.0, "proved", why, "objective"),
            Claim("unseen combinations", never / cells if cells else 0.0, "proved", unseen, "data"),
        )

    def is_valid(self, model: NetworkModel, summary: object, schema: Schema) -> bool:
        p = len(schema.columns)
        *columns, own = model.layout.parents if len(model.levels) == p + 1 else ((),)
        fits = len(columns) == p and own == () and int(model.levels[p]) == len(schema.classes)
        return fits and all(some[:1] == (p,) and len(some) <= 2 for some in columns)

    def scores_from(self, model: NetworkModel, X: Columns) -> Array:
        """log P(x, c) of each class, over the values that the row has."""
        tables, parents, p = model.tables(), model.layout.parents, len(model.levels) - 1
        names = [*(f"column number {at}" for at in range(p)), "class"]
        out = np.empty((len(X), int(model.levels[p])))
        for rows, codes in coded_blocks(X):
            unknown = np.full((1, codes.shape[1]), -1)
            out[rows] = log_joint(tables, parents, np.concatenate([codes, unknown]), p, names)
        return out

    @property
    @fitted
    def class_prior_(self) -> Array:
        """Prior probability of each class."""
        return self.model_.tables()[-1]

    @property
    @fitted
    def edges_(self) -> list[tuple[str, str]]:
        """The tree of columns: parents and children, by name."""
        names = self.schema_.names
        return [(names[some[1]], names[at]) for at, some in enumerate(self.model_.layout.parents) if len(some) > 1]

    @property
    @fitted
    def network_(self) -> BayesianNetwork:
        """The network of the class and the columns, which answers questions."""
        names = self.schema_.names
        own = next(name for name in ("class", "class_", "the class") if name not in names)
        values = [c.categories.tolist() for c in self.schema_.columns]
        return self.model_.network((*names, own), [*values, self.schema_.classes.tolist()])


def _tables(layout: NetworkLayout, levels: Codes, s: CategoryPairsByClass) -> list[Array]:
    """The counts of each column with the class and its parent, from those of all pairs."""
    tree = [some[1] if len(some) > 1 else -1 for some in layout.parents[:-1]]
    return tree_tables(layout, levels[:-1], s.count, tree)
