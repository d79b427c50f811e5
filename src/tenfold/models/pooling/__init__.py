"""Partial pooling: the models of cells drawn to their parent, by as much as the cells differ."""
