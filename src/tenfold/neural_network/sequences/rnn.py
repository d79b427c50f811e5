"""What RNNClassifier and RNNRegressor share: a recurrent network below, and its parameters."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated

from tenfold.core import Schema
from tenfold.estimator.shell.constraints import choice, integer
from tenfold.estimator.shell.parameters import Behind
from tenfold.neural_network.sequences.recurrent import GATES, Recurrent
from tenfold.neural_network.sequences.sequence_training import UNITS, SequenceTraining


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
