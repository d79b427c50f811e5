from typing import Any

from tenfold.neural_network.graphs.boolean_network import BooleanNetwork as BooleanNetwork
from tenfold.neural_network.graphs.network_graph import GraphGradients as GraphGradients
from tenfold.neural_network.graphs.network_graph import NetworkGraph as NetworkGraph
from tenfold.neural_network.mlp.mlp_classifier import MLPClassifier as MLPClassifier
from tenfold.neural_network.mlp.mlp_regressor import MLPRegressor as MLPRegressor
from tenfold.neural_network.rbf.rbf_network_classifier import RBFNetworkClassifier as RBFNetworkClassifier
from tenfold.neural_network.rbf.rbf_network_regressor import RBFNetworkRegressor as RBFNetworkRegressor
from tenfold.neural_network.sequences.rnn_classifier import RNNClassifier as RNNClassifier
from tenfold.neural_network.sequences.rnn_regressor import RNNRegressor as RNNRegressor
from tenfold.neural_network.sequences.transformer_classifier import TransformerClassifier as TransformerClassifier

def __getattr__(name: str) -> Any: ...
