from tenfold import testing as testing
from tenfold import theory as theory
from tenfold.bayes.categorical_nb import CategoricalNB as CategoricalNB
from tenfold.bayes.gaussian_nb import GaussianNB as GaussianNB
from tenfold.cluster.kmeans import KMeans as KMeans
from tenfold.compose.ada_boost_classifier import AdaBoostClassifier as AdaBoostClassifier
from tenfold.concept.find_s import FindS as FindS
from tenfold.core.certificate import Certificate as Certificate
from tenfold.core.certificate import Claim as Claim
from tenfold.core.certificate import Provenance as Provenance
from tenfold.core.errors import DataError as DataError
from tenfold.core.errors import MergeError as MergeError
from tenfold.core.errors import ModelFileError as ModelFileError
from tenfold.core.stop import Gap as Gap
from tenfold.core.stop import Rounds as Rounds
from tenfold.core.stop import Seconds as Seconds
from tenfold.engine.dask import Dask as Dask
from tenfold.engine.local import Local as Local
from tenfold.engine.running import on as on
from tenfold.estimator.checkpoint import Checkpoint as Checkpoint
from tenfold.estimator.model_file import load as load
from tenfold.estimator.registry import register as register
from tenfold.evaluate.cross_validate import cross_validate as cross_validate
from tenfold.evaluate.fit_together import fit_together as fit_together
from tenfold.evaluate.results import CrossValidation as CrossValidation
from tenfold.evaluate.tune import Tuned as Tuned
from tenfold.evaluate.tune import tune as tune
from tenfold.linear.linear_regression import LinearRegression as LinearRegression
from tenfold.linear.ridge import Ridge as Ridge
from tenfold.preprocessing.max_abs_scaler import MaxAbsScaler as MaxAbsScaler
from tenfold.preprocessing.min_max_scaler import MinMaxScaler as MinMaxScaler
from tenfold.preprocessing.one_hot import OneHot as OneHot
from tenfold.preprocessing.standard_scaler import StandardScaler as StandardScaler
from tenfold.preprocessing.unit_vector import UnitVector as UnitVector
from tenfold.sources.scan import scan as scan

__version__: str
__all__: list[str]
