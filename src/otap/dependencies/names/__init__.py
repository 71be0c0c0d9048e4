"""Names of what the environment drew: identifiers are compared by what made them.

``drawn`` names the ``identifiers`` of a run by the ``places`` that showed them first; ``renaming``
writes a run in the names of its reference.
"""
