from typing import Any

from tenfold.inspection.dependence.mutual_information_matrix import MutualInformationMatrix as MutualInformationMatrix
from tenfold.inspection.dependence.mutual_information_matrix import mutual_information_matrix as mutual_information_matrix
from tenfold.inspection.dependence.partial_dependence import partial_dependence as partial_dependence
from tenfold.inspection.dependence.partial_dependence_result import PartialDependence as PartialDependence
from tenfold.inspection.dependence.split_gains import SplitGains as SplitGains
from tenfold.inspection.dependence.split_gains import split_gains as split_gains
from tenfold.inspection.importance.permutation_importance import permutation_importance as permutation_importance
from tenfold.inspection.importance.permutation_importance_result import PermutationImportance as PermutationImportance
from tenfold.inspection.shapley.tree_shap import TreeShap as TreeShap

def __getattr__(name: str) -> Any: ...
