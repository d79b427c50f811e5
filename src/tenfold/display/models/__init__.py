"""Displays of fitted models: trees, networks, clusters, decision boundaries."""
