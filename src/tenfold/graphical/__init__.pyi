from typing import Any

from tenfold.graphical.bayesian_network import BayesianNetwork as BayesianNetwork
from tenfold.graphical.bayesian_network_density import BayesianNetworkDensity as BayesianNetworkDensity
from tenfold.graphical.bayesian_network_em import BayesianNetworkEM as BayesianNetworkEM
from tenfold.graphical.likelihood_weighting import SampledPosterior as SampledPosterior
from tenfold.graphical.probability_table import ProbabilityTable as ProbabilityTable
from tenfold.graphical.probability_table import bayes_rule as bayes_rule
from tenfold.graphical.tree_augmented_nb import TreeAugmentedNB as TreeAugmentedNB

def __getattr__(name: str) -> Any: ...
