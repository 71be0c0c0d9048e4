"""Reads the values in the steps of a run and measures the distance between two values.

``literals`` is the grammar of numbers, dates, amounts and identifiers. ``kinds`` finds the kind of
a single value, and ``contradiction`` compares prose. ``value`` reads JSON data under its ``rules``
and ``keys``, and ``distance`` compares it.
"""
