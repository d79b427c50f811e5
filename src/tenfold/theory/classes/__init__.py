"""Classes of hypotheses: their size, growth and VC dimension."""
