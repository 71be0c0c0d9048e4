"""Logs of Inspect in zip archives: read in memory, within limits, or one line says why not."""

import io
import json
import sys
import zipfile
from pathlib import Path

import pytest

from otap import formats
from otap.errors import FormatError, LimitError
from otap.formats import Limits, read_document
from otap.formats.readers import inspect_archives as archives

MADE = Path(__file__).parents[2] / "made"
HEADER = {"version": 2, "eval": {"task": "t", "model": "m", "dataset": {}}}


def zipped(members, method=zipfile.ZIP_DEFLATED):
    """Returns an archive of these members; what is no text or bytes is written as JSON."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in members.items():
            plain = isinstance(content, str | bytes)
            archive.writestr(name, content if plain else json.dumps(content))
    return file.getvalue()


def sample(identifier=1, epoch=1):
    """Returns a sample by the name of its member."""
    name = f"samples/{identifier}_epoch_{epoch}.json"
    return {name: {"id": identifier, "epoch": epoch}}


LOG = {"header.json": HEADER, **sample()}


def problem(path, limits=None):
    """Returns why a file cannot be read, without its name."""
    with pytest.raises(FormatError) as caught:
        read_document(path, limits or Limits())
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(f"{path}: ")
    return message.removeprefix(f"{path}: ")


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_log(write, method):
    """The members of a log become one value, as the log is written as JSON."""
    path = write(zipped(LOG, method), "log.eval")
    document = read_document(path)
    assert document.value == {**HEADER, "samples": [{"id": 1, "epoch": 1}]}
    assert (document.path, document.lines) == (str(path), None)


def test_any_name_and_standard_input(write, monkeypatch):
    """An archive is known by its first bytes, whatever it is called."""
    data = zipped(LOG)
    assert read_document(write(data, "log.json")).value["samples"]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert read_document("-").value["samples"]


def test_archives_of_a_folder(write, tmp_path):
    """A folder's .eval files are read with the others."""
    write(zipped(LOG), "log.eval")
    assert [run.id for run in formats.read_all(tmp_path, format="inspect")] == ["t/1/1"]


def test_order_of_samples(write):
    """Samples come by epoch, then id, whole numbers as numbers, whatever their order there."""
    names = [(10, 1), ("b", 1), (2, 2), (2, 1), ("a", 1)]
    log = {"header.json": HEADER}
    for identifier, epoch in names:
        log |= sample(identifier, epoch)
    found = read_document(write(zipped(log))).value["samples"]
    order = [(2, 1), (10, 1), ("a", 1), ("b", 1), (2, 2)]
    assert [(one["id"], one["epoch"]) for one in found] == order


def test_log_that_broke_off(write):
    """A log without its header begins with what was written when the evaluation began."""
    log = {"_journal/start.json": HEADER, **sample(), "_journal/summaries/1.json": []}
    assert read_document(write(zipped(log))).value == {
        **HEADER,
        "samples": [{"id": 1, "epoch": 1}],
    }


def test_sample_logged_again(write):
    """Of two members with one name the last counts, as for every reader of archives."""
    file = io.BytesIO(zipped(LOG))
    with zipfile.ZipFile(file, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("samples/1_epoch_1.json", '{"id": "again"}')
    assert read_document(write(file.getvalue())).value["samples"] == [{"id": "again"}]


@pytest.mark.parametrize(
    "name",
    [
        "samples/../../x_epoch_1.json",
        "samples/..\\x_epoch_1.json",
        "../samples/x_epoch_1.json",
        "/samples/x_epoch_1.json",
        "samples/x_epoch_1.json/",
        "summaries.json",
    ],
)
def test_names_that_are_no_samples(write, tmp_path, name):
    """A name that leads out of the archive is no sample; nothing is ever written to disk."""
    path = write(zipped({**LOG, name: "no JSON"}), "a/log.eval")
    assert len(read_document(path).value["samples"]) == 1
    assert [file.name for file in tmp_path.rglob("*")] == ["a", "log.eval"]


def test_sample_with_a_slash(write):
    """The id of a sample may hold a slash."""
    log = {"header.json": HEADER, **sample("a/b")}
    assert read_document(write(zipped(log))).value["samples"][0]["id"] == "a/b"


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"word/document.xml": "<a/>"}, "is a zip archive, but not a log of Inspect (.eval)"),
        ({"header.json": "{"}, "header.json: line 1, column 1: the JSON ends too early"),
        ({"header.json": []}, "header.json: expected an object, found an empty list"),
        (
            {"header.json": HEADER, "samples/1_epoch_1.json": "{'a'"},
            "samples/1_epoch_1.json: line 1, column 2: not JSON",
        ),
        ({**LOG, "samples/2_epoch_1/sample.json": {}}, "holds samples in pieces"),
        (
            {"header.json": HEADER, "samples/1_epoch_1.json": '{"a": [1e999]}'},
            "samples[0].a[0]: a number beyond the range",
        ),
    ],
)
def test_no_log(write, members, message):
    """What is no log says so, with the member that is at fault."""
    assert message in problem(write(zipped(members)))


