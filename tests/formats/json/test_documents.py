"""Files become JSON with places, within limits, or one clear line says why not."""

import gc
import hashlib
import io
import json
import os
import sys
import threading
from pathlib import Path

import pytest

from otap.errors import FormatError, LimitError
from otap.formats import read_document
from otap.formats.json.paths import JsonPath, described
from otap.formats.json.streams import CHUNK
from otap.formats.json.syntax import parse_text
from otap.formats.limits import Limits


def problem(path: str | Path, limits: Limits | None = None) -> str:
    """Returns why a file cannot be read, without its name."""
    with pytest.raises(FormatError) as caught:
        read_document(path, limits or Limits())
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(f"{path}: ")
    return message.removeprefix(f"{path}: ")


def test_json(write):
    """A JSON file is its value, with the digest of the file and the path as given."""
    path = write('{"a": 1}')
    document = read_document(str(path))
    assert document.value == {"a": 1}
    assert document.path == str(path)
    assert document.sha256 == hashlib.sha256(b'{"a": 1}').hexdigest()
    assert [(item, str(place)) for item, place in document.items()] == [({"a": 1}, str(path))]


def test_jsonl_is_the_list_of_its_lines(write):
    """Each line of a JSONL file is an item, placed by its number; blank lines are no items."""
    path = write('{"a": 1}\r\n\n  \n{"a": 2}\n', "runs.jsonl")
    document = read_document(path)
    assert document.value == [{"a": 1}, {"a": 2}]
    assert [str(place["a"]) for _, place in document.items()] == [
        f"{path}: line 1: a",
        f"{path}: line 4: a",
    ]


def test_jsonl_by_its_content(write):
    """JSONL is found under any name, by a first line that is a whole document."""
    assert read_document(write('{"a": 1}\n{"a": 2}')).value == [{"a": 1}, {"a": 2}]


def test_jsonl_of_one_line_is_that_document(write):
    """One line of JSON is the same document under either name."""
    assert read_document(write('{"a": 1}', "run.jsonl")).value == {"a": 1}


def test_pretty_json_under_a_jsonl_name(write):
    """A document over several lines is read whatever the file is called."""
    assert read_document(write('{\n"a": 1\n}', "run.jsonl")).value == {"a": 1}


def test_places_in_a_list(write):
    """An item of a JSON list is placed by its index."""
    path = write([{"a": 1}])
    assert [str(place["a"][0]) for _, place in read_document(path).items()] == [f"{path}: [0].a[0]"]


def test_bom(write):
    """A byte order mark before UTF-8 is no part of the JSON."""
    assert read_document(write(b'\xef\xbb\xbf{"a": 1}')).value == {"a": 1}


