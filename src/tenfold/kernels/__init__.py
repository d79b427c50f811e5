"""Kernel functions and their algebra: sums, products and powers of kernels are kernels."""

from tenfold import _namespace

__getattr__, __dir__, __all__ = _namespace(__name__)
