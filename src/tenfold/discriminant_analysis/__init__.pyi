from typing import Any

from tenfold.discriminant_analysis.fisher_discriminant import FisherDiscriminant as FisherDiscriminant
from tenfold.discriminant_analysis.linear_discriminant_analysis import LinearDiscriminantAnalysis as LinearDiscriminantAnalysis
from tenfold.discriminant_analysis.quadratic_discriminant_analysis import QuadraticDiscriminantAnalysis as QuadraticDiscriminantAnalysis

def __getattr__(name: str) -> Any: ...
