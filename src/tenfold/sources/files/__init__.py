"""Files and stores: Parquet, streamed formats, queries."""
