"""The classifier that does not look: argmin_c Σ wᵢ 1[yᵢ ≠ c] is the most frequent class, whatever a row says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from tenfold.core import ONE, Array, Chunk, Claim, Codes, Columns, Need, Schema
from tenfold.core.allowed import NOT_NEGATIVE
from tenfold.core.statistic import Grouped
from tenfold.estimator import Classifier
from tenfold.estimator.constraints import choice


@dataclass(frozen=True, eq=False)
class ClassWeights:
    """Weight of each class. It simply adds."""

    weight: Annotated[Array, "class", NOT_NEGATIVE]

    def __add__(self, other: ClassWeights) -> ClassWeights:
        return ClassWeights(self.weight + other.weight)


class WeightByClass(Grouped[ClassWeights]):
    """Weight of each class."""

    classes: int

    def summarize(self, chunk: Chunk) -> ClassWeights:
        """Sum the weights of the rows of each class."""
        weight = np.bincount(chunk.y, chunk.weight, self.classes)
        return ClassWeights(weight.astype(np.float64, copy=False))  # of no rows it is of whole numbers

    def summarize_groups(self, chunk: Chunk, codes: Codes, groups: int) -> list[ClassWeights]:
        """Sum the weights of each class within each group of rows, in one go."""
        k = self.classes
        found = np.bincount((codes + 1) * k + chunk.y, chunk.weight, (groups + 1) * k).astype(np.float64, copy=False)
        return [ClassWeights(weight) for weight in found.reshape(-1, k)[1:]]


class PriorState(NamedTuple):
    """Weight and share of each class."""

    step: int
    class_count: Annotated[Array, "class"]
    class_prior: Annotated[Array, "class"]


class DummyClassifier(Classifier):
    """Always the most frequent class: what any other classifier has to beat. Exact in one pass.

    The columns are not looked at, so that text and missing values may be among them.

    Parameters
    ----------
    strategy : {"prior", "most_frequent"}, default="prior"
        Both predict the most frequent class. As probabilities, "prior" gives the shares of the classes, and
        "most_frequent" 1 for the most frequent one.

    Attributes
    ----------
    classes_ : array
    class_count_, class_prior_ : array of shape (classes,)
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import DummyClassifier
    >>> model = DummyClassifier().fit([[1.0], [2.0], [3.0]], ["spam", "ham", "ham"])
    >>> model.predict([[9.0]]).tolist()
    ['ham']
    >>> print(model.certificate_["training error"])
    training error = 0.333333 (proved; data): always saying class number 0, the most frequent one
    """

    passes = ONE
    need = Need("mixed", missing=True, target="class")
    model_type = PriorState
    summary_types = (ClassWeights,)
    law_params: ClassVar[tuple[dict[str, Any], ...]] = (
        {},
        {"strategy": "most_frequent"},
    )
    _parameter_constraints: ClassVar[dict[str, Any]] = {"strategy": [choice("prior", "most_frequent")]}

    def __init__(self, strategy: str = "prior") -> None:
        self.strategy = strategy

    def start(self, schema: Schema) -> PriorState:
        """A state that knows no class shares yet."""
        k = len(schema.classes)
        return PriorState(0, np.zeros(k), np.zeros(k))

    def ask(self, state: PriorState) -> WeightByClass | None:
        """Once: the same weights serve both strategies."""
        return None if state.step else WeightByClass(len(state.class_count))

    def update(self, state: PriorState, s: ClassWeights) -> PriorState:
        """The share of the weight that each class has."""
        return PriorState(1, s.weight, s.weight / s.weight.sum())

    def certify(self, state: PriorState, s: ClassWeights) -> tuple[Claim, ...] | None:
        """No constant errs less on these rows, and this is how often it errs."""
        if not state.step:
            return None
        why = "no other class is more frequent: counted"
        always = f"always saying class number {_levelled(s.weight).argmax()}, the most frequent one"
        error = 1 - float(s.weight.max() / s.weight.sum())
        return (
            Claim("gap", 0.0, "proved", why, "objective"),
            Claim("training error", error, "proved", always, "data"),
        )

    def scores_from(self, state: PriorState, X: Columns) -> Array:
        """log P(c), the same for every row."""
        share = _levelled(state.class_prior)
        if self.strategy == "most_frequent":
            share = (np.arange(len(share)) == share.argmax()).astype(np.float64)
        with np.errstate(divide="ignore"):
            return np.tile(np.log(share), (len(X), 1))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags


def _levelled(weight: Array) -> Array:
    """Classes that the heaviest outweighs by no more than rounding, which goes by the order of rows, weigh the same."""
    return np.where(weight >= (1 - 1e-12) * weight.max(), weight.max(), weight)