def test_depth(write):
    """A log may nest no deeper than any other file."""
    deep = '{"a":' * 99 + "1" + "}" * 99
    assert "above the limit of 100 (max_depth)" in problem(
        write(zipped({"header.json": HEADER, "samples/1_epoch_1.json": deep}))
    )


@pytest.mark.parametrize("cut", [4, 30, 60, 200, -30, -1])
def test_broken(write, cut):
    """A log that is cut off is named as broken."""
    assert problem(write(zipped(LOG)[:cut])).startswith("is a broken zip archive (")


def test_damaged(write):
    """A changed byte in any place is an error of ours, or is read; it is never another error."""
    data = zipped(LOG)
    for position in range(4, len(data)):
        path = write(data[:position] + bytes([data[position] ^ 0xFF]) + data[position + 1 :])
        try:
            read_document(path)
        except FormatError as error:
            assert str(error).startswith(str(path))


def test_encrypted(write):
    """An encrypted member is named."""
    data = bytearray(zipped(LOG))
    listed = data.index(b"PK\x01\x02")
    data[listed + 8] |= 1
    assert problem(write(bytes(data))) == (
        "header.json: is encrypted; unpack it first, with its password"
    )


def test_other_compression(write):
    """What Inspect never uses is not unpacked."""
    data = zipped(LOG, zipfile.ZIP_BZIP2)
    assert "has compression method 12, which Inspect does not use" in problem(write(data))


def test_unpacked_size(write):
    """The limit on a file holds for what it unpacks to, before anything is unpacked."""
    log = {**LOG, "samples/2_epoch_1.json": " " * 4000 + "{}"}
    assert read_document(write(zipped(log)), Limits(max_bytes=5000))
    path = write(zipped({**log, "samples/3_epoch_1.json": " " * 4000 + "{}"}))
    message = problem(path, Limits(max_bytes=5000))
    assert "unpacks to 7.9" in message
    assert message.endswith("above the limit of 4.883 KiB (max_bytes)")


def test_unpacked_size_that_lies(write):
    """A member that holds more than it says is broken; no more than it says is unpacked."""
    data = bytearray(zipped({"header.json": " " * 1_000_000 + "{}"}))
    listed = data.index(b"PK\x01\x02")
    data[listed + 24 : listed + 28] = (100).to_bytes(4, "little")
    assert problem(write(bytes(data))).startswith("header.json: is a broken zip archive (")


def test_bomb(write):
    """A small file that unpacks to very much is refused, whatever the limit on size."""
    path = write(zipped({**LOG, "samples/2_epoch_1.json": " " * (archives.MIN_BOMB_BYTES + 1)}))
    with pytest.raises(LimitError, match="unpacks to more than 200 times its size"):
        read_document(path)


def test_many_members(write, monkeypatch):
    """The number of members is limited, too."""
    monkeypatch.setattr(archives, "MAX_MEMBERS", 2)
    assert read_document(write(zipped(LOG)))
    assert "more than 2 members" in problem(write(zipped({**LOG, **sample(2)})))


def test_made_log_without_its_packer(write, monkeypatch):
    """Where nothing can read zstandard, the error says what to install."""
    monkeypatch.setattr(archives, "_BUILT_IN", None)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    assert problem(MADE / "inspect.eval").startswith(
        "header.json: is compressed with zstandard: pip install 'otap-eval[inspect]', or use"
        " Python 3.14"
    )


def test_made_log():
    """The log that Inspect packed today is the one that it wrote as JSON."""
    if sys.version_info < (3, 14):
        pytest.importorskip("zstandard")
    packed, plain = (read_document(MADE / f"inspect.{end}").value for end in ("eval", "json"))
    assert packed["eval"]["eval_id"] == plain["eval"]["eval_id"]
    assert packed["samples"][0]["messages"] == plain["samples"][0]["messages"]


def test_damaged_zstandard(write):
    """Damage to what zstandard packed is found, too."""
    if sys.version_info < (3, 14):
        pytest.importorskip("zstandard")
    data = bytearray((MADE / "inspect.eval").read_bytes())
    start = data.index(b"samples/rome_epoch_1.json") + 25
    data[start + 500] ^= 0xFF
    assert "samples/rome_epoch_1.json: is a broken zip archive" in problem(write(bytes(data)))


def test_real_log(real_data):
    """The real log of two samples in two epochs."""
    value = read_document(real_data / "traces" / "inspect" / "log_streaming.eval").value
    assert value["status"] == "success"
    assert [(s["id"], s["epoch"]) for s in value["samples"]] == [(1, 1), (2, 1), (1, 2), (2, 2)]
