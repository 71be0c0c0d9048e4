"""Other tools as their authors released them, each in its own environment, asked for a verdict.

`scripts/rivals` installs them, asks each about the nine cases of cases.toml (ask.py, which runs
inside the tool's environment), and writes docs/rivals.md (page.py).
"""
