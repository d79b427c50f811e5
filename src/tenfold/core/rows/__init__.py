"""Rows of a part in memory: chunks, columns, and matrices made of them."""
