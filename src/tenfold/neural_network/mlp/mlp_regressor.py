"""Regression by a multi-layer perceptron: ½ (f(x) - y)² of its one output."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated

from tenfold.core import Array, Columns, Need, Remedy, Schema
from tenfold.estimator import Regressor, fitted
from tenfold.estimator.shell.keywords import Refused
from tenfold.estimator.shell.parameters import Behind
from tenfold.neural_network.mlp.mlp import MLP, MLPModel

squared_errors_only = Refused(
    "networks of numbers are fitted by squared errors",
    Remedy("tn.PoissonRegressor()", "for counts"),
    ("squared_error",),
)


class MLPRegressor(MLP, Regressor):
    """Multi-layer perceptron for numbers: a feed-forward network, trained by backpropagation; sequential.

    Gradients are made by PyTorch (`pip install "tenfold[neural]"`) in double precision, on one thread; a model that
    is loaded predicts without it. Columns of very different scales, or a target of large numbers, train badly: put
    `StandardScaler` before it, and rescale the target.

    Parameters
    ----------
    hidden_layer_sizes : int or sequence of int, default=(100,)
        Units of each hidden layer; () has none, and the model is linear.
    activation : {"relu", "leaky_relu", "tanh", "logistic", "identity"}, default="relu"
        What hidden units make of their input z: max(z, 0); the same with 0.01 z below 0; tanh z; 1 / (1 + e⁻ᶻ); z.
    solver : {"adam", "sgd", "lbfgs", "cg"}, default="adam"
        "adam" and "sgd" learn from mini-batches, one part after another. "lbfgs" and "cg" (conjugate gradients of Polak
        and Ribière) look at all rows in every round: the gradients of parts are summed, on any runner, with the same
        bits on any number of workers.
    alpha : float, default=0.0001
        Strength of the penalty of squared coefficients, divided by the weight of the batch, or of all rows.
    batch_size : int or "auto", default="auto"
        Rows to a step; "auto" is 200. "lbfgs" and "cg" have no batches.
    learning_rate : {"constant", "invscaling", "adaptive"}, default="constant"
        Of "sgd": as it is; divided by (training rows so far + 1)^power_t after each epoch; divided by 5 whenever
        `n_iter_no_change` epochs in a row bring nothing, until it is 1e-6.
    learning_rate_init : float, default=0.001
        The first step length of "adam" and "sgd".
    power_t : float, default=0.5
        Exponent by which "invscaling" shortens steps.
    max_iter : int, default=200
        Epochs at most; with "lbfgs" and "cg" steps, each of one pass over the rows or some.
    shuffle : bool, default=True
        Whether to take rows in another order in each epoch: parts, and rows in windows of some thousands.
    random_state : int, default=0
        Seed of the first weights, the order, the validation rows and the units that drop out. None draws one, and the
        certificate records it.
    tol : float, default=0.0001
        Stop when neither the loss falls, nor the validation score rises, by this much for more than
        `n_iter_no_change` epochs; with "lbfgs" and "cg", when no entry of the gradient is larger.
    momentum : float, default=0.9
        Of "sgd": the share of the last step that is made again.
    nesterovs_momentum : bool, default=True
        Of "sgd": whether to look ahead where the momentum leads.
    early_stopping : bool, default=False
        Whether to set rows aside for validation, and to keep the weights of the epoch that predict them best.
        Not with "lbfgs" and "cg".
    validation_fraction : float, default=0.1
        The share of rows set aside for validation, drawn by their numbers in the source.
    beta_1, beta_2, epsilon : float, default=0.9, 0.999, 1e-8
        Of "adam": how long gradients, and their squares, are remembered; what keeps steps finite.
    n_iter_no_change : int, default=10
        How many epochs in a row may bring no improvement of `tol` before the fit stops.
    dropout : float, default=0.0
        The share of hidden units that are left out of each step, drawn again for every row. Not with "lbfgs"
        and "cg".
    l1_ratio : float, default=0.0
        The share of the penalty that is put on absolute values of coefficients, not on squares. Not with "lbfgs"
        and "cg".
    batch_norm : bool, default=False
        Whether sums of hidden units are normalised, before their activation: by mean and variance of the batch while
        learning (rows have their weights; a batch of one row is treated as in prediction), by running ones when
        predicting; then a learnt scale and shift. Not with "lbfgs" and "cg".
    embedding : int or "auto", optional
        Dimension of the embedding learned for each categorical column, instead of indicators; "auto" takes 1.6 n^0.56
        for n categories. A category that was not seen has zeros. None: each category is a feature.
    n_init : int, default=1
        Random starts, tried one after another; the one with the lowest objective is kept, with `early_stopping` that
        with the best validation score.
    warm_start : bool, default=False
        Whether a second `fit` starts from the weights of the first one.
    max_fun : int, default=15000
        Of "lbfgs" and "cg": passes over the rows at most.
    device : str, optional
        The device of PyTorch on which gradients are made, "cuda:0" say; None is "cpu". Bits are promised on the CPU
        alone. A fitted network predicts on the CPU.
    loss : optional
        As in scikit-learn; other values raise an error that names an alternative.
    verbose : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    coefs_, intercepts_ : list of array
        Of each layer: coefficients (units below, units above), and the constants of its units, as they predict:
        normalisation and embeddings are multiplied in.
    embeddings_ : dict of array
        With `embedding`: of each categorical column, by its name, a row of numbers for each category.
    loss_curve_ : array of shape (epochs,)
    validation_scores_ : array of shape (epochs,)
        With `early_stopping`: R² of the validation rows.
    loss_, best_loss_ : float
        Of the last epoch, and the lowest.
    best_validation_score_ : float or None
        The best of `validation_scores_`; None without `early_stopping`.
    n_iter_, n_layers_, n_outputs_, t_ : int
        Epochs; layers, that of the inputs included; units of the last; training rows in all epochs.
    certificate_ : Certificate
        How steep the objective is at the end. That nothing lower exists is not claimed.

    Examples
    --------
    >>> from tenfold import MLPRegressor
    >>> X = [[-1.0], [-0.5], [0.0], [0.5], [1.0]]
    >>> model = MLPRegressor(8, "tanh", solver="lbfgs", alpha=0.0).fit(X, [1.0, 0.25, 0.0, 0.25, 1.0])
    >>> bool(abs(model.predict([[0.5]])[0] - 0.25) < 0.05)
    True
    """

    need = Need("mixed", sparse=True, target="number")

    _: KW_ONLY
    loss: Annotated[str, squared_errors_only, Behind("device")] = "squared_error"

    def _outputs(self, schema: Schema) -> tuple[int, str]:
        return 1, "squared_error"

    def predict_from(self, model: MLPModel, X: Columns) -> Array:
        """Predict the outputs of the network."""
        return self.scores(model, X)[:, 0]

    @property
    @fitted
    def out_activation_(self) -> str:
        """What the output goes through: nothing."""
        return "identity"
