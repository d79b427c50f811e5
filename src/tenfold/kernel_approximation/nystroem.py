"""Nyström's features: φ(x) = k(x, B) K(B, B)^(-1/2) for some rows B, whose inner products are near to the kernel.

The rows B are a sample that merges and does not depend on the order of rows; every chunk is transformed by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY
from typing import Annotated, Any, NamedTuple

import numpy as np

from tenfold.core import Array, Chunk, Claim, Columns, Grouped, Need, Remedy, Schema
from tenfold.estimator.shell.constraints import choice, integer, real, seed
from tenfold.estimator.shell.keyword_decisions import ignored_n_jobs
from tenfold.estimator.shell.keywords import Refused, refused
from tenfold.estimator.shell.kinds import Transformer
from tenfold.estimator.shell.one_pass import OnePass
from tenfold.kernels.algebra import Kernel
from tenfold.kernels.kernel_names import SKLEARN_NAMES, as_kernel
from tenfold.stats.rows.weighted_sample import Race, row_bits, uniform

EPS = 2.0**-52
"""eigenvalues below this share of the largest, for each row that was drawn, are taken for 0"""


class NystroemModel(NamedTuple):
    """The rows that others are compared with, and what makes features of the kernel values."""

    components: Annotated[Array, "component", "column"]
    normalization: Annotated[Array, "component", "component"]
    gamma: float


class DistinctRowSample(Grouped[Race]):
    """A sample of distinct rows, drawn by a hash of their values: independent of order and position."""

    seed: int | None
    most: int

    def summarize(self, chunk: Chunk) -> Race:
        return Race.of(chunk, uniform(row_bits(chunk.X, self.seed)), np.ones(chunk.n), self.most)


no_precomputed = refused(
    "rows are compared with some of them by a function",
    Remedy('tn.Nystroem(kernel="rbf")', "or a kernel object"),
    "precomputed",
)
kernel_object = Refused(
    "a kernel with parameters is an object here",
    Remedy("tn.Nystroem(kernel=tn.kernels.GaussianKernel(gamma=0.5), n_components=10)"),
    (None,),
)


class Nystroem(OnePass, Transformer):
    """Features whose inner products are near to a kernel, from a sample of rows; exact in one pass.

    With a linear learner behind it, a kernel machine for any number of rows: in a Pipeline, out of core, on a cluster.
    Equal rows are drawn as one.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        A name of scikit-learn's, a kernel object, or a function of two rows.
    gamma : float or None, default=None
        None: 1 / columns.
    coef0 : float or None, default=None
        None: 1.
    degree : float or None, default=None
        None: 3.
    n_components : int, default=100
        Rows that are drawn; fewer, if there are fewer distinct ones.
    random_state : int, default=0
        Seed of the sample. None draws one, and the certificate records it.
    kernel_params : optional
        As in scikit-learn; other values raise an error that names an alternative.
    n_jobs : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    components_ : array of shape (components, columns)
        The rows that were drawn.
    normalization_ : array of shape (components, components)
    gamma_ : float
    certificate_ : Certificate

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold import Nystroem
    >>> from tenfold.kernels import GaussianKernel
    >>> X = np.random.default_rng(0).normal(size=(500, 2))
    >>> Z = Nystroem("rbf", gamma=0.1, n_components=100).fit_transform(X)
    >>> Z.shape, bool(np.abs(Z @ Z.T - GaussianKernel(0.1)(X)).max() < 1e-2)
    ((500, 100), True)
    """

    mixes_columns = True
    need = Need("numeric")
    law_params = ({"n_components": 5}, {"kernel": "poly", "degree": 2, "n_components": 3})

    kernel: Annotated[
        str | Kernel | Callable[..., Any],
        choice(*(name for name in SKLEARN_NAMES if name != "precomputed")),
        callable,
        Kernel,
        no_precomputed,
    ] = "rbf"
    _: KW_ONLY
    gamma: Annotated[float | None, real(0), None] = None
    coef0: Annotated[float | None, real(-np.inf, open=True), None] = None
    degree: Annotated[float | None, real(0), None] = None
    n_components: Annotated[int, integer(1)] = 100
    random_state: Annotated[int | None, seed] = 0
    kernel_params: Annotated[Any, kernel_object] = None
    n_jobs: Annotated[int | None, ignored_n_jobs] = None

    def _kernel(self, gamma: float) -> Kernel:
        coef0 = 1.0 if self.coef0 is None else self.coef0
        degree = 3 if self.degree is None else self.degree
        return as_kernel(self.kernel, gamma=gamma, degree=degree, coef0=coef0, pairwise=True)

    def statistic(self, schema: Schema) -> DistinctRowSample:
        if isinstance(self.kernel, Kernel) and self.kernel.domain not in ("numbers", "anything"):
            raise ValueError(f"{self.kernel} compares {self.kernel.domain}, and rows are numbers")
        return DistinctRowSample(self.random_state, self.n_components)

    def solve(self, schema: Schema, s: Race) -> NystroemModel:
        rows = s.sample()[0]
        none = 1.0 if self.kernel == "chi2" else 1.0 / rows.shape[1]
        gamma = none if self.gamma is None else float(self.gamma)
        each, vectors = np.linalg.eigh(self._kernel(gamma)(rows))
        above = each > len(each) * EPS * each.max(initial=0.0)
        root = np.sqrt(each, out=np.ones_like(each), where=above)
        return NystroemModel(rows, (vectors * (above / root)) @ vectors.T, gamma)

    def certify(self, model: NystroemModel, s: Race) -> tuple[Claim, ...]:
        """Claims about the number of rows drawn, and how well conditioned their kernel matrix is."""
        kernel, many = self._kernel(model.gamma), float(len(model.components))
        if s.complete:
            why = "every distinct row is among them: inner products are the kernel on all rows, up to rounding"
            claim = Claim("components", many, "proved", why, "data")
        else:
            why = "distinct rows, drawn at random: inner products are the kernel between these rows"
            claim = Claim("components", many, "estimated", why, "data")
        proof = kernel.proof()
        sure = proof.holds and not proof.assumptions()
        said = Claim("psd", float(sure), "proved" if sure else "assumed", str(proof).partition("\n")[0], "objective")
        return (claim, said)

    def transform_from(self, model: NystroemModel, X: Columns) -> Array:
        """The features of rows, k(x, B) K(B, B)^(-1/2)."""
        out = np.empty((len(X), len(model.components)))
        compare = self._kernel(model.gamma).prepared(model.components)
        for rows, block in X.blocks(X.block_rows(len(model.components))):
            np.matmul(compare(block), model.normalization, out=out[rows])
        return out

    def names_out(self, names: list[str]) -> list[str]:
        return [f"nystroem{at}" for at in range(len(self.model_.components))]
