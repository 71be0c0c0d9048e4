"""Changes that a call made although it is reported as failed.

The report of a failure is believed unless something speaks against it. Of a command line, a program
or a batch of statements, whatever ran before the part that failed has changed something: it is not
known which part failed, so only the last one can be excused. Of other calls the result decides: it
may show that the work was done, wholly or in part.
"""

import ast
import json
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any

from otap._patterns import regex
from otap.run import words as table
from otap.run.commands import (
    MAX_LENGTH,
    command_reads,
    is_statement,
    only_selects,
    split_line_into_commands,
    split_statements,
)
from otap.run.kinds import command_of, kind_of, program_of, statement_of
from otap.trajectory import Step
from otap.values.keys import canonical_key
from otap.values.tool_names import last_part

MAX_JSON = 20_000  # parse JSON in a text of at most this many characters
MAX_TEXT = 2_000  # characters of a result in which reports of changes are looked for
MAX_RESULTS = 200  # entries of a list of results
MAX_STATEMENTS = 500  # of a program; longer ones count as having changed something
_STEM = 5  # letters that a participle and the name of the tool share: transferred, transfer

_CLAUSES = regex(r"[\n.;!?,。]+(?=\s|\Z)|\n|\b(?:but|then|aber|dann|pero|mais|ma|mas)\b")
_WORDS = regex(r"[\w'/]+")
_TAG = regex(
    r"^(?:(?:DELETE|UPDATE|MERGE|COPY|INSERT 0) [1-9]\d*"
    r"|(?:TRUNCATE|DROP|ALTER|CREATE|GRANT|REVOKE)(?: [A-Z]+){0,2})$",
    re.MULTILINE,
)
_SOME_OF = regex(r"\b(\d+) ?(?:of|out of|/|von|de|sur|di|van) ?(\d+)\b(?=(\D{0,60}))")
_SENT = regex(
    r"\b(?:after|once|since) (?:the )?(?:request|message|command) (?:was|had been) sent\b"
)
_TIMED_OUT = regex(
    r"time(?:d)?[ -]?out|deadline|zeitüberschreitung|délai|tiempo de espera", re.IGNORECASE
)
_ROLLED_BACK = regex(
    r"\brolled[ _-]?back\b|\brollback (?:complete|successful)|\bwas reverted\b|\bwas undone\b"
)
_REHEARSED = regex(r"dry.?run|would|simulat|preview|rehears|not applied|no changes? (?:made|was)")
_NEVER_BEGAN = regex(r"no such file|cannot access|not found|does not exist|unknown option|usage:")
_TIMEOUT_KEY = "timeout"
# Keys of errors, in lower case and without punctuation.
ERROR_KEYS = (
    "error", "errormessage", "errors", "fehler", "erreur", "errore", "erro", "exception",
)  # fmt: skip
_RESULT_LISTS = ("results", "items", "responses", "operations", "content", "parts")


def has_changed_something(step: Step, effect: Any) -> bool:
    """Returns whether a call that is reported as failed changed something nevertheless.

    Args:
        step: the call.
        effect: its effect, with JSON parsed.
    """
    kind = kind_of(step.tool)
    command = command_of(step.arguments) if kind == "shell" else None
    if command is not None:
        text = _output_of(effect)
        return _line_has_changed(command, text.lower()) or _lists_changes(text)
    program = program_of(step)
    if program is not None:
        return _program_has_changed(program)
    statement = statement_of(step.arguments) if kind == "database" else None
    if statement is not None and _batch_has_changed(statement):
        return True
    return _limits_its_time(step, effect) or _shows_change(effect, step) or _echoes(effect, step)


def _echoes(effect: Any, step: Step) -> bool:
    """Whether a result only repeats arguments of the call, and nothing in it speaks of an error."""
    if not isinstance(effect, Mapping) or not isinstance(step.arguments, Mapping):
        return False
    arguments = step.arguments
    return len(effect) > 1 and all(
        key in arguments and effect[key] == arguments[key] for key in effect
    )


def parse_effect(effect: Any) -> Any:
    """Returns an effect; of a text that is an object in JSON, the object."""
    if isinstance(effect, str) and effect.lstrip()[:1] == "{" and len(effect) <= MAX_JSON:
        with suppress(ValueError, RecursionError):
            return json.loads(effect)
    return effect


# Command lines


