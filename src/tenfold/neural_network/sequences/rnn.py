"""What RNNClassifier and RNNRegressor share: which recurrent network their parameters name."""

from __future__ import annotations

from typing import Protocol

from tenfold.core import Schema
from tenfold.neural_network.sequences.recurrent import Recurrent


class RecurrentLearner(Protocol):
    """A learner that has these parameters."""

    hidden_size: int
    cell: str
    num_layers: int
    truncate: int | None


def recurrent(learner: RecurrentLearner, schema: Schema) -> Recurrent:
    """The network of a learner, for rows of this schema."""
    features, truncate = int(schema.size("feature") or 0), int(learner.truncate or 0)
    return Recurrent(features, int(learner.hidden_size), int(learner.num_layers), learner.cell, truncate)
