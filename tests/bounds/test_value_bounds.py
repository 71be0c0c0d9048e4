"""What steps carry may be anything below 1 MB: its comparison stays bounded and fast."""

import random
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from bounds.growing import Bench, Pair, Part, bench, run_of

Data = object
Make = Callable[[int, int], Data]  # a size and a side, 0 or 1: the data of one call

_WORDS = (
    "please", "cancel", "the", "order", "refund", "customer", "blue", "red", "seven", "Paris",
    "not", "today", "with", "send", "March", "approve", "reject", "12", "and", "never", "Anna",
    "Ben", "Monday", "no", "locked", "unlocked", "before", "after",
)  # fmt: skip


def words(count: int, seed: int) -> str:
    """Returns a salad of words that negate, exclude, name and count."""
    chosen = random.Random(seed)
    return " ".join(chosen.choice(_WORDS) for _ in range(count))


def rows(count: int, side: int, prose: bool = False) -> list[dict[str, Data]]:
    """Returns the rows of a table that all differ between the two sides."""
    return [
        {
            "id": f"R{place * 3 + side}",
            "qty": (place * 7 + side) % 101,
            "name": words(8, place * 2 + side) if prose else f"thing {place + side}",
            "day": f"2024-05-{place % 28 + 1:02}",
        }
        for place in range(count)
    ]


def call(make: Make, size: int) -> Pair:
    """One call on each side with data as an argument."""
    one, other = (run_of([{"tool": "t", "arguments": {"x": make(size, side)}}]) for side in (0, 1))
    return one, other


def everywhere(make: Make, size: int) -> Pair:
    """One call on each side with data in each of its fields."""

    def of(side: int) -> dict[str, Data]:
        data = make(size, side)
        action = data if isinstance(data, str) else "look"
        return {"tool": "t", "action": action, "arguments": data, "effect": data, "state": data}

    one, other = run_of([of(0)]), run_of([of(1)])
    return one, other


def steps(make: Make, size: int) -> Pair:
    """Many calls on each side, each with data of its own."""
    one, other = (
        run_of(
            {"tool": f"t{place % 9}", "arguments": make(place, side), "effect": "ok"}
            for place in range(size)
        )
        for side in (0, 1)
    )
    return one, other


def nested(width: int, levels: int, side: int) -> Data:
    """Lists in lists that differ at the bottom."""
    chosen = random.Random(side)

    def below(left: int) -> Data:
        return [below(left - 1) for _ in range(width)] if left else chosen.randrange(9)

    return below(levels)


