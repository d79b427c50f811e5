"""The dual problem of support vector machines, with an offset and through the origin."""
