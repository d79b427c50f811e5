"""Pictures of traces: what an algorithm does step by step."""
