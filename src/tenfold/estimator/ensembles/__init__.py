"""Learners that consist of learners: members, pipelines, transformers side by side."""
