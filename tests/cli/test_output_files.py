"""``convert -o``: what becomes of links, devices, pipes, modes, and of a disk that is full."""

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from commands import GOLD, Otap, assert_refused, in_a_process

import otap

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system of another kind")
NOBODY = 65534


def reads(path: Path) -> bool:
    """Whether a file holds the run that was converted."""
    return len(otap.read(path).steps) > 0


def test_a_link_stays(otap_: Otap, tmp_path: Path) -> None:
    """What it leads to is written, even where that is not there yet, and other names of it too."""
    (tmp_path / "real").mkdir()
    for target in ("real/old.json", "real/new.json"):
        link = tmp_path / "link.json"
        link.unlink(missing_ok=True)
        link.symlink_to(target)
        assert otap_("convert", GOLD, "-o", "link.json") == (0, "", "")
        assert link.is_symlink()
        assert reads(tmp_path / target)
    (tmp_path / "other.json").hardlink_to(tmp_path / "real" / "old.json")
    (tmp_path / "other.json").write_text("old")
    assert otap_("convert", GOLD, "-o", "real/old.json").code == 0
    assert reads(tmp_path / "other.json")
    link.unlink()
    link.symlink_to("link.json")
    assert_refused(otap_("convert", GOLD, "-o", "link.json"), "otap: link.json: cannot", "symbolic")


def test_the_mode_stays(otap_: Otap, tmp_path: Path) -> None:
    """An existing file keeps its mode and owner; a new one gets those of any new file."""
    file = tmp_path / "run.json"
    file.write_text("old")
    file.chmod(0o640)
    owner = NOBODY if os.getuid() == 0 else os.getuid()
    os.chown(file, owner, -1)
    assert otap_("convert", GOLD, "-o", "run.json").code == 0
    assert reads(file)
    assert (stat.S_IMODE(file.stat().st_mode), file.stat().st_uid) == (0o640, owner)
    (tmp_path / "plain").write_text("")
    assert otap_("convert", GOLD, "-o", "new.json").code == 0
    assert (tmp_path / "new.json").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_devices_and_pipes(otap_: Otap, tmp_path: Path) -> None:
    """They are written to and stay what they are; a device that is full says so."""
    assert otap_("convert", GOLD, "-o", "/dev/null") == (0, "", "")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    done = otap_("convert", GOLD, "-o", "/dev/full")
    assert done == (2, "", "otap: /dev/full: cannot write it (No space left on device)\n")
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text("utf-8")))
    reader.start()
    assert otap_("convert", GOLD, "-o", "pipe").code == 0
    reader.join()
    assert read == [otap_("convert", GOLD).out]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("name", ["-", "/dev/stdout"])
def test_standard_output(name: str, tmp_path: Path) -> None:
    """It is printed to as if no file were named, a pipe or a file that others write to as well."""
    expected = in_a_process("convert", GOLD)
    log = tmp_path / "log"
    log.write_text("before\n")
    command = [sys.executable, "-m", "otap", "convert", GOLD, "-o", name]
    with log.open("a") as file:
        subprocess.run(command, stdout=file, check=True)
    assert log.read_text("utf-8") == f"before\n{expected.out}"


def test_a_failure_leaves_the_old_content(otap_: Otap, tmp_path: Path) -> None:
    """A file that grows too large for the system, a folder, no folder: one line, nothing lost."""
    file = tmp_path / "run.json"
    file.write_text("old")
    limited = 'ulimit -f 1; trap "" XFSZ; exec "$@"'
    done = subprocess.run(
        ["sh", "-c", limited, "sh", sys.executable, "-m", "otap", "convert", GOLD, "-o", str(file)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"otap: {file}: cannot write it (File too large)\n"
    assert file.read_text() == "old"
    refused = {".": "Is a directory", "none/a.json": "No such", "run.json/a": "Not a directory"}
    for name, words in {**refused, "a" * 300: "File name too long"}.items():
        assert_refused(otap_("convert", GOLD, "-o", name), f"otap: {name}: cannot write it", words)
    assert [one.name for one in tmp_path.iterdir()] == ["run.json"]


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="needs another user")
def test_permissions(tmp_path: Path) -> None:
    """No file is replaced that may not be written; one that may is, even in a closed folder."""
    folder = tmp_path / "closed"
    folder.mkdir()
    for name, mode in (("open.json", 0o666), ("locked.json", 0o444)):
        (folder / name).write_text("old")
        (folder / name).chmod(mode)
    codes = {name: convert_as_nobody(folder / name) for name in ("open.json", "locked.json", "x")}
    assert codes == {"open.json": 0, "locked.json": 2, "x": 2}
    assert reads(folder / "open.json")
    assert (folder / "locked.json").read_text() == "old"


def convert_as_nobody(path: Path) -> int:
    """The code of a conversion that a user without rights asks for, in a process of its own."""
    text = otap.read(GOLD).to_json()
    child = os.fork()
    if not child:
        from otap.cli.output import write

        os.chdir(path.parent)  # the folders above are closed to others
        os.setuid(NOBODY)
        try:
            write(Path(path.name), text)
        except otap.OtapError as error:
            os._exit(2 if "Permission denied" in str(error) else 3)
        except BaseException:
            os._exit(4)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
