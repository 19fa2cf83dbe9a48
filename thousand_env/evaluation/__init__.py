"""Evaluation: how strong agents are, and how sure that is."""
