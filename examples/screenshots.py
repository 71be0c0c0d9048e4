"""Takes the screenshots of docs/screenshots in Debian's chromium: scripts/screenshots.

python examples/screenshots.py [FOLDER] makes the pages of the examples as a user does, by the
command line, and takes a picture of each, in few colours so that it is small.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import otap
from otap.report.pages.run_page import score_page
from otap.report.pages.task import task_page

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "screenshots"
COLOURS = 160
RUN, TASK = "book-vienna/after-2", "book-vienna"


@dataclass(frozen=True)
class Shot:
    """A screenshot.

    Attributes:
        page: of which page.
        width: of the window.
        height: the most that is shown of the page.
        dark: whether the reader's machine is dark.
        first: what the reader does before; nothing, if it is not said.
    """

    page: str
    width: int = 1200
    height: int = 900
    dark: bool = False
    first: Callable[[Any], object] = bool


def _open_worst(page: Any) -> None:
    page.locator("details.row.bad summary").first.click()


def _open_parting(page: Any) -> None:
    page.locator(".task-parts").first.click()


SHOTS: Mapping[str, Shot] = {
    "one-run": Shot("run"),
    "one-run-dark": Shot("run", dark=True),
    "one-run-narrow": Shot("run", width=400, height=1100),
    "step-opened": Shot("run", height=760, first=_open_worst),
    "several-runs": Shot("task", first=_open_parting),
    "many-runs": Shot("many", height=1250),
    "many-runs-dark": Shot("many", height=1250, dark=True),
    "many-runs-moved": Shot("moved"),
}


def take(folder: Path) -> None:
    """Takes all screenshots into a folder."""
    from playwright.sync_api import sync_playwright

    folder.mkdir(parents=True, exist_ok=True)
    program = shutil.which(os.environ.get("OTAP_CHROMIUM", "chromium"))
    with TemporaryDirectory() as made, sync_playwright() as driven:
        pages = dict(_pages(Path(made)))
        browser = driven.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for name, shot in SHOTS.items():
            (folder / f"{name}.png").write_bytes(_few_colours(_picture(browser, pages, shot)))
        browser.close()


def _pages(folder: Path) -> Iterator[tuple[str, Path]]:
    """The pages by name, made of the bookings."""
    subprocess.run([sys.executable, "-m", "examples.bookings", folder], cwd=ROOT, check=True)
    gold = otap.read_references(folder / "gold.jsonl")
    runs = otap.read_all(folder / "after.jsonl")
    scorer = otap.Scorer()
    found = {
        run.id: scorer.explain(run, [one for one in gold if one.task == TASK])
        for run in runs if run.task == TASK
    }  # fmt: skip
    yield "run", _written(folder / "run.html", score_page(found[RUN]))
    yield "task", _written(folder / "task.html", task_page(list(found.values())))
    for name in ("before", "after"):
        _otap(folder, "evaluate", f"{name}.jsonl", "-r", "gold.jsonl", "-o", f"{name}.out.jsonl")
    for name, more in (("many", ()), ("moved", ("--base", "before.out.jsonl"))):
        _otap(folder, "report", "after.out.jsonl", *more, "-o", f"{name}.html")
        yield name, folder / f"{name}.html"


def _picture(browser: Any, pages: Mapping[str, Path], shot: Shot) -> bytes:
    size = {"width": shot.width, "height": shot.height}
    scheme = "dark" if shot.dark else "light"
    page = browser.new_page(viewport=size, color_scheme=scheme, reduced_motion="reduce")
    page.goto(pages[shot.page].as_uri())
    shot.first(page)
    page.evaluate("document.activeElement.blur()")
    found: bytes = page.screenshot()
    page.close()
    return found


def _few_colours(picture: bytes) -> bytes:
    from PIL import Image

    small = BytesIO()
    whole = Image.open(BytesIO(picture)).convert("RGB")
    few = whole.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    few.save(small, "PNG", optimize=True)
    return small.getvalue()


def _otap(folder: Path, *arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "otap", *arguments], cwd=folder, check=True)


def _written(file: Path, text: str) -> Path:
    file.write_text(text, encoding="utf-8")
    return file


if __name__ == "__main__":
    take(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
