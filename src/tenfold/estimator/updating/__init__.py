"""More rows for a fitted model: merging, a fit that continues, and `partial_fit`."""
