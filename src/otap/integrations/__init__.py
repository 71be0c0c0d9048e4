"""Integrations of OTAP in other programs, with one module for each program."""