def seven_wide(size: int, side: int) -> Data:
    """Lists, seven wide, with about so many numbers."""
    return [nested(7, 4, side * 1000 + place) for place in range(max(1, size // 7**4))]


def six_deep(size: int, side: int) -> Data:
    """Lists six levels deep, with about so many numbers: they grow wider."""
    return nested(round(size ** (1 / 6)), 6, side)


def brackets(size: int, side: int) -> Data:
    """A list in a list in a list."""
    data: Data = side
    for _ in range(size):
        data = [data]
    return data


def doubled(size: int, side: int) -> Data:
    """Two lists a level, one of which holds the next level."""
    data: Data = side
    for place in range(size):
        data = [data, [f"{place} {side}"]]
    return data


def objects(size: int, side: int) -> Data:
    """An object in an object."""
    data: Data = side
    for place in range(size):
        data = {"a": data, f"k{side}": place, "b": [place + side, {"c": [side]}]}
    return data


def table(size: int, side: int) -> Data:
    """A square of numbers."""
    return [[place * column + 5 * side for column in range(size)] for place in range(size)]


def text_of(piece: str, size: int, side: int) -> str:
    """A piece of text, repeated; the sides differ at the end."""
    count = size // len(piece)
    return piece * (count - 2 * side) + (" x1" if side else "")


def commands(piece: str, size: int, side: int) -> Data:
    """A piece of text, repeated, as the readers of each kind of value meet it."""
    text = text_of(piece, size // 5, side)
    return {
        "y": "git log " + text,
        "z": "select a from b where " + text,
        "w": "Please send " + text,
        "v": text[:1900] + "q" * side,
        "u": "on 5 " + text[: 1800 - side],
        "t": text,
    }


def spread(size: int, side: int) -> str:
    """A long text that differs in one place."""
    text = words(size // 5, 1)
    return f"{text[: size // 2]} {side} {text[size // 2 :]}"


def keys(size: int, side: int) -> Data:
    """An object of keys of which the other side has half."""
    return {f"key {place * 2 + side * (place % 2)}": place for place in range(size)}


def record(size: int, side: int) -> Data:
    """A few hundred bytes of JSON that differ from each other one."""
    return {
        "note": words(12, size * 2 + side),
        "customer": {"id": f"C{size}-{side}", "name": words(2, size + side)},
        "lines": [{"sku": f"S{size}{k}{side}", "qty": k + side} for k in range(3)],
    }


def steps_of_rows(size: int, side: int) -> Data:
    """Thirty rows."""
    return {"rows": [{**row, "of": f"{size} {side}"} for row in rows(30, side + size * 31, True)]}


# Pieces of text that some pattern may try again and again.
PIECES = {
    "blank": " ", "line": "\n", "lines": "x\n", "tab": "\t ", "digit": "1", "digits": "1 ",
    "dot": ".", "dots": ". ", "open": "(", "brackets": "()", "square": "[", "curly": "{",
    "quote": "'", "double": '"', "tick": "`", "slash": "/", "path": "a/", "dash": "-",
    "dashes": "a-", "under": "a_", "capital": "A", "capitals": "Ab ", "comma": "1,",
    "clock": "1:", "at": "a@", "mail": "a.b@c.", "back": "\\", "and": "&", "semicolon": ";",
    "han": "\u4f60", "ten": "\u5341", "not": "not ", "select": "select ", "comment": "--x ",
    "star": "/*", "git": "git 'a", "assigned": "A=b ", "hash": "#1", "code": "a1", "url": "http://",
    "urls": "http://a.b/ ", "list": "and a ", "month": "may 3 ", "hundred": "one hundred ",
    "of": "of ", "percent": "5% ", "combining": "e\u0301", "right": "\u05d0 ",
    "emoji": "\U0001f600",
    "equals": "a = b\n", "arrow": "->", "values": "values (1), ", "flag": "-r ",
}  # fmt: skip

ONE_CALL: dict[str, tuple[Make, int, int]] = {
    "nested seven wide": (seven_wide, 7**4, 300_000),
    "nested six deep": (six_deep, 4**6, 8**6),
    "brackets": (brackets, 20, 95),
    "doubled": (doubled, 15, 45),
    "objects": (objects, 10, 45),
    "table": (table, 20, 300),
    "rows": (rows, 250, 12_000),
    "rows of prose": (partial(rows, prose=True), 125, 7_000),
    "numbers": (lambda n, s: [k * 7 + s for k in range(n)], 2_500, 120_000),
    "floats": (lambda n, s: [k / 7 + s for k in range(n)], 2_500, 50_000),
    "words": (lambda n, s: [f"w{k * 2 + s}" for k in range(n)], 2_500, 90_000),
    "prose": (lambda n, s: [words(12, k * 2 + s) for k in range(n)], 250, 12_000),
    "names": (lambda n, s: {"names": [f"Bo{k} Li{s}" for k in range(n)]}, 1_000, 60_000),
    "same": (lambda n, s: ["again"] * (n + s), 2_500, 90_000),
    "mixed": (lambda n, s: [k + s if k % 2 else {"a": [k, s]} for k in range(n)], 1_000, 60_000),
    "keys": (keys, 2_500, 45_000),
    "keys of one": (lambda n, s: [{f"k{k}{s}": k} for k in range(n)], 500, 45_000),
    "keys of each": (lambda n, s: [{f"k{j}": k + s for j in range(n)} for k in range(n)], 20, 250),
    "many sets": (lambda n, s: [[f"a{k}", f"b{k + s}"] for k in range(n)], 1_000, 45_000),
    "digits": (lambda n, s: f"{'9' * n}{s}", 25_000, 900_000),
    "number": (lambda n, s: int("9" * n) + s, 1_000, 4_000),
    "exponent": (lambda n, s: [f"1e{k}{s}" for k in range(n)], 1_000, 60_000),
    "huge": (lambda n, s: [1e308, -1e308, 5e-324, f"{s}e{'9' * n}"], 1_000, 900_000),
    "dates": (lambda n, s: [f"{k}-99-{s}9T99:99" for k in range(n)], 1_000, 40_000),
    "address": (
        lambda n, s: "https://x.org/?" + "&".join(f"a{n - k}={k + s}" for k in range(n)),
        2_500,
        80_000,
    ),
    "query": (
        lambda n, s: "SELECT a FROM t WHERE " + " OR ".join(f"b = {k + s}" for k in range(n)),
        2_500,
        70_000,
    ),
    "command": (lambda n, s: "git log" + "".join(f" -f{k + s}" for k in range(n)), 2_500, 100_000),
    "code": (
        lambda n, s: "".join(f"x{k} = f({k + s})\n" for k in range(n)),
        1_000,
        45_000,
    ),
}
# Texts stand as arguments, action, effect and state, each of which is read in its own way.
EVERYWHERE: dict[str, tuple[Make, int, int]] = {
    "words of a text": (lambda n, s: words(n // 5, s), 10_000, 220_000),
    "one place": (spread, 10_000, 240_000),
    "sentences": (lambda n, s: ". ".join(words(9, k + s) for k in range(n)), 200, 4_000),
    "codes": (lambda n, s: " ".join(f"A{k * 2 + s}x" for k in range(n)), 1_000, 28_000),
    "paths": (lambda n, s: " ".join(f"x/a{k * 2 + s}/c" for k in range(n)), 1_000, 20_000),
    "days": (lambda n, s: " ".join(f"{k * 2 + s}-01-05" for k in range(n)), 1_000, 20_000),
    "persons": (
        lambda n, s: " ".join(f"said Bo{chr(97 + k % 26)}{k * 2 + s}" for k in range(n)),
        1_000,
        18_000,
    ),
    "han": (
        lambda n, s: "\u8bf7\u53d6\u6d88\u8ba2\u5355\u4e0d\u6279\u51c6" * n + "x" * s,
        400,
        9_000,
    ),
}
READ_AS: dict[str, tuple[Make, int, int]] = {
    f"read as {name}": (partial(commands, piece), 5_000, 250_000) for name, piece in PIECES.items()
}
# All pairs of steps are compared: what grows is a square.
STEPS: dict[str, tuple[Make, int, int]] = {
    "steps": (record, 25, 2_000),
    "steps of prose": (lambda n, s: {"note": words(12, n * 2 + s)}, 25, 2_000),
    "steps of numbers": (lambda n, s: {"a": n, "b": [n + s, s]}, 50, 2_000),
    "steps of lists": (lambda n, s: {"ids": [f"R{s}-{n}-{k}" for k in range(30)]}, 50, 2_000),
    "steps of rows": (steps_of_rows, 4, 240),
    "steps of keys": (lambda n, s: {f"k{n}{s}{k}": k for k in range(20)}, 50, 2_000),
}
PARTS = [
    *(Part(name, partial(call, of), *sizes) for name, (of, *sizes) in ONE_CALL.items()),
    *(Part(name, partial(everywhere, of), *sizes) for name, (of, *sizes) in EVERYWHERE.items()),
    *(Part(name, partial(everywhere, of), *sizes) for name, (of, *sizes) in READ_AS.items()),
    *(Part(name, partial(steps, of), *sizes, 2.6) for name, (of, *sizes) in STEPS.items()),
]


@pytest.fixture(scope="module")
def measured() -> Iterator[Bench]:
    """The process that measures."""
    with bench("bounds.test_value_bounds") as found:
        yield found


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_time_grows_as_the_trace_does(part: Part, measured: Bench) -> None:
    """Four times as much takes little more than four times as long."""
    assert measured.complaint(part) == ""
