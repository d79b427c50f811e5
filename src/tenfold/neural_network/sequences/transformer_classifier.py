"""Classification of whole sequences by a transformer: a linear layer above the mean of its rows, or above a decoder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY
from functools import partial
from typing import Annotated

import numpy as np

from tenfold.core import Array, Chunk, Need, Schema
from tenfold.core.arrays import MatrixLike, VectorLike
from tenfold.estimator import fitted
from tenfold.estimator.shell.constraints import integer, real
from tenfold.estimator.shell.parameters import Behind
from tenfold.neural_network.sequences.sequence_network import Sequences
from tenfold.neural_network.sequences.sequence_training import UNITS, SequenceNetworkClassifier, SequenceNetworkModel
from tenfold.neural_network.sequences.transformer import TransformerEncoder


class TransformerClassifier(SequenceNetworkClassifier):
    """Transformer for classes of whole sequences: encoder and decoder of attention, by backpropagation; sequential.

    Rows are projected, get a code of their place (sines and cosines), and look at each other in each layer; a sequence
    is predicted from the mean of its rows. `attention` shows where they look. With `n_decoder_layers` a decoder comes
    after the encoder: a query that is learned looks at the rows, and the class is predicted from what it has found;
    `decoder_attention` shows at which rows.

    Each sequence has one target, and as many rows as it has: in memory `lengths` says how many, a source names its
    sequences, `tenfold.scan(sequence=)`. Categories are features that are 0 or 1. Gradients are made by PyTorch (`pip
    install "tenfold[neural]"`) in double precision, on one thread; a model that is loaded predicts without it. Columns
    of very different scales train badly: put `StandardScaler` before it.

    Parameters
    ----------
    d_model : int, default=32
        Dimension of the representation of a row between layers: a multiple of `n_heads`.
    n_heads : int, default=4
        Attentions side by side in each layer.
    n_layers : int, default=2
        Layers of attention, each over the outputs of the one below.
    n_decoder_layers : int, default=0
        Layers of the decoder. 0: none, and the mean of the rows is used.
    dim_feedforward : int, default=64
        Units of the hidden layer that each row goes through after it has looked at others.
    alpha : float, default=0.0001
        Strength of the penalty of squared weights, divided by the weight of the batch.
    batch_size : int, default=32
        Sequences to a step.
    learning_rate_init : float, default=0.001
        The step length of Adam.
    max_iter : int, default=100
        Epochs at most.
    shuffle : bool, default=True
        Whether to take sequences in another order in each epoch: parts, and sequences in windows of some hundreds.
    random_state : int, default=0
        Seed of the first weights, the order and the validation sequences. None draws one, and the certificate records
        it.
    tol : float, default=0.0001
        Stop when neither the loss falls, nor the validation score rises, by this much for more than
        `n_iter_no_change` epochs.
    n_iter_no_change : int, default=10
        How many epochs in a row may bring no improvement of `tol` before the fit stops.
    early_stopping : bool, default=False
        Whether to hold out sequences for validation, and to keep the weights of the epoch with the best validation
        score.
    validation_fraction : float, default=0.1
        The share of sequences set aside for validation.

    Attributes
    ----------
    classes_ : array
    parameters_ : dict of str to array
        Such as "project_W", "layer0_qkv_W" (queries, keys and values side by side), "layer0_out_W", "head_W".
    loss_curve_ : array of shape (epochs,)
    validation_scores_ : array of shape (epochs,)
        With `early_stopping`: accuracy of the validation sequences.
    best_loss_ : float
    n_iter_ : int
        Epochs.
    certificate_ : Certificate
        How steep the objective is at the end. That nothing lower exists is not claimed.

    Examples
    --------
    Whether an "x" is somewhere:

    >>> from tenfold import TransformerClassifier
    >>> words = ["abx", "ab", "xa", "bbab", "aaxb", "a", "xb", "bab"]
    >>> letters, lengths = [[letter] for word in words for letter in word], [len(word) for word in words]
    >>> model = TransformerClassifier(8, n_heads=2, n_layers=1, max_iter=40, learning_rate_init=0.02).fit(
    ...     letters, ["x" in word for word in words], lengths=lengths
    ... )
    >>> model.predict([["b"], ["x"], ["b"]]).tolist()  # one sequence
    [True]
    >>> [maps.shape for maps in model.attention(letters[:5], lengths=[3, 2])]  # layers, heads, rows, rows
    [(1, 2, 3, 3), (1, 2, 2, 2)]
    """

    need = Need("mixed", target="class", sequence="", per_sequence=True)
    law_params = (
        {"d_model": 4, "n_heads": 2, "n_layers": 1, "dim_feedforward": 3, "max_iter": 2},
        {"d_model": 4, "n_heads": 1, "dim_feedforward": 3, "max_iter": 2, "early_stopping": True, "batch_size": 5},
        {"d_model": 4, "n_layers": 1, "dim_feedforward": 3, "max_iter": 2, "shuffle": False, "batch_size": 200},
        {"d_model": 4, "n_heads": 2, "n_layers": 1, "n_decoder_layers": 2, "dim_feedforward": 3, "max_iter": 2},
    )

    d_model: Annotated[int, integer(1, UNITS)] = 32
    _: KW_ONLY
    n_heads: Annotated[int, integer(1, UNITS), Behind("d_model")] = 4
    n_layers: Annotated[int, integer(1, 64), Behind("n_heads")] = 2
    dim_feedforward: Annotated[int, integer(1, UNITS), Behind("n_layers")] = 64
    n_decoder_layers: Annotated[int, integer(0, 64), Behind("dim_feedforward")] = 0
    learning_rate_init: Annotated[float, real(0, open=True)] = 1e-3

    def _encoder(self, schema: Schema) -> TransformerEncoder:
        if self.d_model % self.n_heads:
            raise ValueError(f"d_model={self.d_model} must be a multiple of n_heads={self.n_heads}")
        features = int(schema.size("feature") or 0)
        how = (self.d_model, self.n_layers, self.n_heads, self.dim_feedforward, self.n_decoder_layers)
        return TransformerEncoder(features, *map(int, how))

    @fitted
    def attention(self, X: MatrixLike, lengths: VectorLike = None) -> list[Array]:
        """How much each row of a sequence looks at each other one, in each head of each layer.

        Parameters
        ----------
        X : array, frame or Source
        lengths : int array, optional
            How many rows each sequence has. By default all rows are one sequence.

        Returns
        -------
        maps : list of array of shape (layers, heads, rows, rows)
            One for each sequence. Entry [l, h, i, j] is the share of row j in what row i gets from head h of layer l:
            those of a row i add up to one.
        """
        return [one for some in self._each(partial(_maps, TransformerEncoder.attention), X, lengths) for one in some]

    @fitted
    def decoder_attention(self, X: MatrixLike, lengths: VectorLike = None) -> list[Array]:
        """How much the query of the decoder looks at each row of a sequence, in each head of each layer.

        Parameters
        ----------
        X : array, frame or Source
        lengths : int array, optional
            How many rows each sequence has. By default all rows are one sequence.

        Returns
        -------
        maps : list of array of shape (decoder layers, heads, rows)
            One for each sequence; the shares of the rows add up to one.
        """
        if not self.n_decoder_layers:
            raise ValueError(f"n_decoder_layers is 0: {type(self).__name__} has no decoder. Remedy: n_decoder_layers=1")
        each = self._each(partial(_maps, TransformerEncoder.decoder_attention), X, lengths)
        return [one for some in each for one in some]


def _maps(
    of: Callable[..., list[Array]], learner: TransformerClassifier, model: SequenceNetworkModel, chunk: Chunk
) -> list[Array]:
    """What a method of the encoder returns for each sequence."""
    network, some = learner._network(model.schema), Sequences.of(chunk, model.schema.levels)
    encoder, given = learner._encoder(model.schema), network.arrays(model.weights)[:-2]
    found: dict[int, Array] = {}
    for which, X, lengths in some.blocks(network, np.arange(len(some.lengths))):
        found |= dict(zip(which.tolist(), of(encoder, given, X, lengths)))
    return [found[at] for at in range(len(some.lengths))]
