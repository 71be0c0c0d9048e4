"""Foreign text in Mermaid, by one rule for all flowcharts."""


def quoted(*lines: str) -> str:
    """Returns lines of text as a quoted label, with all that is syntax there as entities.

    Args:
        *lines: without control characters.
    """
    return f'"{"<br/>".join(map(_escaped, lines))}"'


def _escaped(line: str) -> str:
    return "".join(c if c.isalnum() or c in " _-.,:/" else f"#{ord(c)};" for c in line)
