"""Shows settings, a threshold and references that were learned from runs."""
