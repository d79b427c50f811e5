"""Networks of radial basis functions: h_j(x) = exp(-γ |x - c_j|²) for centres c_j, and a linear learner behind them.

The centres are those of k-means. Then every chunk is mapped to how near its rows are to them, and the linear learner
behind summarizes that: both halves are learners by themselves, and merge as they do.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, replace
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from tenfold.cluster.kmeans import KMeans
from tenfold.core import MANY, Array, Chunk, Claim, Columns, DataError, Need, Schema
from tenfold.core.axes import Bundle
from tenfold.core.contract import RecordTypes
from tenfold.core.field_values import CLASS_COUNT
from tenfold.core.learner import Done
from tenfold.core.statistic import Expression
from tenfold.estimator import Estimator, fitted
from tenfold.estimator.ensembles.members import NO_RECORD, advance, resumable_member, sound_member, with_members
from tenfold.estimator.shell.constraints import choice, integer, real, seed
from tenfold.kernels.numeric import GaussianKernel
from tenfold.stats.combinators import After, Continue, Each, Inside, Stage
from tenfold.stats.member_summaries import Joint


class Hidden(Stage):
    """The hidden layer: it makes of rows how near each is to the centres."""

    centers: Array
    gamma: float

    def stage(self, chunk: Chunk) -> Chunk:
        return chunk._replace(X=self.of(chunk.X))

    def of(self, X: Columns) -> Columns:
        """Rows as the linear learner sees them."""
        out = np.empty((len(X), len(self.centers)))
        compare = GaussianKernel(self.gamma).prepared(self.centers)
        for rows, block in X.blocks(X.block_rows(len(self.centers))):
            out[rows] = compare(block)
        return Columns(out, offset=X.offset, kept=X.kept, place=X.place)


class Centers(KMeans):
    """k-means for the places of hidden units: they need not be the best, so nothing bounds how good they could be."""

    bounds = False


class Placing(NamedTuple):
    """The state while k-means looks for the centres."""

    step: int
    schema: Schema
    clusters: Bundle


class FittingOutput(NamedTuple):
    """The state while the linear learner finds the weights of the hidden layer."""

    step: int
    schema: Schema
    centers: Annotated[Array, "center", "column"]
    gamma: float
    clusters: Bundle
    """the model and the last summary of k-means"""
    last: Bundle


class RBFModel(NamedTuple):
    """The centres, how far each reaches, and the linear learner's model."""

    centers: Annotated[Array, "center", "column"]
    gamma: float
    n_classes: Annotated[int, CLASS_COUNT]
    clusters: Bundle
    """the model and the last summary of k-means"""
    last: Bundle
    """the model of the linear learner"""