def test_standard_input(monkeypatch):
    """A lone dash reads standard input."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"[1]")))
    document = read_document("-")
    assert (document.path, document.value) == ("-", [1])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_pipe(tmp_path):
    """A pipe, as in <(command), is read although it has no size."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    thread = threading.Thread(target=path.write_bytes, args=(b"[1]",))
    thread.start()
    assert read_document(path).value == [1]
    thread.join()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty; a trace holds at least one run"),
        (b" \n", "is empty; a trace holds at least one run"),
        (b"\xef\xbb\xbf", "is empty; a trace holds at least one run"),
        (b'{"a":\n "b', "line 2, column 3: the JSON ends too early (EOF while parsing a string)"),
        (b'{"a": "\xc3', "line 1, column 8: the JSON ends too early (EOF while parsing a string)"),
        (b"{'a': 1}", "line 1, column 2: not JSON (key must be a string); correct"),
        (b'{"a": nan}', "line 1, column 8: not JSON (expected ident)"),
        (b"[-Infinity]", "line 1, column 3: not JSON (invalid number)"),
        (b'{"a": 1} x', "line 1, column 10: not JSON (trailing characters)"),
        (b'{"a": 1}\n{"b": \n{"c": 3}', "line 2, column 6: the JSON ends too early"),
        (b'"\\udc00x"', "line 1, column 7: half of a surrogate pair"),
        (b"9" * 5000, "a number with too many digits; write it as text"),
        (b'{"a": "\xff"}', "line 1: not UTF-8 (byte 0xff); save the file as UTF-8"),
        ('{"a": 1}'.encode("utf-16"), "is UTF-16 text; save it as UTF-8"),
        ('{"a": 1}'.encode("utf-16-be"), "seems to be UTF-16 text or a binary file"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is a binary file, not JSON"),
        (b"\x1f\x8b\x08\0", "is a broken gzip file (Compressed file ended"),
        (b"PK\x03\x04", "is a broken zip archive (File is not a zip file); write it again"),
    ],
)
def test_bad_files(write, content, message):
    """What is no JSON gets one line: what, where, and how to mend it."""
    assert message in problem(write(content))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('{"a": [1, NaN], "b": "NaN"}', {"a": [1, None], "b": "NaN"}),
        ('{"a": NaN}\n{"a": [NaN]}', [{"a": None}, {"a": [None]}]),
    ],
)
def test_nan_is_null(write, content, expected):
    """Python's own writer writes it, and with it Inspect for a score that is missing."""
    assert read_document(write(content)).value == expected


def test_infinity_next_to_nan_is_refused(write):
    """It is no number that another program would read."""
    assert "a number beyond the range of a double" in problem(write("[NaN, -Infinity]"))


def test_bad_line_is_named(write):
    """A bad first line of a file called .jsonl is named by its number, too."""
    path = write('\n{"a": \n{"a": 1}', "runs.jsonl")
    assert problem(path).startswith("line 2, column 6: the JSON ends too early")


def test_a_long_path_is_named_whole(tmp_path):
    """The file can be found by the error, however deep the runner's workspace is."""
    path = tmp_path.joinpath(*["workspace"] * 20, "trace.json")
    path.parent.mkdir(parents=True)
    path.write_text("{", encoding="utf-8")
    assert problem(path).startswith("line 1, column 1: the JSON ends too early")


@pytest.mark.parametrize("name", ["absent.json", "nul\0l", ""])
def test_unreadable(name):
    """A file that is not there is an error of ours, with the system's reason."""
    with pytest.raises(FormatError, match="cannot be read: "):
        read_document(name)


def test_size_limit(write):
    """A file over the limit is refused by its size, with both numbers and the limit's name."""
    path = write(b"1" * 3 * 2**20)
    limits = Limits(max_bytes=2 * 2**20)
    assert problem(path, limits) == "is 3 MiB, above the limit of 2 MiB (max_bytes)"


def test_size_limit_of_gigabytes(tmp_path):
    """The limit that stands if nobody sets one is 1 GiB, held before the file is read."""
    path = tmp_path / "sparse.json"
    with path.open("wb") as file:
        file.truncate(int(1.2 * 2**30))
    assert problem(path) == "is 1.2 GiB, above the limit of 1 GiB (max_bytes)"


