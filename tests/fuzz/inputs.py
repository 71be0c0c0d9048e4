"""The input of a number: the same bytes on every machine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fuzz.mutator import Mutator
from fuzz.objects import make_objects
from fuzz.seeds import Seed, files, members, written


@dataclass(frozen=True)
class Inputs:
    """Draws inputs by format and number, out of seeds."""

    seeds: Mapping[str, Sequence[Seed]]
    _files: Sequence[Path] = field(default_factory=files)
    _members: Mapping[str, bytes] = field(default_factory=members)

    def of(self, name: str, number: int) -> tuple[str, bytes]:
        """Returns a file's name and content: most are changed traces, some damaged bytes.

        Args:
            name: the format of the trace that is changed.
            number: draws the change.
        """
        others = [seed.value for found in self.seeds.values() for seed in found]
        mutator = Mutator(f"{name} {number}", others)
        if number % 10 == 0:
            return self._damaged(mutator, mutator.rng.choice(self._files))
        seed = mutator.rng.choice(self.seeds[name])
        data = written(Seed(mutator.mutated(seed.value), seed.by_line))
        if number % 10 == 1:
            data = mutator.damaged(data)
        return f"{name}.{'jsonl' if seed.by_line else 'json'}", data

    def object_of(self, name: str, number: int) -> Any:
        """Returns a changed trace in memory, with an object of an odd type in it.

        Args:
            name: the format of the trace that is changed.
            number: draws the change.
        """
        others = [seed.value for seeds in self.seeds.values() for seed in seeds]
        mutator = Mutator(f"object {name} {number}", others)
        value = mutator.mutated(mutator.rng.choice(self.seeds[name]).value)
        return mutator.with_object(value, mutator.rng.choice(make_objects()))

    def _damaged(self, mutator: Mutator, path: Path) -> tuple[str, bytes]:
        if path.suffix == ".eval" and mutator.rng.random() < 0.7:
            return path.name, mutator.packed(self._members)
        return path.name, mutator.damaged(path.read_bytes())
