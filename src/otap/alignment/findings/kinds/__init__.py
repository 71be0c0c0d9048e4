"""The kinds of findings, one module each, which says in its first lines what it finds."""
