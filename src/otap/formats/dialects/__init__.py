"""Formats of messages, each a table of what its messages have where: one module a format."""
