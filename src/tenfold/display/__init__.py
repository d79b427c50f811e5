"""Pictures of what models do, in scikit-learn's manner, from summaries that merge."""
