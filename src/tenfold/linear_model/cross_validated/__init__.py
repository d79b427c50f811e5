"""Penalties chosen by cross-validation, from one scan."""
