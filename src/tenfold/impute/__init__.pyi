from typing import Any

from tenfold.impute.simple_imputer import SimpleImputer as SimpleImputer

def __getattr__(name: str) -> Any: ...
