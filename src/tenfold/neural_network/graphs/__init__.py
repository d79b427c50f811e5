"""Networks of units as graphs: Boolean networks and backpropagation by hand."""
