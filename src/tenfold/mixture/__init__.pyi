from typing import Any

from tenfold.mixture.gaussian_mixture import GaussianMixture as GaussianMixture

def __getattr__(name: str) -> Any: ...
