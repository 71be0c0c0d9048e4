"""Agents that write code, which they do with commands of a shell."""
