from typing import Any

from tenfold.preprocessing.bases.radial_basis import RadialBasis as RadialBasis
from tenfold.preprocessing.bases.sigmoid_basis import SigmoidBasis as SigmoidBasis
from tenfold.preprocessing.bases.spline_transformer import SplineTransformer as SplineTransformer
from tenfold.preprocessing.bases.tanh_basis import TanhBasis as TanhBasis
from tenfold.preprocessing.function_transformer import FunctionTransformer as FunctionTransformer
from tenfold.preprocessing.kbins_discretizer import KBinsDiscretizer as KBinsDiscretizer
from tenfold.preprocessing.max_abs_scaler import MaxAbsScaler as MaxAbsScaler
from tenfold.preprocessing.min_max_scaler import MinMaxScaler as MinMaxScaler
from tenfold.preprocessing.normalizer import Normalizer as Normalizer
from tenfold.preprocessing.one_hot_encoder import OneHotEncoder as OneHotEncoder
from tenfold.preprocessing.ordinal_encoder import OrdinalEncoder as OrdinalEncoder
from tenfold.preprocessing.polynomial_features import PolynomialFeatures as PolynomialFeatures
from tenfold.preprocessing.power_transformer import PowerTransformer as PowerTransformer
from tenfold.preprocessing.quantile_transformer import QuantileTransformer as QuantileTransformer
from tenfold.preprocessing.robust_scaler import RobustScaler as RobustScaler
from tenfold.preprocessing.standard_scaler import StandardScaler as StandardScaler
from tenfold.preprocessing.target_encoder import TargetEncoder as TargetEncoder

def __getattr__(name: str) -> Any: ...
