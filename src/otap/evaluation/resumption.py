"""How far a result file has come, and whether it can be gone on with."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from otap.errors import ConfigError, shown, shown_path
from otap.evaluation.inputs import Begun, source_of
from otap.evaluation.results.result import Made, Result
from otap.formats.json.documents import in_utf8
from otap.scoring.references.selection import ReferenceIndex
from otap.trajectory import Source, Trajectory

_ANEW = "; name another file, or remove it"


class Resumption:
    """Holds the lines of a file, one after the other, to what would be written now.

    Args:
        where: the name of the file, for errors.
        files: the trace files, in their order.
        made: how lines are made now.
        references: those of now.
    """

    def __init__(
        self, where: str, files: Sequence[str], made: Made, references: ReferenceIndex
    ) -> None:
        self._where, self._files, self._made = where, files, made
        self._references = references
        self._sets = {_sources(found) for found in references.of_no_task()}
        self._place, self._runs = -1, 0
        self._lines = 0

    def begun(self, results: Iterable[Result]) -> Begun:
        """Returns how far the file has come.

        Raises:
            ConfigError: if a line was made in another way, or of something else.
        """
        for result in results:
            self._lines += 1
            self._check_made(result)
            self._check_embedded(result)
            self._check_references(result)
            self._check_source(result.source or Source())
        return Begun(max(0, self._place), self._runs)

    def _check_made(self, result: Result) -> None:
        if result.signature != self._made.signature:
            raise self._error(
                "was made with other settings, another encoder or another version of OTAP"
                f" ({differing(result.signature, self._made.signature)})"
            )

    def _check_embedded(self, result: Result) -> None:
        if result.error is None and result.embedded != self._made.embedded:
            raise self._error(f"was made {'with' if result.embedded else 'without'} --embed")

    def _check_references(self, result: Result) -> None:
        if result.error is not None:
            same = result.references_digest == self._made.references_digest
        elif result.task is not None and result.task in self._references.tasks:
            same = result.reference_sources == _sources(self._references.of_task(result.task))
        else:
            same = result.reference_sources in self._sets
        if not same:
            raise self._error("was made with other references, or they have changed since")

    def _check_source(self, source: Source) -> None:
        """The line must be of the run behind the one before it."""
        if self._place >= 0 and self._is_next(source):
            self._runs += 1
            return
        self._place, self._runs = self._place + 1, 1
        if self._place >= len(self._files) or (source.index or 0) != 0:
            raise self._changed(source)
        now = source_of(self._files[self._place])
        if (source.path, source.sha256) != (now.path, now.sha256):
            raise self._changed(source)

    def _is_next(self, source: Source) -> bool:
        same = source.path == in_utf8(self._files[self._place])
        return same and source.index is not None and source.index == self._runs

    def _changed(self, source: Source) -> ConfigError:
        run = f"run {source.index} of " if source.index is not None else ""
        return self._error(
            f"is of {run}{shown_path(source.path)}: the runs are others now, or have changed since"
        )

    def _error(self, what: str) -> ConfigError:
        return ConfigError(f"{self._where}:{self._lines}: {what}{_ANEW}")


def _sources(references: Iterable[Trajectory]) -> tuple[Source, ...]:
    return tuple(one.source for one in references if one.source)


def differing(one: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """Returns the names of the settings in which two signatures differ, for one line."""
    names = sorted(key for key in {*one, *other} if one.get(key) != other.get(key))
    return shown(", ".join(names), 200)
