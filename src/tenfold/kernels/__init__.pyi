from typing import Any

from tenfold.kernels.algebra import ColumnsKernel as ColumnsKernel
from tenfold.kernels.algebra import ConstantKernel as ConstantKernel
from tenfold.kernels.algebra import Kernel as Kernel
from tenfold.kernels.algebra import NormalizedKernel as NormalizedKernel
from tenfold.kernels.algebra import PowerKernel as PowerKernel
from tenfold.kernels.algebra import ProductKernel as ProductKernel
from tenfold.kernels.algebra import ScaledKernel as ScaledKernel
from tenfold.kernels.algebra import SeriesKernel as SeriesKernel
from tenfold.kernels.algebra import SumKernel as SumKernel
from tenfold.kernels.feature_maps import FeatureMap as FeatureMap
from tenfold.kernels.feature_maps import feature_map as feature_map
from tenfold.kernels.given_kernels import CallableKernel as CallableKernel
from tenfold.kernels.given_kernels import FunctionKernel as FunctionKernel
from tenfold.kernels.given_kernels import PrecomputedKernel as PrecomputedKernel
from tenfold.kernels.gram_matrix import PSDResult as PSDResult
from tenfold.kernels.gram_matrix import gram as gram
from tenfold.kernels.gram_matrix import hadamard as hadamard
from tenfold.kernels.gram_matrix import is_psd as is_psd
from tenfold.kernels.gram_matrix import kronecker as kronecker
from tenfold.kernels.kernel_names import as_kernel as as_kernel
from tenfold.kernels.numeric import AdditiveChi2Kernel as AdditiveChi2Kernel
from tenfold.kernels.numeric import Chi2Kernel as Chi2Kernel
from tenfold.kernels.numeric import GaussianKernel as GaussianKernel
from tenfold.kernels.numeric import LaplacianKernel as LaplacianKernel
from tenfold.kernels.numeric import LinearKernel as LinearKernel
from tenfold.kernels.numeric import MatrixKernel as MatrixKernel
from tenfold.kernels.numeric import PolynomialKernel as PolynomialKernel
from tenfold.kernels.numeric import SigmoidKernel as SigmoidKernel
from tenfold.kernels.proof import Proof as Proof
from tenfold.kernels.structured import MismatchKernel as MismatchKernel
from tenfold.kernels.structured import SetKernel as SetKernel
from tenfold.kernels.structured import SpectrumKernel as SpectrumKernel
from tenfold.kernels.structured import TreeKernel as TreeKernel

def __getattr__(name: str) -> Any: ...
