"""Kernels of models by key: variance components of many cells."""
