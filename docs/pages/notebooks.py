"""Runs notebooks cell by cell, and writes their outputs: `python -m docs.pages.notebooks`.

A notebook is run as a kernel would run it, in one namespace, in the root of the repository. Its
outputs are what the cells print, and the value of an expression at the end of a cell.
"""

import ast
import base64
import io
import json
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SVG = "image/svg+xml"


def run_notebook(path: Path) -> dict[str, Any]:
    """Returns a notebook with the outputs that its cells have now."""
    notebook: dict[str, Any] = json.loads(path.read_text("utf-8"))
    namespace: dict[str, Any] = {"__name__": "__main__"}
    count = 0
    with chdir(ROOT):
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                count += 1
                cell["execution_count"] = count
                cell["outputs"] = _run_cell("".join(cell["source"]), namespace, count)
    return notebook


def as_text(notebook: dict[str, Any]) -> str:
    """Returns the text of a notebook's file."""
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _run_cell(source: str, namespace: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """Runs a cell, and returns its outputs."""
    tree = ast.parse(source)
    last = tree.body[-1] if tree.body else None
    printed = io.StringIO()
    value = None
    with redirect_stdout(printed):
        if isinstance(last, ast.Expr):
            body = ast.Module(tree.body[:-1], type_ignores=[])
            exec(compile(body, "<cell>", "exec"), namespace)
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), namespace)
        else:
            exec(compile(tree, "<cell>", "exec"), namespace)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        text = printed.getvalue().splitlines(keepends=True)
        outputs.append({"name": "stdout", "output_type": "stream", "text": text})
    if value is not None:
        outputs.append(
            {
                "data": _data_of(value),
                "execution_count": count,
                "metadata": {},
                "output_type": "execute_result",
            }
        )
    return outputs


def _data_of(value: Any) -> dict[str, list[str]]:
    """Returns a value as a notebook shows it: as text, or as a picture or a card."""
    if hasattr(value, "_repr_svg_"):
        return {SVG: value._repr_svg_().splitlines(keepends=True)}
    data = {"text/plain": str(value).splitlines(keepends=True)}
    if hasattr(value, "_repr_html_"):
        data["text/html"] = value._repr_html_().splitlines(keepends=True)
    return data


def notebook_page(path: Path) -> str:
    """Returns a notebook as Markdown: its texts, its code, and what the code showed."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "\n\n".join(part for cell in cells for part in _cell_parts(cell)) + "\n"


def _cell_parts(cell: dict[str, Any]) -> list[str]:
    """The parts of a page that a cell becomes."""
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return [source.replace("](../docs/", "](../")]
    parts = [f"```python\n{source}\n```"]
    for output in cell["outputs"]:
        if output["output_type"] == "stream":
            parts.append(f"```text\n{''.join(output['text'])}```")
        else:
            picture = "".join(output["data"][SVG]).encode()
            address = f"data:{SVG};base64,{base64.b64encode(picture).decode()}"
            parts.append(f"![The output of the cell above]({address})")
    return parts


if __name__ == "__main__":
    for path in NOTEBOOKS:
        path.write_text(as_text(run_notebook(path)), encoding="utf-8")
