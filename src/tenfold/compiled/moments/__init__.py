"""Kernels of moments: means, variances, scatter, by group and class."""
