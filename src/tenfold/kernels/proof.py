"""Why a kernel is positive semidefinite, as a tree that can be printed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class Proof(NamedTuple):
    """A step of a proof that a kernel is positive semidefinite: the rule, and the steps it rests on.

    Attributes
    ----------
    kernel : str
        The formula it speaks of.
    holds : bool
        Whether it is proved. If not, the kernel may still be positive semidefinite on some rows: see `is_psd`.
    rule : str
        The reason why it holds, or the assumption that is missing.
    steps : tuple of Proof
        What the rule rests on.
    assumed : bool
        Whether this step was not proved but taken from the user.

    Examples
    --------
    >>> from tenfold.kernels import GaussianKernel, LinearKernel
    >>> print((LinearKernel() + 2 * GaussianKernel(0.5)).proof())
    ⟨x, z⟩ + 2 · exp(-0.5 |x - z|²): PSD, a sum of PSD kernels
    ├─ ⟨x, z⟩: PSD, an inner product: Σ cᵢcⱼ⟨xᵢ, xⱼ⟩ = |Σ cᵢxᵢ|² ≥ 0
    └─ 2 · exp(-0.5 |x - z|²): PSD, a PSD kernel times a number ≥ 0
       └─ exp(-0.5 |x - z|²): PSD, f(x) f(z) exp(⟨x, z⟩) with f(x) = exp(-0.5 |x|²)
          └─ exp(⟨x, z⟩): PSD, a power series with coefficients ≥ 0, a limit of sums of products of PSD kernels
             └─ ⟨x, z⟩: PSD, an inner product: Σ cᵢcⱼ⟨xᵢ, xⱼ⟩ = |Σ cᵢxᵢ|² ≥ 0
    """

    kernel: str
    holds: bool
    rule: str
    steps: tuple[Proof, ...] = ()
    assumed: bool = False

    def gaps(self) -> tuple[Proof, ...]:
        """The innermost steps that do not hold: where a proof breaks off; none, if it holds."""
        if self.holds:
            return ()
        below = tuple(gap for step in self.steps for gap in step.gaps())
        return below or (self,)

    def assumptions(self) -> tuple[Proof, ...]:
        """The steps that were taken from the user."""
        below = tuple(one for step in self.steps for one in step.assumptions())
        return (self, *below) if self.assumed else below

    def _lines(self) -> Iterator[str]:
        said = "PSD" if self.holds else "not proved PSD"
        yield f"{self.kernel}: {said}, {self.rule}"
        for at, step in enumerate(self.steps):
            last = at == len(self.steps) - 1
            first, *rest = step._lines()
            yield ("└─ " if last else "├─ ") + first
            yield from (("   " if last else "│  ") + line for line in rest)

    def __str__(self) -> str:
        return "\n".join(self._lines())


def needs(kernel: str, holds: bool, why: str, why_not: str, *steps: Proof) -> Proof:
    """A step that holds if a condition does, and all steps that it rests on do."""
    fine = holds and all(step.holds for step in steps)
    return Proof(kernel, fine, why if holds else why_not, steps)
