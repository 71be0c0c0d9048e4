"""Whatever stands in a trace ends in runs or in one of our errors, soon, never in a traceback."""

import json
import os
import random
import re
import time
from pathlib import Path

import pytest

from otap import formats
from otap.errors import OtapError, shown_path
from otap.trajectory import parse_trajectory

LONG = os.environ.get("OTAP_LONG") == "1"
COUNT = 100_000 // len(formats.FORMATS) if LONG else 60  # inputs a format
SECONDS = 10.0  # for one input: far more than any takes, so that a busy machine is no failure
ITEMS, LETTERS = 12, 400  # of a real trace, what is kept of each list and text
MADE = Path(__file__).parent / "made"
PAGES = Path(__file__).parents[2] / "docs" / "formats"


def nested(levels, inner=1):
    """Returns lists and objects in each other."""
    for level in range(levels):
        inner = [inner] if level % 2 else {"steps": inner}
    return inner


HOSTILE = [
    *(None, True, False, 0, -1, 1.5, -0.0, 1e308, 2**31, 2**63, 2**64, -(10**30), 10**4000),
    *("", " ", "0", "-1", "null", "{}", "[]", '"', "true", "\x00", "\x1b[31m", "\u202e"),
    *("9" * 40, "1970-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z", "2020-02-30", "1e999"),
    *([], {}, [[]], [{}], {"": ""}, [None], [0], ["a"], {"text": 5}, {"type": "text"}, {"type": 0}),
    *("x" * 100_000, "(" * 20_000, "1: \n" * 5000, "[" * 5000, '{"a":' * 2000, " " * 50_000 + "x"),
    *(nested(20), nested(85), nested(99), nested(150), json.dumps(nested(95)), [[0] * 50] * 50),
    *('{"a": "\\ud800"}', '{"a": 1e999}', '[{"role": "tool", "content": []}]', "\ufeff{}", "NaN"),
]  # fmt: skip


def pruned(value):
    """Returns the beginning of a trace: what is inside its lists, and its texts, only shorter."""
    if isinstance(value, dict):
        return {key: pruned(item) for key, item in value.items()}
    if isinstance(value, list):
        return [pruned(item) for item in value[:ITEMS]]
    if isinstance(value, str) and len(value) > LETTERS:
        inside = embedded(value)
        return value[:LETTERS] if inside is None else json.dumps(pruned(inside))
    return value


def embedded(text):
    """Returns the list or object that stands in a text, if there is one."""
    try:
        inside = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return inside if isinstance(inside, dict | list) and inside else None


