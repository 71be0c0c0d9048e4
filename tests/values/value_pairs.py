"""Pairs of argument values: which of them people take for the same, and how many are so judged.

    python -m values.value_pairs [dev|held] [--failing]

Of dev.toml, --failing names what does not hold. held.toml is told in numbers alone: it judges a
change that is finished, and what is known by name is worked on.
"""

import argparse
import hashlib
import json
import tomllib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import otap
from battery.language import call, run

_SEED = "otap values 1"
_NOTHING = 1e-9  # a cost up to here is none
_ANY = otap.Scorer(otap.Config(recognise=False))


class Pair(NamedTuple):
    """Two values of one argument, and what people say of the second beside the first."""

    id: str
    kind: str  # same, other, reworded, contradicts
    tool: str
    path: str  # the argument's name; empty where the values are all arguments
    why: str
    a: Any
    b: Any


class Triple(NamedTuple):
    """Two values beside one of the reference, of which the first is to cost less."""

    id: str
    kind: str  # nearer
    tool: str
    path: str
    why: str
    reference: Any
    near: Any
    far: Any


class Compared(NamedTuple):
    """What a call costs for its arguments, and whether a finding tells of them."""

    cost: float
    told: bool
    minor: bool


def in_dev(identifier: str) -> bool:
    """Whether the pair of that id is one to work with: its digest says, and nobody else."""
    return hashlib.sha256(f"{_SEED}:{identifier}".encode()).digest()[-1] % 2 == 0


def read(name: str) -> list[Pair | Triple]:
    """The pairs of dev or held, each value read from its JSON."""
    text = (Path(__file__).parent / f"{name}.toml").read_text(encoding="utf-8")
    return [_parsed(entry) for entry in tomllib.loads(text)["pair"]]


def holds(pair: Pair | Triple, scorer: otap.Scorer) -> bool:
    """Whether a scorer says of two values what people say; one that refuses to score does not."""
    try:
        return _nearer(pair, scorer) if isinstance(pair, Triple) else _agrees(pair, scorer)
    except otap.OtapError:
        return False


def _nearer(triple: Triple, scorer: otap.Scorer) -> bool:
    near, far = (
        _compared(triple, triple.reference, value, scorer).cost
        for value in (triple.near, triple.far)
    )
    return far - near > _NOTHING


def _agrees(pair: Pair, scorer: otap.Scorer) -> bool:
    cost, told, minor = _compared(pair, pair.a, pair.b, scorer)
    match pair.kind:
        case "same":
            return cost <= _NOTHING and not told
        case "other":
            return cost > _NOTHING and told
        case "reworded":
            return not told or minor
        case "contradicts":
            return told and not minor
    raise ValueError(f"{pair.id}: no kind {pair.kind}")


def _compared(pair: Pair | Triple, reference: Any, value: Any, scorer: otap.Scorer) -> Compared:
    gold, agent = (run(call(pair.tool, _arguments(pair.path, of))) for of in (reference, value))
    score = scorer.score(agent, [gold])
    severities = {found.severity for found in score.findings if found.kind == "arguments"}
    # Under relative mass any step may stand for any: what it costs is what the arguments do.
    return Compared(
        _ANY.score(agent, [gold]).losses.arguments, bool(severities), severities == {"minor"}
    )


def _arguments(path: str, value: Any) -> Mapping[str, Any]:
    return {path: value} if path else value


def _parsed(entry: dict[str, str]) -> Pair | Triple:
    kind = Triple if entry["kind"] == "nearer" else Pair
    said = set(Pair._fields) & set(Triple._fields)
    return kind(**{key: text if key in said else json.loads(text) for key, text in entry.items()})


def main() -> None:
    """Judges the pairs and prints how many hold, by kind and by topic."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("half", nargs="?", choices=("dev", "held"), default="dev")
    parser.add_argument("--failing", action="store_true", help="name what fails in dev.toml")
    wanted = parser.parse_args()
    scorer = otap.Scorer()
    pairs = read(wanted.half)
    failing = [pair for pair in pairs if not holds(pair, scorer)]
    every, failed = (Counter(pair.kind for pair in some) for some in (pairs, failing))
    for kind in every:
        print(f"{kind:11}  {every[kind] - failed[kind]:4} / {every[kind]}")
    print(f"{'in all':11}  {len(pairs) - len(failing):4} / {len(pairs)}")
    if wanted.failing and wanted.half == "dev":
        print(*(pair.id for pair in failing), sep="\n")


if __name__ == "__main__":
    main()
