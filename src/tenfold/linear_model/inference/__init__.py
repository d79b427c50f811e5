"""Standard errors, tests and the summary table of coefficients."""
