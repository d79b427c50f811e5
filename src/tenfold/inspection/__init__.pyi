from typing import Any

from tenfold.inspection.contributions.contributions_result import Contributions as Contributions
from tenfold.inspection.contributions.explain import explain as explain
from tenfold.inspection.dependence.mutual_information_matrix import MutualInformationMatrix as MutualInformationMatrix
from tenfold.inspection.dependence.mutual_information_matrix import mutual_information_matrix as mutual_information_matrix
from tenfold.inspection.dependence.partial_dependence import partial_dependence as partial_dependence
from tenfold.inspection.dependence.partial_dependence_result import PartialDependence as PartialDependence
from tenfold.inspection.dependence.split_gains import SplitGains as SplitGains
from tenfold.inspection.dependence.split_gains import split_gains as split_gains
from tenfold.inspection.drift.drift import Drift as Drift
from tenfold.inspection.drift.drift import drift as drift
from tenfold.inspection.importance.permutation_importance import permutation_importance as permutation_importance
from tenfold.inspection.importance.permutation_importance_result import PermutationImportance as PermutationImportance
from tenfold.inspection.profile.description import ColumnDescription as ColumnDescription
from tenfold.inspection.profile.description import Description as Description
from tenfold.inspection.profile.profile import Profile as Profile
from tenfold.inspection.shapley.tree_shap import TreeShap as TreeShap
from tenfold.inspection.traces.ada_boost_trace import AdaBoostTrace as AdaBoostTrace
from tenfold.inspection.traces.kmeans_trace import KMeansTrace as KMeansTrace
from tenfold.inspection.traces.perceptron_trace import PerceptronTrace as PerceptronTrace
from tenfold.inspection.traces.sliq_trace import SLIQTrace as SLIQTrace
from tenfold.inspection.traces.trace import trace as trace
from tenfold.inspection.traces.unrolled_network import UnrolledNetwork as UnrolledNetwork
from tenfold.inspection.traces.version_space_trace import VersionSpaceTrace as VersionSpaceTrace

def __getattr__(name: str) -> Any: ...
