"""Formats of Google's models: contents of the Gemini API, and sessions of Gemini CLI."""
