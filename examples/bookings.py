"""Makes runs of many bookings, good and bad: what `otap evaluate` and `otap report` are shown on.

python -m examples.bookings FOLDER writes gold.jsonl, before.jsonl and after.jsonl: twelve cities,
four trials each, edited by chance as examples/perturbation does, with fixed seeds.
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import otap
from examples.perturbation import perturb
from otap.run import dependency_graph

HOTEL = Path(__file__).parent / "hotel-booking" / "reference.json"
TRIALS = 4
# The city, what the guest wants to walk to, the best hotel there, its number, and who travels.
CITIES = (
    ("Lisbon", "Alfama", "Casa do Miradouro", "H-2206", "Maria Duarte"),
    ("Porto", "Ribeira", "Pensao do Douro", "H-1180", "Jonas Weber"),
    ("Vienna", "Prater", "Haus am Augarten", "H-5521", "Aiko Tanaka"),
    ("Athens", "Plaka", "Hotel Kydathineon", "H-3077", "Lena Novak"),
    ("Turin", "Quadrilatero", "Albergo San Carlo", "H-4102", "Samuel Okoro"),
    ("Ghent", "Patershol", "Hof van Kraanlei", "H-2954", "Ines Romero"),
    ("Riga", "Centrs", "Alberta Nams", "H-6641", "Pavel Horak"),
    ("Seville", "Triana", "Casa de la Alfareria", "H-7718", "Chloe Martin"),
    ("Bergen", "Bryggen", "Fjellgaten Pensjonat", "H-8230", "Tomasz Zielinski"),
    ("Lyon", "Croix-Rousse", "Maison des Canuts", "H-9045", "Nadia Haddad"),
    ("Krakow", "Kazimierz", "Dom przy Szerokiej", "H-1366", "Erik Lindqvist"),
    ("Cork", "Shandon", "Bells House", "H-2719", "Mei Chen"),
)
DEAR = "dear"  # an edit of our own: a budget that nobody gave
# What happens to a run, and how often of a hundred: before the change, and after it.
HAPPENS: dict[tuple[str, ...], tuple[int, int]] = {
    (): (24, 34),
    ("paraphrase",): (10, 14),
    ("reorder",): (6, 8),
    ("merge",): (4, 6),
    ("split",): (4, 4),
    ("distract",): (8, 6),
    ("delete",): (10, 6),
    (DEAR,): (8, 2),
    (DEAR, "delete", "distract"): (2, 4),
    ("mistool",): (10, 4),
    ("invert",): (4, 10),
    ("delete", "distract"): (10, 4),
}
BREAKS = {DEAR, "delete", "mistool", "invert"}


def references() -> list[otap.Trajectory]:
    """What solves each booking."""
    return [_reference(city) for city in CITIES]


def runs(version: str) -> list[otap.Trajectory]:
    """Four runs of each booking.

    Args:
        version: of the agent, "before" or "after" a change of it.
    """
    return [run for gold in references() for run in _trials(gold, version)]


def _trials(gold: otap.Trajectory, version: str) -> Iterator[otap.Trajectory]:
    random = Random(f"{version} {gold.task}")
    often = [both[version == "after"] for both in HAPPENS.values()]
    for trial in range(1, TRIALS + 1):
        edits = random.choices(list(HAPPENS), often)[0]
        said = {
            "id": f"{gold.task}/{version}-{trial}", "task": gold.task, "trial": trial,
            "request": gold.request, "outcome": float(not BREAKS & {*edits}),
        }  # fmt: skip
        yield _edited(gold, edits, random.random()).model_copy(update=said)


def _edited(gold: otap.Trajectory, edits: Sequence[str], seed: float) -> otap.Trajectory:
    """The edited run; where an edit finds nothing to do, the run is the reference's."""
    said = gold.model_dump_json()
    if DEAR in edits:
        said = said.replace('"max_price":150', '"max_price":250')
    begun = otap.Trajectory.model_validate_json(said)
    others = [edit for edit in edits if edit != DEAR]
    found = perturb(begun, dependency_graph(begun), others, seed=f"{seed}")
    steps = begun.steps if found is None else tuple(map(_bare, found.steps))
    return otap.Trajectory(steps=steps)


def _bare(step: otap.Step) -> otap.Step:
    """The step as an agent would record it: without what the edits noted down."""
    inside = tuple(map(_bare, step.substeps))
    return step.model_copy(update={"depends_on": None, "metadata": {}, "substeps": inside})


def _reference(city: tuple[str, ...]) -> otap.Trajectory:
    """The hotel example in another city."""
    text = HOTEL.read_text(encoding="utf-8").replace("hotel-booking", f"book-{city[0].lower()}")
    for old, new in zip(CITIES[0], city, strict=True):
        text = text.replace(old, new)
    return otap.Trajectory.model_validate_json(text)


def write(folder: Path) -> None:
    """Writes what the module's first lines promise."""
    folder.mkdir(parents=True, exist_ok=True)
    write_lines(folder / "gold.jsonl", references())
    for version in ("before", "after"):
        write_lines(folder / f"{version}.jsonl", runs(version))


def write_lines(file: Path, trajectories: Sequence[otap.Trajectory]) -> None:
    """Writes trajectories, one a line."""
    lines = (one.model_dump_json(exclude_defaults=True) for one in trajectories)
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
