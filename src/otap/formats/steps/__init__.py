"""Builds the steps of a run from calls, messages and results, for all readers."""
