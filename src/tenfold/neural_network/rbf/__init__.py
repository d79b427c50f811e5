"""Networks of radial basis functions."""
