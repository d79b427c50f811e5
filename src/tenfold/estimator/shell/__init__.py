"""The scikit-learn interface of a learner: parameters, fitting, fitted attributes, merging."""
