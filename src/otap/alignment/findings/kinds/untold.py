"""untold: an answer that the reference says must be told, and that no text of the run says."""

from collections.abc import Iterator

from otap.alignment.comparison import Compared
from otap.alignment.findings import severity
from otap.alignment.findings.finding import Departure
from otap.alignment.findings.labels import SHOWN
from otap.alignment.findings.reading import Reading
from otap.alignment.telling import Untold
from otap.errors import shown


def find(reading: Reading) -> Iterator[Departure]:
    """Yields the answers that were never given."""
    return untold(reading.comparison)


def untold(compared: Compared) -> Iterator[Departure]:
    """Yields the answers that were never given, of any comparison."""
    telling = compared.telling
    share = min(1.0, telling.share / compared.loss) if compared.loss > 0 else 0.0
    for one in telling.untold:
        yield Departure(
            kind="untold", severity=severity.OF_UNTOLD, share=share, sentence=_sentence(one)
        )


def _sentence(untold: Untold) -> str:
    nearest = f"; the number told that is nearest is {untold.nearest}" if untold.nearest else ""
    return f"the answer '{shown(untold.answer, 2 * SHOWN)}' was never told{nearest}"
