"""What networks of whole sequences share: epochs of Adam along batches of sequences."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, ClassVar, NamedTuple, TypeAlias

import numpy as np

from tenfold.core import Array, Chunk, Schema
from tenfold.estimator import fitted
from tenfold.estimator.epochs import Epoch
from tenfold.estimator.sequences.sequence_kinds import SequenceClassifier
from tenfold.estimator.shell.constraints import boolean, integer, real, seed, share
from tenfold.neural_network.sequences.recurrent import Recurrent
from tenfold.neural_network.sequences.sequence_network import SequenceNetwork, Sequences
from tenfold.neural_network.sequences.sequence_statistics import AdamRule, SequenceEpoch, SequenceGradient
from tenfold.neural_network.sequences.transformer import TransformerEncoder
from tenfold.neural_network.training import NetworkState, NetworkSummary, TrainedNetwork, Training

UNITS = 1 << 14
"""of a layer, at most"""
BETAS, EPSILON = (0.9, 0.999), 1e-8
"""of Adam, as everywhere"""


class SequenceNetworkModel(NamedTuple):
    """The weights of a network of sequences, and where it goes on if more sequences come."""

    weights: Annotated[Array, "parameter"]
    n_iter: int
    training: Training
    schema: Schema


State: TypeAlias = NetworkState[SequenceNetworkModel]


class SequenceTraining(TrainedNetwork[State, NetworkSummary, SequenceNetworkModel]):
    """What networks of whole sequences share. A subclass writes `_encoder(schema)`."""

    hidden: ClassVar[frozenset[str]] = frozenset({"training", "weights", "schema"})
    _examples = "sequences"

    _: KW_ONLY
    alpha: Annotated[float, real(0)] = 1e-4
    batch_size: Annotated[int, integer(1, 1 << 24)] = 32
    learning_rate_init: Annotated[float, real(0, open=True)] = 3e-3
    max_iter: Annotated[int, integer(1)] = 100
    shuffle: Annotated[bool, boolean] = True
    random_state: Annotated[int | None, seed] = 0
    tol: Annotated[float, real(0)] = 1e-4
    n_iter_no_change: Annotated[int, integer(1)] = 10
    early_stopping: Annotated[bool, boolean] = False
    validation_fraction: Annotated[float, share(open=True)] = 0.1

    def _encoder(self, schema: Schema) -> Recurrent | TransformerEncoder:
        """What makes a code of each sequence."""
        raise NotImplementedError

    def _network(self, schema: Schema) -> SequenceNetwork:
        """The shape of the network for rows of this schema."""
        outputs, loss = 1, "squared_error"
        if self.need.target == "class":
            classes = len(schema.classes)
            outputs, loss = (1, "log_loss") if classes <= 2 else (classes, "cross_entropy")
        return SequenceNetwork(self._encoder(schema), outputs, loss)

    def _epoch(self, state: Epoch[Training]) -> SequenceEpoch:
        schema, start = state.schema, state.training.summary
        rule = AdamRule(int(self.batch_size), float(self.learning_rate_init), float(self.alpha), *BETAS, EPSILON)
        how = (self.turn(state), bool(self.shuffle), schema.levels, start, self._network(schema), rule)
        return SequenceEpoch(*how, self._holdout(), order=self.order(state) or 0)

    def _gradient(self, schema: Schema, training: Training, weights: Array, learned: bool = True) -> SequenceGradient:
        return SequenceGradient(self._network(schema), weights, schema.levels, self._holdout(), learned)

    def model(self, state: State) -> SequenceNetworkModel | None:
        return super().model(state)

    def _model_of(self, step: int, schema: Schema, training: Training) -> SequenceNetworkModel:
        return SequenceNetworkModel(training.best, step, training, schema)

    def _outputs(self, model: SequenceNetworkModel, chunk: Chunk) -> Array:
        """What the outputs say of each sequence."""
        return Sequences.of(chunk, model.schema.levels).outputs_of(self._network(model.schema), model.weights)

    @property
    @fitted
    def parameters_(self) -> dict[str, Array]:
        """The arrays of weights by name."""
        network = self._network(self.model_.schema)
        return dict(zip(network.shapes, network.arrays(self.model_.weights)))


class SequenceNetworkClassifier(SequenceTraining, SequenceClassifier):
    """What classifiers by such networks share: softmax of the outputs, or one logistic output for two classes."""

    def scores_from(self, model: SequenceNetworkModel, chunk: Chunk) -> Array:
        # What the outputs say of each class; of two classes the first has zero.
        f = self._outputs(model, chunk)
        if f.shape[1] > 1 or len(model.schema.classes) == 1:
            return f
        return np.column_stack([np.zeros(len(f)), f])
