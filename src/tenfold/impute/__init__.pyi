from typing import Any

from tenfold.impute.imputer import Imputer as Imputer
from tenfold.impute.imputer import SimpleImputer as SimpleImputer

def __getattr__(name: str) -> Any: ...