def _line_has_changed(line: str | Sequence[str], output: str = "") -> bool:
    """Whether more happened than that the last command failed.

    Args:
        line: the command line, or the words of a command.
        output: the output in lower case.
    """
    commands = split_line_into_commands(line)
    if commands is None:
        return True
    writers = [k for k, command in enumerate(commands) if not _keeps_everything(command.words)]
    # A redirection empties its file before the command runs.
    if any(command.redirects for command in commands):
        return True
    if not writers:
        return False
    # Behind "||" a command runs only because the one before it failed.
    is_last = all(command.follows == "||" for command in commands[writers[0] + 1 :])
    if not is_last or _does_several_things(commands[writers[0]].words):
        return True
    return _goes_through_many(commands[writers[0]].words) and not _NEVER_BEGAN.search(output)


def _keeps_everything(words: Sequence[str]) -> bool:
    """Whether a command reads, or changes only the state of the shell."""
    return command_reads(words) or (bool(words) and words[0] in table.SHELL_STATE)


def _goes_through_many(words: Sequence[str]) -> bool:
    """Whether a command changes many objects one after the other: a tree, or several operands."""
    while words and words[0] in ("sudo", "nohup"):
        words = words[1:]
    if not words or words[0] not in table.MANY_AT_ONCE:
        return False
    options = [word for word in words[1:] if word.startswith("-")]
    operands = [word for word in words[1:] if not word.startswith("-")]
    is_recursive = any(
        option in ("--recursive", "-delete", "--all")
        or (not option.startswith("--") and not {"r", "R"}.isdisjoint(option))
        for option in options
    )
    return is_recursive or len(operands) > table.MANY_AT_ONCE[words[0]] or "*" in "".join(operands)


def _does_several_things(words: Sequence[str]) -> bool:
    """Whether one command runs several: another line inside it, or repeated -c."""
    while words and words[0] in ("sudo", "env", "nohup"):
        words = words[1:]
    if not words:
        return False
    name, arguments = words[0], words[1:]
    if name in ("timeout", "!"):
        return True  # it may be stopped in the middle, or turn success into failure
    inner = [word for word in arguments if any(sign in word for sign in ";|&\n")]
    if name in ("bash", "sh", "zsh") and len(arguments) == 2 and arguments[0] in ("-c", "-lc"):
        return _line_has_changed(arguments[1])
    if name in table.CLIENTS:
        statements = [
            value
            for option, value in pairwise(arguments)
            if option in ("-c", "-e", "--command", "--execute", "--eval")
        ]
        statements += [word for word in arguments if ";" in word and is_statement(word)]
        return len(statements) > 1 or any(_batch_has_changed(statement) for statement in statements)
    if name.startswith("python") and "-c" in arguments[:-1]:
        return _program_has_changed(arguments[arguments.index("-c") + 1])
    return bool(inner) and name in table.RUNNERS


# Statements


def _batch_has_changed(text: str) -> bool:
    """Whether a statement other than the last one writes, outside an open transaction."""
    statements = split_statements(text)
    pending = committed = False
    is_open = False
    for statement in statements[:-1]:
        word = statement.split(None, 1)[0].lower() if statement else ""
        if word in ("begin", "start"):
            is_open = True
        elif word in ("commit", "end"):
            committed, pending, is_open = committed or pending, False, False
        elif word == "rollback":
            pending, is_open = False, False
        elif not only_selects(statement):
            pending = pending or is_open
            committed = committed or not is_open
    last = statements[-1].split(None, 1)[0].lower() if statements and statements[-1] else ""
    return committed or (pending and last in ("commit", "end"))


# Programs


def _program_has_changed(program: str) -> bool:
    """Whether a statement that may change something stands before the last such statement."""
    if len(program) > MAX_LENGTH:
        return True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            statements = ast.parse(program).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False  # it did not run, or its language is unknown
    if len(statements) > MAX_STATEMENTS:
        return True
    while statements and _is_inert(statements[-1]):
        statements.pop()
    calls = [_count_changing_calls(statement) for statement in statements]
    if not any(calls):
        return False
    # Only a single call in the last statement can be the part that failed.
    is_simple = isinstance(statements[-1], ast.Expr | ast.Assign | ast.AnnAssign | ast.Return)
    return any(calls[:-1]) or calls[-1] > 1 or not is_simple


