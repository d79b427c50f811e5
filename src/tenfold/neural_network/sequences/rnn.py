"""What RNNClassifier and RNNRegressor share: a recurrent network below, and its parameters."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any

from tenfold.core import Array, Chunk, MatrixLike, Schema, VectorLike
from tenfold.estimator import fitted
from tenfold.estimator.shell.constraints import choice, integer
from tenfold.estimator.shell.parameters import Behind
from tenfold.neural_network.sequences.recurrent import GATES, Recurrent
from tenfold.neural_network.sequences.sequence_network import Sequences
from tenfold.neural_network.sequences.sequence_training import UNITS, SequenceNetworkModel, SequenceTraining


class RNN(SequenceTraining):
    """A network of sequences whose code is the last state of a recurrent network."""

    law_params = (
        {"hidden_size": 3, "max_iter": 2},
        {"hidden_size": 3, "max_iter": 2, "cell": "lstm", "num_layers": 2, "early_stopping": True, "batch_size": 5},
        {"hidden_size": 3, "max_iter": 2, "cell": "simple", "truncate": 2, "shuffle": False, "batch_size": 200},
    )

    hidden_size: Annotated[int, integer(1, UNITS)] = 32
    _: KW_ONLY
    cell: Annotated[str, choice(*GATES), Behind("hidden_size")] = "gru"
    num_layers: Annotated[int, integer(1, 64), Behind("cell")] = 1
    truncate: Annotated[int | None, integer(1, 1 << 40), None, Behind("num_layers")] = None

    def _encoder(self, schema: Schema) -> Recurrent:
        features, truncate = int(schema.size("feature") or 0), int(self.truncate or 0)
        return Recurrent(features, int(self.hidden_size), int(self.num_layers), self.cell, truncate)

    @fitted
    def hidden_states(self, X: MatrixLike, lengths: VectorLike = None) -> list[Array]:
        """The states of the network after each row of a sequence: the network unrolled in time.

        Parameters
        ----------
        X : array, frame or Source
        lengths : int array, optional
            How many rows each sequence has. By default all rows are one sequence.

        Returns
        -------
        states : list of array of shape (layers, rows, units)
            One for each sequence. The last state of the last layer is what the answer is made of.
        """
        estimator: Any = self
        return [one for some in estimator._each(_states, X, lengths) for one in some]


def _states(learner: RNN, model: SequenceNetworkModel, chunk: Chunk) -> list[Array]:
    """The states of each sequence of a chunk."""
    encoder, some = learner._encoder(model.schema), Sequences.of(chunk, model.schema.levels)
    given = learner._network(model.schema).arrays(model.weights)[:-2]
    return [encoder.states(given, some.features[at : at + n]) for at, n in zip(some.starts, some.lengths, strict=True)]
