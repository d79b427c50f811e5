"""Kernels as values: inner products in some space of features, their algebra, and learners that use them."""
