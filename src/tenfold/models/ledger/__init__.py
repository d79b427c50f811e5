"""Models over time: a ledger of the summaries of batches, of which models of any window are merged."""
