"""What runs with known outcomes teach: what counts, which threshold, which references.

``runs`` reads them with their outcomes and gives each its references; ``weights`` and ``rules``
propose settings, ``card`` says on tasks held out what these are worth; ``calibration`` finds the
threshold of a gate, ``selection`` references among good runs.
"""
