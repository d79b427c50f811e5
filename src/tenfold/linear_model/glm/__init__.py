"""Generalized linear models: logistic, Poisson and gamma regression."""
