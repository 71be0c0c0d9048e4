"""Scores and graphs as people read them."""
