"""Regression of whole sequences by a recurrent network: ½ (f - y)² of a linear output above the last state."""

from __future__ import annotations

import numpy as np

from tenfold.core import Array, Chunk, Need
from tenfold.estimator.sequences.sequence_kinds import SequenceRegressor
from tenfold.neural_network.sequences.rnn import RNN
from tenfold.neural_network.sequences.sequence_training import SequenceNetworkModel


class RNNRegressor(RNN, SequenceRegressor):
    """Recurrent neural network for numbers of whole sequences, trained by backpropagation through time; sequential.

    Each sequence has one target, and as many rows as it has: in memory `lengths` says how many, a source names its
    sequences, `tenfold.scan(sequence=)`. Categories are features that are 0 or 1. Gradients are made by PyTorch (`pip
    install "tenfold[neural]"`) in double precision, on one thread; a model that is loaded predicts without it. Columns
    of very different scales train badly: put `StandardScaler` before it.

    Parameters
    ----------
    hidden_size : int, default=32
        Units of the state.
    cell : {"gru", "lstm", "simple"}, default="gru"
        What makes a state of the one before and a row: gates that keep what matters, or tanh of a sum ("simple"), which
        forgets sooner.
    num_layers : int, default=1
        Layers of cells, each with the states of the one below as its rows.
    truncate : int, optional
        How many rows gradients go back from the end of a sequence (truncated backpropagation through time); all by
        default. States still come from all rows, and the certificate looks at the whole gradient.
    alpha : float, default=0.0001
        Strength of the penalty of squared weights, divided by the weight of the batch.
    batch_size : int, default=32
        Sequences to a step.
    learning_rate_init : float, default=0.003
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
    parameters_ : dict of str to array
        Of each layer, by PyTorch's names: "weight_ih_l0", "weight_hh_l0", and so on; "head_W" and "head_b" above.
    loss_curve_ : array of shape (epochs,)
    validation_scores_ : array of shape (epochs,)
        With `early_stopping`: R² of the validation sequences.
    best_loss_ : float
    n_iter_ : int
        Epochs.
    certificate_ : Certificate
        How steep the objective is at the end. That nothing lower exists is not claimed.

    Examples
    --------
    The sum of a sequence:

    >>> import numpy as np
    >>> from tenfold import RNNRegressor
    >>> X, lengths = np.random.default_rng(0).uniform(-1, 1, (300, 1)), [3] * 50 + [5] * 30
    >>> sums = [one.sum() for one in np.split(X, np.cumsum(lengths)[:-1])]
    >>> model = RNNRegressor(8, max_iter=60, learning_rate_init=0.02).fit(X, sums, lengths=lengths)
    >>> bool(model.score(X, sums, lengths=lengths) > 0.95)
    True
    """

    need = Need("mixed", target="number", sequence="", per_sequence=True)

    def predict_from(self, model: SequenceNetworkModel, chunk: Chunk) -> Array:
        return np.ascontiguousarray(self._outputs(model, chunk)[:, 0])
