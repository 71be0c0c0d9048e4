"""Markdown for pull requests and the summaries of jobs: a module for each thing that is shown.

What comes out of traces is text in it, never markup; ``texts`` sees to that. The modules are
imported by name.
"""

from otap.report.markdown.texts import table_lines, text_of

__all__ = ["table_lines", "text_of"]
