"""Formats of Google's Agent Development Kit: sessions, eval sets and their results."""
