"""What many runs say together: how many are how bad, how they score, and what was found where."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from otap._caching import cached_property
from otap.alignment import SEVERITIES, Finding
from otap.report.pages.many.rows import FAILED, RANKS, Row
from otap.report.pages.many.words import Words
from otap.report.story.kinds import kind_word

BINS = 20


@dataclass(frozen=True)
class Bar:
    """In how many runs something was found, by the worst severity that it has there.

    Attributes:
        number: of the word among those that rows are filtered by.
        word: what it is called.
        name: its name for the command line.
        counts: runs by severity, the worst first.
    """

    number: int
    word: str
    name: str
    counts: Mapping[str, int]

    @property
    def total(self) -> int:
        """Runs in all."""
        return sum(self.counts.values())


@dataclass(frozen=True)
class Overview:
    """The rows of a page taken together, and the words that they are filtered by."""

    rows: Sequence[Row]
    words: Words

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """How many runs are how bad, the worst first."""
        found = Counter(row.severity for row in self.rows)
        return {name: found[name] for name in RANKS}

    @property
    def middle(self) -> float | None:
        """The score that half of the runs reach."""
        scores = [row.result.score for row in self._scored if row.result.score is not None]
        return median(scores) if scores else None

    @cached_property
    def histogram(self) -> list[dict[str, int]]:
        """How many runs score how much, in BINS equal bins: by severity, the worst first."""
        bins: list[dict[str, int]] = [dict.fromkeys(RANKS[1:], 0) for _ in range(BINS)]
        for row in self._scored:
            bins[min(BINS - 1, int((row.result.score or 0.0) * BINS))][row.severity] += 1
        return bins

    @property
    def highest(self) -> int:
        """The runs in the fullest bin; 1 if there are none."""
        return max(1, *(sum(one.values()) for one in self.histogram))

    @cached_property
    def kinds(self) -> list[Bar]:
        """In how many runs each kind of finding is, those first that are critical most often."""
        found = self._counted(lambda finding: (finding.kind,))
        return [Bar(self.words.kinds.number(k), kind_word(k), k, n) for k, n in found]

    @cached_property
    def tools(self) -> list[Bar]:
        """In how many runs something was found of each tool, in the same order."""
        found = self._counted(lambda finding: finding.tools)
        return [Bar(self.words.tools.number(k), k, k, n) for k, n in found]

    @property
    def _scored(self) -> list[Row]:
        return [row for row in self.rows if row.severity != FAILED]

    def _counted(
        self, keys: Callable[[Finding], Iterable[str]]
    ) -> list[tuple[str, Mapping[str, int]]]:
        """In how many runs each key is, by severity."""
        found: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for row in self._scored:
            worst: dict[str, str] = {}  # findings of a run come worst first
            for finding in row.result.findings:
                for key in keys(finding):
                    worst.setdefault(key, finding.severity)
            for key, severity in worst.items():
                found[key][severity] += 1
        told: list[tuple[str, Mapping[str, int]]]
        told = [(key, {name: counts[name] for name in SEVERITIES}) for key, counts in found.items()]
        return sorted(told, key=lambda one: ([-count for count in one[1].values()], one[0]))
