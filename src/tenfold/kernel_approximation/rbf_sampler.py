"""Random Fourier features: z(x) = √(2/m) cos(Wᵀx + b), whose inner products have the kernel as their mean.

exp(-γ|x - z|²) is the mean of cos(wᵀ(x - z)) for normal w of variance 2γ, and exp(-γ|x - z|₁) for Cauchy w of scale γ
(Bochner). Every chunk is transformed by itself, so kernel learning runs on any source through the linear learners.
"""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from tenfold.compiled.neighbors.cosine import cosines
from tenfold.core import Array, Chunk, Claim, Columns, DataError, Grouped, Need, Schema
from tenfold.estimator.shell.constraints import choice, integer, real, seed
from tenfold.estimator.shell.kinds import Transformer
from tenfold.estimator.shell.one_pass import OnePass
from tenfold.stats.moments.spread import ColumnSpread

CONFIDENCE = 0.95


class RBFSamplerModel(NamedTuple):
    """Directions and offsets that were drawn."""

    random_weights: Annotated[Array, "column", "component"]
    random_offset: Annotated[Array, "component"]
    gamma: float


class MeanAndSquares(Grouped[ColumnSpread]):
    """Mean and squares of each column; missing values are refused."""

    def summarize(self, chunk: Chunk) -> ColumnSpread:
        found = ColumnSpread.of(chunk)
        if (found.weight < chunk.total).any():  # some were left out
            chunk.X.check()
        return found


class RBFSampler(OnePass, Transformer):
    """Random Fourier features of a Gaussian or Laplacian kernel; exact in one pass.

    With a linear learner behind it, a kernel machine for any number of rows: in a Pipeline, out of core, on a cluster.

    Parameters
    ----------
    gamma : float or "scale", default=1.0
        Of ``exp(-γ |x - z|²)``, or of ``exp(-γ Σ |xⱼ - zⱼ|)``. "scale": 1 / (columns * variance of X).
    n_components : int, default=100
        Features that are drawn: errors of the kernel fall with the root of their number.
    random_state : int, default=0
        Seed of the features. None draws one, and the certificate records it.
    kernel : {"rbf", "laplacian"}, default="rbf"
        The kernel that inner products of the features approximate.

    Attributes
    ----------
    random_weights_ : array of shape (columns, components)
    random_offset_ : array of shape (components,)
    gamma_ : float
    certificate_ : Certificate

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold import RBFSampler
    >>> from tenfold.kernels import GaussianKernel
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> Z = RBFSampler(gamma=0.5, n_components=4000).fit_transform(X)
    >>> bool(np.abs(Z @ Z.T - GaussianKernel(0.5)(X)).max() < 0.1)
    True
    """

    mixes_columns = True
    need = Need("numeric")
    law_params: ClassVar[tuple[dict[str, Any], ...]] = (
        {"n_components": 6},
        {"kernel": "laplacian", "gamma": "scale", "n_components": 4},
    )

    _: KW_ONLY
    gamma: Annotated[float | str, choice("scale"), real(0)] = 1.0
    n_components: Annotated[int, integer(1)] = 100
    random_state: Annotated[int | None, seed] = 0
    kernel: Annotated[str, choice("rbf", "laplacian")] = "rbf"

    def statistic(self, schema: Schema) -> MeanAndSquares:
        # Means and squares of the columns: what "scale" is made of.
        return MeanAndSquares()

    def solve(self, schema: Schema, s: ColumnSpread) -> RBFSamplerModel:
        # Draw directions and offsets: they depend on the seed, the number of columns and gamma, not on the rows.
        p, gamma = len(schema.columns), 1.0
        if not isinstance(self.gamma, str):
            gamma = float(self.gamma)
        else:
            with np.errstate(over="ignore", invalid="ignore"):
                variance = float((s.square / s.weight + (s.mean - s.mean.mean()) ** 2).mean())
            if not np.isfinite(variance):
                raise DataError("gamma='scale': the variance of X is beyond float64. Remedy: MaxAbsScaler before it")
            gamma = 1.0 / (p * variance) if variance > 0 else 1.0
        random = np.random.default_rng(self.random_state)
        shape = (p, self.n_components)
        normal = self.kernel == "rbf"
        weights = np.sqrt(2 * gamma) * random.normal(size=shape) if normal else gamma * random.standard_cauchy(shape)
        return RBFSamplerModel(weights, random.uniform(0, 2 * np.pi, self.n_components), gamma)

    def certify(self, model: RBFSamplerModel, s: ColumnSpread) -> tuple[Claim, ...]:
        """How far an inner product is from the kernel, by Hoeffding: each term is within -2 and 2."""
        away = float(np.sqrt(8 * np.log(2 / (1 - CONFIDENCE)) / len(model.random_offset)))
        why = f"of two given rows, with probability {CONFIDENCE:g} over the features that are drawn (Hoeffding)"
        return (Claim("kernel error", min(away, 2.0), "with confidence", why, "unseen rows"),)

    def transform_from(self, model: RBFSamplerModel, X: Columns) -> Array:
        """The features of rows, √(2/m) cos(Wᵀx + b)."""
        m = len(model.random_offset)
        out = np.empty((len(X), m))
        for rows, block in X.blocks(X.block_rows(m)):
            some = out[rows]
            np.matmul(block, model.random_weights, out=some)
            cosines(some, model.random_offset, np.sqrt(2 / m))
        return out

    def is_valid(self, model: RBFSamplerModel, summary: ColumnSpread | None, schema: Schema) -> bool:
        return len(model.random_offset) == self.n_components

    def names_out(self, names: list[str]) -> list[str]:
        return [f"{type(self).__name__.lower()}{at}" for at in range(len(self.model_.random_offset))]
