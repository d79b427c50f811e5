from typing import Any

from tenfold.display.column_profiles import ProfileDisplay as ProfileDisplay
from tenfold.display.contributions import ContributionsDisplay as ContributionsDisplay
from tenfold.display.evaluation.calibration import CalibrationDisplay as CalibrationDisplay
from tenfold.display.evaluation.confusion_matrix import ConfusionMatrixDisplay as ConfusionMatrixDisplay
from tenfold.display.evaluation.learning_curves import LearningCurveDisplay as LearningCurveDisplay
from tenfold.display.evaluation.learning_curves import ValidationCurveDisplay as ValidationCurveDisplay
from tenfold.display.evaluation.live_loss_curve import LossCurveCallback as LossCurveCallback
from tenfold.display.evaluation.loss_curve import LossCurveDisplay as LossCurveDisplay
from tenfold.display.evaluation.margin_distribution import MarginsDisplay as MarginsDisplay
from tenfold.display.evaluation.precision_recall import PrecisionRecallDisplay as PrecisionRecallDisplay
from tenfold.display.evaluation.roc_curve import RocCurveDisplay as RocCurveDisplay
from tenfold.display.models.activations import ActivationsDisplay as ActivationsDisplay
from tenfold.display.models.attention import AttentionDisplay as AttentionDisplay
from tenfold.display.models.caterpillar import CaterpillarDisplay as CaterpillarDisplay
from tenfold.display.models.cell_heatmap import CellHeatmapDisplay as CellHeatmapDisplay
from tenfold.display.models.cell_panels import CellPanelsDisplay as CellPanelsDisplay
from tenfold.display.models.clusters import ElbowDisplay as ElbowDisplay
from tenfold.display.models.clusters import SilhouetteDisplay as SilhouetteDisplay
from tenfold.display.models.decision_boundary import DecisionBoundaryDisplay as DecisionBoundaryDisplay
from tenfold.display.models.decision_boundary import VoronoiDisplay as VoronoiDisplay
from tenfold.display.models.network import NetworkDisplay as NetworkDisplay
from tenfold.display.models.nomogram import NomogramDisplay as NomogramDisplay
from tenfold.display.models.tree_diagram import TreeDisplay as TreeDisplay
from tenfold.display.models.tree_plot import plot_tree as plot_tree
from tenfold.display.models.trellis_display import TrellisDisplay as TrellisDisplay
from tenfold.display.models.version_space_diagram import VersionSpaceDisplay as VersionSpaceDisplay
from tenfold.display.mutual_information import MutualInformationDisplay as MutualInformationDisplay
from tenfold.display.partial_dependence import PartialDependenceDisplay as PartialDependenceDisplay
from tenfold.display.permutation_importance import PermutationImportanceDisplay as PermutationImportanceDisplay
from tenfold.display.searches import SearchDisplay as SearchDisplay
from tenfold.display.theory import CoverDisplay as CoverDisplay
from tenfold.display.theory import ErrorBoundDisplay as ErrorBoundDisplay
from tenfold.display.theory import GrowthDisplay as GrowthDisplay
from tenfold.display.traces.trace_display import TraceDisplay as TraceDisplay

def __getattr__(name: str) -> Any: ...
