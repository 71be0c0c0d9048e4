"""The interface to the C++ solver: calls the native core, and assembles its solutions."""
