"""How data is compared: what steps carry and record, value by value.

``value`` reads plain data under its ``rules`` and ``keys``; ``scalars`` are held by what they mean,
``prose`` by its exact marks. ``structured`` is the distance of two values: that of their
``leaves``, and of ``lists``, whose ``rows`` are paired.
"""
