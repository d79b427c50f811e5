"""Counts that merge, and what follows from them."""
