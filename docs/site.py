"""Hooks of the site (mkdocs.yml): the start page, links, formats, notebooks and ``llms.txt``."""

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

from docs.pages.notebooks import notebook_page

DOCS = Path(__file__).parent
NOTEBOOKS = {
    f"notebooks/{path.stem}.md": path for path in (DOCS.parent / "notebooks").glob("*.ipynb")
}
_FENCE = re.compile(r"```.*?```", re.DOTALL)
_ROLE = re.compile(r":(?:attr|class|data|exc|func|meth|mod|obj):(?=<code)")  # of docstrings
_LINK = re.compile(r"\[([^\]\[]*)\]\(([^)\s]+)\)")


def on_config(config: Any) -> Any:
    """Adds a page for each format and each notebook to the navigation."""
    formats = sorted(path.name for path in (DOCS / "formats").glob("*.md"))
    pages = [
        {name.removesuffix(".md"): f"formats/{name}"} for name in formats if name != "README.md"
    ]
    reference = next(part["Reference"] for part in config.nav if "Reference" in part)
    next(part for part in reference if "Formats" in part)["Formats"] += pages
    start = next(part["Start"] for part in config.nav if "Start" in part)
    start.append({"Notebooks": sorted(NOTEBOOKS)})
    return config


def on_files(files: Files, config: Any) -> Files:
    """Makes the overview of the documentation the start page, and pages of the notebooks."""
    overview = (DOCS / "README.md").read_text(encoding="utf-8")
    files.append(File.generated(config, "index.md", content=overview))
    for page in NOTEBOOKS:
        files.append(File.generated(config, page, content=_read_page(page)))
    return files


def _read_page(path: str) -> str:
    """The text of a page of the site, by its path there."""
    if path in NOTEBOOKS:
        return notebook_page(NOTEBOOKS[path])
    return (DOCS / ("README.md" if path == "index.md" else path)).read_text(encoding="utf-8")


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Replaces links to files of the repository that are not on the site by their paths."""
    folder = posixpath.dirname(page.file.src_uri)

    def replace(match: re.Match[str]) -> str:
        text, target = match.groups()
        path, _, _ = target.partition("#")
        if not path or ":" in path:
            return match[0]
        inside = posixpath.normpath(posixpath.join(folder, path))
        if inside == "README.md":
            return f"[{text}]({posixpath.relpath('index.md', folder or '.')})"
        notebook = inside.removeprefix("../").replace(".ipynb", ".md")
        if notebook in NOTEBOOKS:
            return f"[{text}]({posixpath.relpath(notebook, folder or '.')})"
        if not inside.startswith("..") and not (DOCS / inside).is_dir():
            return match[0]
        shown = inside.removeprefix("../")
        return f"`{shown}`" if text.strip("`") in shown else f"{text} (`{shown}`)"

    return _LINK.sub(replace, markdown)


def on_page_content(html: str, **_: Any) -> str:
    """Shows names of the code without the role that docstrings give them."""
    return _ROLE.sub("", html).replace("<code>~", "<code>")


def on_post_build(config: Any) -> None:
    """Writes ``llms.txt``, which lists the pages for language models."""
    lines = ["# OTAP", "", f"> {config.site_description}.", ""]
    for part in config.nav:
        for title, pages in part.items():
            lines += [f"## {title}", ""]
            lines += [f"- {_describe(page)}" for page in _flatten(pages, title)]
            lines.append("")
    Path(config.site_dir, "llms.txt").write_text("\n".join(lines), encoding="utf-8")


def _flatten(part: Any, name: str = "") -> list[tuple[str, str]]:
    """The titles and files of a part of the navigation."""
    if isinstance(part, str):
        return [(name, part)]
    if isinstance(part, list):
        return [page for entry in part for page in _flatten(entry)]
    return [page for title, entry in part.items() for page in _flatten(entry, title)]


def _describe(entry: tuple[str, str]) -> str:
    """A page as a line: its title, and the first sentence of its first paragraph."""
    name, path = entry
    blocks = _FENCE.sub("", _read_page(path)).split("\n\n")
    heading, *paragraphs = (block.strip() for block in blocks)
    title = heading.partition("\n")[0].lstrip("# ") or name
    first = next((text for text in paragraphs if text[:1].isalpha()), "")
    sentence = " ".join(_LINK.sub(r"\1", first).split()).split(". ")[0].rstrip(".:")
    address = path.replace("README.md", "index.md").removesuffix(".md")
    return f"[{title}]({address}.html)" + (f": {sentence}." if sentence else "")
