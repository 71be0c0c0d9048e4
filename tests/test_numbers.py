"""How numbers are printed: rounded, but never to more than they are."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import otap
from otap._numbers import count_text, loss_text, percent_text, score_text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1.000"), (0.0, "0.000"), (0.5, "0.500"), (0.12345, "0.123"), (None, "-"),
        (0.9994, "0.999"), (0.9996, "0.999"), (0.9999999, "0.999"), (1 - 1e-16, "0.999"),
        (0.9, "0.900"), (0.9 + 1e-12, "0.900"), (0.9 - 1e-12, "0.899"), (0.89949, "0.899"),
    ],
)  # fmt: skip
def test_scores(value: float | None, text: str) -> None:
    """Three digits; what is below 1 or the line of critical findings never reads as that."""
    assert score_text(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0.0000"), (0.12345, "0.1235"), (1e-4, "0.0001"), (4e-5, "4e-05"), (1e-17, "1e-17")],
)
def test_losses(value: float, text: str) -> None:
    """Four digits; what is not exactly 0 never reads 0."""
    assert loss_text(value) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, "0 %"), (0.004, "<1 %"), (0.005, "0 %"), (0.126, "13 %"), (1, "100 %")],
)
def test_shares(share: float, text: str) -> None:
    """Whole percentages; a little is more than nothing."""
    assert percent_text(share) == text


def test_counts() -> None:
    """One has a singular; a plural that is not the singular with an s is given."""
    assert [count_text(n, "step") for n in (0, 1, 2)] == ["0 steps", "1 step", "2 steps"]
    assert count_text(2, "dependency", "dependencies") == "2 dependencies"


# Their numbers are coordinates of a picture, which nobody reads.
DRAWINGS = ("arcs.py", "diagram.py")


def written_numbers(module: Path) -> Iterator[str]:
    """The places of a module that write a number by themselves: formats with digits, and ``%``."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
            own = [one for one in ast.walk(node.format_spec) if isinstance(one, ast.Constant)]
            written = "".join(str(one.value) for one in own)
            if {*written} & {*".,%eEfgG"}:
                yield f"{module.name}:{node.lineno}: {written}"
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "format":
            yield f"{module.name}:{node.lineno}: format"


@pytest.mark.parametrize("stage", ["report", "cli"])
def test_numbers_are_written_in_one_place(stage: str) -> None:
    """No module that shows something writes digits by itself: two views never differ in one."""
    folder = Path(otap.__file__).parent / stage
    modules = [one for one in sorted(folder.rglob("*.py")) if one.name not in DRAWINGS]
    found = [place for module in modules for place in written_numbers(module)]
    assert found == []
