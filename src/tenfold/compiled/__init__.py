"""Numba functions: arrays in, arrays out, no GIL, strict arithmetic."""
