"""Many runs of one file: read line by line, behind those that cannot be read, and in shares."""

import hashlib
import json

import pytest

from otap import formats
from otap.errors import ConfigError, FormatError
from otap.formats import Failed

TAU = {"task_id": 3, "reward": 1.0, "info": {}, "traj": [{"role": "user", "content": "hi"}]}


def own(*names):
    """Lines of our own format."""
    return [json.dumps({"id": name, "steps": [{"id": "1", "tool": "t"}]}) for name in names]


def seen(found):
    """What was read: the id of each run, or the message of what could not be read."""
    return [str(one.error) if isinstance(one, Failed) else one.id for one in found]


def test_goes_on_behind_bad_lines(write):
    """Lines that are no JSON, or no run, are told at their place; all others are read."""
    lines = own("a", "b")
    lines[1:1] = ['{"id": "x", "steps": [{}]}', '{"id": "cut', "[" * 120 + "]" * 120, '{"a": "\xff']
    path = write("\n".join(lines).encode("latin-1"), "runs.jsonl")
    found = list(formats.read_each(path))
    assert seen(found) == [
        "a",
        f"{path}: line 2: steps[0].id: Field required",
        f"{path}: line 3, column 11: the JSON ends too early (EOF while parsing a string); the"
        " file seems to be cut off, write it again",
        f"{path}: line 4: is nested too deep, above the limit of 100 (max_depth)",
        f"{path}: line 5: not UTF-8 (byte 0xff); save the file as UTF-8",
        "b",
    ]
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert [one.source.index for one in found] == [0, 1, 2, 3, 4, 5]
    assert {(one.source.path, one.source.sha256) for one in found} == {(str(path), digest)}


def test_the_first_line_may_be_the_bad_one(write):
    """A file called .jsonl is one of lines, whichever of the first is a whole run."""
    path = write("\n".join(['{"id": "cut', *own("b", "c")]), "runs.jsonl")
    assert seen(formats.read_each(path))[1:] == ["b", "c"]


@pytest.mark.parametrize("name", ["runs.jsonl", "list.json"])
def test_goes_on_behind_bad_runs_of_a_benchmark(write, name):
    """Each result of tau-bench is a run of its own, in a list as on a line."""
    path = write([{**TAU, "trial": 0}, {**TAU, "reward": "much"}, {**TAU, "trial": 2}], name)
    ids = seen(formats.read_each(path))
    assert (ids[0], ids[2]) == ("3/0", "3/2")
    assert "reward: expected a number" in ids[1]


def test_goes_on_behind_a_bad_task_of_bfcl(write):
    """A task that is no object loses itself, and none of those behind it."""
    tasks = [{"id": f"t{k}", "result": [["f(a=1)"]], "latency": 1} for k in range(3)]
    path = write("\n".join(json.dumps(task) for task in [tasks[0], 5, *tasks[1:]]), "runs.jsonl")
    ids = seen(formats.read_each(path))
    assert [ids[0], *ids[2:]] == ["t0", "t1", "t2"]
    assert "expected an object" in ids[1]


def test_files_that_cannot_be_read(write, tmp_path):
    """A bad file of a folder is told without a place among runs, and the next one is read."""
    write("{", "a.json")
    write("\n".join(own("b")), "b.jsonl")
    bad, good = formats.read_each(tmp_path)
    assert (bad.source.path, bad.source.index) == (str(tmp_path / "a.json"), None)
    assert good.id == "b"
    with pytest.raises(ConfigError):
        list(formats.read_each(tmp_path, format="unheard-of"))


@pytest.mark.parametrize("name", ["runs.jsonl", "list.json", "one.json"])
def test_shares(write, name):
    """Shares are the runs of a file dealt out: each is in one of them, with its place in all."""
    content = [json.loads(line) for line in own(*"abcdefg")]
    path = write(content[0] if name == "one.json" else content, name)
    whole = list(formats.read_all(path))
    shares = [list(formats.read_each(path, share=(k, 3))) for k in range(3)]
    assert [run.id for run in shares[0]] == [run.id for run in whole[::3]]
    assert sorted((run for share in shares for run in share), key=lambda r: r.id) == whole


def test_a_line_of_another_share_is_not_parsed(write):
    """What is left to others may be broken without a word."""
    path = write("\n".join([*own("a"), "{", *own("c")]), "runs.jsonl")
    assert seen(formats.read_each(path, share=(0, 2))) == ["a", "c"]


def test_shares_of_a_format_that_takes_the_whole_file(write):
    """Conversations that go on are found in the whole file, which each share reads."""
    message = {"role": "user", "content": "hi"}
    path = write([{"id": n, "messages": [message]} for n in "abc"], "runs.jsonl")
    found = [seen(formats.read_each(path, share=(k, 2))) for k in range(2)]
    assert found == [["a", "c"], ["b"]]


def test_lines_are_read_one_at_a_time(write, monkeypatch):
    """No more than what was asked for is parsed, whatever the size of the file."""
    path = write("\n".join(own(*map(str, range(50)))), "runs.jsonl")
    (file,) = formats.open_files(path)
    parsed = []
    monkeypatch.setattr(
        "otap.formats.json.lines.parse_line",
        lambda line, *_: parsed.append(line) or json.loads(line),
    )
    runs = file.runs()
    assert (next(runs).id, next(runs).id, len(parsed)) == ("0", "1", 2)


def test_a_limit_of_bytes_holds_for_each_line(write):
    """Of a file that is read line by line each line must be within the limit."""
    lines = own("a", "b" * 200, "c")
    path = write("\n".join(lines), "runs.jsonl")
    found = seen(formats.read_each(path, limits=formats.Limits(max_bytes=100)))
    assert (found[0], found[2]) == ("a", "c")
    assert found[1].startswith(f"{path}: line 2: is ")
    assert found[1].endswith("above the limit of 100 bytes (max_bytes)")


def test_raises_at_what_cannot_be_read(write):
    """Whoever reads all is told of a bad line when its turn comes."""
    runs = formats.read_all(write("\n".join([*own("a"), "{"]), "runs.jsonl"))
    assert next(runs).id == "a"
    with pytest.raises(FormatError, match="line 2, column 1"):
        next(runs)


def test_names_that_are_not_there(tmp_path):
    """A file that is not there is told as one that cannot be read."""
    (failed,) = formats.read_each(tmp_path / "none.jsonl")
    assert str(failed.error).endswith("cannot be read: No such file or directory")
