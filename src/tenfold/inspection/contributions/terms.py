"""Raw predictions as a constant plus a term for each column: of linear models, naive Bayes, and trees by TreeSHAP.

A linear model adds βⱼ xⱼ, naive Bayes log P(xⱼ | c), and trees their Shapley values to the expected value.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from tenfold.core import Array, Codes, Columns
from tenfold.ensemble.boosting.boosting import Boosting
from tenfold.ensemble.forest.random_forest import RandomForest
from tenfold.estimator.feature_coefficients import Featured
from tenfold.estimator.shell.kinds import Classifier
from tenfold.inspection.shapley.tree_shap import TreeShap
from tenfold.linear_model.class_moments.linear_scores import LinearDiscriminant
from tenfold.linear_model.glm.log_link import LogLink
from tenfold.linear_model.glm.logistic_regression import LogisticRegression
from tenfold.naive_bayes.gaussian_nb import GaussianNB
from tenfold.naive_bayes.naive_bayes import NaiveBayes
from tenfold.svm.linear_machine import LinearMachine
from tenfold.tree.decision_tree import DecisionTree

EXPLAINED = "linear models, naive Bayes, trees, forests and boosted trees"
"""which learners have terms"""


class ColumnTerms:
    """A constant and a term for each column: rows x columns x outputs, one output for two classes.

    Parameters
    ----------
    learner : learner
        Fitted.
    """

    centred = False
    """whether the terms are contributions already: the constant is then the base"""

    def __init__(self, learner: Any) -> None:
        self.learner, self.model = learner._bare(), learner.model_
        self.constant = np.zeros(1)

    @abstractmethod
    def of(self, X: Columns) -> Array:
        """The terms of some rows."""

    def by_group(self, X: Columns, group: Codes, groups: int) -> Array:
        """The sums of the terms of the columns of each group: rows x groups x outputs."""
        terms = self.of(X)
        out = np.zeros((len(X), groups, terms.shape[2]))
        order = np.argsort(group, kind="stable")
        there, first = np.unique(group[order], return_index=True)
        if len(there):
            out[:, there] = np.add.reduceat(terms[:, order], first, axis=1)
        return out


class LinearTerms(ColumnTerms):
    """βⱼ xⱼ; of a column of categories the coefficient of the category, 0 for one that was not seen."""

    def __init__(self, learner: Any) -> None:
        super().__init__(learner)
        model, schema = self.model, learner.schema_
        coef, constant = np.atleast_2d(model.coef), np.zeros(1)
        if isinstance(learner, LinearDiscriminant):
            constant = model.level - coef @ model.xbar
        else:
            constant = np.atleast_1d(model.intercept)
        if schema.classes is not None and len(schema.classes) == 2 and len(coef) == 2:
            coef, constant = coef[1:] - coef[:1], constant[1:] - constant[:1]
        self.coef: Array = coef.T
        self.constant = np.asarray(constant, dtype=np.float64)
        levels = np.maximum(schema.levels, 1)
        self.levels, self.first = schema.levels, np.cumsum(levels) - levels

    def of(self, X: Columns) -> Array:
        out = np.empty((*X.shape, self.coef.shape[1]))
        numeric, coded = np.flatnonzero(self.levels == 0), np.flatnonzero(self.levels)
        for rows, block in X.blocks():
            out[rows][:, numeric] = block[:, numeric, None] * self.coef[self.first[numeric]]
            for j in coded.tolist():
                table = np.zeros((self.levels[j] + 1, self.coef.shape[1]))
                table[:-1] = self.coef[self.first[j] : self.first[j] + self.levels[j]]
                out[rows, j] = table[block[:, j].astype(np.int64)]  # -1 is the last, of zeros
        return out

    def by_group(self, X: Columns, group: Codes, groups: int) -> Array:
        if not sp.issparse(X.data):
            return super().by_group(X, group, groups)
        p, k = self.coef.shape
        columns = group[:, None] * k + np.arange(k)
        where = np.repeat(np.arange(p), k), columns.ravel()
        weights = sp.csr_array((self.coef.ravel(), where), shape=(p, groups * k))
        found: Array = (X.sparse() @ weights).toarray().reshape(len(X), groups, k)
        return found


class EvidenceTerms(ColumnTerms):
    """log P(xⱼ | c), and of two classes the difference: log odds."""

    def __init__(self, learner: Any) -> None:
        super().__init__(learner)
        with np.errstate(divide="ignore"):
            if isinstance(learner, GaussianNB):
                spread = np.log(2 * np.pi * self.model.var).sum(axis=1)
                self.constant = self._between(np.log(self.model.class_prior) - 0.5 * spread)
            else:
                self.constant = self._between(self.model.class_log_prior)

    def _between(self, scores: Array) -> Array:
        """Scores of classes, last axis; of two classes the second less the first."""
        return scores[..., 1:] - scores[..., :1] if scores.shape[-1] == 2 else scores

    def of(self, X: Columns) -> Array:
        if not isinstance(self.learner, GaussianNB):
            return self._between(self.learner.evidence_from(self.model, X))
        out = np.empty((*X.shape, len(self.constant)))
        for rows, block in X.blocks():
            away = block[:, :, None] - self.model.theta.T
            out[rows] = self._between(-0.5 * away * away / self.model.var.T)
        return out


class TreeTerms(ColumnTerms):
    """Shapley values of trees, of which unknown columns follow the training rows."""

    centred = True

    def __init__(self, learner: Any) -> None:
        super().__init__(learner)
        self.shap = TreeShap(learner)
        self.constant = self._one_of_two(np.atleast_1d(self.shap.expected_value))

    def _one_of_two(self, values: Array) -> Array:
        """Outputs, last axis; of the probabilities of two classes that of the second."""
        return values[..., 1:] if values.shape[-1] == 2 else values

    def of(self, X: Columns) -> Array:
        values = self.shap.values_of(self.shap.coded(X))
        return self._one_of_two(values if values.ndim == 3 else values[:, :, None])


def terms_of(learner: BaseEstimator) -> ColumnTerms:
    """The terms of a fitted learner, or an error that says which learners have some."""
    if "estimators_" in vars(learner) and not isinstance(learner, RandomForest):
        raise TypeError(
            f"{type(learner).__name__} was fitted to a target of several columns. Remedy: explain each model of its "
            "estimators_"
        )
    match learner:
        case DecisionTree() | RandomForest() | Boosting():
            return TreeTerms(learner)
        case Featured() | LinearMachine() | LinearDiscriminant():
            return LinearTerms(learner)
        case GaussianNB() | NaiveBayes():
            return EvidenceTerms(learner)
    raise TypeError(
        f"{type(learner).__name__} is not explained: {EXPLAINED} are. Remedy: permutation_importance(model, X, y), "
        "which takes any model"
    )


def title_of(learner: Any) -> str:
    """What is explained: the raw prediction of a learner."""
    if not isinstance(learner, Classifier):
        logs = isinstance(learner, LogLink) or (isinstance(learner, Boosting) and learner.loss == "poisson")
        return "log of the prediction" if logs else "prediction"
    if isinstance(learner, (DecisionTree, RandomForest)):
        return "probability"
    odds = isinstance(learner, (Boosting, LogisticRegression, GaussianNB, NaiveBayes, LinearDiscriminant))
    return ("log odds" if len(learner.classes_) == 2 else "score") if odds else "decision function"
