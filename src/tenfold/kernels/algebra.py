"""Kernels and what can be made of them: sums, products, powers, power series, normalised kernels.

A kernel is a value: k(x, z), a number for each two things. It is positive semidefinite (PSD) if Σ cᵢcⱼ k(xᵢ, xⱼ) ≥ 0
for all rows xᵢ and numbers cᵢ, and then an inner product of some features of x and z. Kernels made of kernels know
from their parts whether that is proved.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from tenfold.core import Array, DataError, Values
from tenfold.core.arrays import MatrixLike
from tenfold.core.value import Parameter
from tenfold.kernels.proof import Proof, needs

Out = Values
"""a block of kernel values, float32 or float64, that is written to"""
VALUES_PER_BLOCK = 1 << 22
"""kernel values that are made at a time: 32 MiB"""


class Kernel(Parameter):
    """Base of kernels: a value that can be a parameter of learners, and that `+`, `*` and `**` combine.

    A subclass writes `fill`, `diagonal_of`, `proof` and `__str__`; one that can prepare something of the rows it is
    compared with, also `prepare`.

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold.kernels import GaussianKernel, LinearKernel
    >>> X = np.array([[0.0, 1.0], [2.0, 0.0]])
    >>> k = (LinearKernel() + 1) ** 2
    >>> k(X).tolist()
    [[4.0, 1.0], [1.0, 25.0]]
    >>> k.psd
    True

    Blocks of rows against many, as a solver needs them: what can be prepared is prepared once.

    >>> rows = GaussianKernel(0.5).prepared(X, dtype=np.float32)
    >>> rows(X[:1]).round(3).tolist(), rows(X[:1]).dtype.name
    ([[1.0, 0.0820000022649765]], 'float32')
    """

    __array_ufunc__ = None  # so that numpy's numbers times a kernel are a kernel
    domain: ClassVar[Any] = "numbers"
    """what it compares: rows of "numbers", "strings", "sets", "trees", "places" of a matrix, or "anything" """
    never_negative: ClassVar[bool] = False
    """whether all values are known to be nonnegative for all parameters"""
    finite: ClassVar[tuple[str, ...]] = ()
    """fields that must be finite numbers; they are kept as floats"""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in self.finite:
            check_number(self, name)
        if type(self) is Kernel:
            raise TypeError(
                "Kernel is the base of kernels, and none itself. Remedy: LinearKernel(), GaussianKernel(), ..."
            )

    # ---- what a subclass writes ----------------------------------------------------------------------------

    def prepare(self, Z: Any, dtype: Any) -> Any:
        """Precompute values of the reference rows, which are passed to every `fill`."""
        return None

    def fill(self, X: Any, Z: Any, prepared: Any, out: Out) -> None:
        """Write k(x, z) of all x in X and z in Z to `out`, in its float type."""
        raise NotImplementedError

    def diagonal_of(self, X: Any) -> Array:
        """Diagonal of the Gram matrix: k(x, x) for each row."""
        raise NotImplementedError

    def proof(self) -> Proof:
        """Whether it is proved that the kernel is positive semidefinite, and why: a tree that can be printed."""
        raise NotImplementedError

    # ---- values --------------------------------------------------------------------------------------------

    @property
    def psd(self) -> bool:
        """Whether it is proved that the kernel is positive semidefinite."""
        return self.proof().holds

    def __call__(self, X: Any, Z: Any = None) -> Array:
        """The Gram matrix: k(x, z) of all x in X and z in Z, by default of all pairs in X.

        Parameters
        ----------
        X, Z : array of shape (rows, columns), or a sequence of what the kernel compares

        Returns
        -------
        K : array of shape (len(X), len(Z))
        """
        X = rows_of(self, X)
        if Z is None:
            return self._symmetric(X)
        compare = self.prepared(Z, np.float64)
        K = np.empty((len(X), len(compare)))
        step = max(64, VALUES_PER_BLOCK // max(len(compare), 1))
        for start in range(0, len(X), step):
            compare(X[start : start + step], K[start : start + step])
        return K

    def _symmetric(self, X: Any) -> Array:
        """The Gram matrix of some rows: blocks at and below the diagonal, mirrored; the diagonal by `diagonal_of`."""
        n, K = len(X), np.empty((len(X), len(X)))
        numbers = isinstance(X, np.ndarray)
        compare = None if numbers else self.prepared(X, np.float64)
        step = 256 if numbers else max(n, 1)  # each block against the rows up to its end: half of all products
        for start in range(0, n, step):
            stop = min(start + step, n)
            against = self.prepared(X[:stop], np.float64) if compare is None else compare
            K[start:stop, :stop] = against(X[start:stop])
            K[:start, start:stop] = K[start:stop, :start].T
            square = K[start:stop, start:stop]
            square[:] = np.tril(square) + np.tril(square, -1).T
        with np.errstate(over="ignore", invalid="ignore"):
            diagonal = self.diagonal_of(X)
        np.fill_diagonal(K, finite(self, diagonal))
        return K

    def prepared(self, Z: Any, dtype: Any = None) -> Prepared:
        """The kernel against fixed rows Z: call it with other rows for a block of kernel values.

        Parameters
        ----------
        Z : array of shape (rows, columns), or a sequence of what the kernel compares
        dtype : {np.float32, np.float64}, optional
            Of the blocks; by default that of Z. Rows of float64 are centred before they become float32, where the
            kernel allows it.

        Returns
        -------
        prepared : callable
            `prepared(X, out=None)` gives k(x, z) of all x in X and z in Z, in C order; `out` takes it if given.
        """
        return Prepared(self, Z, dtype)

    def diagonal(self, X: MatrixLike) -> Array:
        """k(x, x) of each row: the squared length of its features.

        Parameters
        ----------
        X : array of shape (rows, columns), or a sequence of what the kernel compares

        Returns
        -------
        squares : array of shape (rows,)
        """
        return np.asarray(self.diagonal_of(rows_of(self, X)), dtype=np.float64)

    def squared_distances(self, X: Any, Z: Any) -> Array:
        """``|φ(x) - φ(z)|² = k(x, x) - 2 k(x, z) + k(z, z)``: squared distances between features of rows.

        Parameters
        ----------
        X, Z : array of shape (rows, columns), or a sequence of what the kernel compares

        Returns
        -------
        squares : array of shape (len(X), len(Z))
            Not below 0.
        """
        K = self(X, Z)
        K *= -2
        K += self.diagonal(X)[:, None]
        K += self.diagonal(Z)
        return np.maximum(K, 0.0, out=K)

    # ---- algebra -------------------------------------------------------------------------------------------

    def __add__(self, other: Any) -> Kernel:
        if _is_number(other):
            other = ConstantKernel(float(other))
        return (
            SumKernel(_parts(self, SumKernel) + _parts(other, SumKernel)) if isinstance(other, Kernel) else _no(other)
        )

    def __radd__(self, other: Any) -> Kernel:
        if not _is_number(other):
            return _no(other)
        return self if other == 0 else ConstantKernel(float(other)) + self  # sum(kernels) begins with 0

    def __sub__(self, other: Any) -> Kernel:
        return (
            self + (-1) * other if isinstance(other, Kernel) else self + (-other) if _is_number(other) else _no(other)
        )

    def __rsub__(self, other: Any) -> Kernel:
        return other + (-1) * self if _is_number(other) else _no(other)

    def __mul__(self, other: Any) -> Kernel:
        if _is_number(other):
            return ScaledKernel(self, float(other))
        if not isinstance(other, Kernel):
            return _no(other)
        return ProductKernel(_parts(self, ProductKernel) + _parts(other, ProductKernel))

    def __rmul__(self, other: Any) -> Kernel:
        return self * other

    def __neg__(self) -> Kernel:
        return -1 * self

    def __truediv__(self, other: Any) -> Kernel:
        return self * (1 / other) if _is_number(other) else _no(other)

    def __pow__(self, degree: Any) -> Kernel:
        return PowerKernel(self, degree)

    def exp(self) -> Kernel:
        """The kernel exp(k(x, z)): a power series of this one, without a negative coefficient."""
        return SeriesKernel(self, "exp")

    def series(self, coefficients: str | Sequence[float], radius: float = math.inf) -> Kernel:
        """Σ cₙ k(x, z)ⁿ, a power series of the kernel.

        Parameters
        ----------
        coefficients : sequence of float, or {"exp", "geometric", "log", "cosh", "sinh"}
            c₀, c₁, ...; or a series that is known by name: 1 / (1 - k) and -log(1 - k) have the radius 1.
        radius : float, default=inf
            Within which the series, of which some coefficients are given, converges: rows with k(x, x) at or beyond it
            are refused.

        Returns
        -------
        kernel : Kernel
        """
        given = coefficients if isinstance(coefficients, str) else tuple(float(c) for c in coefficients)
        return SeriesKernel(self, given, float(radius))

    def normalized(self) -> Kernel:
        """k(x, z) / √(k(x, x) k(z, z)): the cosine between the features of x and z."""
        return NormalizedKernel(self)

    def on(self, columns: Sequence[int]) -> Kernel:
        """Restrict the kernel to some columns. The product of two on their own columns has Kronecker products as Grams.

        Parameters
        ----------
        columns : sequence of int

        Returns
        -------
        kernel : Kernel
        """
        return ColumnsKernel(self, tuple(int(c) for c in columns))


class Prepared:
    """A kernel against fixed rows: call it with others for a block of kernel values."""

    def __init__(self, kernel: Kernel, Z: Any, dtype: Any = None) -> None:
        self.kernel, self.Z = kernel, rows_of(kernel, Z)
        of_rows = self.Z.dtype if isinstance(self.Z, np.ndarray) else np.dtype(np.float64)
        self.dtype = np.dtype(of_rows if dtype is None else dtype)
        if self.dtype not in (np.float32, np.float64):
            self.dtype = np.dtype(np.float64)
        self._made = kernel.prepare(self.Z, self.dtype)

    def __len__(self) -> int:
        return len(self.Z)

    def __call__(self, X: Any, out: Out | None = None) -> Out:
        """k(x, z) of all x in X and the fixed z, rows x fixed rows."""
        X = rows_of(self.kernel, X)
        if isinstance(X, np.ndarray) and X.ndim == 2 and X.shape[1:] != self.Z.shape[1:]:
            raise ValueError(f"rows have {X.shape[1]} columns, and those they are compared with {self.Z.shape[1]}")
        if out is None:
            out = np.empty((len(X), len(self.Z)), self.dtype)
        with np.errstate(over="ignore", invalid="ignore"):
            self.kernel.fill(X, self.Z, self._made, out)
        return finite(self.kernel, out)


def finite(kernel: Kernel, values: Out) -> Out:
    """Return kernel values unchanged, or raise DataError if any is not finite."""
    with np.errstate(over="ignore", invalid="ignore"):
        fine = np.isfinite(values.sum()) or np.isfinite(values).all()  # a sum is quick; it may overflow by itself
    if not fine:
        raise DataError(
            f"{kernel} has values that are too large for a {values.dtype}, or that are no numbers. "
            "Remedy: columns of similar scale, MaxAbsScaler first; or a smaller degree or gamma"
        )
    return values


def rows_of(kernel: Kernel, X: Any) -> Any:
    """Rows as a kernel takes them: a 2-D array of floats, places in a matrix, or a list of things."""
    match kernel.domain:
        case "numbers":
            if not isinstance(X, np.ndarray) or X.dtype not in (np.float32, np.float64):
                X = np.asarray(X, dtype=np.float64)
            if X.ndim != 2:
                raise ValueError(f"Expected 2D array, got {X.ndim}D array instead: rows of numbers, (rows, columns)")
            return np.ascontiguousarray(X)
        case "places":
            places = np.asarray(X)
            if places.ndim == 2 and places.shape[1] == 1:
                places = places[:, 0]
            if places.ndim != 1 or (places != places.astype(np.int64)).any():
                raise ValueError("a precomputed kernel compares numbers of rows: whole numbers, one for each row")
            return places.astype(np.int64)
        case "anything":
            return X if isinstance(X, np.ndarray) else list(X)
    if isinstance(X, str):
        raise ValueError(f"{kernel} compares {kernel.domain}; this is one string, and not a sequence of them")
    return list(X)


def empty_like(out: Out) -> Out:
    """Another block of the same shape and type."""
    return np.empty(out.shape, out.dtype)


def check_number(kernel: Kernel, name: str, *, finite: bool = True) -> None:
    """Refuse a field that is not a number, and keep it as a float."""
    value = getattr(kernel, name)
    if not _is_number(value) or math.isnan(value) or (finite and math.isinf(value)):
        raise ValueError(f"{name} of a {type(kernel).__name__} must be a finite number, not {value!r}")
    kernel.__dict__[name] = float(value)


def check_kernels(owner: Kernel, parts: Any) -> None:
    """Refuse parts of a kernel that are none."""
    if not (isinstance(parts, tuple) and parts and all(isinstance(part, Kernel) for part in parts)):
        raise TypeError(f"a {type(owner).__name__} is made of kernels, at least one, and not of {parts!r}")


def text(number: float) -> str:
    """A number, as formulas have it."""
    return f"{number:.6g}"


def bracketed(kernel: Kernel) -> str:
    """The formula of a kernel within a product or a power."""
    loose = isinstance(kernel, (SumKernel, ScaledKernel, ProductKernel))
    return f"({kernel})" if loose else str(kernel)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def _no(value: Any) -> Any:
    return NotImplemented


def _parts(kernel: Any, kind: type) -> tuple[Kernel, ...]:
    """The parts of a sum (or product), one of which the other would become a part."""
    return kernel.parts if isinstance(kernel, kind) else (kernel,)  # type: ignore[attr-defined]


class _Made(Kernel):
    """A kernel made of others: it compares what they compare."""

    def _inside(self) -> tuple[Kernel, ...]:
        raise NotImplementedError

    @property
    def domain(self) -> str:
        # What the parts compare: numbers, texts, sets, trees; all of them the same.
        found = {part.domain for part in self._inside()} - {"anything"}
        return found.pop() if found else "anything"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_kernels(self, self._inside())
        domains = {part.domain for part in self._inside()} - {"anything"}
        if len(domains) > 1:
            raise TypeError(
                f"kernels of {' and of '.join(sorted(domains))} cannot be combined: they compare other things"
            )

    def prepare(self, Z: Any, dtype: Any) -> Any:
        return tuple(part.prepare(Z, dtype) for part in self._inside())


class ConstantKernel(Kernel):
    """k(x, z) = c, the same for all.

    Parameters
    ----------
    value : float, default=1.0
        The constant, which every pair of rows has.

    Examples
    --------
    >>> from tenfold.kernels import ConstantKernel, LinearKernel
    >>> (LinearKernel() + 3)([[1.0], [2.0]]).tolist()
    [[4.0, 5.0], [5.0, 7.0]]
    >>> ConstantKernel(-1.0).psd
    False
    """

    domain = "anything"
    finite = ("value",)
    value: float = 1.0

    def fill(self, X: Any, Z: Any, prepared: Any, out: Out) -> None:
        out[:] = self.value

    def diagonal_of(self, X: Any) -> Array:
        # The kernel value of each row with itself: the constant.
        return np.full(len(X), self.value)

    def proof(self) -> Proof:
        # c f(x) f(z) with f = 1.
        return needs(str(self), self.value >= 0, "a constant ≥ 0", "a constant below 0: one row is a counterexample")

    def __str__(self) -> str:
        return text(self.value)


class _OfParts(_Made):
    """A kernel made of any number of others, whose values it combines."""

    parts: tuple[Kernel, ...]

    def _inside(self) -> tuple[Kernel, ...]:
        return self.parts

    def _combine(self, out: Out, more: Out) -> None:
        """Combine values with those of the next part, in place."""
        raise NotImplementedError

    def fill(self, X: Any, Z: Any, prepared: Any, out: Out) -> None:
        first, *rest = zip(self.parts, prepared, strict=True)
        first[0].fill(X, Z, first[1], out)
        more = empty_like(out) if rest else out
        for part, made in rest:
            part.fill(X, Z, made, more)
            self._combine(out, more)


class _OfOne(_Made):
    """A kernel made of another one."""

    kernel: Kernel

    def _inside(self) -> tuple[Kernel, ...]:
        return (self.kernel,)


class SumKernel(_OfParts):
    """Σ kᵢ(x, z): its features are those of all parts. `a + b` makes it.

    Parameters
    ----------
    parts : tuple of Kernel
        The kernels that are combined.

    Examples
    --------
    >>> from tenfold.kernels import LinearKernel
    >>> str(LinearKernel() + LinearKernel() ** 2)
    '⟨x, z⟩ + ⟨x, z⟩²'
    """

    def _combine(self, out: Out, more: Out) -> None:
        out += more

    def diagonal_of(self, X: Any) -> Array:
        # The kernel value of each row with itself: the sum of those of the parts.
        return sum((part.diagonal_of(X) for part in self.parts[1:]), self.parts[0].diagonal_of(X))

    def proof(self) -> Proof:
        why = "a sum of PSD kernels"
        return needs(str(self), True, why, why, *(part.proof() for part in self.parts))

    def __str__(self) -> str:
        first, *rest = map(str, self.parts)
        return first + "".join(f" - {one[1:]}" if one.startswith("-") else f" + {one}" for one in rest)


class ProductKernel(_OfParts):
    """Π kᵢ(x, z): its features are products of theirs. `a * b` makes it.

    Parameters
    ----------
    parts : tuple of Kernel
        The kernels that are combined.

    Examples
    --------
    >>> from tenfold.kernels import GaussianKernel, LinearKernel
    >>> (GaussianKernel(1.0) * LinearKernel()).psd
    True
    """

    def _combine(self, out: Out, more: Out) -> None:
        out *= more

    def diagonal_of(self, X: Any) -> Array:
        # The kernel value of each row with itself: the product of those of the factors.
        return math.prod((part.diagonal_of(X) for part in self.parts[1:]), start=self.parts[0].diagonal_of(X))

    def proof(self) -> Proof:
        why = "a product of PSD kernels (Schur): value by value, Gram matrices stay PSD"
        return needs(str(self), True, why, why, *(part.proof() for part in self.parts))

    def __str__(self) -> str:
        return " · ".join(f"({part})" if isinstance(part, SumKernel) else str(part) for part in self.parts)


class ScaledKernel(_OfOne):
    """c k(x, z). `c * k` makes it; only with c ≥ 0 it stays positive semidefinite.

    Parameters
    ----------
    kernel : Kernel
        The kernel that this one is made of.
    factor : float

    Examples
    --------
    >>> from tenfold.kernels import LinearKernel
    >>> (2 * LinearKernel()).psd, (-2 * LinearKernel()).psd
    (True, False)
    """

    finite = ("factor",)
    factor: float

    def fill(self, X: Any, Z: Any, prepared: Any, out: Out) -> None:
        self.kernel.fill(X, Z, prepared[0], out)
        out *= out.dtype.type(self.factor)

    def diagonal_of(self, X: Any) -> Array:
        return self.factor * self.kernel.diagonal_of(X)

    def proof(self) -> Proof:
        why, why_not = "a PSD kernel times a number ≥ 0", "the factor is below 0, so every square has the wrong sign"
        return needs(str(self), self.factor >= 0, why, why_not, self.kernel.proof())

    def __mul__(self, other: Any) -> Kernel:
        return ScaledKernel(self.kernel, self.factor * float(other)) if _is_number(other) else super().__mul__(other)

    def __str__(self) -> str:
        inside = f"({self.kernel})" if isinstance(self.kernel, SumKernel) else str(self.kernel)
        return f"{text(self.factor)} · {inside}"


class PowerKernel(_OfOne):
    """k(x, z)ᵈ for a whole number d ≥ 0. `k ** d` makes it.

    Parameters
    ----------
    kernel : Kernel
        The kernel that this one is made of.
    degree : int
        The exponent, a whole number from 0 on.

    Examples
    --------
    >>> from tenfold.kernels import LinearKernel
    >>> (LinearKernel() ** 3)([[2.0]]).tolist()
    [[64.0]]
    """

    degree: int

    def __post_init__(self) -> None:
        super().__post_init__()
        given = self.degree
        if isinstance(given, bool) or not isinstance(given, (int, np.integer)) or not 0 <= given <= 1000:
            raise ValueError(f"the power of a kernel is a whole number from 0 to 1000, not {given!r}")
        self.__dict__["degree"] = int(given)

    def fill(self, X: Any, Z: Any, prepared: Any, out: Out) -> None:
        self.kernel.fill(X, Z, prepared[0], out)
        raise_to(out, self.degree)

    def diagonal_of(self, X: Any) -> Array:
        return self.kernel.diagonal_of(X) ** self.degree

    def proof(self) -> Proof:
        why = "a product of a PSD kernel with itself (Schur)"
        return needs(str(self), True, why, why, self.kernel.proof())

    def __str__(self) -> str:
        high = str(self.degree).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
        return bracketed(self.kernel) + high


SERIES: dict[str, tuple[Callable[..., Any], float, str]] = {
    "exp": (np.exp, math.inf, "exp({})"),
    "geometric": (lambda k, out: np.divide(1, np.subtract(1, k, out=out), out=out), 1.0, "1 / (1 - {})"),
    "log": (lambda k, out: np.negative(np.log1p(np.negative(k, out=out), out=out), out=out), 1.0, "-log(1 - {})"),
    "cosh": (np.cosh, math.inf, "cosh({})"),
    "sinh": (np.sinh, math.inf, "sinh({})"),
}
"""power series with coefficients ≥ 0 by name: the function, the radius of convergence, the formula"""


class SeriesKernel(_OfOne):
    """Σ cₙ k(x, z)ⁿ: a polynomial or a power series of a kernel. `k.series(...)` and `k.exp()` make it.

    Parameters
    ----------
    kernel : Kernel
        The kernel that this one is made of.
    coefficients : sequence of float, or {"exp", "geometric", "log", "cosh", "sinh"}
        c₀, c₁, ..., kept as a tuple; or a series that is known by name.
    radius : float, default=inf
        Rows with k(x, x) at or beyond it are refused: the series does not converge there.

    Examples
    --------
    >>> from tenfold.kernels import LinearKernel
    >>> k = LinearKernel().series("geometric")
    >>> k([[0.5], [0.0]]).round(4).tolist()
    [[1.3333, 1.0], [1.0, 1.0]]
    >>> k([[1.0]])
    Traceback (most recent call last):
    tenfold.core.errors.DataError: 1 / (1 - ⟨x, z⟩) converges for k(x, x) < 1; a row has 1. Remedy: scale the rows down
    >>> LinearKernel().series([1.0, -1.0]).psd
    False
    """

    coefficients: str | tuple[float, ...]
    radius: float = math.inf

    def __post_init__(self) -> None:
        given: object = self.coefficients
        if isinstance(given, (list, np.ndarray)):
            self.__dict__["coefficients"] = tuple(np.asarray(given, dtype=object).tolist())
        super().__post_init__()
        check_number(self, "radius", finite=False)
        if isinstance(self.coefficients, str):
            if self.coefficients not in SERIES:
                raise ValueError(f"a series is a tuple of numbers or one of {', '.join(SERIES)}: {self.coefficients!r}")
            self.__dict__["radius"] = min(self.radius, SERIES[self.coefficients][1])
        elif not (isinstance(self.coefficients, tuple) and self.coefficients and all(map(_fine, self.coefficients))):
            raise ValueError(
                f"the coefficients of a series are finite numbers, c₀, c₁, ... such as (1.0, 0.5), or one of "
                f"{', '.join(SERIES)}; not {self.coefficients!r}"
            )
        if not self.radius > 0:
            raise ValueError(f"the radius of a series is above 0, not {self.radius}")

    def _sum(self, out: Out) -> None:
        """The series of each value, in place."""
        if isinstance(self.coefficients, str):
            SERIES[self.coefficients][0](out, out=out)
            return
        k = out.copy()
        out[:] = self.coefficients[-1]
        for c in self.coefficients[-2::-1]:
            out *= k
            out += out.dtype.type(c)

    def _check(self, X: Any) -> None:
        if self.radius < math.inf:
            most = float(np.max(np.abs(self.kernel.diagonal_of(X)), initial=0.0))
            if not most < self.radius:
                raise DataError(
                    f"{self} converges for k(x, x) < {text(self.radius)}; a row has {text(most)}. Remedy: scale the "
                    "rows down"
                )

    def prepare(self, Z: Any, dtype: Any) -> Any:
        # What the kernel prepares; rows beyond the radius are refused.
        self._check(Z)
        return super().prepare(Z, dtype)

    def fill(self, X: Any, Z: Any, prepared: Any, out: Out) -> None:
        self._check(X)
        self.kernel.fill(X, Z, prepared[0], out)
        self._sum(out)

    def diagonal_of(self, X: Any) -> Array:
        # The kernel value of each row with itself: the series at it.
        self._check(X)
        found = np.array(self.kernel.diagonal_of(X), dtype=np.float64)
        self._sum(found)
        return found

    def proof(self) -> Proof:
        if isinstance(self.coefficients, str):
            why = "a power series with coefficients ≥ 0, a limit of sums of products of PSD kernels"
            return needs(str(self), True, why, why, self.kernel.proof())
        why = "a sum of powers of a PSD kernel with coefficients ≥ 0"
        wrong = [c for c in self.coefficients if c < 0]
        why_not = f"the coefficient {text(wrong[0])} is below 0" if wrong else why
        return needs(str(self), not wrong, why, why_not, self.kernel.proof())

    def __str__(self) -> str:
        if isinstance(self.coefficients, str):
            loose = self.coefficients not in ("exp", "cosh", "sinh")
            return SERIES[self.coefficients][2].format(bracketed(self.kernel) if loose else self.kernel)
        listed = ", ".join(text(c) for c in self.coefficients[:6]) + (", …" if len(self.coefficients) > 6 else "")
        return f"Σ cₙ ({self.kernel})ⁿ with c = {listed}"


class NormalizedKernel(_OfOne):
    """k(x, z) / √(k(x, x) k(z, z)), the cosine between features. `k.normalized()` makes it; 0 where features are 0.

    Parameters
    ----------
    kernel : Kernel
        The kernel that this one is made of.

    Examples
    --------
    >>> from tenfold.kernels import LinearKernel
    >>> LinearKernel().normalized()([[3.0, 4.0], [1.0, 0.0]]).round(3).tolist()
    [[1.0, 0.6], [0.6, 1.0]]
    """

    def _inverse(self, X: Any) -> Array:
        """1 / √k(x, x) of each row, which makes its length one."""
        square = self.kernel.diagonal_of(X)
        if (square < 0).any():
            raise DataError(f"{self} wants k(x, x) ≥ 0, and a row has {text(float(square.min()))}")
        root = np.sqrt(square)
        return np.divide(1, root, out=np.zeros_like(root), where=root > 0)

    def prepare(self, Z: Any, dtype: Any) -> Any:
        return self.kernel.prepare(Z, dtype), self._inverse(Z).astype(dtype)

    def fill(self, X: Any, Z: Any, prepared: Any, out: Out) -> None:
        made, inverse = prepared
        self.kernel.fill(X, Z, made, out)
        out *= self._inverse(X)[:, None].astype(out.dtype)
        out *= inverse

    def diagonal_of(self, X: Any) -> Array:
        return (self.kernel.diagonal_of(X) > 0).astype(np.float64)

    def proof(self) -> Proof:
        # f(x) k(x, z) f(z) with f(x) = 1 / √k(x, x).
        why = "f(x) k(x, z) f(z) with f(x) = 1 / √k(x, x)"
        return needs(str(self), True, why, why, self.kernel.proof())

    def __str__(self) -> str:
        return f"cos[{self.kernel}]"


class ColumnsKernel(_OfOne):
    """A kernel of some columns of the rows. `k.on(columns)` makes it.

    Parameters
    ----------
    kernel : Kernel
        The kernel that this one is made of.
    columns : tuple of int
        Numbers of the columns that the kernel sees.

    Examples
    --------
    >>> from tenfold.kernels import LinearKernel
    >>> LinearKernel().on([1])([[5.0, 2.0]]).tolist()
    [[4.0]]
    """

    columns: tuple[int, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        given = self.columns
        whole = isinstance(given, tuple) and all(isinstance(c, int) and not isinstance(c, bool) for c in given)
        if not (whole and given and min(given) >= 0):
            raise ValueError(f"columns are named by their numbers, from 0 on: not {given!r}")
        if self.kernel.domain not in ("numbers", "anything"):
            raise TypeError(f"a kernel of {self.kernel.domain} has no columns")

    domain = "numbers"

    def _of(self, X: Any) -> Any:
        if X.shape[1] <= max(self.columns):
            raise ValueError(
                f"rows have {X.shape[1]} columns, and the kernel {self} asks for number {max(self.columns)}"
            )
        return np.ascontiguousarray(X[:, list(self.columns)])

    def prepare(self, Z: Any, dtype: Any) -> Any:
        some = self._of(Z)
        return some, self.kernel.prepare(some, dtype)

    def fill(self, X: Any, Z: Any, prepared: Any, out: Out) -> None:
        some, made = prepared
        self.kernel.fill(self._of(X), some, made, out)

    def diagonal_of(self, X: Any) -> Array:
        return self.kernel.diagonal_of(self._of(X))

    def proof(self) -> Proof:
        why = "a PSD kernel of a function of x and the same of z"
        return needs(str(self), True, why, why, self.kernel.proof())

    def __str__(self) -> str:
        return f"[{self.kernel}] on columns {', '.join(map(str, self.columns))}"


def _fine(value: Any) -> bool:
    return _is_number(value) and math.isfinite(value)


def raise_to(out: Out, degree: int) -> None:
    """Raise values to a whole power, in place, by squaring: numpy's own power is many times slower."""
    square = out.copy()
    if not degree & 1:
        out[:] = 1
    while degree := degree >> 1:
        np.square(square, out=square)
        if degree & 1:
            out *= square
