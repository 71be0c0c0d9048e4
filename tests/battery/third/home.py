"""A smart home: lights, heating, locks and scenes."""

from battery.language import Above, Case, Equal, Finds, Silent, StepData, call, run


def state(room: str) -> StepData:
    return call("get_state", room=room, effect={"room": room, "light": "off"})


def heat(room: str, degrees: object) -> StepData:
    return call("set_temperature", room=room, temperature=degrees)


def light(room: str, on: object) -> StepData:
    return call("set_light", room=room, on=on)


def scene(*devices: StepData) -> StepData:
    return call("run_scene", name="evening", effect="done", substeps=devices)


def blinds(count: int, wrong: int | None = None) -> list[StepData]:
    return [
        call("set_blind", blind=f"BL-{i}", percent=50 if i != wrong else 5) for i in range(count)
    ]


def group(*members: str) -> list[StepData]:
    return [state("hall"), call("create_group", name="down", device_ids=list(members))]


EVENING = (light("hall", True), heat("bath", 22), call("lock_door", door="front"))

CASES = [
    Case(
        "home-written",
        "representation",
        "On and off, degrees and names of rooms may be written in several ways.",
        (run(state("kitchen"), light("kitchen", True), heat("kitchen", 21.5)),),
        {
            "same": run(state("kitchen"), light("kitchen", True), heat("kitchen", 21.5)),
            "text": run(state("kitchen"), light("kitchen", "true"), heat("kitchen", "21.5")),
            "room": run(state("Kitchen"), light("Kitchen", True), heat("KITCHEN", 21.5)),
            "off": run(state("kitchen"), light("kitchen", False), heat("kitchen", 21.5)),
            "hotter": run(state("kitchen"), light("kitchen", True), heat("kitchen", 215)),
        },
        (
            Equal("same", "text"),
            Equal("same", "room"),
            Above("text", "off"),
            Above("room", "hotter"),
            Finds("off", "arguments", "2"),
            Finds("hotter", "arguments", "3"),
        ),
    ),
    Case(
        "home-tool-names",
        "representation",
        "The same device behind another server.",
        (run(state("hall"), heat("hall", 19), call("lock_door", door="front")),),
        {
            "same": run(state("hall"), heat("hall", 19), call("lock_door", door="front")),
            "mcp": run(
                call("mcp__home__get_state", room="hall", effect={"room": "hall", "light": "off"}),
                call("mcp__home__set_temperature", room="hall", temperature=19),
                call("mcp__home__lock_door", door="front"),
            ),
            "camel": run(
                call("getState", room="hall", effect={"room": "hall", "light": "off"}),
                call("setTemperature", room="hall", temperature=19),
                call("lockDoor", door="front"),
            ),
            "unlocked": run(state("hall"), heat("hall", 19), call("unlock_door", door="front")),
        },
        (
            Equal("same", "mcp"),
            Equal("same", "camel"),
            Above("mcp", "unlocked"),
            Above("camel", "unlocked"),
            Silent("camel", "tool"),
        ),
    ),
    Case(
        "home-scene-inside",
        "sub-steps",
        "A scene is what its devices did.",
        (run(scene(*EVENING)),),
        {
            "same": run(scene(*EVENING)),
            "unlocked": run(scene(*EVENING[:2])),
            "dark": run(scene(light("hall", False), *EVENING[1:])),
            "opened": run(scene(*EVENING[:2], call("unlock_door", door="front"))),
        },
        (
            Silent("same"),
            Above("same", "unlocked"),
            Above("same", "dark"),
            Above("same", "opened"),
        ),
    ),
    Case(
        "home-scene-hides",
        "sub-steps",
        "What was not asked for does not become right by being done inside a step.",
        (run(scene(*EVENING)),),
        {
            "looked": run(scene(state("hall"), *EVENING)),
            "garage": run(scene(*EVENING, call("open_garage", door="G-2"))),
        },
        (Above("looked", "garage"),),
    ),
    *(
        Case(
            f"home-blinds-{count}",
            "length",
            f"One blind of {count} is set otherwise.",
            (run(*blinds(count)),),
            {
                "looked": run(state("hall"), state("bath"), *blinds(count)),
                "wrong": run(*blinds(count, 1)),
                "half": run(*blinds(count // 2)),
            },
            (
                Above("looked", "wrong"),
                Above("wrong", "half"),
                Finds("wrong", "arguments", "2"),
            ),
        )
        for count in (4, 30)
    ),
    Case(
        "home-group",
        "lists",
        "The devices of a group are a set.",
        (run(*group("L-1", "L-2", "L-3", "L-4")),),
        {
            "same": run(*group("L-1", "L-2", "L-3", "L-4")),
            "reordered": run(*group("L-3", "L-1", "L-4", "L-2")),
            "replaced": run(*group("L-1", "L-2", "L-3", "L-9")),
            "one_less": run(*group("L-1", "L-2", "L-3")),
        },
        (
            Above("reordered", "replaced"),
            Above("reordered", "one_less"),
            Silent("reordered", "arguments"),
            Finds("replaced", "arguments", "2"),
            Finds("one_less", "arguments", "2"),
        ),
    ),
    Case(
        "home-door-order",
        "order",
        "A door that is unlocked last stays open; the light has nothing to do with it.",
        (
            run(
                call("unlock_door", door="front"),
                call("lock_door", door="front"),
                light("hall", True),
            ),
        ),
        {
            "light_first": run(
                light("hall", True),
                call("unlock_door", door="front"),
                call("lock_door", door="front"),
            ),
            "left_open": run(
                call("lock_door", door="front"),
                call("unlock_door", door="front"),
                light("hall", True),
            ),
        },
        (Above("light_first", "left_open"), Silent("light_first")),
    ),
]
