"""A baseline classifier: argmin_c Σ wᵢ 1[yᵢ ≠ c] is the most frequent class, independent of the features."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any, NamedTuple

import numpy as np

from tenfold.core import Array, Claim, Columns, Need, Remedy, Schema
from tenfold.estimator import Classifier, OnePass
from tenfold.estimator.shell.constraints import choice
from tenfold.estimator.shell.keyword_decisions import unseeded
from tenfold.estimator.shell.keywords import Refused, refused
from tenfold.estimator.shell.multi_output import MultiOutput
from tenfold.stats.counts.weight_by_class import ClassWeights, WeightByClass


class PriorModel(NamedTuple):
    """Weight and share of each class."""

    class_count: Annotated[Array, "class"]
    class_prior: Annotated[Array, "class"]


not_drawn = refused(
    "predictions are not drawn, so that they are the same each time",
    Remedy('tn.DummyClassifier(strategy="prior")', "whose predict_proba gives the shares of the classes"),
    "stratified",
    "uniform",
)
FROM_TARGET = "the answer comes from the target"
from_target = refused(FROM_TARGET, Remedy('tn.DummyClassifier(strategy="most_frequent")'), "constant")
no_constant = Refused(FROM_TARGET, Remedy('tn.DummyClassifier(strategy="prior")'), (None,))


class DummyClassifier(MultiOutput, OnePass, Classifier):
    """Always the most frequent class: what any other classifier has to beat. Exact in one pass.

    The columns are not read, so that text, dates and missing values may be among them.

    Parameters
    ----------
    strategy : {"prior", "most_frequent"}, default="prior"
        Both predict the most frequent class. As probabilities, "prior" gives the shares of the classes, and
        "most_frequent" 1 for the most frequent one.
    constant : optional
        As in scikit-learn; other values raise an error that names an alternative.
    random_state : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    classes_ : array
    estimators_ : list
        Of a target of several columns, the fitted model of each.
    class_count_, class_prior_ : array of shape (classes,)
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import DummyClassifier
    >>> model = DummyClassifier().fit([[1.0], [2.0], [3.0]], ["spam", "ham", "ham"])
    >>> model.predict([[9.0]]).tolist()
    ['ham']
    >>> print(model.certificate_["training error"])
    training error = 0.333333 (proved; data): always predicting class 'ham', the most frequent one
    """

    poor_score = True
    need = Need("unused", missing=True, sparse=True, target="class")
    law_params = ({}, {"strategy": "most_frequent"})

    strategy: Annotated[str, choice("prior", "most_frequent"), not_drawn, from_target] = "prior"
    _: KW_ONLY
    random_state: Annotated[int | None, unseeded] = None
    constant: Annotated[Any, no_constant] = None

    solves_stacks = True

    def statistic(self, schema: Schema) -> WeightByClass:
        return WeightByClass(len(schema.classes))

    def solve(self, schema: Schema, s: ClassWeights) -> PriorModel:
        return PriorModel(s.weight, s.weight / s.weight.sum(axis=-1, keepdims=True))

    def certify(self, model: PriorModel, s: ClassWeights) -> tuple[Claim, ...]:
        """No constant errs less on these rows, and this is how often it errs."""
        why = "no other class is more frequent: counted"
        always = f"always predicting class number {_levelled(s.weight).argmax()}, the most frequent one"
        error = 1 - float(s.weight.max() / s.weight.sum())
        return (
            Claim("gap", 0.0, "proved", why, "objective"),
            Claim("training error", error, "proved", always, "data"),
        )

    def scores_from(self, model: PriorModel, X: Columns) -> Array:
        """log P(c), the same for every row."""
        share = _levelled(model.class_prior)
        if self.strategy == "most_frequent":
            share = (np.arange(len(share)) == share.argmax()).astype(np.float64)
        with np.errstate(divide="ignore"):
            out = np.empty((len(X), len(share)))
            out[:] = np.log(share)
            return out


def _levelled(weight: Array) -> Array:
    """Classes that the heaviest outweighs by no more than rounding, which goes by the order of rows, weigh the same."""
    most = weight.max()
    return np.where(weight >= (1 - 1e-12) * most, most, weight)
