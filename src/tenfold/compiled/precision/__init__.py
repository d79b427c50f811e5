"""Kernels of extra precision, and exponentials with the same bits everywhere."""
