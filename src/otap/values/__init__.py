"""What the values of steps mean: how literals are read, and how far two values are apart.

``literals`` is the grammar of numbers, dates, amounts and identifiers, ``kinds`` says what a single
value is, ``contradiction`` what prose is held to; ``value`` reads plain data under its ``rules``
and ``keys``, and ``distance`` compares it.
"""
