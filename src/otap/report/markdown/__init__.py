"""Markdown for pull requests and the summaries of jobs, with flowcharts of Mermaid.

What comes out of traces is text in it, never markup; ``escape_markdown`` sees to that. The modules
are imported by name.
"""
