"""Reports: a model, its rows, its certificate and its errors on one page, for those who must decide about it."""
