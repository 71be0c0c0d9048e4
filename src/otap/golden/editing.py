"""Writes a changed plan or changed settings as text, where possible one line at a time.

Every edit is read back. If the lines of a file do not show where to write, the plan is written
anew, without its comments but those at the top; settings are left to a person.
"""

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from otap.errors import ConfigError, shown
from otap.learning.toml import toml_key, toml_value
from otap.plans.plan_format import without_dates

MAX_COMMENT = 300  # characters of a comment behind a line
_HEADER = "[[steps]]"
Data = Mapping[str, Any]


def read_toml(text: str) -> dict[str, Any]:
    """Returns the table of a TOML document, with dates as texts.

    Raises:
        ConfigError: if it is not valid.
    """
    try:
        table = without_dates(tomllib.loads(text))
    except ValueError as error:
        raise ConfigError(f"not valid TOML ({shown(error, 120)})") from None
    return dict(table)


def write_plan(data: Data, comment: str = "") -> str:
    """Returns a plan as TOML: one key a line, the steps in their order, the metadata last."""
    lines = [f"# {comment}", ""] if comment else []
    top = {key: value for key, value in data.items() if key not in ("steps", "metadata")}
    lines += [f"{toml_key(key)} = {toml_value(value)}" for key, value in top.items()]
    for step in data.get("steps", ()):
        lines += ["", *_write_step(step)]
    if data.get("metadata"):
        lines += ["", "[metadata]"]
        metadata = data["metadata"]
        lines += [f"{toml_key(key)} = {toml_value(value)}" for key, value in metadata.items()]
    return "".join(f"{line}\n" for line in lines)


def _write_step(step: Data) -> Iterator[str]:
    yield _HEADER
    for key, value in step.items():
        if key == "arguments" and value:
            for name, argument in value.items():
                yield f"arguments.{toml_key(name)} = {toml_value(argument)}"
        else:
            yield f"{toml_key(key)} = {toml_value(value)}"


def edit_plan(text: str, old: Data, new: Data, comment: str) -> str:
    """Returns the text of a plan in TOML with some changes, each with a comment.

    Args:
        text: of the plan.
        old: its data.
        new: the changed data; steps may only be changed or appended.
        comment: the comment behind each changed line.
    """
    blocks, tail = _split(text)
    remark = f"  # {shown(comment, MAX_COMMENT)}"
    old_steps, new_steps = old.get("steps", []), new.get("steps", [])
    if len(blocks) == len(old_steps) + 1:
        top = {key: value for key, value in new.items() if key not in ("steps", "metadata")}
        old_top = {key: value for key, value in old.items() if key not in ("steps", "metadata")}
        blocks[0] = _edit_block(blocks[0], _flatten(old_top), _flatten(top), remark)
        for number, (before, after) in enumerate(zip(old_steps, new_steps, strict=False), 1):
            blocks[number] = _edit_block(blocks[number], _flatten(before), _flatten(after), remark)
        for step in new_steps[len(old_steps) :]:
            first, *rest = _write_step(step)
            _end_with_blank(blocks[-1])
            blocks.append([first + remark, *rest])
        if tail:
            _end_with_blank(blocks[-1])
        lines = [line for block in blocks for line in block] + tail
        edited = "".join(f"{line}\n" for line in lines)
        if _is_read_as(edited, new):
            return edited
    top_comments = "".join(f"{line}\n" for line in _list_top_comments(text))
    return f"{top_comments}# {shown(comment, MAX_COMMENT)}\n\n{write_plan(new)}"


def _list_top_comments(text: str) -> Iterator[str]:
    """Yields the comment lines at the beginning of a text."""
    for line in text.splitlines():
        if not line.startswith("#"):
            return
        yield line


def _is_read_as(text: str, data: Data) -> bool:
    try:
        return bool(read_toml(text) == json.loads(json.dumps(data)))
    except ConfigError:
        return False


