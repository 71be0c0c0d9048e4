"""Which arguments of a call are the reference's identifiers, copied where the run drew its own."""

from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from otap.alignment.findings.changes import Change
from otap.alignment.matching import leaf_items
from otap.dependencies.names.identifiers import SMALL, names_identifiers, parts
from otap.dependencies.values import MAX_TEXT


def copied(run: JsonValue, reference: JsonValue, known: Mapping[str, str]) -> Iterator[Change]:
    """Yields the arguments that name somebody else's thing, each identifier once.

    Args:
        run: the arguments of the run's call.
        reference: those of its counterpart.
        known: identifiers of the reference that the run used out of nowhere, each with what the
            run was given in its place.
    """
    if not known:
        return
    theirs = dict(_named(reference))
    for value, path in dict(_named(run)).items():
        if value in theirs and value in known:
            own, other = (one.removeprefix(SMALL) for one in (known[value], value))
            yield Change(path, other, other, is_exact=True, here=own)


def _named(arguments: JsonValue) -> Iterator[tuple[str, str]]:
    """The identifiers among some arguments, each with its path."""
    for path, text in leaf_items(arguments):
        named = names_identifiers(path.rpartition(".")[2])
        for _, _, value in parts(text[:MAX_TEXT], named):
            yield value, path
