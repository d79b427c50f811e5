"""Growing trees: histograms, levels, exact splits, missing values."""
