"""Models as SQL: a file for each family of models."""
