"""The grammar of our flowcharts: what a line may be. Mermaid's own is wider."""

import re

_LABEL = r'"(?:[\w _\-.,/]|#\d+;|<br/>)*"'
_NODE = rf"\w+(?:\[{_LABEL}\]|\(\[{_LABEL}\]\)|\{{\{{{_LABEL}\}}\}}|\[\[{_LABEL}\]\])(?::::[a-z]+)?"
_LINE = rf"\w+ (?:---|-\.-|===|x==x|-\.-x|x-\.-|-->)(?:\|{_LABEL}\|)? \w+"
_STYLE = r"classDef [a-z]+ [\w:#,\- ]+|class [\w,]+ [a-z]+"
_ALLOWED = re.compile(rf"(?:subgraph \w+\[{_LABEL}\]|end|{_NODE}|{_LINE}|{_STYLE})")


def check_flowchart(text: str) -> None:
    """Every line is one that we mean to write, and every line ends at nodes that are there."""
    first, *lines = text.splitlines()
    assert first in ("flowchart LR", "flowchart TD")
    for line in lines:
        assert _ALLOWED.fullmatch(line.strip()), line
    nodes = {found[1] for line in lines if (found := re.match(r"\s+(\w+)(?:\[|\(|\{)", line))}
    ends = [found.groups() for line in lines if (found := re.match(r"\s+(\w+) .*[ |](\w+)$", line))]
    drawn = {one for pair in ends for one in pair if pair[0] not in ("classDef", "class")}
    assert drawn - {"subgraph"} <= nodes
