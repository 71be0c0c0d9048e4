"""Foreign text in Mermaid, by one rule for all flowcharts."""

# Two in a row begin a formula even as character entities; nobody sees what keeps them apart.
_APART = "$\u200b"


def quoted(*lines: str) -> str:
    """Returns lines of text as a quoted label, with all that is syntax there as entities.

    Args:
        *lines: without control characters.
    """
    return f'"{"<br/>".join(map(_escaped, lines))}"'


def _escaped(line: str) -> str:
    """A colon is one of them: ``fa:fa-car`` would be an icon."""
    apart = line.replace("$$", f"{_APART}$").replace("$$", f"{_APART}$")
    return "".join(c if c.isalnum() or c in " _-.,/" else f"#{ord(c)};" for c in apart)
