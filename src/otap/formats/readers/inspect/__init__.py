"""Inspect's logs: archives, events, calls and texts."""
