"""The command line: `tenfold fit`, `predict`, `describe` and more, for Parquet and CSV files."""
