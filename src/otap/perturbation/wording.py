"""The same steps in other words."""

import re
from collections.abc import Mapping, Sequence
from random import Random

from pydantic import JsonValue

from otap.perturbation.material import Material
from otap.trajectory import Trajectory

SHARE = 0.8  # of the phrases known to the lexicon that are said in another way
_FIELDS = ("action", "arguments", "effect")


def paraphrased(trajectory: Trajectory, random: Random, material: Material) -> Trajectory | None:
    """The trajectory in other words; None if the lexicon knows none of its phrases.

    Only prose changes: structured arguments and effects are data, also where they stand as text. A
    phrase is said in the same way throughout.
    """
    if not material.lexicon:
        return None
    chosen = _chosen(material.lexicon, random)
    pattern = _pattern(list(chosen))
    steps = []
    for step in trajectory.steps:
        told = {name: _said(getattr(step, name), pattern, chosen) for name in _FIELDS}
        steps.append(
            step.model_copy(
                update={name: said for name, said in told.items() if said != getattr(step, name)}
            )
        )
    found = trajectory.model_copy(update={"steps": tuple(steps)})
    return found if found.steps != trajectory.steps else None


def _chosen(lexicon: Mapping[str, Sequence[str]], random: Random) -> dict[str, str | None]:
    """For each phrase the way in which it will be said; None: as it is."""
    drawn = {
        phrase: (random.random() < SHARE, random.choice(lexicon[phrase]))
        for phrase in sorted(lexicon)
    }
    return {phrase.casefold(): way if other else None for phrase, (other, way) in drawn.items()}


def _pattern(phrases: Sequence[str]) -> re.Pattern[str]:
    """The longest phrase wins: 'search for' before 'search'."""
    ordered = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
    return re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, ordered)) + r")(?!\w)", re.IGNORECASE)


def _said(text: JsonValue, pattern: re.Pattern[str], chosen: Mapping[str, str | None]) -> JsonValue:
    if not isinstance(text, str) or text.lstrip()[:1] in ("{", "["):
        return text

    def other(match: re.Match[str]) -> str:
        way = chosen[match[0].casefold()] or match[0]
        if match[0][:1].isupper():
            return way[:1].upper() + way[1:]
        return way if way[:2].isupper() else way[:1].lower() + way[1:]  # an acronym stays one

    return pattern.sub(other, text)
