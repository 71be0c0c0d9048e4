"""However its steps hang together, a run below 1 MB is prepared, compared and told in bounds."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import pytest

from bounds.growing import Bench, Pair, Part, bench, run_of
from otap.trajectory import Trajectory

Data = Mapping[str, object]
Steps = Callable[[int, random.Random], Sequence[Data]]  # a size: the steps of a run

SQUARES = 2.3  # the growth of what every pair of steps is compared of, with a margin
VERBS = ("create", "update", "send", "cancel", "book", "move", "close", "get", "list", "find")


def word(chosen: random.Random, length: int = 8) -> str:
    """Returns a word that means nothing."""
    return "".join(chosen.choices("abcdefghijklmnopqrstuvwxyz", k=length))


def drawn(chosen: random.Random) -> str:
    """Returns an identifier as systems draw it."""
    return f"{chosen.getrandbits(48):012x}"


def both(steps: Steps, size: int, **fields: object) -> Pair:
    """A run and a reference of the same kind that share nothing but that."""
    one, other = (run_of(steps(size, random.Random(side)), **fields) for side in (1, 2))
    return one, other


def alone(steps: Steps, size: int) -> Pair:
    """A run that is its own reference."""
    run = run_of(steps(size, random.Random(1)), request=["go"])
    return run, run.model_copy()


def ordinary(size: int, chosen: random.Random) -> list[Data]:
    """Calls that use what earlier ones showed."""
    known, steps = ["u0"], list[Data]()
    for place in range(size):
        known.append(drawn(chosen))
        arguments = {
            "record_id": chosen.choice(known[-20:-1]),
            "text": " ".join(word(chosen, 5) for _ in range(6)),
            "count": chosen.randrange(1000),
        }
        tool = f"{VERBS[place % len(VERBS)]}_thing"
        effect = {"id": known[-1], "note": word(chosen)}
        steps.append({"tool": tool, "arguments": arguments, "effect": effect})
    return steps


def of_one_turn(size: int, chosen: random.Random) -> list[Data]:
    """The same, all at once."""
    return [{**step, "turn": 1} for step in ordinary(size, chosen)]


def of_one_thing(size: int, chosen: random.Random) -> list[Data]:
    """Calls that all change one thing, and of which only calls are known."""
    return [
        {"tool": f"{chosen.choice(VERBS)}_order", "arguments": {"order_id": "W-20", "n": place}}
        for place in range(size)
    ]


def of_each_other(size: int, chosen: random.Random) -> list[Data]:
    """Calls of which each names many things of the others."""
    things = [f"W-{place}" for place in range(size)]
    few = min(10, size)
    return [
        {"tool": "update_orders", "arguments": {"order_ids": chosen.sample(things, few)}}
        for _ in range(size)
    ]


def of_one_user(size: int, chosen: random.Random) -> list[Data]:
    """Calls that all use and show one identifier."""
    return [
        {
            "tool": f"{chosen.choice(VERBS)}_it",
            "arguments": {"user": "a1b2c3d4"},
            "effect": {"user": "a1b2c3d4", "note": word(chosen)},
        }
        for _ in range(size)
    ]


def tools(size: int, chosen: random.Random) -> list[Data]:
    """Calls of tools that all differ."""
    return [
        {"tool": f"{chosen.choice(VERBS)}_{word(chosen)}", "arguments": {"x": word(chosen)}}
        for _ in range(size)
    ]


def needing(reach: int, size: int, chosen: random.Random) -> list[Data]:
    """Steps that depend on all of the steps before them, as far as they reach."""
    return [
        {
            "tool": chosen.choice(VERBS),
            "arguments": {"x": word(chosen)},
            "depends_on": [str(k) for k in range(max(0, place - reach), place)],
        }
        for place in range(size)
    ]


def equal(size: int, _: random.Random) -> list[Data]:
    """Steps that say all the same."""
    return [{"tool": "click", "arguments": {"x": 1}, "effect": "ok 12345678"}] * size


def chained(size: int, chosen: random.Random) -> list[Data]:
    """Each step is given a name that the next one uses."""
    names = [drawn(chosen) for _ in range(size + 1)]
    return [
        {
            "tool": "create_node",
            "arguments": {"parent_id": names[k]},
            "effect": {"id": names[k + 1]},
        }
        for k in range(size)
    ]


def of_one_record(size: int, chosen: random.Random) -> list[Data]:
    """One call uses many identifiers that another showed."""
    names = [drawn(chosen) for _ in range(size)]
    record = {f"k{place}": name for place, name in enumerate(names)}
    return [
        {"tool": "list_orders", "effect": {"ids": names}},
        {"tool": "create_record", "arguments": {"record": record}},
    ]


def of_nowhere(size: int, chosen: random.Random) -> list[Data]:
    """Values that nothing has shown, among many that were."""
    shown: Data = {"tool": "get_all", "effect": [drawn(chosen) for _ in range(size)]}
    return [shown] + [
        {
            "tool": "create_it",
            "arguments": {f"k{key}": drawn(chosen) for key in range(size // 50)},
            "effect": {"ok": 1},
        }
        for _ in range(50)
    ]


def reused(size: int, chosen: random.Random) -> list[Data]:
    """A long text that was read is written and sent."""
    text = " ".join(chosen.choice((word(chosen), drawn(chosen))) for _ in range(size))
    return [
        {"tool": "read_file", "arguments": {"path": "a.txt"}, "effect": text},
        {"tool": "write_file", "arguments": {"path": "b.txt", "text": text}},
        {"tool": "send", "arguments": {"text": text}},
    ]


def lines(size: int, chosen: random.Random) -> list[Data]:
    """Long lines for a shell."""
    line = " && ".join(f"ls -l {word(chosen)} | grep {word(chosen)}" for _ in range(size))
    return [{"tool": "bash", "arguments": {"command": f"{line} {k}"}} for k in range(3)]


def statements(size: int, _: random.Random) -> list[Data]:
    """Statements of ten thousand characters each."""
    columns = "a," * 4_800
    return [
        {"tool": "query", "arguments": {"sql": f"select {columns}{place}"}} for place in range(size)
    ]


def inside(levels: int, size: int, chosen: random.Random) -> list[Data]:
    """Steps inside steps, as many in each as there are at the top."""
    return [
        {
            "id": str(place),
            "tool": f"{chosen.choice(VERBS)}_thing",
            "arguments": {"a": word(chosen), "n": chosen.randrange(99)},
            "substeps": inside(levels - 1, size, chosen) if levels > 1 else [],
        }
        for place in range(size)
    ]


def of_one_step(size: int, chosen: random.Random) -> list[Data]:
    """One step that all others are inside of."""
    return [{"tool": "run_all", "substeps": inside(1, size, chosen)}]


def asked(size: int) -> Pair:
    """Many requests."""
    chosen = random.Random(3)
    texts = [" ".join(word(chosen) for _ in range(8)) for _ in range(size)]
    return both(ordinary, 20, request=texts)


def told(size: int) -> Pair:
    """A long text that was told, in which a hundred answers are looked for."""
    chosen = random.Random(3)
    text = " ".join(
        chosen.choice((word(chosen, 5), str(chosen.randrange(10_000)), "$12.50", "3 May."))
        for _ in range(size)
    )
    answers = [
        " ".join(word(chosen, 5) for _ in range(5)) if place % 2 else str(place * 7919)
        for place in range(100)
    ]
    run, reference = alone(ordinary, 10)
    asking = reference.model_copy(update={"required_answers": tuple(answers)})
    return run.model_copy(update={"messages_to_user": (text,)}), asking


def relisted(size: int) -> Pair:
    """The same steps with other ids in another order, bound by what each depends on."""
    chosen = random.Random(3)
    needed = [
        {chosen.randrange(place) for _ in range(3)} if place else set() for place in range(size)
    ]
    number = chosen.sample(range(size), size)

    def step(place: int, name: Callable[[int], str]) -> Data:
        return {"id": name(place), "tool": "do", "depends_on": sorted(map(name, needed[place]))}

    steps = [step(place, "a{}".format) for place in range(size)]
    renamed = [step(place, lambda k: f"b{number[k]}") for place in range(size)]
    chosen.shuffle(renamed)
    return run_of(steps), run_of(renamed)


def among(size: int) -> tuple[Trajectory, Sequence[Trajectory]]:
    """A run of twelve steps among references of its task."""
    chosen = random.Random(3)
    steps = ordinary(12, chosen)

    def changed() -> list[Data]:
        found = [dict(step) for step in steps]
        for place in chosen.sample(range(12), 3):
            found[place]["tool"] = chosen.choice(steps)["tool"]
            found[place]["arguments"] = {"record_id": "u0", "text": word(chosen), "count": 1}
        return found

    return run_of(steps, request=["go"]), [run_of(changed(), request=["go"]) for _ in range(size)]


PARTS = [
    Part("ordinary", partial(both, ordinary, request=["go for u0"]), 60, 2_000, SQUARES),
    Part("one turn", partial(both, of_one_turn, request=["go"]), 60, 1_900, SQUARES),
    Part("one thing", partial(both, of_one_thing), 24, 2_000, SQUARES),
    Part("each other's things", partial(both, of_each_other), 24, 2_000, SQUARES),
    Part("one user", partial(both, of_one_user, request=["go"]), 16, 2_000, SQUARES),
    Part("tools", partial(both, tools), 60, 2_000, SQUARES),
    Part("dense dependencies", partial(both, partial(needing, 90)), 16, 1_500, SQUARES),
    Part("a chain", partial(both, partial(needing, 1)), 20, 2_000, SQUARES),
    Part("equal steps", partial(alone, equal), 60, 2_000, SQUARES),
    Part("relisted", relisted, 60, 2_000, SQUARES),
    Part("drawn names", partial(both, chained, request=["go"]), 24, 2_000, SQUARES),
    Part("one record", partial(both, of_one_record, request=["go"]), 500, 20_000),
    Part("values of nowhere", partial(both, of_nowhere, request=["go"]), 300, 16_000),
    Part("reused text", partial(both, reused, request=["go"]), 1_000, 25_000),
    Part("lines", partial(alone, lines), 500, 9_000),
    Part("statements", partial(alone, statements), 5, 100),
    Part("inside, 2 levels", partial(both, partial(inside, 2)), 4, 44, 2 * SQUARES),
    Part("inside, 3 levels", partial(both, partial(inside, 3)), 2, 12, 3 * SQUARES),
    Part("inside one", partial(both, of_one_step), 60, 1_999, SQUARES),
    Part("requests", asked, 200, 11_000),
    Part("messages_to_user", told, 1_000, 120_000),
    Part("references", among, 12, 200),
]


@pytest.fixture(scope="module")
def growing() -> Iterator[Bench]:
    """A process that measures these parts."""
    with bench("bounds.test_graph_bounds") as found:
        yield found


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_how_steps_hang_together_takes_bounded_time(growing: Bench, part: Part) -> None:
    """Time grows no faster than n log n, or than the pairs of steps."""
    assert growing.complaint(part) == ""