def _is_inert(statement: ast.stmt) -> bool:
    """Whether a statement neither changes anything nor fails: a definition, or ``print(x)``."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.Pass):
        return True
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return False
    call = statement.value
    is_print = isinstance(call.func, ast.Name) and call.func.id == "print"
    return is_print and all(isinstance(value, ast.Name | ast.Constant) for value in call.args)


def _count_changing_calls(statement: ast.stmt) -> int:
    """The number of calls in a statement that are not known to only compute or read."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        return 0  # its body runs when it is called
    calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call)]
    return sum(not _is_harmless_call(call) for call in calls) + isinstance(statement, ast.Delete)


def _is_harmless_call(call: ast.Call) -> bool:
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if name == "open":
        modes = [*call.args[1:2], *(key.value for key in call.keywords if key.arg == "mode")]
        return all(
            isinstance(mode, ast.Constant) and set(str(mode.value)) <= set("rbt") for mode in modes
        )
    return name in table.PURE_CALLS or name.startswith(("read_", "get_", "is_", "list_", "find_"))


# Results


def _limits_its_time(step: Step, effect: Any) -> bool:
    """Whether a call that set its own limit of time ran into it: its request may have arrived."""
    arguments = step.arguments
    if not isinstance(arguments, Mapping) or not isinstance(effect, str):
        return False
    limits = any(canonical_key(key).startswith(_TIMEOUT_KEY) for key in arguments)
    return limits and _TIMED_OUT.search(effect[:MAX_TEXT]) is not None


def _shows_change(effect: Any, step: Step) -> bool:
    """Whether the result of a call shows that it did its work, wholly or in part."""
    if _ROLLED_BACK.search(_outline(effect)):
        return False
    if isinstance(effect, str):
        return _tells_change(effect, step)
    if isinstance(effect, Mapping):
        return _records_change(effect, step, depth=2)
    if isinstance(effect, list):
        texts = [part.get("text") for part in effect[:MAX_RESULTS] if isinstance(part, Mapping)]
        return any(_tells_change(text, step) for text in texts if isinstance(text, str))
    return False


def _outline(effect: Any) -> str:
    """The beginning of the text of an effect, or of its keys and texts, in lower case."""
    if isinstance(effect, Mapping):
        members = list(effect.items())[:MAX_RESULTS]
        texts = [f"{key} {value}" for key, value in members if isinstance(value, str | bool)]
        effect = " ".join(texts)
    return effect[:MAX_TEXT].lower() if isinstance(effect, str) else ""


def _records_change(fields: Mapping[str, Any], step: Step, depth: int) -> bool:
    """Whether the fields of a result show a change: a state, a count, a new id, a partial list."""
    members = {
        key.replace("_", "").replace("-", "").lower(): value for key, value in fields.items()
    }
    texts = {key: value for key, value in members.items() if isinstance(value, str)}
    errors = " ".join(text for key, text in texts.items() if key in ERROR_KEYS)[:MAX_TEXT]
    others = " ".join(text for key, text in texts.items() if key not in ERROR_KEYS)[:MAX_TEXT]
    denials = [not table.DENYING.isdisjoint(_WORDS.findall(t.lower())) for t in (errors, others)]
    is_denied = any(denials)
    for key, value in members.items():
        if _is_sign(key, value, step, is_denied=is_denied):
            return True
        if isinstance(value, list) and key in _RESULT_LISTS and _has_success(value, step):
            return True
        if isinstance(value, Mapping) and depth and _records_change(value, step, depth - 1):
            return True
    if not denials[0] and _tells_change(others, step):
        return True
    return _tells_change(errors, step, is_error=True)


def _is_sign(key: str, value: object, step: Step, *, is_denied: bool) -> bool:
    """Whether a member of a result is a sign of success: a state, a count or a new id.

    Args:
        key: in lower case, without punctuation.
        value: any JSON value.
        step: the call.
        is_denied: whether a text of the result denies something; then a state may be that of an
            object that the call did not change.
    """
    if key in table.CHANGED_KEYS:
        return _is_positive(value)
    if key in table.DONE or key in ("success", "ok"):
        return value is True
    if key in ("status", "state", "result", "outcome", "phase") and isinstance(value, str):
        state = value.lower().replace(" ", "_")
        if state in table.DONE and _names_work(state, step):
            return True
        return not is_denied and state in table.DONE_STATES | table.DONE
    return key.endswith("id") and not is_denied and _is_new_id(key, value, step)


def _is_positive(value: object) -> bool:
    if isinstance(value, list):
        return bool(value)
    return value is True or (isinstance(value, int | float) and value > 0)