class RBFNetwork(Estimator):
    """What both networks share. A subclass writes `output()`: the linear learner behind the hidden layer."""

    passes = MANY
    need: ClassVar[Need]
    hidden = frozenset({"n_classes", "clusters", "last"})

    n_centers: Annotated[int, integer(1)] = 10
    _: KW_ONLY
    gamma: Annotated[float | str, choice("auto"), real(0, open=True)] = "auto"
    random_state: Annotated[int | None, seed] = 0

    def output(self) -> Any:
        """The linear learner behind the hidden layer, not fitted."""
        raise NotImplementedError

    def clusters(self) -> Any:
        """The learner of the centres, not fitted."""
        return Centers(self.n_centers, random_state=self.random_state)

    @property
    def record_types(self) -> RecordTypes:
        return with_members(super().record_types, (self.clusters(), self.output()))

    # ---- the fit: centres, then weights ----------------------------------------------------------------

    def start(self, schema: Schema) -> Placing:
        """Where the clusters of the hidden units start."""
        return Placing(0, schema, Bundle((self.clusters().start(schema),)))

    def ask(self, state: Placing | FittingOutput | Done) -> Expression | None:
        """The question of k-means; then that of the linear learner, about the outputs of the hidden layer."""
        match state:
            case Placing():
                return Each((Continue("clusters", self.clusters().ask(state.clusters.each[0])),))
            case FittingOutput():
                asked = Continue("last", self.output().ask(state.last.each[0]))
                layer = Hidden(state.centers, state.gamma)
                return Each((After((layer, Inside()), asked, keep=True),), state.last.width)
        return None

    def update(self, state: Placing | FittingOutput, summary: Joint) -> Placing | FittingOutput | Done:
        """One turn of k-means, or of the linear learner."""
        mine, step = summary.each.each[0], state.step + 1
        if isinstance(state, Placing):
            after, done = advance(self.clusters(), state.clusters.each[0], mine, state.schema)
            if not done:
                return Placing(step, state.schema, Bundle((after,)))
            return self._weighing(step, state.schema, after, self.clusters().kept_summary(after, mine))
        after, done = advance(self.output(), state.last.each[0], mine, state.last.schema(state.schema))
        last = replace(state.last, each=(after,))
        if not done:
            return state._replace(step=step, last=last)
        classes = 0 if state.schema.classes is None else len(state.schema.classes)
        return Done.of(RBFModel(state.centers, state.gamma, classes, state.clusters, last), step)

    def _weighing(self, step: int, schema: Schema, clusters: Any, summary: Any) -> FittingOutput:
        """The centres stay where they are; the linear learner is at its own start."""
        centers = np.unique(clusters.cluster_centers, axis=0)
        gamma = falling(centers) if self.gamma == "auto" else float(self.gamma)
        last = Bundle((), len(centers))
        last = replace(last, each=(self.output().start(last.schema(schema)),))
        return FittingOutput(step, schema, centers, gamma, Bundle((clusters, summary)), last)

    def model(self, state: Placing | FittingOutput | Done) -> RBFModel | None:
        return state.model if isinstance(state, Done) else None

    def certify(self, model: RBFModel, s: Joint) -> tuple[Claim, ...] | None:
        """What the linear learner claims of the weights, and k-means of the centres."""
        weights = self.output().certify(model.last.each[0], s.each.each[0])
        places = self.clusters().certify(model.clusters.each[0], model.clusters.each[1])
        if weights is None or places is None:
            return None
        return (*weights, *(c._replace(kind=f"centers: {c.kind}") for c in places if c.kind != "gap"))

    def kept_summary(self, model: RBFModel, summary: Joint) -> Joint:
        # That of the linear learner; what k-means has stands in the model.
        last = self.output().kept_summary(model.last.each[0], summary.each.each[0])
        return replace(summary, each=replace(summary.each, each=(last,)))

    # ---- the fitted network ----------------------------------------------------------------------------

    def seen_by_output(self, model: RBFModel, X: Columns) -> Columns:
        """Rows as the linear learner sees them."""
        return Hidden(model.centers, model.gamma).of(X)

    @property
    @fitted
    def coef_(self) -> Array:
        """The weight of each hidden unit."""
        found: Array = self._weights("coef_").coef
        return found

    @property
    @fitted
    def intercept_(self) -> float | Array:
        """The output far away from all centres."""
        found: float | Array = self._weights("intercept_").intercept
        return found

    def _weights(self, name: str) -> Any:
        if "model_" not in self.__dict__:
            raise AttributeError(name)
        return self.model_.last.each[0]

    def is_valid(self, model: RBFModel, summary: Joint | None, schema: Schema) -> bool:
        return self._sound(model, summary, schema, sound_member)

    def resumable(self, state: Placing | FittingOutput | Done, summary: Joint | None, schema: Schema) -> bool:
        match state:
            case Placing() if summary is not None and len(state.clusters.each) == len(summary.each.each) == 1:
                return resumable_member(self.clusters(), state.clusters.each[0], summary.each.each[0], schema)
            case FittingOutput():
                return self._sound(state, summary, schema, resumable_member)
        return isinstance(state, Done)

    def _sound(self, record: RBFModel | FittingOutput, summary: Joint | None, schema: Schema, fits: Any) -> bool:
        last, clusters = record.last, record.clusters
        if (last.width, last.beside, len(last.each), len(clusters.each)) != (len(record.centers), False, 1, 2):
            return False
        if summary is not None and (type(summary) is not Joint or len(summary.each.each) != 1):
            return False
        mine = NO_RECORD if summary is None else summary.each.each[0]
        whole = record.gamma > 0 and sound_member(self.clusters(), clusters.each[0], clusters.each[1], schema)
        return whole and fits(self.output(), last.each[0], mine, last.schema(schema))


def falling(centers: Array) -> float:
    """How fast the functions fall: 1 / (2 d²), d the mean distance of a centre from the nearest other one."""
    if len(centers) == 1:
        return 1.0
    apart = cdist(centers, centers)
    np.fill_diagonal(apart, np.inf)
    gamma = 0.5 / float(apart.min(axis=1).mean()) ** 2
    if not 0 < gamma < np.inf:
        far = "the centres are so far apart, or so near, that gamma is beyond the range of float64"
        raise DataError(f"{far}. Remedy: rescale the columns with MaxAbsScaler, or give gamma")
    return gamma
