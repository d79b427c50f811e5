"""Support vector machines, linear and with kernels, and the kernel perceptron."""

from tenfold import _namespace

__getattr__, __dir__, __all__ = _namespace(__name__)
