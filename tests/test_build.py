"""The native core and the packages: what is built, which core is chosen, and what is shipped."""

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest
import yaml

import hotel
import otap
from otap.cli import main
from otap.errors import ConfigError
from otap.transport.core import core_name, native

ROOT = Path(__file__).parent.parent
DISTRIBUTION = "otap-eval"
CORE = "otap.transport.native._core"
# As a user's machine has it: no variable of ours.
PLAIN = {name: value for name, value in os.environ.items() if not name.startswith("OTAP_")}
NO_COMPILER = {**PLAIN, "CC": "/bin/false", "CXX": "/bin/false"}


@pytest.fixture(autouse=True)
def chosen_anew(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each test chooses its core itself; the others keep theirs."""
    monkeypatch.delenv("OTAP_CORE", raising=False)
    monkeypatch.delenv("OTAP_REQUIRE_NATIVE", raising=False)
    native.cache_clear()
    yield
    native.cache_clear()


@pytest.fixture
def not_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if no compiler had been there."""
    monkeypatch.setitem(sys.modules, CORE, None)


def python(code: str, **environment: str) -> str:
    """What a new process prints."""
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**PLAIN, **environment}, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip


def test_numpy_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """OTAP_CORE=numpy leaves the native core alone, even where one is required."""
    monkeypatch.setenv("OTAP_CORE", "numpy")
    monkeypatch.setenv("OTAP_REQUIRE_NATIVE", "1")
    assert native() is None
    assert core_name() == "numpy, as OTAP_CORE says"


@pytest.mark.usefixtures("not_built")
def test_without_a_native_core_numpy_solves() -> None:
    """And the name says so."""
    assert native() is None
    assert core_name() == "numpy, no native core was built"


