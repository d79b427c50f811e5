"""Kernels that copy, count, hash, order and shuffle rows."""