def _split(text: str) -> tuple[list[list[str]], list[str]]:
    """The lines before the first step, those of each step, and those of the tables after them."""
    blocks: list[list[str]] = [[]]
    tail: list[str] = []
    for line in text.splitlines():
        stripped = line.strip()
        if stripped.partition("#")[0].strip().replace(" ", "") == _HEADER:
            blocks.append([])
        elif line.startswith("[") and not stripped.startswith(("[steps", "[[steps")):
            tail.append(line)
            continue
        (tail if tail else blocks[-1]).append(line)
    return blocks, tail


def _end_with_blank(block: list[str]) -> None:
    if block and block[-1].strip():
        block.append("")


def _flatten(table: Data) -> dict[str, Any]:
    """The keys and values as one line each has them: arguments have dotted keys."""
    flat: dict[str, Any] = {}
    for key, value in table.items():
        if key == "arguments" and isinstance(value, Mapping) and value:
            flat |= {f"arguments.{toml_key(name)}": inner for name, inner in value.items()}
        else:
            flat[toml_key(key)] = value
    return flat


def _edit_block(block: Sequence[str], old: Data, new: Data, remark: str) -> list[str]:
    """The lines of a block with other values; lines that cannot be told apart stay as they are."""
    lines = list(block)
    for key in [key for key in old if key not in new]:
        lines = [line for line in lines if not line.startswith(f"{key} =")]
    for key, value in new.items():
        if key in old and old[key] == value:
            continue
        edited = f"{key} = {toml_value(value)}{remark}"
        indices = [k for k, line in enumerate(lines) if line.startswith(f"{key} =")]
        if len(indices) == 1:
            start = f"{key} = {toml_value(old[key])}  #" if key in old else edited
            earlier = lines[indices[0]].removeprefix(start)
            is_accepted = earlier != lines[indices[0]] and "accepted" in earlier
            lines[indices[0]] = edited + (f";{earlier}" if is_accepted else "")
        else:
            end = len(lines)
            while end and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
                end -= 1
            lines.insert(end, edited)
    return lines


def edit_settings(text: str, addition: Data, new: Data, comment: str) -> str:
    """Returns the text of a settings file with further members in its lists.

    Args:
        text: of the file; it may be empty.
        addition: the lists with the new members, in tables.
        new: the data that the file must hold afterwards.
        comment: the comment behind each changed line.

    Raises:
        ConfigError: if the lines of the file do not show where to write; it says what to add.
    """
    lines = text.splitlines()
    remark = f"  # {shown(comment, MAX_COMMENT)}"
    for path, _ in _list_leaves(addition, ()):
        value: Any = new
        for key in path:
            value = value[key]
        _edit_setting(lines, path, value, remark)
    edited = "".join(f"{line}\n" for line in lines)
    if _is_read_as(edited, new):
        return edited
    advice = "; ".join(
        f"{'.'.join(path)}: {toml_value(value)}" for path, value in _list_leaves(addition, ())
    )
    raise ConfigError(f"the settings file cannot be edited by line; add this by hand: {advice}")


def _list_leaves(table: Data, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _list_leaves(value, (*path, key))
        else:
            yield (*path, key), value


def _edit_setting(lines: list[str], path: Sequence[str], value: Any, remark: str) -> None:
    *tables, key = path
    header = f"[{'.'.join(toml_key(name) for name in tables)}]" if tables else ""
    starts = [k for k, line in enumerate(lines) if line.startswith("[")]
    first = 0
    edited = f"{toml_key(key)} = {toml_value(value)}{remark}"
    if header:
        own_starts = [k for k in starts if lines[k].partition("#")[0].strip() == header]
        if not own_starts:
            if lines and lines[-1].strip():
                lines.append("")
            lines += [header, edited]
            return
        first = own_starts[0] + 1
    end = next((k for k in starts if k >= first), len(lines))
    for index in range(first, end):
        if lines[index].partition("=")[0].strip() == toml_key(key):
            lines[index] = edited
            return
    while end > first and not lines[end - 1].strip():
        end -= 1
    lines.insert(end, edited)
