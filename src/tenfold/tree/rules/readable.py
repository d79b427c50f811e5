"""The methods by which a fitted tree is read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tenfold.estimator import fitted
from tenfold.estimator.shell.estimator import Estimator
from tenfold.tree.records import TreeModel
from tenfold.tree.rules import reading
from tenfold.tree.rules.conditions import DNF, Rule
from tenfold.tree.rules.reading import Book, TreeStats

MAX_RULE_DEPTH = 400
"""levels of a tree whose rules can be written"""


class Readable(Estimator):
    """A readable tree. Its rules for missing values hold for all methods except "fractional"."""

    def book(self) -> Book:
        """The tree, and what its nodes say."""
        model: TreeModel = self.model_
        tree, value, schema, gaps = model.tree, model.value, self.schema_, model.has_missing
        if schema.classes is None:
            return Book(tree, schema, value[:, 0], value[:, 1], np.ones(len(value)), gaps, value[:, :0])
        weight = value.sum(axis=1)
        share = value.max(axis=1) / np.where(weight > 0, weight, 1.0)
        return Book(tree, schema, schema.classes[value.argmax(axis=1)], weight, share, gaps, value)

    @property
    @fitted
    def rules_(self) -> tuple[Rule, ...]:
        """A rule for each leaf, from left to right."""
        self._not_too_deep("rules_")
        return reading.rules(self.book())

    @fitted
    def every_rule(self) -> tuple[Rule, ...]:
        """A rule for each leaf, then one for each node that answers itself; every row fulfils one, and no other.

        Returns
        -------
        rules : tuple of Rule
        """
        self._in_one_leaf("every_rule")
        return self.rules_ + reading.unseen_rules(self.book())

    @fitted
    def tree_stats(self) -> TreeStats:
        """Leaves, height, external path length, and that weighted by training rows.

        Returns
        -------
        stats : TreeStats
        """
        return reading.stats(self.book())

    @fitted
    def to_text(self) -> str:
        """The tree as indented lines; in brackets, the weight of the training rows of a leaf.

        Returns
        -------
        text : str
        """
        return reading.text(self.book())

    @fitted
    def to_dnf(self, label: object, unseen: bool = False) -> DNF:
        """The disjunctive normal form of a class: when the tree predicts it.

        A category that no training row of a node had fulfils no condition there; an unknown one counts as missing.
        `RuleListClassifier.from_dnf` makes a classifier of formulas.

        Parameters
        ----------
        label : object
            The class.
        unseen : bool, default=False
            Whether to have terms also for categories that no training row of a node had, and for missing ones: there
            the node itself answers. The formula is then true of every row for which the tree predicts the class, and
            of no other.

        Returns
        -------
        formula : DNF
            `str(formula)` is the text; `formula.terms` are the conditions of each term.
        """
        self._not_too_deep("to_dnf")
        book = self.book()
        if book.schema.classes is None:
            raise TypeError("to_dnf needs a classifier, and this tree predicts numbers. Remedy: rules_")
        if label not in book.schema.classes.tolist():
            raise ValueError(f"{label!r} is not one of the classes {book.schema.classes.tolist()[:10]}")
        return reading.dnf(book, label, unseen)

    @fitted
    def to_sql(self, dialect: str = "ansi", booleans: Sequence[str] = ()) -> str:
        """The tree as an SQL expression, CASE ... END. Columns have the names of the fit; NULL is a missing value.

        Parameters
        ----------
        dialect : {"ansi", "mysql"}, default="ansi"
            "ansi" is SQLite's, DuckDB's and PostgreSQL's: names are in double quotes, a backslash is a backslash.
            "mysql" is also BigQuery's and Spark's: names are in backticks, and backslashes escape.
        booleans : sequence of str, default=()
            Columns that are BOOLEAN in the table: most databases do not compare these with numbers.

        Returns
        -------
        expression : str
        """
        self._in_one_leaf("to_sql")
        self._not_too_deep("to_sql")
        return reading.sql(self.book(), reading.dialect(dialect, booleans, self.schema_))

    @fitted
    def to_graphviz(self) -> str:
        """The tree as the source of a graph, for Graphviz's `dot`.

        Returns
        -------
        source : str
        """
        return reading.graphviz(self.book())

    def _not_too_deep(self, what: str) -> None:
        """Conditions are listed for every leaf, so they grow as the square of the depth."""
        depth = self.model_.tree.max_depth
        if depth > MAX_RULE_DEPTH:
            raise ValueError(
                f"{what}: a tree of {depth} levels is too deep to be read. Remedy: max_depth, or to_text()"
            )

    def _in_one_leaf(self, what: str) -> None:
        if self.missing == "fractional":
            raise ValueError(
                f'{what}: with missing="fractional" a row may end in several leaves. Remedy: another value of missing'
            )
