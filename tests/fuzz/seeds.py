"""Traces to begin with: examples of the pages, files that producers wrote, and real ones."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from fuzz.mutator import embedded
from otap import formats
from otap.errors import OtapError

ITEMS, LETTERS = 8, 200  # of a real trace, what is kept of each list and text
MADE = Path(__file__).parents[1] / "formats" / "made"
PAGES = Path(__file__).parents[2] / "docs" / "formats"


class Seed(NamedTuple):
    """What a file holds, and whether its items stand a line each."""

    value: Any
    by_line: bool


def seeds(folders: Sequence[Path], scratch: Path) -> dict[str, list[Seed]]:
    """Returns seeds by format.

    Args:
        folders: more files than those of the repository.
        scratch: an empty folder.
    """
    for page in (PAGES / f"{name}.md" for name in formats.FORMATS):
        examples = re.findall(r"```json\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
        for number, example in enumerate(examples):
            (scratch / f"{page.stem}.{number}.json").write_text(example, encoding="utf-8")
    found: dict[str, list[Seed]] = {name: [] for name in formats.FORMATS}
    for path in sorted(file for where in (scratch, MADE, *folders) for file in where.rglob("*.*")):
        try:
            (file,) = formats.open_files(path)
        except OtapError:
            continue  # scripts and the like
        seed = Seed(_pruned(file.document.value), file.document.lines is not None)
        found[file.format.NAME].append(seed)
    return found


def files() -> list[Path]:
    """Returns the files that producers wrote."""
    return sorted(file for file in MADE.rglob("*") if file.suffix != ".py" and file.is_file())


def members() -> dict[str, bytes]:
    """Returns what an archive of Inspect holds, out of the same log as JSON."""
    log = json.loads((MADE / "inspect.json").read_text("utf-8"))
    samples = {f"{one['id']}_epoch_{one['epoch']}": one for one in log.pop("samples")}
    held = {"header": log, **{f"samples/{name}": one for name, one in samples.items()}}
    return {f"{name}.json": json.dumps(one).encode() for name, one in held.items()}


def written(seed: Seed) -> bytes:
    """Returns the bytes of a file with this JSON."""
    if not seed.by_line or not isinstance(seed.value, list):
        return json.dumps(seed.value).encode()
    return "\n".join(map(json.dumps, seed.value)).encode()


def _pruned(value: Any) -> Any:
    """Returns the beginning of a trace: what is inside its lists, and its texts, only shorter."""
    if isinstance(value, dict):
        return {key: _pruned(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_pruned(item) for item in value[:ITEMS]]
    if isinstance(value, str) and len(value) > LETTERS:
        inside = embedded(value)
        return value[:LETTERS] if inside is None else json.dumps(_pruned(inside))
    return value
