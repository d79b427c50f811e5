"""A job from raw files to a model that is updated every day: the rows, and the job by three sets of tools."""