def test_size_limit_of_a_stream(monkeypatch):
    """Standard input is refused as soon as it passes the limit."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b" " * 100)))
    assert "100 bytes, above the limit of 10 bytes (max_bytes)" in problem("-", Limits(10))


@pytest.mark.parametrize(("start", "end"), [("[", "]"), ('{"a":', "}")])
def test_depth_limit(write, start, end):
    """A document may nest to the limit and no deeper."""
    deep = f"{start * 100}1{end * 100}"
    assert read_document(write(deep)).value
    assert "above the limit of 100 (max_depth)" in problem(write(start + deep + end))
    with pytest.raises(LimitError):
        read_document(write(start * 5000 + end * 5000))


def test_depth_limit_of_a_line(write):
    """In JSONL each line may nest to the limit, as it could in a file of its own."""
    deep = "[" * 100 + "]" * 100
    assert len(read_document(write(f"{deep}\n1\n{deep}")).value) == 3
    assert "(max_depth)" in problem(write(f"1\n[{deep}]"))


def test_brackets_in_text_are_no_depth(write):
    """Only real nesting counts, not brackets inside a text."""
    assert read_document(write(["[{" * 200]))


@pytest.mark.parametrize(
    "number", ["1e400", "-1E+400", "9" * 400 + ".0", "1" * 250 + "e60", "1e0999"]
)
def test_numbers_out_of_range(write, number):
    """A number that a double cannot hold is refused with its place, not read as infinity."""
    path = write(f'[1, {{"b": [0.5, {number}]}}]')
    assert problem(path) == "[1].b[1]: a number beyond the range of a double; write it as text"


@pytest.mark.parametrize("number", ["1e+400", "9" * 309 + ".0"])
@pytest.mark.parametrize("shift", [0, 1, 3, 5, 199, 200, 308])
def test_numbers_out_of_range_across_pieces(write, number, shift):
    """A large file is looked at piece by piece, and a number on the border of two is found."""
    space = " " * (CHUNK - shift - 1)
    assert "beyond the range of a double" in problem(write(f"[{space}{number}]"))


def test_infinity_in_a_line(write):
    """The place of such a number in JSONL is its line."""
    assert problem(write('{"a": 1}\n{"a": 1e999}')).startswith("line 2: a: a number beyond")


def test_long_numbers_and_hex_are_fine(write):
    """What only looks like a huge number is read as it stands."""
    value = ["6e318", 10**300, 1e300, {"a": "1e999"}]
    assert read_document(write(value)).value == value


def test_collector_runs_again(write):
    """Reading leaves Python's garbage collector as it was, on or off."""
    read_document(write("1"))
    assert gc.isenabled()
    gc.disable()
    try:
        read_document(write("1"))
        assert not gc.isenabled()
    finally:
        gc.enable()


@pytest.mark.parametrize("text", ["{", "1e400", "[" * 11 + "]" * 11, '"\ud800"'])
def test_bad_text(text):
    """JSON inside a text is held to the same rules."""
    with pytest.raises(ValueError):
        parse_text(text, max_depth=10)


def test_terminal_escapes_are_shown_escaped(tmp_path):
    """Neither a file's name nor its content reaches the terminal unescaped."""
    path = tmp_path / "\x1b[31m.json"
    path.write_text("")
    with pytest.raises(FormatError) as caught:
        read_document(path)
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([], "an empty list"),
        ({}, "an empty object"),
        ("", "an empty text"),
        (None, "null"),
        (True, "the value true"),
        (1.5, "the value 1.5"),
        ("x" * 50, f"the text '{'x' * 29}…'"),
        ([1, 2], "a list of 2, first the value 1"),
        (dict.fromkeys("abcdefg"), "an object with the keys 'a', 'b', 'c', 'd', 'e' and 2 more"),
    ],
)
def test_described(value, words):
    """An error says in words what was found."""
    assert described(value) == words


def test_place_checks():
    """Each check of a place names the place, what was expected and what was found."""
    place = JsonPath("a.json", 3)["b"][0]
    for check, value, words in [
        (place.object, [], "expected an object, found an empty list"),
        (place.array, {}, "expected a list, found an empty object"),
        (place.text, "", "expected text, found an empty text"),
        (place.label, True, "expected text or a whole number, found the value true"),
    ]:
        with pytest.raises(FormatError) as caught:
            check(value)
        assert str(caught.value) == f"a.json: line 3: b[0]: {words}"


def test_equal_values_whatever_the_order_of_keys(write):
    """The order of keys in a JSON object changes nothing in what is read."""
    one = read_document(write(json.dumps({"a": 1, "b": {"c": 2, "d": 3}})))
    two = read_document(write(json.dumps({"b": {"d": 3, "c": 2}, "a": 1})))
    assert one.value == two.value
