"""Rules from a tree, pruned one by one: a condition is dropped if the rule is then no worse on its estimate.

Weights of classes by rule, and by rule without one of its conditions, merge: each round of pruning is one reduce.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from tenfold.core import MANY, Array, Certificate, Claim, Codes, Columns, Need, Schema
from tenfold.core.axes import Bundle
from tenfold.core.contract import RecordTypes, record_types
from tenfold.core.learner import Done
from tenfold.estimator import fitted, for_users
from tenfold.estimator.shell.constraints import choice, integer, nonzero_fraction, seed, share
from tenfold.estimator.shell.kinds import Classifier
from tenfold.estimator.shell.probability_scored import ProbabilityScored
from tenfold.stats.rows.draws import Holdout
from tenfold.tree.decision_tree import Asked, CheckingTree, DecisionTree, PruningTree, TreeState, TreeSummary
from tenfold.tree.decision_tree_classifier import CRITERIA, DecisionTreeClassifier
from tenfold.tree.growing.missing import MISSING_RULES
from tenfold.tree.records import MaxBins
from tenfold.tree.rules.clauses import Clauses
from tenfold.tree.rules.conditions import DNF, Rule, check_rule, tightened, words
from tenfold.tree.rules.reading import condition_in_sql
from tenfold.tree.rules.reading import dialect as sql_dialect
from tenfold.tree.rules.rule_pruning import (
    CheckingRules,
    CoveredByRules,
    Fired,
    FirstRules,
    OrderingRules,
    PruningRules,
    RuleCoverage,
    RuleListModel,
)


class GrowingTree(NamedTuple):
    """The tree grows that rules are made of."""

    step: int
    within: Bundle
    """how far it is"""

    @property
    def tree(self) -> TreeState:
        """The state of the learner of the tree."""
        found: TreeState = self.within.each[0]
        return found

    def is_valid(self, schema: Schema) -> bool:
        """Whether the model has exactly one tree."""
        return len(self.within.each) == 1 and type(self.tree) in record_types(DecisionTree).states


RuleListState = GrowingTree | PruningRules | OrderingRules | CheckingRules | Done


class RuleListClassifier(ProbabilityScored):
    """An ordered list of rules from a decision tree (rule post-pruning, as C4.5 has it), exact in each pass.

    Each leaf of the tree gives a rule, with two bounds a column at most. A condition is dropped if the rule
    without it has no greater estimated error; of several, the best to drop goes first. Rules are then in the order of
    that estimate, and the first that a row fulfils decides. The list ends where a default class does no worse than the
    rules that would follow.

    A round of pruning looks at every rule for every row: on many rows, keep the tree small by `min_samples_leaf`.

    Parameters
    ----------
    criterion : str, default="gain_ratio"
        Of the tree: see `DecisionTreeClassifier`.
    split : {"subset", "multiway"}, default="multiway"
        Whether a split of categories has a branch for each, or two.
    missing : {"learned", "node_majority", "class_majority", "fractional"}, default="learned"
        What becomes of missing values while the tree grows, as in `DecisionTreeClassifier`. The rules then ask whether
        a value is missing as the tree does in prediction; after "fractional", a row that misses a value fulfils no
        condition on it.
    prune : {"pessimistic", "reduced_error"}, default="pessimistic"
        By which rows errors are estimated, as the upper limit of the binomial rate: those that the tree grew from, as
        C4.5 has it, or validation rows that it did not grow from.
    held_back : float, default=0.25
        Share of the rows that "reduced_error" sets aside for validation.
    confidence : float, default=0.25
        Of the error limits; the smaller, the more is dropped.
    max_depth : int, optional
        Splits from the root to a leaf, at most; None: no limit.
    min_samples_split : int or float, default=2
        A node with fewer rows than this is not split; a float: this share of all rows.
    min_samples_leaf : int or float, default=1
        Each leaf has at least this many rows; a float: this share of all rows.
    max_bins : int or "auto", default="auto"
        Bins of each numeric column, at most 255; splits lie between bins. Half of the edges lie beside the values of
        rare classes and extreme targets. "auto": 255, or one for each number of at most 4,096 rows.
    random_state : int, default=0
        Seed of the sample that bins come from. None draws one, and the certificate records it.

    Attributes
    ----------
    classes_ : array
    rules_ : tuple of Rule
        In order; the last has no conditions.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import RuleListClassifier
    >>> X = [["sun", "mild"], ["sun", "hot"], ["rain", "mild"], ["rain", "hot"]] * 5
    >>> model = RuleListClassifier().fit(X, ["out", "in", "in", "in"] * 5)
    >>> print(model.to_text())
    1. if x0 = rain then in (10, 100 %)
    2. if x1 = hot then in (10, 100 %)
    3. else out (5, 100 %)
    """

    need = Need("mixed", missing=True, sparse=True, target="class")
    passes = MANY
    hidden = frozenset({"has_missing"})
    law_params: ClassVar[tuple[dict[str, Any], ...]] = (
        {},
        {"criterion": "gini", "split": "subset"},
        {"prune": "reduced_error"},
        {"missing": "fractional"},
        {"missing": "class_majority"},
    )

    criterion: Annotated[str, choice(*CRITERIA)] = "gain_ratio"
    _: KW_ONLY
    split: Annotated[str, choice("subset", "multiway")] = "multiway"
    missing: Annotated[str, choice(*MISSING_RULES)] = "learned"
    prune: Annotated[str, choice("pessimistic", "reduced_error")] = "pessimistic"
    held_back: Annotated[float, share(open=True)] = 0.25
    confidence: Annotated[float, share(open=True)] = 0.25
    max_depth: Annotated[int | None, integer(1), None] = None
    min_samples_split: Annotated[int | float, integer(2), nonzero_fraction] = 2
    min_samples_leaf: Annotated[int | float, integer(1), share(open=True)] = 1
    max_bins: Annotated[MaxBins, integer(2), choice("auto")] = "auto"
    random_state: Annotated[int | None, seed] = 0

    @property
    def draws_rows(self) -> bool:  # type: ignore[override]
        return self.prune == "reduced_error"

    @property
    def _tree(self) -> DecisionTreeClassifier:
        """The learner of the tree, which holds the same rows back; it is left before it would be pruned by them."""
        return DecisionTreeClassifier(
            self.criterion, split=self.split, missing=self.missing, max_depth=self.max_depth,
            min_samples_split=self.min_samples_split, min_samples_leaf=self.min_samples_leaf, max_bins=self.max_bins,
            random_state=self.random_state, prune="reduced_error" if self.draws_rows else None,
            held_back=self.held_back,
        )  # fmt: skip

    @property
    def _holdout(self) -> Holdout:
        """Hash sample of the validation rows."""
        return Holdout(int(self.random_state or 0), self.held_back) if self.draws_rows else Holdout()

    def start(self, schema: Schema) -> GrowingTree:
        """Start state of the tree."""
        return GrowingTree(0, Bundle((self._tree.start(schema),)))

    def ask(self, state: RuleListState) -> Asked | RuleCoverage | FirstRules | None:
        """Ask the question of the tree, then for the coverage of rules, and for the first rule of each row."""
        match state:
            case GrowingTree():
                return self._tree.ask(state.tree)
            case PruningRules():
                return RuleCoverage(state.clauses, state.settled, state.value.shape[1], state.weights, self._holdout)
            case OrderingRules():
                return FirstRules(state.clauses, state.value.shape[1], state.weights, self._holdout)
            case CheckingRules(_, weights, model):
                return FirstRules(model.clauses, len(model.rest), weights, self._holdout)
        return None

    @property
    def record_types(self) -> RecordTypes:
        # A state holds that of the tree, while it grows.
        return super().record_types._replace(within=record_types(DecisionTree).states)

    def update(self, state: RuleListState, s: TreeSummary | CoveredByRules | Fired) -> RuleListState:
        """The next round: fewer conditions, then an order, then fewer rules."""
        match state, s:
            case PruningRules(), CoveredByRules():
                return state.after(s, self.confidence)
            case OrderingRules(), Fired():
                return state.after(s, self.confidence)
            case CheckingRules(), Fired():
                return self.unchecked(state)
        assert isinstance(state, GrowingTree)
        assert not isinstance(s, CoveredByRules | Fired)
        tree = self._tree.update(state.tree, s)
        if isinstance(tree, PruningTree | CheckingTree):
            return PruningRules.of(tree.setup.weights, tree.model, self.missing == "fractional")
        return GrowingTree(0, Bundle((tree,)))

    def unchecked(self, state: RuleListState) -> RuleListState:
        # The rows for which each rule is the first are wanted for the certificate.
        return Done.of(state.model) if isinstance(state, CheckingRules) else state

    def model(self, state: RuleListState) -> RuleListModel | None:
        return state.model if isinstance(state, Done) else None

    def certify(self, model: RuleListModel, s: Fired) -> tuple[Claim, ...]:
        """The training error, from the rows for which each rule is the first."""
        said = np.append(model.value.argmax(axis=1), model.rest.argmax())
        why = "share of the weight of the rows that {}, by the first rule that each fulfils"
        claims: tuple[Claim, ...] = (
            Claim("training error", _errors(s.weight, said), "proved", why.format("the tree grew from"), "data"),
            Claim("rules", float(model.clauses.size), "proved", "in the list, without the default", "objective"),
        )
        if len(s.back):
            claims += (
                Claim("validation error", _errors(s.back, said), "proved", why.format("pruned the rules"), "data"),
            )
        return claims

    def scores_from(self, model: RuleListModel, X: Columns) -> Array:
        """The shares of the classes among all training rows that fulfil the first rule that fits."""
        value = np.vstack([model.value, model.rest])
        return np.asarray((value / value.sum(axis=1, keepdims=True))[model.clauses.firsts(X)])

    def is_valid(self, model: RuleListModel, summary: Fired | None, schema: Schema) -> bool:
        return summary is None or self._fired(model, summary)

    def resumable(self, state: RuleListState, summary: TreeSummary | CoveredByRules | Fired, schema: Schema) -> bool:
        match state:
            case GrowingTree():
                return not isinstance(summary, CoveredByRules | Fired) and self._tree.resumable(
                    state.tree, summary, schema
                )
            case PruningRules() | OrderingRules():
                return len(state.value) == state.clauses.size
            case CheckingRules():
                return self._fired(state.model, summary)
        return False

    def _fired(self, model: RuleListModel, summary: TreeSummary | CoveredByRules | Fired) -> bool:
        places, classes = len(model.value) + 1, len(model.rest)
        return (
            isinstance(summary, Fired)
            and summary.weight.shape == (places, classes)
            and summary.back.shape in ((0, classes), (places, classes))
        )

    # ---- from rules ----------------------------------------------------------------------------

    @classmethod
    @for_users
    def from_rules(cls, rules: Iterable[Rule], like: Classifier, default: object = None) -> RuleListClassifier:
        """A classifier that goes by these rules: the first that a row fulfils decides. Nothing is fitted.

        Parameters
        ----------
        rules : iterable of Rule
            Of `rules_` of a tree or a list, in any order, some of them, or others. From one without conditions on, the
            rest is left out.
        like : classifier
            A fitted one, whose columns, categories and classes the rules speak of.
        default : object, optional
            The class of rows that fulfil no rule, unless the last rule has no conditions. None: the heaviest class
            of all rules.

        Returns
        -------
        model : RuleListClassifier

        Examples
        --------
        >>> from tenfold import DecisionTreeClassifier, RuleListClassifier
        >>> tree = DecisionTreeClassifier().fit([[0.0], [1.0], [2.0], [3.0]], ["a", "b", "b", "a"])
        >>> print(RuleListClassifier.from_rules(tree.rules_[:1], tree, default="b").to_text())
        1. if x0 <= 0.5 then a (1, 100 %)
        2. else b (1, 100 %)
        """
        schema: Schema = like.schema_
        some, value = [], []
        for number, rule in enumerate(rules, 1):
            check_rule(rule, number, schema)
            value.append(_weights(rule, schema))
            some.append(rule.conditions)
            if not rule.conditions:
                break
        if not some or some[-1]:
            weight = np.sum(value, axis=0) if value and default is None else np.zeros(len(schema.classes))
            said = schema.classes[weight.argmax()] if default is None else default
            last = Rule((), said, 1.0, 1.0, "")
            check_rule(last, len(some) + 1, schema)
            some.append(())
            value.append(_weights(last, schema))
        clauses = Clauses.of(some[:-1], schema.levels)
        gaps = getattr(like.model_, "has_missing", np.ones(len(schema.columns), bool))
        model = RuleListModel(clauses, np.array(value[:-1]).reshape(-1, len(schema.classes)), value[-1], gaps)
        why = "in the list, without the default: it was made of rules, and not fitted"
        claims = (Claim("rules", float(clauses.size), "proved", why, "objective"),)
        made = cls()
        made._set(schema, model, None, Certificate(claims, like.certificate_.provenance))
        made.n_features_in_ = len(schema.columns)
        made.computed = like.computed
        if schema.named:
            made.feature_names_in_ = np.array(schema.names, dtype=object)
        return made

    @classmethod
    @for_users
    def from_tree(cls, tree: DecisionTree) -> RuleListClassifier:
        """Convert a fitted tree to a rule list with the same predictions and probabilities.

        After the rules of the leaves come those of nodes that answer themselves: for categories that none of their
        training rows had.

        Parameters
        ----------
        tree : DecisionTreeClassifier
            A fitted one, of which no row ends in several leaves.

        Returns
        -------
        model : RuleListClassifier

        Examples
        --------
        >>> from tenfold import DecisionTreeClassifier, RuleListClassifier
        >>> X = [[0.0], [1.0], [2.0], [3.0]]
        >>> tree = DecisionTreeClassifier().fit(X, ["a", "b", "b", "a"])
        >>> RuleListClassifier.from_tree(tree).predict(X).tolist()
        ['a', 'b', 'b', 'a']
        """
        return cls.from_rules(tree.every_rule(), tree)

    @classmethod
    @for_users
    def from_dnf(cls, formulas: DNF | Iterable[DNF], like: Classifier, default: object = None) -> RuleListClassifier:
        """Build a classifier from one disjunctive normal form per class; the first that holds decides.

        Parameters
        ----------
        formulas : DNF or iterable of DNF
            As `to_dnf` of a tree gives them.
        like : classifier
            A fitted one, whose columns, categories and classes the formulas speak of.
        default : object, optional
            The class of rows for which no formula holds. None: that which has most terms.

        Returns
        -------
        model : RuleListClassifier

        Examples
        --------
        >>> from tenfold import DecisionTreeClassifier, RuleListClassifier
        >>> X = [[0.0], [1.0], [2.0], [3.0]]
        >>> tree = DecisionTreeClassifier().fit(X, ["a", "b", "b", "a"])
        >>> str(tree.to_dnf("b"))
        '(x0 > 0.5 ∧ x0 <= 2.5)'
        >>> RuleListClassifier.from_dnf(tree.to_dnf("b"), tree, default="a").predict(X).tolist()
        ['a', 'b', 'b', 'a']
        """
        some = (formulas,) if isinstance(formulas, DNF) else formulas
        return cls.from_rules(
            (Rule(term, one.prediction, 1.0, 1.0, "") for one in some for term in one.terms), like, default
        )

    # ---- reading -------------------------------------------------------------------------------

    @property
    @fitted
    def rules_(self) -> tuple[Rule, ...]:
        """The rules in order; the last has no conditions."""
        schema, found = self.schema_, []
        model: RuleListModel = self.model_
        for r, value in enumerate(np.vstack([model.value, model.rest])):
            conditions = tightened(model.clauses.conditions(r)) if r < len(model.value) else ()
            said, weight = schema.classes[value.argmax()], float(value.sum())
            head = " and ".join(words(one, schema, model.has_missing) for one in conditions)
            text = f"{f'if {head} then' if head else 'else'} {said}"
            found.append(Rule(conditions, said, weight, float(value.max()) / weight, text, tuple(value.tolist())))
        return tuple(found)

    @fitted
    def to_text(self) -> str:
        """The rules as numbered lines; in brackets, the weight of the training rows that fulfil it, and their share.

        Returns
        -------
        text : str
        """
        return "\n".join(
            f"{i}. {rule} ({rule.weight:g}, {100 * rule.share:.0f} %)" for i, rule in enumerate(self.rules_, 1)
        )

    @fitted
    def to_sql(self, dialect: str = "ansi", booleans: Sequence[str] = ()) -> str:
        """The list as an SQL expression, CASE ... END. Columns have the names of the fit; NULL is a missing value.

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
        *some, last = self.rules_
        written = sql_dialect(dialect, booleans, self.schema_)
        literal = written.literal
        if not some:
            return literal(last.prediction)
        tests = (
            " AND ".join(f"({condition_in_sql(one, self.schema_, written)})" for one in rule.conditions) or "1 = 1"
            for rule in some
        )
        lines = (f"  WHEN {test} THEN {literal(rule.prediction)}" for test, rule in zip(tests, some, strict=True))
        return "\n".join(["CASE", *lines, f"  ELSE {literal(last.prediction)}", "END"])


def _weights(rule: Rule, schema: Schema) -> Array:
    """Class weights of a rule: of its own rows, or otherwise of all rules of its class."""
    at = int(np.flatnonzero(schema.classes == rule.prediction)[0])
    own = np.array(rule.weights, dtype=np.float64)
    if len(own) == len(schema.classes) and own.sum() > 0 and own.argmax() == at:
        return own
    return np.where(np.arange(len(schema.classes)) == at, rule.weight if rule.weight > 0 else 1.0, 0.0)


def _errors(weight: Codes, said: Codes) -> float:
    """Error rate by position in the list and class: the share of the weight that is of another class."""
    whole = weight.sum()
    return float((whole - weight[np.arange(len(said)), said].sum()) / whole)