@pytest.fixture(scope="session")
def seeds(tmp_path_factory, request):
    """Returns traces by format: examples of the pages, made files, and real ones if there are."""
    folder = tmp_path_factory.mktemp("seeds")
    for page in (PAGES / f"{name}.md" for name in formats.FORMATS):
        (example,) = re.findall(r"```json\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
        (folder / f"{page.stem}.json").write_text(example, encoding="utf-8")
    named = os.environ.get("OTAP_REAL_DATA")
    real = [request.getfixturevalue("real_data")] if named else []
    found = {name: [] for name in formats.FORMATS}
    for path in sorted(file for where in (folder, MADE, *real) for file in where.rglob("*.*")):
        try:
            (file,) = formats.open_files(path)
        except OtapError:
            continue  # scripts and the like
        found[file.format.NAME].append((pruned(file.document.value), file.document.lines))
    return found


class Mutator:
    """Changes traces in ways that are drawn by a seed."""

    def __init__(self, seed, others):
        self.rng = random.Random(seed)
        self.others = others
        self.changes = [
            *(self.drop, self.repeat, self.replace, self.retype),
            *(self.splice, self.swap, self.rename, self.inside),
        ]

    def mutated(self, value):
        """Returns a changed copy."""
        top = [self.copy(value)]
        for _ in range(self.rng.choice((1, 1, 2, 3, 6))):
            self.rng.choice(self.changes)(top)
        return top[0]

    def spot(self, top):
        """Returns a list or object and one of its keys, as often near the top as deep inside."""
        holder, key = top, 0
        while self.rng.random() < 0.85:
            child = holder[key]
            if not isinstance(child, dict | list) or not child:
                break
            holder = child
            key = self.rng.choice(list(child) if isinstance(child, dict) else range(len(child)))
        return holder, key

    def copy(self, value):
        """Returns a copy; JSON's own, as it is the fastest."""
        return json.loads(json.dumps(value))

    def drop(self, top):
        """Takes something out."""
        holder, key = self.spot(top)
        if holder is not top:
            del holder[key]

    def repeat(self, top):
        """Puts something in again, under another name or many times."""
        holder, key = self.spot(top)
        times = self.rng.choice((1, 1, 2, 40))
        if isinstance(holder, dict):
            holder[self.rng.choice(("id", "name", "x"))] = self.copy(holder[key])
        elif holder is not top:
            holder[key:key] = [self.copy(holder[key]) for _ in range(times)]

    def replace(self, top):
        """Puts a hostile value in."""
        holder, key = self.spot(top)
        holder[key] = self.copy(self.rng.choice(HOSTILE))

    def retype(self, top):
        """Makes something of another type of it."""
        holder, key = self.spot(top)
        value = holder[key]
        ways = [[value], {"value": value}, json.dumps(value), str(value), bool(value), [value] * 2]
        holder[key] = self.rng.choice(ways)

    def splice(self, top):
        """Puts in what stands elsewhere, or in another trace."""
        holder, key = self.spot(top)
        other, at = self.spot(self.rng.choice([top, top, [self.rng.choice(self.others)]]))
        holder[key] = self.copy(other[at])

    def swap(self, top):
        """Exchanges two things."""
        (one, at), (two, to) = self.spot(top), self.spot(top)
        one[at], two[to] = self.copy(two[to]), self.copy(one[at])

    def rename(self, top):
        """Gives something the name of another."""
        (holder, key), (other, name) = self.spot(top), self.spot(top)
        if isinstance(holder, dict) and isinstance(other, dict):
            holder[name] = holder.pop(key)

    def inside(self, top):
        """Changes the JSON that stands inside a text."""
        holder, key = self.spot(top)
        value = embedded(holder[key]) if isinstance(holder[key], str) else None
        if value is not None:
            holder[key] = json.dumps(self.mutated(value))


def text_of(value, lines):
    """Returns the bytes of a file with this JSON."""
    if lines is None or not isinstance(value, list):
        return json.dumps(value).encode()
    return "\n".join(map(json.dumps, value)).encode()


def outcome(path):
    """Returns how many runs and golds a file gives, or nothing where it is refused."""
    try:
        (file,) = formats.open_files(path)
        found = [*file.runs(), *file.references(), *file.runs(reasoning=True)]
    except OtapError as error:
        assert str(error).startswith(shown_path(path))
        return None
    for run in found:
        assert parse_trajectory(json.loads(run.to_json())) == run
    return len(found)


def checked(path, data):
    """Reads a file with this content; what goes wrong is told with the file, which is kept."""
    path.write_bytes(data)
    begun = time.perf_counter()
    try:
        found = outcome(path)
    except Exception as error:
        raise AssertionError(f"{path}: {type(error).__name__}: {error}") from error
    assert time.perf_counter() - begun < SECONDS, f"{path} takes too long"
    return found


@pytest.mark.parametrize("name", formats.FORMATS)
def test_mutated_traces(name, seeds, tmp_path):
    """Changed traces of each format are read or refused; not all of them are refused."""
    others = [value for found in seeds.values() for value, _ in found]
    read = 0
    for number in range(COUNT):
        mutator = Mutator(f"{name} {number}", others)
        value, lines = mutator.rng.choice(seeds[name])
        path = tmp_path / f"{name}.jsonl" if lines else tmp_path / f"{name}.json"
        read += checked(path, text_of(mutator.mutated(value), lines)) is not None
    assert read > COUNT / 10


@pytest.mark.parametrize(
    "path", [f for f in MADE.iterdir() if f.suffix != ".py" and f.is_file()], ids=lambda p: p.name
)
def test_damaged_files(path, tmp_path):
    """Files with bytes cut off, put in, or changed are read or refused."""
    data = path.read_bytes()
    for number in range(COUNT // 10):
        rng = random.Random(f"{path.name} {number}")
        start, end = sorted(rng.randrange(len(data) + 1) for _ in range(2))
        between = rng.choice([b"", rng.randbytes(4), b"\xff", b"(", b'"', b"[" * 300, data[:50]])
        end = rng.choice([start, start + 1, end, len(data)])
        checked(tmp_path / path.name, data[:start] + between + data[end:])