@pytest.mark.usefixtures("not_built")
@pytest.mark.parametrize("asked", ["OTAP_REQUIRE_NATIVE=1", "OTAP_CORE=avx2"])
def test_a_native_core_that_is_asked_for_must_be_there(
    asked: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever asks for it gets one line and exit code 2, not NumPy."""
    monkeypatch.setenv(*asked.split("=", 1))
    with pytest.raises(ConfigError, match=f"^{asked} requires the native core, which was not"):
        native()
    for command in (["--version"], ["score", str(hotel.REFERENCE), "-r", str(hotel.REFERENCE)]):
        with pytest.raises(SystemExit) as end:
            main(command)
        out, err = capsys.readouterr()
        assert (end.value.code, out, err.count("\n")) == (2, "", 1)
        assert asked in err


@pytest.mark.skipif(native() is None, reason="no native core was built")
def test_an_instruction_set_by_name() -> None:
    """Every set that the error lists can be had; a wrong name is one line and exit code 2."""
    done = subprocess.run(
        [sys.executable, "-m", "otap", "--version"],
        env={**PLAIN, "OTAP_CORE": "no\nsuch"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "OTAP_CORE=no\\nsuch names no core of this machine; it has " in done.stderr
    names = done.stderr.split(" it has ")[1].strip().split(", ")
    assert names[-1] == "numpy"
    asks = "from otap.transport.core import native; print(native().name)"
    assert [python(asks, OTAP_CORE=name).strip() for name in names[:-1]] == names[:-1]
    assert python(asks).strip() == names[0]


def test_the_core_is_loaded_when_something_is_solved() -> None:
    """Neither the package nor the command line costs it."""
    code = f"import sys, otap.cli, otap.transport; print({CORE!r} in sys.modules)"
    assert python(code) == "False\n"


def objects() -> list[tuple[str, Path]]:
    """The object files of the kernels, each with the instruction set that it was compiled for."""
    found = (ROOT / "build" / "dev").glob("CMakeFiles/kernels_*.dir/core/*.o")
    return [(path.parts[-3].removeprefix("kernels_").removesuffix(".dir"), path) for path in found]


@pytest.mark.skipif(not objects() or not shutil.which("nm"), reason="nothing was compiled here")
@pytest.mark.parametrize(("isa", "path"), objects())
def test_kernels_share_no_code(isa: str, path: Path) -> None:
    """What is compiled for one processor is never linked into the code for another.

    The linker keeps one copy of an inline function that several files define, whichever it likes:
    the one made of AVX-512 instructions would stop every processor without them.
    """
    lines = subprocess.run(
        ["nm", "-C", "--defined-only", "--extern-only", path],
        capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    symbols = [line.split(maxsplit=2)[2] for line in lines]
    assert symbols
    ours = re.compile(rf"^([^(<]+ )?otap::{isa}::")
    assert [symbol for symbol in symbols if not ours.match(symbol)] == []


def test_the_version_stands_once() -> None:
    """The installed distribution and the citation have that of the code."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["version"] == otap.__version__
    assert importlib.metadata.version(DISTRIBUTION) == otap.__version__


def build(what: str, source: Path, to: Path, environment: dict[str, str]) -> list[Path]:
    """Builds an sdist or a wheel with the packages at hand."""
    code = f"from scikit_build_core import build; build.build_{what}({str(to)!r})"
    subprocess.run(
        [sys.executable, "-c", code],
        cwd=source, env=environment, capture_output=True, check=True,
    )  # fmt: skip
    return list(to.iterdir())


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution, unpacked."""
    [archive] = build("sdist", ROOT, tmp_path_factory.mktemp("sdist"), PLAIN)
    folder = tmp_path_factory.mktemp("unpacked")
    subprocess.run(["tar", "-xzf", archive, "-C", folder], check=True)
    [source] = folder.iterdir()
    return source


def test_the_sdist_is_whole(unpacked: Path) -> None:
    """It builds and tests itself, and carries nothing that was built."""
    for folder in (".github", "core", "docs", "examples", "scripts", "src", "tests"):
        assert (unpacked / folder).is_dir()
    for name in ("CMakeLists.txt", "LICENSE", "NOTICE", "README.md", "CHANGELOG.md", "PKG-INFO"):
        assert (unpacked / name).is_file()
    shipped = {path.relative_to(unpacked) for path in unpacked.rglob("*") if path.is_file()}
    core = {path.relative_to(ROOT) for path in (ROOT / "core").iterdir()}
    assert core <= shipped
    assert not [path for path in shipped if path.suffix in {".so", ".pyc", ".o"}]
    assert not (unpacked / "build").exists()


def test_a_wheel_without_a_compiler(unpacked: Path, tmp_path: Path) -> None:
    """It is pure Python, for any machine, with every file of the package."""
    [wheel] = build("wheel", unpacked, tmp_path, NO_COMPILER)
    assert wheel.name == f"otap_eval-{otap.__version__}-py3-none-any.whl"
    package = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src").rglob("*")
        if path.is_file() and path.suffix not in {".so", ".pyc"}
    }
    archive = zipfile.ZipFile(wheel)
    names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert names == package
    for name in package:
        assert archive.read(name) == (ROOT / "src" / name).read_bytes(), name
    assert "otap/py.typed" in package
    assert "otap/data/wordllama/l2_supercat_256.safetensors" in package


def test_a_wheel_carries_what_is_listed(unpacked: Path, tmp_path: Path) -> None:
    """RELEASING.md lists its files, and the native core, which this one lacks."""
    [wheel] = build("wheel", unpacked, tmp_path, NO_COMPILER)
    names = zipfile.ZipFile(wheel).namelist()
    patterns = listed_patterns()
    not_listed = [name for name in names if not any(fnmatch(name, like) for like in patterns)]
    not_carried = [like for like in patterns if not any(fnmatch(name, like) for name in names)]
    assert (not_listed, not_carried) == ([], [CORE.replace(".", "/") + "*"])


def listed_patterns() -> list[str]:
    """The patterns of the files that a wheel carries, from the table of RELEASING.md."""
    section = (ROOT / "RELEASING.md").read_text("utf-8").split("## What a wheel carries")[1]
    return re.findall(r"^\| `([^`]+)` \|", section.split("\n## ")[0], re.MULTILINE)


def test_a_required_core_is_not_left_out_of_a_wheel(unpacked: Path, tmp_path: Path) -> None:
    """With OTAP_REQUIRE_NATIVE=1 a build that cannot compile fails."""
    with pytest.raises(subprocess.CalledProcessError):
        build("wheel", unpacked, tmp_path, {**NO_COMPILER, "OTAP_REQUIRE_NATIVE": "1"})