def _is_new_id(key: str, value: object, step: Step) -> bool:
    """Whether a result has an identifier of the tool's object: transfer_id of transfer."""
    if value in (None, "", 0) or isinstance(value, bool | dict | list):
        return False
    owner = key.removesuffix("id")
    name = last_part(step.tool or "").lower().replace("_", "").replace("-", "")
    return len(owner) > 2 and owner in name and str(value) not in str(step.arguments)


def _has_success(results: Sequence[Any], step: Step) -> bool:
    """Whether some entry of a list of results reports success."""
    for entry in results[:MAX_RESULTS]:
        if isinstance(entry, str) and entry.strip().lower() in table.DONE_STATES | table.DONE:
            return True
        if isinstance(entry, Mapping):
            state = str(entry.get("status", entry.get("result", ""))).lower()
            if state in table.DONE_STATES | table.DONE or entry.get("success") is True:
                return True
            if entry.get("ok") is True:
                return True
            text = entry.get("text")
            if isinstance(text, str) and _tells_change(text, step):
                return True
    return False


def _tells_change(text: str, step: Step, *, is_error: bool = False) -> bool:
    """Whether a clause of a text says that the work of this call was done, at least in part.

    Args:
        text: a text of the result.
        step: the call.
        is_error: whether the text stands under a key for errors.
    """
    text = text[:MAX_TEXT]
    lowered = text.lower()
    if _SENT.search(lowered) or _TAG.search(text) or _tells_share(lowered):
        return True
    is_after_error = is_error
    for words in split_clauses(lowered):
        done = table.DONE.intersection(words)
        has_error = _tells_error(words)
        is_after_error = is_after_error or has_error
        if done and not has_error and table.DENYING.isdisjoint(words):
            if any(_names_work(word, step) for word in done):
                return True
            if not is_after_error and not table.DONE_WORDS.isdisjoint(done):
                return True
            # Behind an error a number is a detail: "total is 305, but paid 255".
            has_count = any(word.isdecimal() and int(word[:9]) for word in words)
            if has_count and not is_after_error:
                return True
    return False


def _tells_error(words: Sequence[str]) -> bool:
    return any(word in table.REFUSED or word.startswith(("error", "exception")) for word in words)


def _tells_share(text: str) -> bool:
    """Whether some of several parts were done: "3 of 5 deleted", "2 of 5 uploads failed"."""
    for match in _SOME_OF.finditer(text):
        count, total, rest = int(match[1][:9]), int(match[2][:9]), _WORDS.findall(match[3])
        if not table.REFUSED.isdisjoint(rest):
            if count < total:
                return True
        elif 0 < count < total and not table.DONE.isdisjoint(rest):
            return True
    return False


def split_clauses(text: str) -> Iterator[list[str]]:
    """Yields the words of each clause of a text in lower case."""
    for clause in _CLAUSES.split(text):
        words = _WORDS.findall(clause)
        if words:
            yield words


def _names_work(participle: str, step: Step) -> bool:
    """Whether a participle belongs to the work of a call: deleted, for crm_bulk_delete."""
    name = last_part(step.tool or "").lower()
    return participle[: min(_STEM, len(participle) - 2)] in name


def _output_of(effect: Any) -> str:
    """The text that a command printed."""
    if isinstance(effect, Mapping):
        effect = effect.get("stdout", effect.get("output", effect.get("content")))
    return effect[:MAX_TEXT] if isinstance(effect, str) else ""


def _lists_changes(text: str) -> bool:
    """Whether a line of the output of a command reports a change, as kubectl does."""
    if _TAG.search(text):
        return True
    for line in text.lower().splitlines():
        words = _WORDS.findall(line)
        is_denied = not table.DENYING.isdisjoint(words) or _tells_error(words)
        if words and words[-1] in table.DONE and not is_denied:
            return True
    return False


def contradicts_dry_run(step: Step, effect: Any) -> bool:
    """Returns whether the result of a dry run says that something was changed nevertheless.

    Args:
        step: the call.
        effect: its effect, with JSON parsed.
    """
    if isinstance(effect, str):
        return not _REHEARSED.search(_outline(effect)) and _tells_change(effect, step)
    if not isinstance(effect, Mapping) or _REHEARSED.search(_outline(effect)):
        return False
    members = {
        key.replace("_", "").replace("-", "").lower(): value for key, value in effect.items()
    }
    return any(
        (key in table.CHANGED_KEYS and _is_positive(value))
        or (isinstance(value, str) and value.lower() in table.DONE | {"issued"})
        or _is_new_id(key, value, step)
        for key, value in members.items()
    )
