"""Kernels of trees: bins, histograms, splits, growing and applying."""
