"""What the tests of all formats share."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes bytes, text, or other values as JSON; under a .jsonl name, a line an item."""

    def write(content: Any, name: str = "trace.json") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not isinstance(content, str | bytes):
            lines = content if name.endswith(".jsonl") else [content]
            content = "\n".join(json.dumps(line) for line in lines)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write
