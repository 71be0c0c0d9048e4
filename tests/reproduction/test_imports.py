"""The reproduction uses the package as a user does: its folders by name, nothing inside them."""

import ast
from importlib import import_module
from pathlib import Path

import otap

FOLDER = Path(__file__).parents[2] / "reproduction"
DOCUMENTED = {
    "otap",
    *(f"otap.{name}" for name in ("errors", "trajectory", "graph", "encoders", "compat")),
    *(
        f"otap.{path.parent.name}"
        for path in Path(otap.__file__).parent.glob("*/__init__.py")
        if path.parent.name != "cli"
    ),
}
# What an ablation or a study of one part needs beside that: (module, what is imported from where).
INSIDE = {
    # Two ablations change the arrays that a score is computed from.
    ("paper/otap_metrics.py", "otap.scoring.metric"): {"Metric"},
    ("paper/otap_metrics.py", "otap.scoring.references"): {"ReferenceComparisons"},
    # What is one text for equal arguments: the rivals see what OTAP sees.
    ("rivals/texts.py", "otap.values.value"): {"text_of"},
    # Gold graphs that the reader of whole files refuses.
    ("corpora/worfbench.py", "otap.formats.readers.worfbench"): {"parse_workflow"},
    # How often the intervals of compare cover.
    ("studies/comparing.py", "otap.evaluation.comparison.inference"): {
        "Estimate", "estimate", "sign_flip_test",
    },
    ("studies/comparing.py", "otap.evaluation.results"): {"read_results"},
    # A study of one finding, value by value.
    ("studies/grounding.py", "otap.run.grounding"): {
        "Ungrounded", "find_assumed", "find_ungrounded",
    },
    ("studies/grounding.py", "otap.run.edges"): {"traced_edges"},
    ("studies/grounding.py", "otap.run.index"): {"FieldValues", "ValueIndex"},
    ("studies/grounding.py", "otap.run.scalars"): {
        "canonical_value", "identifying_parts", "is_date", "is_number", "list_nodes", "specificity",
        "write_path",
    },
    # What thresholds do to tasks that they have not seen, without scoring anew for each.
    ("studies/calibrating.py", "otap.learning.calibration"): {
        "Calibration", "ScoredSample", "calibrate_scored", "make_promise", "score_sample",
    },
    ("studies/calibrating.py", "otap.learning.calibration.calibration"): {"On"},
    ("studies/calibrating.py", "otap.learning.samples"): {"build_sample", "label_runs"},
}  # fmt: skip


def imported(path: Path) -> set[tuple[str, str]]:
    """Each name that a module imports from otap, with where it comes from."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] == "otap":
            found |= {(str(node.module), name.name) for name in node.names}
        elif isinstance(node, ast.Import):
            names = [name.name for name in node.names if name.name.split(".")[0] == "otap"]
            found |= {(name, "") for name in names}
    return found


def test_the_reproduction_imports_what_a_user_does():
    """But for what is listed above, all of which is still needed."""
    inside: dict[tuple[str, str], set[str]] = {}
    for path in FOLDER.rglob("*.py"):
        for module, name in imported(path):
            assert not name.startswith("_") or name == "__version__", (path, name)
            if module not in DOCUMENTED:
                place = path.relative_to(FOLDER).as_posix(), module
                inside.setdefault(place, set()).add(name)
    assert inside == INSIDE


def test_what_is_imported_is_offered():
    """Of a folder only what its first page lists."""
    for path in FOLDER.rglob("*.py"):
        for module, name in imported(path):
            if module in DOCUMENTED and name:
                home = import_module(module)
                assert name in getattr(home, "__all__", dir(home)), (path, module, name)
