"""Kernels of linear models: descent, coordinate descent, Newton steps."""
