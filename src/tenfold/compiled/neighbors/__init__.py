"""Kernels of distances: neighbors, k-means, mixtures, hidden states."""
