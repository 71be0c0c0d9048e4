"""Engines score portions in parallel; each is a module with ``run``, which keeps their order."""
