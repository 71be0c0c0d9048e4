"""How many files a field, format, finding, command or kind of value touches, counted on one.

Counted are the files of the package whose code names it: as a string, an attribute, a variable, an
argument, or what is imported. Documentation in the code does not count. CONTRIBUTING says the same
in words; whoever makes a test here fail has spread one thing over more files than it says.
"""

import ast
import importlib
import inspect
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import otap
from otap import formats

SOURCE = Path(otap.__file__).parent


def names_in(tree: ast.AST) -> Iterator[str]:
    """Everything that code names, docstrings left out."""
    documented = {id(text) for node in ast.walk(tree) for text in docstring(node)}
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if id(node) not in documented:
                yield text
            case ast.Attribute(attr=name) | ast.Name(id=name) | ast.arg(arg=name):
                yield name
            case ast.keyword(arg=str(name)) | ast.alias(name=name):
                yield name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.ImportFrom(module=str(module)):
                yield module.rpartition(".")[2]


def docstring(node: ast.AST) -> Iterator[ast.expr]:
    """The docstring of a module, a class or a function, if it has one."""
    match node:
        case ast.Module(body=[first, *_]) | ast.ClassDef(body=[first, *_]):
            pass
        case ast.FunctionDef(body=[first, *_]) | ast.AsyncFunctionDef(body=[first, *_]):
            pass
        case _:
            return
    if isinstance(first, ast.Expr):
        yield first.value


@cache
def names_of_files() -> dict[str, set[str]]:
    """Everything that each file of the package names, by its path below the package."""
    return {
        file.relative_to(SOURCE).as_posix(): set(names_in(ast.parse(file.read_text("utf-8"))))
        for file in SOURCE.rglob("*.py")
    }


def files_naming(name: str) -> set[str]:
    """The files of the package whose code names something, as paths below the package."""
    return {file for file, names in names_of_files().items() if name in names}


def path_of(module: str) -> str:
    """Where a module of the package lies, as a path below the package."""
    file = inspect.getsourcefile(importlib.import_module(module))
    assert file is not None
    return Path(file).relative_to(SOURCE).as_posix()


def test_a_field_is_a_module_a_line_a_weight_and_a_part_of_the_loss() -> None:
    """The state of a step: the model, its class and the table, its weight and its loss.

    How merged steps join it is a line in costs/merging.py, which names the class.
    """
    field = {
        "trajectory.py",  # where it is recorded
        "costs/fields.py",  # its class, and the table of fields
        "config/settings.py",  # its weight
        "scoring/result.py",  # its part of the loss
    }
    # Not what a field needs, but what else the state of the environment tells.
    told_by_it = {
        "run/run.py",  # no field: the size of what is read is work
        "run/index.py",  # its values are read once
        "run/generated_ids.py",  # identifiers that a state shows first are generated, and renamed
        "run/grounding.py",  # values that a state shows have a source
        "findings/record.py",  # the same for values of a message
        "findings/refusals.py",  # no field: a key of an answer
        "run/failures.py",  # no field: the state that a result names
        "run/completed.py",  # the same
        "run/precedence.py",  # no field: the implicit state that two calls act on
        "run/criticality.py",  # a step that changes the state is a goal
        "paper/unrelated.py",  # what its equality between unrelated tasks is
        "report/pages/step_fields.py",  # the order in which a page shows what a step says
        "report/redaction.py",  # and what of it is hidden
        "run/recorded_texts.py",  # the same in a recording
        "run/bindings.py",  # and where a hidden value comes from
        "scoring/hidden_values.py",  # the same for a plan
        "golden/conversion.py",  # the same when a recording becomes a plan
        "cli/secrets.py",  # the same in a draft
        "scoring/progress.py",  # the ids that a state shows are paired
        "integrations/inspect_ai.py",  # no field: the state of a task of Inspect
    }
    found = {
        file for file in files_naming("state") if not file.startswith(("formats/", "transport/"))
    }
    assert found == field | told_by_it


def test_a_format_is_a_module_and_a_line() -> None:
    """A format touches its module, its line in the table of formats, and its page."""
    reader = path_of(formats.FORMATS["smolagents"].module)
    table = path_of(formats.load_format.__module__)
    assert files_naming("smolagents") | {reader} == {reader, table}
    assert (SOURCE.parents[1] / "docs" / "formats" / "smolagents.md").is_file()


def test_a_finding_is_a_function_and_a_line() -> None:
    """A repeated step: its family's module and the table of kinds; the report has words for it."""
    found = files_naming("repeated")
    assert {file for file in found if not file.startswith("report/")} == {
        "findings/__init__.py",
        "findings/unmatched.py",
        "golden/rules.py",  # the rule that allows another call
        "scoring/progress.py",  # an objection before the call is made
        "integrations/comparisons.py",  # no finding: a test that is repeated
        "integrations/pytest.py",  # the same
    }


def test_a_command_is_a_module_and_a_line() -> None:
    """The command convert is known to the command line alone: its module, and the table there."""
    found = files_naming("convert")
    assert len(found) <= 2
    assert {file.split("/")[0].removesuffix(".py") for file in found} == {"cli"}


def test_a_kind_of_value_is_a_reader_and_a_line() -> None:
    """URLs: what reads them, and the table of kinds; telephone numbers have keys of their own."""
    assert files_naming("parse_url") == {
        "values/addresses.py",
        "values/kinds.py",
        "values/literals.py",  # links in prose
        "values/texts.py",  # the same
    }
    found = files_naming("phone")
    assert {file for file in found if file.startswith("values/")} == {
        "values/keys.py",
        "values/literals.py",
        "values/value.py",
    }
