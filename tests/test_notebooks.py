"""The notebooks: each runs, and shows what its file says."""

import json
from pathlib import Path

import pytest

from docs.pages.notebooks import NOTEBOOKS, as_text, notebook_page, run_notebook

ROOT = Path(__file__).parents[1]
MAX_BYTES = 100_000


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_its_cells_do(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run `python -m docs.pages.notebooks` where the outputs changed."""
    monkeypatch.delenv("COLUMNS", raising=False)
    assert as_text(run_notebook(path)) == path.read_text("utf-8")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_small_and_in_order(path: Path) -> None:
    """Each code cell ran once, from the first to the last, and says what it is."""
    assert path.stat().st_size < MAX_BYTES
    notebook = json.loads(path.read_text("utf-8"))
    counts = [cell["execution_count"] for cell in notebook["cells"] if "outputs" in cell]
    assert counts == list(range(1, len(counts) + 1))
    assert (notebook["nbformat"], len({cell["id"] for cell in notebook["cells"]})) == (
        4,
        len(notebook["cells"]),
    )


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_page_of_a_notebook_links_to_pages(path: Path) -> None:
    """The links of the file lead to pages, and so do those on the site, where docs/ is the root."""
    text = path.read_text("utf-8")
    page = notebook_page(path)
    for target in [part.partition(")")[0] for part in text.split("](../docs/")[1:]]:
        assert (ROOT / "docs" / target).is_file()
        assert f"](../{target})" in page
